"""Which changes of a node have a pod tried again."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.kinds.registry import read_object
from lifecycle.engine.objects.node import Node
from lifecycle.engine.scheduler.hints import decide_hint, is_helped

NO_CPU = "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate"
FULL = "0/1 nodes are available: 1 Too many pods. no new claims to deallocate"
CORDONED = "0/1 nodes are available: 1 node(s) were unschedulable. no new claims to deallocate"
TAINTED = "0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate"
ELSEWHERE = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
NO_CLAIM = '0/1 nodes are available: persistentvolumeclaim "x" not found. not found'
TAINT = {"key": "lab.example/dedicated", "value": "db", "effect": "NoSchedule"}


def node(labels: dict[str, str] | None = None, cpu: str = "2", **spec: Any) -> Node:
    found = read_object(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "node-1", "labels": labels or {}},
            "spec": spec,
            "status": {"allocatable": {"cpu": cpu, "memory": "4Gi"}},
        },
        0,
    )
    assert isinstance(found, Node)
    return found


@pytest.mark.parametrize(
    "old, new, hint",
    [
        pytest.param(node(), node(unschedulable=True), "", id="cordoned"),
        pytest.param(node(unschedulable=True), node(), "cordon", id="uncordoned"),
        pytest.param(node(), node(taints=[TAINT]), "", id="tainted"),
        pytest.param(node(taints=[TAINT]), node(), "taints", id="a taint goes"),
        pytest.param(node(cpu="2"), node(cpu="4"), "room", id="larger"),
        pytest.param(node(cpu="4"), node(cpu="2"), "", id="smaller"),
        pytest.param(node(), node({"disk": "ssd"}), "labels", id="labelled"),
        pytest.param(node(cpu="2"), node({"disk": "ssd"}, cpu="4"), "room labels", id="both"),
    ],
)
def test_a_node_helps_only_by_what_it_gained(old: Node, new: Node, hint: str) -> None:
    assert decide_hint(old, new) == hint


@pytest.mark.parametrize(
    "hint, helped",
    [
        ("room", {NO_CPU, FULL}),
        ("labels", {ELSEWHERE}),
        ("taints", {TAINTED}),
        ("cordon", {CORDONED}),
        ("claim", {NO_CLAIM}),
        ("room labels", {NO_CPU, FULL, ELSEWHERE}),
        ("node", {NO_CPU, FULL, CORDONED, TAINTED, ELSEWHERE, NO_CLAIM}),
    ],
)
def test_a_pod_is_helped_by_what_kept_it_back(hint: str, helped: set[str]) -> None:
    said = (NO_CPU, FULL, CORDONED, TAINTED, ELSEWHERE, NO_CLAIM)
    assert {message for message in said if is_helped(hint, message)} == helped
