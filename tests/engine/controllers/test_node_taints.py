"""Which taints the node controller gives a node, and takes away again."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.controllers.node_taints.decide import decide_labels, decide_taints
from lifecycle.engine.heart.trace import EventRow, list_rows
from lifecycle.engine.kinds.registry import read_object
from lifecycle.engine.objects.node import Node

NOW = "2026-01-01T00:00:00Z"
CORDONED = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": NOW}
PRESSED = {"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule", "timeAdded": NOW}
THEIRS = {"key": "lab.example/dedicated", "value": "db", "effect": "NoSchedule"}
EVICTING = {"key": "node.kubernetes.io/unschedulable", "effect": "NoExecute"}


@pytest.mark.parametrize(
    "is_cordoned, is_pressed, taints, expected",
    [
        # Recorded in cordoned-nodes: the taint comes 5 ms after the cordon, and goes after the uncordon.
        pytest.param(True, False, [], [CORDONED], id="cordoned"),
        pytest.param(False, False, [CORDONED], None, id="uncordoned"),
        pytest.param(True, False, [CORDONED], "as it is", id="cordoned and tainted"),
        pytest.param(True, False, [THEIRS], [THEIRS, CORDONED], id="cordoned beside another's taint"),
        pytest.param(False, False, [THEIRS, CORDONED], [THEIRS], id="another's taint stays"),
        pytest.param(False, False, [EVICTING], "as it is", id="an effect of somebody else"),
        pytest.param(True, True, [], [PRESSED, CORDONED], id="cordoned under pressure"),
        pytest.param(True, False, [PRESSED, CORDONED], [CORDONED], id="the pressure is over"),
    ],
)
def test_taints_follow_cordon_and_conditions(
    is_cordoned: bool, is_pressed: bool, taints: list[dict[str, Any]], expected: Any
) -> None:
    spec: dict[str, Any] = {"taints": taints} if taints else {}
    if is_cordoned:
        spec["unschedulable"] = True
    condition = {"type": "MemoryPressure", "status": "True" if is_pressed else "False"}
    node = read_object(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "node-1"},
            "spec": spec,
            "status": {"conditions": [condition]},
        },
        0,
    )
    assert isinstance(node, Node)
    actions = decide_taints(node, NOW)
    if expected == "as it is":
        assert actions == []
        return
    (update,) = actions
    assert update.new.spec.raw.get("taints") == expected


OS, ARCH = "kubernetes.io/os", "kubernetes.io/arch"


@pytest.mark.parametrize(
    "labels, added",
    [
        pytest.param({}, {}, id="no labels"),
        pytest.param({"topology.kubernetes.io/region": "r"}, {}, id="others"),
        pytest.param({OS: "linux"}, {f"beta.{OS}": "linux"}, id="made where it is missing"),
        pytest.param(
            {OS: "linux", ARCH: "arm64", f"beta.{OS}": "windows", f"beta.{ARCH}": "arm"},
            {f"beta.{OS}": "linux", f"beta.{ARCH}": "arm64"}, id="brought into line",
        ),
        pytest.param({f"beta.{OS}": "linux"}, {}, id="that of old alone says nothing"),
        pytest.param({OS: "linux", f"beta.{OS}": "linux"}, {}, id="as they are to be"),
    ],
)  # fmt: skip
def test_labels_of_old_say_what_todays_say(labels: dict[str, str], added: dict[str, str]) -> None:
    node = read_object({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": labels}}, 0)
    assert isinstance(node, Node)
    assert [one.new.meta.labels for one in decide_labels(node)] == ([{**labels, **added}] if added else [])


def test_a_node_that_is_labelled_anew_is_labelled_as_of_old_too() -> None:
    cluster = Cluster(seed=1, settings=Settings(timing="instant", nodes={"count": 1}))
    patch = {"metadata": {"labels": {ARCH: "arm64"}}}
    payload = {"kind": "Node", "name": "node-1", "type": "merge", "patch": patch}
    assert cluster.submit(Command("c", "patch", payload)).ok
    node = cluster.get("Node", None, "node-1")
    assert node is not None and node["metadata"]["labels"][f"beta.{ARCH}"] == "arm64"


def test_a_pod_is_tried_between_an_uncordon_and_the_end_of_its_taint() -> None:
    """Recorded in cordoned-nodes: uncordoned at 22.010, refused for the taint at 22.016, bound at 22.045."""
    cluster = Cluster(seed=1, settings=Settings(nodes={"count": 1}))
    container = {"name": "app", "image": "busybox:1.36"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container]}}
    for verb, payload in (
        ("cordon", {"node": "node-1"}),
        ("create", {"object": pod}),
        ("uncordon", {"node": "node-1"}),
    ):
        assert cluster.submit(Command(verb, verb, payload)).ok
        cluster.run_until(cluster.now_ms + 5_000)
    rows = [row for row in list_rows(cluster.take_changes().rows) if isinstance(row, EventRow)]
    told = [row.message for row in rows if row.reason in ("FailedScheduling", "Scheduled")]
    refused = "0/1 nodes are available: 1 node(s) {}. no new claims to deallocate, preemption: 0/1 nodes are"
    assert told == [
        f"{refused.format(why)} available: 1 Preemption is not helpful for scheduling."
        for why in ("were unschedulable", "had untolerated taint(s)")
    ] + ["Successfully assigned default/p to node-1"]
