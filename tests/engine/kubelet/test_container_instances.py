"""One run of a container after another: what is fixed for a run, and how fast runs may follow each other."""

from itertools import pairwise
from typing import Any

import pytest

from tests.engine.kubelet.world import World

MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "default"}}
FROM_MAP = {"configMapKeyRef": {"name": "settings", "key": "colour"}}


def lines(world: World) -> list[tuple[int, float, str]]:
    """(run, second, text) of every line said since the last look."""
    return [(entry[2], entry[3] / 1000, entry[4]) for entry in world.cluster.take_changes().logs]


@pytest.mark.spec("POD-OBJ-19")
def test_the_environment_is_that_of_the_runs_start() -> None:
    world = World()
    assert world.create({**MAP, "data": {"colour": "red"}}).ok
    script = "while true; do echo $SAID $COLOUR; sleep 10; done"
    environment = [{"name": "SAID", "value": "it is"}, {"name": "COLOUR", "valueFrom": FROM_MAP}]
    app = {"name": "app", "image": "busybox:1", "command": ["sh", "-c", script], "env": environment}
    assert world.pod(app, {"name": "other", "image": "busybox:1", "command": ["sh", "-c", "echo $SAID"]}).ok
    world.to(5)
    assert {text for _, _, text in lines(world)} == {"", "it is red"}
    where = {"kind": "ConfigMap", "namespace": "default", "name": "settings"}
    assert world.submit("patch", **where, type="merge", patch={"data": {"colour": "blue"}}).ok
    other = {"spec": {"containers": [{"name": "app", "env": [{"name": "SAID", "value": "never"}]}]}}
    refused = world.submit(
        "patch", kind="Pod", namespace="default", name="web", type="strategic", patch=other
    )
    assert refused.code == 422
    world.to(25)
    assert {text for _, _, text in lines(world)} == {"", "it is red"}
    world.submit("fault", pod="web", container="app", kind="exit", code=1)
    world.to(26)
    assert (1, 25, "it is blue") in lines(world)


# Delays between an end and the next start: 0, 10, 20, 40, 80, 160, then 300 for ever.
DELAYS = [0, 10, 20, 40, 80, 160]


@pytest.mark.slow
@pytest.mark.spec("RESTART-09")
@pytest.mark.parametrize("length", [0, 1, 30, 299, 599])
def test_a_broken_container_cannot_restart_faster_than_its_delays(length: int) -> None:
    world = World()
    world.pod(behavior={"app": {"runs": [{"for": f"{length}s", "exit": 1}]}})
    hours = 6
    starts = world.to(hours * 3600).starts()
    gaps = [round(after - before - length) for before, after in pairwise(starts)]
    assert gaps[:6] == DELAYS
    assert set(gaps[6:]) == {300}
    # At most the six quick ones, then twelve an hour.
    assert len(starts) <= 7 + hours * 3600 // (300 + length)


def test_the_number_of_restarts_is_the_number_of_runs_before() -> None:
    world = World()
    world.pod(behavior={"app": {"runs": [{"for": "1s", "exit": 1}]}})
    counts: list[Any] = [value for _, value in world.to(3600).lane("container.app.restartCount")]
    assert counts == list(range(1, len(world.starts())))


def test_no_two_runs_of_a_pod_share_an_id() -> None:
    """Names of one length, sidecars and what went before them, and the runs of each."""
    world = World()
    crash = {"app": {"runs": [{"for": "1s", "exit": 1}]}, "migrate": {"runs": [{"exit": 0}]}}
    behavior = crash | {"wait-db": {"runs": [{"exit": 0}]}}
    assert world.pod("app", "two", behavior=behavior, init=("migrate", "metrics*", "wait-db")).ok
    seen: set[tuple[str, str]] = set()
    for seconds in range(1, 40):
        status = (world.to(seconds).get() or {})["status"]
        for one in (*status.get("initContainerStatuses", ()), *status.get("containerStatuses", ())):
            inside = (one, *one["state"].values(), *one["lastState"].values())
            seen |= {(each["containerID"], one["name"]) for each in inside if each.get("containerID")}
    assert {name for _, name in seen} == {"app", "two", "migrate", "metrics", "wait-db"}
    assert len({identity for identity, _ in seen}) == len(seen) > 6
