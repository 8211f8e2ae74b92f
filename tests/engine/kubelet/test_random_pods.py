"""Random pods, deletions and faults against what must always hold. A failing seed names its history."""

import random
from typing import Any

import pytest

from tests.engine.invariants import Watcher, check_pod

from .world import World

EXITS = [0, 0, 1, 2, 42, 137]


def _seconds(chance: random.Random, most: int) -> str:
    return f"{chance.randint(0, most)}s"


def _behavior(chance: random.Random) -> dict[str, Any]:
    runs: list[dict[str, Any]] = [
        {"for": _seconds(chance, 90), "exit": chance.choice(EXITS)} for _ in range(chance.randint(0, 3))
    ]
    if not runs or chance.random() < 0.5:
        runs.append({"forever": True})
    behavior: dict[str, Any] = {"runs": runs}
    if chance.random() < 0.5:
        takes = {"takes": _seconds(chance, 40), "exit": chance.choice(EXITS)}
        behavior["onTerm"] = chance.choice([takes, {"ignore": True}])
    if chance.random() < 0.3:
        behavior["pull"] = chance.choice(
            [{"takes": _seconds(chance, 20)}, {"error": "ErrImagePull", "times": chance.randint(1, 4)}]
        )
    if chance.random() < 0.5:
        behavior["preStop"] = {"takes": _seconds(chance, 40), "exit": chance.choice([0, 1])}
    behavior["probes"] = {
        kind: [
            {"at": f"{at}s", "result": chance.choice(["success", "success", "failure", "unknown"])}
            for at in sorted(chance.sample(range(120), chance.randint(1, 3)))
        ]
        for kind in ("liveness", "readiness", "startup")
    }
    return behavior


def _probe(chance: random.Random) -> dict[str, Any]:
    return {
        "exec": {"command": ["true"]},
        "periodSeconds": chance.randint(1, 15),
        "initialDelaySeconds": chance.randint(0, 20),
        "failureThreshold": chance.randint(1, 4),
    }


def _container(chance: random.Random, name: str, is_regular_init: bool) -> dict[str, Any]:
    container: dict[str, Any] = {"name": name}
    if is_regular_init:
        return container
    for kind in ("livenessProbe", "readinessProbe", "startupProbe"):
        if chance.random() < 0.3:
            container[kind] = _probe(chance)
    if chance.random() < 0.3:
        container["lifecycle"] = {"preStop": {"exec": {"command": ["true"]}}}
    return container


def _create(world: World, chance: random.Random, name: str) -> None:
    apps = [_container(chance, f"app-{index}", False) for index in range(chance.randint(1, 3))]
    init = []
    for index in range(chance.randint(0, 3)):
        is_sidecar = chance.random() < 0.5
        one = _container(chance, f"init-{index}", not is_sidecar)
        init.append({**one, "restartPolicy": "Always"} if is_sidecar else one)
    spec: dict[str, Any] = {
        "restartPolicy": chance.choice(["Always", "OnFailure", "Never"]),
        "terminationGracePeriodSeconds": chance.choice([0, 1, 5, 30, 60]),
    }
    if chance.random() < 0.2:
        spec["activeDeadlineSeconds"] = chance.randint(1, 200)
    behavior = {one["name"]: _behavior(chance) for one in (*apps, *init)}
    answer = world.pod(*apps, init=tuple(init), behavior=behavior, meta={"name": name}, **spec)
    assert answer.ok, answer.status


def _disturb(world: World, chance: random.Random, watcher: Watcher) -> None:
    pods = list(world.cluster.list("Pod", "default"))
    kind = chance.choice(["delete", "delete", "force", "exit", "node", "sandbox"])
    if kind == "node":
        trouble = chance.choice(["kubeletRestart", "partition", "reboot", "sandboxFailure"])
        world.submit("fault", node="node-1", kind=trouble, **{"for": f"{chance.randint(1, 90)}s"})
    if not pods:
        return
    pod = chance.choice(pods)
    name = pod["metadata"]["name"]
    if kind == "delete":
        world.delete(chance.choice([None, 1, 10]), name=name)
    elif kind == "force":
        watcher.forced.add(pod["metadata"]["uid"])
        world.delete(0, force=True, name=name)
    elif kind == "sandbox":
        world.submit("fault", pod=name, namespace="default", kind="sandbox")
    elif kind == "exit":
        container = chance.choice(pod["spec"]["containers"])["name"]
        fault = {"pod": name, "namespace": "default", "container": container, "kind": "exit"}
        world.submit("fault", **fault, code=chance.choice([1, 137]))


def _live(seed: int) -> None:
    chance = random.Random(seed)
    world, watcher = World(), Watcher()
    seen, at = 0, 0.0
    for index in range(4):
        _create(world, chance, f"pod-{index}")
    for _ in range(25):
        at += chance.choice([0.0, 0.5, 1.0, 7.0, 30.0, 61.0])
        world.to(at)
        wake = world.cluster.next_wake()
        assert wake is None or wake > round(at * 1000), (wake, at)
        for pod in world.cluster.list("Pod", "default"):
            # A pod nobody has answered for may not even have a phase of its own yet.
            check_pod(pod)
            grace = pod["spec"]["terminationGracePeriodSeconds"]
            if grace == 0:
                watcher.forced.add(pod["metadata"]["uid"])
        rows = world.rows
        watcher.take(rows[seen:])
        seen = len(rows)
        if chance.random() < 0.3:
            _disturb(world, chance, watcher)


@pytest.mark.parametrize("block", range(20))
def test_random_pods_never_break_what_must_hold(block: int) -> None:
    for seed in range(block * 10, block * 10 + 10):
        try:
            _live(seed)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error


@pytest.mark.deep
@pytest.mark.parametrize("block", range(50))
def test_many_more_random_pods(block: int) -> None:
    for seed in range(1000 + block * 50, 1050 + block * 50):
        try:
            _live(seed)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
