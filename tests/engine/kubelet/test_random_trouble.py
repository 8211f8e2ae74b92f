"""Random pods, and what befalls them, their nodes and what counts them: what holds in the end."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.invariants import check_pod
from tests.engine.kubelet.world import World
from tests.seeds import first_of

pytestmark = pytest.mark.slow

GATES = {"RestartAllContainersOnContainerExits": True, "ContainerRestartRules": True}
RULES = [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [88]}}]
KUBELET = {
    "kind": "KubeletConfiguration",
    "cpuManagerPolicy": "static",
    "reservedSystemCPUs": "0",
    "evictionSoft": {"memory.available": "2Gi"},
    "evictionSoftGracePeriod": {"memory.available": "15s"},
    "evictionMaxPodGracePeriod": 15,
    "evictionPressureTransitionPeriod": "1m",
}
WHOLE = {"limits": {"cpu": "1", "memory": "512Mi"}}
RESOURCES: list[dict[str, Any]] = [
    {},
    {"requests": {"cpu": "500m", "memory": "64Mi"}},
    WHOLE,
    {"requests": {"cpu": "200m"}, "limits": {"cpu": "2"}},
]
LABELS = {"team": "a"}
NAMED = {"namespace": "default", "name": "all"}


def add_pod(world: World, chance: random.Random, name: str) -> None:
    points = [{"at": f"{at}s", "memory": f"{chance.randint(1, 4000)}Mi"} for at in (0, 20, 60)]
    once = {"for": f"{chance.randint(5, 90)}s", "exit": chance.choice([0, 1])}
    behavior = {
        "app": {
            "usage": points[: chance.randint(0, 3)],
            "onTerm": chance.choice([{"ignore": True}, {"takes": "3s"}]),
            "runs": chance.choice([[once, {"forever": True}], [{"forever": True}]]),
            "pull": {"takes": f"{chance.randint(0, 20)}s"},
        },
        "trigger": {"runs": [{"for": f"{chance.randint(5, 60)}s", "exit": 88}, {"forever": True}]},
        "first": {"runs": [{"for": "4s", "exit": 0}]},
    }
    restart = chance.choice(["NotRequired", "RestartContainer"])
    app = {
        "name": "app",
        "image": chance.choice(["sim/a:1", "sim/b:1"]),
        "resources": chance.choice(RESOURCES),
        "resizePolicy": [{"resourceName": "memory", "restartPolicy": restart}],
    }
    trigger = {"name": "trigger", "restartPolicy": "Never", "restartPolicyRules": RULES}
    apps = chance.choice([[app], [app, trigger]])
    spec: dict[str, Any] = {"terminationGracePeriodSeconds": chance.choice([0, 5, 60])}
    spec |= chance.choice([{}, {"activeDeadlineSeconds": chance.randint(10, 100)}])
    spec |= chance.choice([{}, {"nodeName": a_node(chance)}, {"priority": 1000}])
    init = chance.choice([(), ("first",), ("side*",)])
    world.pod(*apps, init=init, behavior=behavior, meta={"name": name, "labels": LABELS}, **spec)


def a_node(chance: random.Random) -> str:
    return f"node-{chance.randint(1, 2)}"


def a_pod(chance: random.Random) -> str:
    return f"pod-{chance.randint(0, 9)}"


def trouble_node(world: World, chance: random.Random) -> None:
    kind = chance.choice(["kubeletRestart", "partition", "reboot", "sandboxFailure"])
    world.submit("fault", node=a_node(chance), kind=kind, **{"for": f"{chance.randint(1, 60)}s"})


def press_node(world: World, chance: random.Random) -> None:
    what = {"resource": chance.choice(["memory", "disk", "pid"]), "available": chance.choice(["0", "1Gi"])}
    world.submit("fault", node=a_node(chance), kind="pressure", **what, **{"for": "30s"})


def trouble_pod(world: World, chance: random.Random) -> None:
    kind = chance.choice(["exit", "lost", "sandbox"])
    world.submit("fault", pod=a_pod(chance), kind=kind)


def delete_pod(world: World, chance: random.Random) -> None:
    if chance.random() < 0.3:
        world.delete(0, force=True, name=a_pod(chance))
    else:
        world.delete(name=a_pod(chance))


def resize_pod(world: World, chance: random.Random) -> None:
    asked = {"cpu": chance.choice(["100m", "900m", "3", "16"]), "memory": chance.choice(["32Mi", "300Mi"])}
    patch = {"spec": {"containers": [{"name": "app", "resources": {"requests": asked}}]}}
    where = {"kind": "Pod", "namespace": "default", "name": a_pod(chance), "subresource": "resize"}
    world.submit("patch", type="strategic", patch=patch, **where)


def change_manifests(world: World, chance: random.Random) -> None:
    node = a_node(chance)
    app = {"name": "app", "image": "sim/a:1", "resources": chance.choice([{}, WHOLE])}
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "static"},
        "spec": {"containers": [app]},
    }
    if chance.random() < 0.3:
        world.submit("staticPod", node=node, remove="static")
    else:
        world.submit("staticPod", node=node, manifest=manifest)


def change_nodes(world: World, chance: random.Random) -> None:
    node = a_node(chance)
    if not world.submit("delete", kind="Node", name=node).ok:
        world.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}})


def change_service(world: World, chance: random.Random) -> None:
    spec = {"selector": LABELS, "ports": [{"port": 80, "targetPort": chance.choice([80, 90])}]}
    world.submit("apply", object={"apiVersion": "v1", "kind": "Service", "metadata": NAMED, "spec": spec})


def delete_slices(world: World, _chance: random.Random) -> None:
    for one in world.slices():
        world.submit("delete", kind="EndpointSlice", namespace="default", name=one["metadata"]["name"])


def change_quota(world: World, chance: random.Random) -> None:
    spec = {"hard": {"pods": str(chance.randint(3, 30)), "requests.cpu": "20"}}
    world.submit(
        "apply", object={"apiVersion": "v1", "kind": "ResourceQuota", "metadata": NAMED, "spec": spec}
    )


DEEDS: list[Callable[[World, random.Random], None]] = [
    trouble_node,
    trouble_node,
    press_node,
    trouble_pod,
    delete_pod,
    resize_pod,
    change_manifests,
    change_nodes,
    change_service,
    delete_slices,
    change_quota,
]


def live(seed: int, is_saved: bool = False) -> World:
    chance = random.Random(seed)
    world = World(nodes=2, kubelet=[KUBELET], gates=GATES, timing=chance.choice(["instant", "realistic"]))
    for number in range(8):
        add_pod(world, chance, f"pod-{number}")
    for number, at in enumerate(sorted(chance.randint(0, 240) for _ in range(16))):
        world.to(at)
        if is_saved and number % 3 == 0:
            assert world.rows
            world.cluster = Cluster.load(json.loads(json.dumps(world.cluster.save())))
        chance.choice(DEEDS)(world, chance)
    return world.to(1200)


@pytest.mark.parametrize("seed", first_of(range(40)))
def test_what_counts_pods_agrees_with_the_pods_there_are(seed: int) -> None:
    world = live(seed)
    pods = world.cluster.list("Pod")
    for pod in pods:
        check_pod(pod)
    active = [pod for pod in pods if pod["status"]["phase"] not in ("Succeeded", "Failed")]
    for quota in world.cluster.list("ResourceQuota"):
        assert quota["status"]["used"]["pods"] == str(len(active))
    slices = world.slices()
    found = [one["targetRef"]["uid"] for entry in slices for one in entry["endpoints"] or ()]
    if world.get(NAMED["name"], "Service"):
        wanted = [pod for pod in active if pod["metadata"].get("labels") == LABELS]
        reachable = [pod["metadata"]["uid"] for pod in wanted if pod["status"].get("podIP")]
        assert sorted(found) == sorted(reachable)


@pytest.mark.parametrize("seed", first_of(range(20)))
def test_all_of_it_survives_saving(seed: int) -> None:
    assert live(seed, is_saved=True).rows == live(seed).rows
