"""What a kubelet tells of its Node's cordon (recordNodeSchedulableEvent, kubelet_node_status.go)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.kubelet.world import World
from tests.timing import MIDDLE

TOLD, OVER = "NodeNotSchedulable", "NodeSchedulable"


def cordon(world: World, at_seconds: int, unschedulable: bool = True) -> None:
    patch = {"spec": {"unschedulable": unschedulable}}
    result = world.to(at_seconds).submit("patch", kind="Node", name="node-1", type="merge", patch=patch)
    assert result.ok


def fault(world: World, at_seconds: int, kind: str) -> None:
    assert world.to(at_seconds).submit("fault", node="node-1", kind=kind, **{"for": "20s"}).ok


def told(world: World) -> list[tuple[float, str]]:
    return world.events(TOLD, OVER, name="node-1")


@pytest.mark.parametrize(
    "timing, expected",
    [
        pytest.param("instant", [(10, TOLD), (30, OVER)], id="instant"),
        # It looks every 10 s, whenever it started: here in the middle.
        pytest.param(MIDDLE, [(15, TOLD), (35, OVER)], id="realistic"),
    ],
)
def test_a_cordon_and_its_end_are_told_with_the_next_look(timing: Any, expected: Any):
    world = World(timing=timing)
    cordon(world, 10)
    cordon(world, 30, unschedulable=False)
    world.to(60)
    assert told(world) == expected
    first = next(row for row in world.rows if row["type"] == "event" and row["reason"] == TOLD)
    assert first["message"] == "Node node-1 status is now: NodeNotSchedulable"
    assert (first["eventType"], first["source"]) == ("Normal", "kubelet")


def test_a_cordon_that_is_over_before_the_look_is_not_told():
    world = World(timing="realistic")
    cordon(world, 10)
    cordon(world, 12, unschedulable=False)
    world.to(60)
    assert told(world) == []


@pytest.mark.parametrize(
    "kind, expected",
    [
        pytest.param("partition", [(30, TOLD)], id="cut off: told when it hears of it"),
        pytest.param("kubeletDown", [(30, TOLD)], id="down: told when it has started"),
    ],
)
def test_a_kubelet_that_hears_nothing_tells_a_cordon_afterwards(kind: str, expected: Any):
    world = World()
    fault(world, 10, kind)
    cordon(world, 15)
    world.to(60)
    assert told(world) == expected


def test_a_kubelet_that_has_started_tells_a_cordon_once_more():
    world = World()
    cordon(world, 5)
    fault(world, 10, "kubeletRestart")
    world.to(60)
    assert told(world) == [(5, TOLD), (30, TOLD)]


def test_a_node_that_comes_cordoned_says_so():
    world = World()
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "spare"},
        "spec": {"unschedulable": True},
    }
    assert world.to(10).create(node).ok
    world.to(20)
    assert world.events(TOLD, OVER, name="spare") == [(10, TOLD)]


def test_what_a_kubelet_saw_last_is_saved():
    world = World()
    cordon(world, 5)
    world.to(10)
    assert told(world) == [(5, TOLD)]
    world.cluster = Cluster.load(json.loads(json.dumps(world.cluster.save())))
    cordon(world, 20, unschedulable=False)
    world.to(30)
    assert told(world)[-1] == (20, OVER)
