"""Which changes have a pod tried again that no node took."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.kinds.registry import read_object
from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.scheduler.pre_filter import PreFilterState
from lifecycle.engine.scheduler.queueing_hints import (
    is_schedulable_after_node_change,
    is_schedulable_after_node_delete,
    is_schedulable_after_own_change,
    is_schedulable_after_pod_add,
    is_schedulable_after_pod_delete,
    is_schedulable_after_pod_labels,
    is_schedulable_after_pod_resize,
    is_schedulable_after_storage_change,
)

CORDON, TAINTS, AFFINITY = {"NodeUnschedulable"}, {"TaintToleration"}, {"NodeAffinity"}
FIT, PORTS, SPREAD, PODS = {"NodeResourcesFit"}, {"NodePorts"}, {"PodTopologySpread"}, {"InterPodAffinity"}
TAINT = {"key": "lab.example/dedicated", "value": "db", "effect": "NoSchedule"}
ZONE = "topology.kubernetes.io/zone"
TERM = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": ZONE}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
CONSTRAINT = {
    "maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"app": "web"}},
}  # fmt: skip
NEAR = {"affinity": {"podAffinity": {REQUIRED: [TERM]}}}
APART = {"affinity": {"podAntiAffinity": {REQUIRED: [TERM]}}}
SPREAD_WEB = {"topologySpreadConstraints": [CONSTRAINT]}
SSD = {"nodeSelector": {"disk": "ssd"}}


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


def pod(
    app: str = "web", cpu: str = "1", port: int | None = None, space: str = "default", **spec: Any
) -> Pod:
    container: dict[str, Any] = {"name": "app", "image": "x", "resources": {"requests": {"cpu": cpu}}}
    if port is not None:
        container["ports"] = [{"containerPort": port, "hostPort": port}]
    meta = {"name": "p", "namespace": space, "labels": {"app": app}}
    return Pod.from_json({"metadata": meta, "spec": {"containers": [container], **spec}})


def state(of: Pod | None = None, **spec: Any) -> PreFilterState:
    of = of or pod(**spec)
    return PreFilterState(of, of.spec, (), lambda namespace: {})


@pytest.mark.parametrize(
    "plugins, wanted, old, new, helped",
    [
        pytest.param(CORDON, {}, node(), node(unschedulable=True), False, id="cordoned"),
        pytest.param(CORDON, {}, node(unschedulable=True), node(), True, id="uncordoned"),
        # All plugins that ask about new nodes, and not about taints, are helped by any change of taints
        # (kubernetes/kubernetes#109437). Recorded in preempt-nominated-room and drain-replacements-pending.
        pytest.param(FIT, {}, node(unschedulable=True), node(), True, id="uncordoned, resources"),
        pytest.param(FIT, {}, node(), node(unschedulable=True), False, id="cordoned, resources"),
        pytest.param(FIT, {}, node(), node(taints=[TAINT]), True, id="tainted, resources"),
        pytest.param(AFFINITY, SSD, node(), node(taints=[TAINT]), True, id="tainted, node affinity"),
        pytest.param(PORTS, {}, node(taints=[TAINT]), node(), True, id="a taint goes, ports"),
        pytest.param(PODS, APART, node(), node(taints=[TAINT]), True, id="tainted, other pods"),
        pytest.param({"VolumeBinding"}, {}, node(), node(taints=[TAINT]), True, id="tainted, volumes"),
        pytest.param(SPREAD, SPREAD_WEB, node(), node(taints=[TAINT]), False, id="tainted, no domain"),
        pytest.param(CORDON, {}, None, node(unschedulable=True), False, id="a cordoned node joins"),
        pytest.param(TAINTS, {}, node(), node(taints=[TAINT]), False, id="tainted"),
        pytest.param(TAINTS, {}, node(taints=[TAINT]), node(), True, id="a taint goes"),
        pytest.param(TAINTS, {}, None, node(taints=[TAINT]), False, id="a tainted node joins"),
        pytest.param(FIT, {}, node(cpu="2"), node(cpu="4"), True, id="larger"),
        pytest.param(FIT, {}, node(cpu="4"), node(cpu="2"), False, id="smaller"),
        pytest.param(FIT, {"cpu": "8"}, node(cpu="2"), node(cpu="4"), False, id="larger, yet too small"),
        pytest.param(FIT, {"cpu": "8"}, None, node(), False, id="a node joins that is too small"),
        pytest.param(FIT, {}, None, node(), True, id="a node joins that is large enough"),
        pytest.param(
            AFFINITY, SSD, node(), node({"disk": "ssd"}), True, id="labelled"
        ),
        pytest.param(
            AFFINITY, SSD, node(), node({"disk": "hdd"}), False, id="mislabelled"
        ),
        pytest.param(
            AFFINITY, SSD, node({"disk": "ssd"}), node({"disk": "ssd", "a": "b"}),
            False, id="it was wanted before",
        ),
        pytest.param(PORTS, {}, None, node(), True, id="a node joins, ports"),
        pytest.param(PORTS, {}, node(cpu="2"), node(cpu="4"), False, id="larger, ports"),
        pytest.param(
            SPREAD, SPREAD_WEB, node(), node({ZONE: "a"}), True, id="gets a zone"
        ),
        pytest.param(
            SPREAD, SPREAD_WEB, node({ZONE: "a"}), node({ZONE: "b"}), True,
            id="gets another zone",
        ),
        pytest.param(
            SPREAD, SPREAD_WEB, None, node(), False, id="joins without a zone"
        ),
        pytest.param(
            SPREAD, SPREAD_WEB, node({ZONE: "a"}, "2"), node({ZONE: "a"}, "4"),
            False, id="larger, spread",
        ),
        pytest.param(
            PODS, NEAR, None, node({ZONE: "a"}), True, id="joins, near"
        ),
        pytest.param(
            PODS, NEAR, None, node(), False, id="joins, no domain"
        ),
        pytest.param(
            PODS, APART, None, node(), True, id="joins, apart"
        ),
        pytest.param(
            PODS, APART, node(), node({ZONE: "a"}), False,
            id="gets a domain, apart",
        ),
        pytest.param(
            PODS, APART, node({ZONE: "a"}), node(), True,
            id="loses its domain, apart",
        ),
    ],
)  # fmt: skip
def test_a_node_helps_only_by_what_it_gained(
    plugins: set[str], wanted: dict[str, Any], old: Node | None, new: Node, helped: bool
) -> None:
    assert is_schedulable_after_node_change(plugins, state(**wanted), old, new) == helped


@pytest.mark.parametrize(
    "plugins, wanted, other, by_end, by_binding",
    [
        pytest.param(FIT, {}, pod("db"), True, False, id="room"),
        pytest.param(AFFINITY, {}, pod("db"), False, False, id="no node is wanted"),
        pytest.param(PORTS, {"port": 80}, pod(port=80), True, False, id="the port"),
        pytest.param(PORTS, {"port": 80}, pod(port=81), False, False, id="another port"),
        pytest.param(SPREAD, SPREAD_WEB, pod("web"), True, True, id="one of those that are spread"),
        pytest.param(SPREAD, SPREAD_WEB, pod("db"), False, False, id="not one of those"),
        pytest.param(SPREAD, SPREAD_WEB, pod("web", space="other"), False, False, id="in another namespace"),
        pytest.param(PODS, NEAR, pod("web"), False, True, id="near which it wants to be"),
        pytest.param(PODS, NEAR, pod("db"), False, False, id="no matter to it"),
        pytest.param(PODS, APART, pod("web"), True, False, id="apart from which it wants to be"),
        pytest.param(PODS, {}, pod("web"), False, False, id="others keep it away"),
    ],
)
def test_a_pod_helps_by_its_end_or_by_its_binding(
    plugins: set[str], wanted: dict[str, Any], other: Pod, by_end: bool, by_binding: bool
) -> None:
    assert is_schedulable_after_pod_delete(plugins, state(**wanted), other) == by_end
    assert is_schedulable_after_pod_add(plugins, state(**wanted), other) == by_binding


def test_other_labels_help_where_rules_are_about_them() -> None:
    web, db = pod("web"), pod("db")
    assert is_schedulable_after_pod_labels(SPREAD, state(**SPREAD_WEB), web, db)
    assert is_schedulable_after_pod_labels(PODS, state(**NEAR), db, web)
    assert not is_schedulable_after_pod_labels(PODS, state(**NEAR), web, db)
    assert is_schedulable_after_pod_labels(PODS, state(**APART), web, db)
    assert not is_schedulable_after_pod_labels(FIT, state(**APART), web, db)


def test_a_smaller_neighbor_helps_whom_there_was_no_room_for() -> None:
    assert is_schedulable_after_pod_resize(FIT, state(), pod(cpu="2"), pod(cpu="1"))
    assert not is_schedulable_after_pod_resize(FIT, state(), pod(cpu="1"), pod(cpu="2"))
    assert not is_schedulable_after_pod_resize(TAINTS, state(), pod(cpu="2"), pod(cpu="1"))


def test_a_toleration_helps_whom_a_taint_kept_away() -> None:
    tolerant = pod(tolerations=[{"operator": "Exists"}])
    assert is_schedulable_after_own_change(TAINTS, state(), pod(), tolerant)
    assert not is_schedulable_after_own_change(AFFINITY, state(), pod(), tolerant)
    assert is_schedulable_after_node_delete(SPREAD, state(**SPREAD_WEB), node({ZONE: "a"}))
    assert not is_schedulable_after_node_delete(FIT, state(), node())


@pytest.mark.parametrize(
    "event, message, helped",
    [
        ("claim", '0/1 nodes are available: persistentvolumeclaim "x" not found. not found', True),
        ("claim", "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate", False),
        (
            "class",
            "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
            True,
        ),
        ("volume", "0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity.", True),
        ("volume", '0/1 nodes are available: persistentvolumeclaim "x" not found. not found', False),
    ],
)
def test_storage_helps_whom_it_kept_back(event: str, message: str, helped: bool) -> None:
    assert is_schedulable_after_storage_change(event, message) == helped
