"""Random pods on nodes that run short of things at random: what holds of every eviction."""

import random
from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.invariants import check_pod
from tests.engine.kubelet.world import World
from tests.seeds import first_of

pytestmark = pytest.mark.slow

SOFT = {
    "kind": "KubeletConfiguration",
    "evictionHard": {"memory.available": "100Mi", "nodefs.available": "10%", "pid.available": "10%"},
    "evictionSoft": {"memory.available": "2Gi"},
    "evictionSoftGracePeriod": {"memory.available": "25s"},
    "evictionMaxPodGracePeriod": 15,
    "evictionPressureTransitionPeriod": "1m",
}
RESOURCES: list[dict[str, Any]] = [
    {},
    {"requests": {"memory": "64Mi"}},
    {"limits": {"cpu": "100m", "memory": "512Mi"}},
]


def add_pod(world: World, chance: random.Random, name: str) -> None:
    points = [{"at": f"{at}s", "memory": f"{chance.randint(1, 4000)}Mi"} for at in (0, 20, 60, 100)]
    behavior = {
        "usage": points[: chance.randint(0, 4)],
        "onTerm": chance.choice([{"ignore": True}, {"takes": "3s"}, {"takes": "40s"}]),
    }
    app = {"name": "app", "resources": chance.choice(RESOURCES)}
    grace, priority = chance.choice([0, 5, 60]), chance.choice([0, 0, 1000])
    spec = {"terminationGracePeriodSeconds": grace, "priority": priority}
    assert world.pod(app, behavior={"app": behavior}, meta={"name": name}, **spec).ok


def do_something(world: World, chance: random.Random) -> None:
    node = f"node-{chance.randint(1, 2)}"
    kind = chance.choice(["pressure", "pressure", "pressure", "kubeletRestart", "partition", "delete"])
    if kind == "delete":
        world.delete(name=f"pod-{chance.randint(0, 7)}")
        return
    payload: dict[str, Any] = {"for": f"{chance.randint(1, 90)}s"}
    if kind == "pressure":
        payload["resource"] = chance.choice(["memory", "memory", "disk", "pid"])
        payload["available"] = chance.choice(["0", "1Gi", "90Gi"])
    assert world.submit("fault", node=node, kind=kind, **payload).ok


def live(seed: int, saved_every: int | None = None) -> World:
    chance = random.Random(seed)
    kubernetes = chance.choice([None, None, "v1.23.1"])
    world = World(nodes=2, kubelet=[SOFT], kubernetes=kubernetes)
    for number in range(8):
        add_pod(world, chance, f"pod-{number}")
    for at in sorted(chance.randint(0, 200) for _ in range(8)):
        world.to(at)
        if saved_every is not None and at % saved_every == 0:
            assert world.rows
            world.cluster = Cluster.load(world.cluster.save())
        do_something(world, chance)
    return world.to(1500)


# 1099: at the end a pod that is killed for its memory, 20 s after each start, is in the middle of a run.
@pytest.mark.parametrize("seed", first_of(range(40), 1099))
def test_evictions_keep_to_the_rules(seed: int) -> None:
    world = live(seed)
    nodes = {row["name"]: row["new"] for row in world.rows if row.get("field") == "node"}
    evicted = [
        (row["at_ms"], row["name"])
        for row in world.rows
        if row["type"] == "event" and row["reason"] == "Evicted"
    ]
    for node in ("node-1", "node-2"):
        instants = [at_ms for at_ms, name in evicted if nodes[name] == node]
        # On the grid, one at a time.
        assert all(at_ms % 10_000 == 0 for at_ms in instants)
        assert len(set(instants)) == len(instants)
    restarts = [
        (row["at_ms"], row["name"])
        for row in world.rows
        if row["type"] == "event" and row["reason"] == "Starting"
    ]
    for at_ms, name in evicted:
        ends = [*world.at("phase", "Failed", name), *world.at("exists", "deleted", name)]
        # A kubelet that starts again has forgotten whom it was evicting.
        is_forgotten = any(node == nodes[name] and later_ms > at_ms for later_ms, node in restarts)
        assert ends or is_forgotten
    for row in world.rows:
        if row.get("field") == "condition.DisruptionTarget":
            assert (row["new"], row["reason"]) == ("True", "TerminationByKubelet")
            assert world.at("phase", "Failed", row["name"]) == [row["at_ms"] / 1000]
    # Every fault is long over: nothing is told to be short any more, and nobody looks for it.
    for name in ("MemoryPressure", "DiskPressure", "PIDPressure"):
        for node in ("node-1", "node-2"):
            lane = world.condition(name, node)
            if lane and not (name == "MemoryPressure" and is_using_much(world, node)):
                assert lane[-1][1] == "False"
    # What crashes again and again waits for five minutes between two runs, which last 100 s at most.
    assert any(world.to(1500 + later).cluster.is_idle() for later in range(0, 300, 20))
    for pod in world.cluster.list("Pod"):
        check_pod(pod)


def is_using_much(world: World, node: str) -> bool:
    """Whether the pods that are left use so much that the node stays short of memory."""
    left = [pod for pod in world.cluster.list("Pod") if pod["status"]["phase"] == "Running"]
    return any(pod["spec"]["nodeName"] == node for pod in left)


@pytest.mark.parametrize("seed", first_of(range(10)))
def test_evictions_survive_saving(seed: int) -> None:
    assert live(seed, 3).rows == live(seed).rows
