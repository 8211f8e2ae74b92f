"""Pods of one template: the first goes the long way, the others take the steps it made known."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.kubelet import reports
from lifecycle.engine.kubelet.pod_sync import PodSyncer
from tests.engine.kubelet.test_random_pods import NODE_FAULTS, _behavior, _container
from tests.engine.kubelet.world import World
from tests.seeds import first_of

Json = dict[str, Any]
REPLICAS = 6


def _deployment(chance: random.Random) -> Json:
    container = _container(chance, "app", {})
    container |= {"image": "busybox:1", "command": ["sleep", "1h"]} if chance.random() < 0.3 else {}
    if chance.random() < 0.5:
        container["resources"] = {"requests": {"cpu": "10m"}}
    annotations = {}
    if chance.random() < 0.7:
        annotations["podline.dev/behavior"] = json.dumps({"app": _behavior(chance)})
    labels = {"app": "web"}
    template = {
        "metadata": {"labels": labels, "annotations": annotations},
        "spec": {"containers": [container]},
    }
    if "image" not in container:
        container["image"] = "nginx:1.27"
    spec = {"replicas": REPLICAS, "selector": {"matchLabels": labels}, "template": template}
    meta = {"name": "web", "namespace": "default"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}


def _job(chance: random.Random) -> Json:
    """A Job of the same pods, that end at some time, well or not."""
    template = _deployment(chance)["spec"]["template"]
    runs = [{"for": f"{chance.randint(0, 9)}s", "exit": chance.choice([0, 0, 3])} for _ in range(2)]
    behavior = {**_behavior(chance), "runs": runs}
    template["metadata"] = {"annotations": {"podline.dev/behavior": json.dumps({"app": behavior})}}
    template["spec"]["restartPolicy"] = chance.choice(["Never", "OnFailure"])
    mode = chance.choice(["Indexed", "NonIndexed"])
    spec = {"completions": 9, "parallelism": 4, "completionMode": mode, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "work"}, "spec": spec}


def _disturb(world: World, chance: random.Random) -> None:
    """One thing that may happen to a Deployment and its pods."""
    pods = [pod["metadata"]["name"] for pod in world.cluster.list("Pod", "default")]
    name = chance.choice(pods) if pods else "none"
    kinds = ["delete", "status", "label", "fault", "load", "wait"]
    kinds += ["image", "scale"] if world.cluster.list("Deployment") else []
    match chance.choice(kinds):
        case "delete":
            world.delete(seconds=chance.choice([None, 1, 5]), name=name)
        case "status":
            condition = {"type": "example.com/seen", "status": "True"}
            patch = {"status": {"conditions": [condition]}}
            payload = {"kind": "Pod", "namespace": "default", "name": name, "subresource": "status"}
            answer = world.submit("patch", type="strategic", patch=patch, **payload)
            assert answer.ok or name == "none", answer.status
        case "label":
            world.patch({"metadata": {"labels": {"seen": "yes"}}}, name=name)
        case "fault":
            kind = chance.choice(NODE_FAULTS)
            world.submit("fault", node=f"node-{chance.randint(1, 2)}", kind=kind, **{"for": "20s"})
        case "image":
            _patch_deployment(
                world, {"template": {"spec": {"containers": [{"name": "app", "image": "redis:7"}]}}}
            )
        case "scale":
            _patch_deployment(world, {"replicas": chance.randint(1, 2 * REPLICAS)})
        case "load":
            assert world.rows
            world.cluster = Cluster.load(world.cluster.save())


def _patch_deployment(world: World, spec: Json) -> None:
    where = {"kind": "Deployment", "namespace": "default", "name": "web"}
    assert world.submit("patch", type="strategic", patch={"spec": spec}, **where).ok


def _history(seed: int, make: Callable[[random.Random], Json]) -> tuple[list[Json], list[Json]]:
    chance = random.Random(seed)
    world = World(nodes=2, timing=chance.choice(["instant", "realistic"]))
    assert world.create(make(chance)).ok
    at = 0.0
    for _ in range(12):
        at += chance.choice([0.05, 0.4, 1.5, 7, 40])
        world.to(at)
        _disturb(world, chance)
    rows = world.to(at + 100).rows
    return rows, world.cluster.list("Pod", "default")


@pytest.mark.slow
@pytest.mark.parametrize("make", [_deployment, _job])
@pytest.mark.parametrize("seed", first_of(range(8)))
def test_known_steps_lead_where_the_long_way_leads(
    seed: int, make: Callable[[random.Random], Json], monkeypatch: pytest.MonkeyPatch
) -> None:
    _compare(seed, make, monkeypatch)


@pytest.mark.deep
@pytest.mark.parametrize("make", [_deployment, _job])
@pytest.mark.parametrize("seed", range(8, 500))
def test_known_steps_of_many_more_seeds(
    seed: int, make: Callable[[random.Random], Json], monkeypatch: pytest.MonkeyPatch
) -> None:
    _compare(seed, make, monkeypatch)


def _compare(seed: int, make: Callable[[random.Random], Json], monkeypatch: pytest.MonkeyPatch) -> None:
    taken = 0
    status_of = reports.Step.status_of

    def counted(self: Any, *arguments: Any) -> Any:
        nonlocal taken
        taken += 1
        return status_of(self, *arguments)

    monkeypatch.setattr(reports.Step, "status_of", counted)
    rows, pods = _history(seed, make)
    assert taken, "no known step was taken, so this compares nothing"
    monkeypatch.setattr(reports, "facts_of", lambda *_: None)
    long_rows, long_pods = _history(seed, make)
    assert rows == long_rows
    assert pods == long_pods


def test_pods_of_a_template_do_not_work_out_a_known_step_again(monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out = 0
    work_out = reports.Reporter._work_out

    def counted(*arguments: Any) -> Any:
        nonlocal worked_out
        worked_out += 1
        return work_out(*arguments)

    monkeypatch.setattr(reports.Reporter, "_work_out", counted)
    world = World(timing="realistic")
    chance = random.Random(1)
    deployment = _deployment(chance)
    deployment["spec"]["template"]["spec"]["containers"] = [{"name": "app", "image": "nginx:1.27"}]
    deployment["spec"]["template"]["metadata"]["annotations"] = {}
    assert world.create(deployment).ok
    world.to(60)
    pods = world.cluster.list("Pod", "default")
    assert [pod["status"]["phase"] for pod in pods] == ["Running"] * REPLICAS
    # Bound, in its sandbox, running: three steps, each learnt from one pod.
    assert worked_out == 3
    _patch_deployment(world, {"replicas": 0})
    world.to(120)
    assert not world.cluster.list("Pod", "default")
    # To be stopped, and gone: two more. That its containers have ended is not told before.
    assert worked_out == 5


def test_a_pod_that_ends_at_once_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """That its container ends is known as it is stopped, and what comes after is timed."""
    syncs = 0
    sync_pod = PodSyncer.sync_pod

    def counted(*arguments: Any) -> None:
        nonlocal syncs
        syncs += 1
        sync_pod(*arguments)

    monkeypatch.setattr(PodSyncer, "sync_pod", counted)
    world = World(timing="realistic")
    assert world.pod({"name": "app", "image": "nginx:1.27"}).ok
    world.to(60)
    syncs = 0
    assert world.submit("delete", kind="Pod", namespace="default", name="web").ok
    world.to(120)
    assert not world.cluster.list("Pod", "default")
    assert syncs == 1
