"""What is said of lost nodes and how fast their pods are driven away, as Kubernetes' own tests have it."""

import pytest

from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.nodes.health import (
    FULL,
    INITIAL,
    NORMAL,
    PARTIAL,
    Limiter,
    Rates,
    decide_disruption,
    decide_zone_state,
    mark_not_ready,
    mark_unknown,
    zone_of,
)


def make_node(*conditions: tuple[str, str], **labels: str) -> Node:
    return Node.from_json(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "node-1", "labels": {key.replace("__", "/"): labels[key] for key in labels}},
            "status": {"conditions": [{"type": type_, "status": status} for type_, status in conditions]},
        }
    )


@pytest.mark.parametrize(
    "ready, not_ready, state",
    [
        pytest.param(1, 0, NORMAL, id="one node, well"),
        pytest.param(0, 1, FULL, id="one node, lost"),
        pytest.param(1, 1, NORMAL, id="half of two: no more than two are lost"),
        pytest.param(1, 2, NORMAL, id="two of three: no more than two are lost"),
        pytest.param(0, 3, FULL, id="all of three"),
        pytest.param(2, 3, PARTIAL, id="three of five are 60 %"),
        pytest.param(3, 3, NORMAL, id="three of six are 50 %"),
        pytest.param(9, 11, PARTIAL, id="eleven of twenty are 55 %"),
        pytest.param(0, 0, NORMAL, id="nobody"),
    ],
)
def test_a_zone_is_disrupted_when_more_than_two_and_enough_of_its_nodes_are_lost(ready, not_ready, state):
    assert decide_zone_state(ready, not_ready, 0.55) == state


@pytest.mark.parametrize(
    "state, size, rate",
    [(NORMAL, 100, 0.1), (FULL, 100, 0.1), (PARTIAL, 50, 0.0), (PARTIAL, 51, 0.01), (PARTIAL, 3, 0.0)],
)
def test_a_large_zone_is_emptied_slower_and_a_small_one_not_at_all(state: str, size: int, rate: float):
    assert Rates().of(state, size) == rate


def test_a_token_comes_back_after_its_time_and_a_changed_pace_keeps_whether_there_is_one():
    full = Limiter(0.1)
    empty = full.take(1000)
    assert full.is_free(0) and not empty.is_free(10_999) and empty.is_free(11_000)
    # Worked: empty at 5 s, then at a hundredth of a node a second: 100 s more.
    assert empty.swap(0.01, 5000).free_ms == 105_000
    assert empty.swap(0.1, 5000) is empty
    assert full.swap(0.01, 5000).is_free(5000)
    assert not full.swap(0.0, 5000).is_free(1 << 40)
    assert not full.swap(0.0, 5000).swap(0.1, 6000).is_free(6000)


@pytest.mark.parametrize(
    "before, now, stops, stands_still, resumes",
    [
        pytest.param({"": INITIAL}, {"": NORMAL}, False, False, False, id="all is well"),
        pytest.param({"": NORMAL}, {"": FULL}, True, False, False, id="the only zone is lost"),
        pytest.param({"": FULL}, {"": FULL}, False, True, False, id="it stays lost"),
        pytest.param({"": FULL}, {"": PARTIAL}, False, False, True, id="some of it is back"),
        pytest.param({"a": NORMAL, "b": NORMAL}, {"a": FULL, "b": NORMAL}, False, False, False, id="one"),
        pytest.param({"a": FULL, "b": NORMAL}, {"a": FULL, "b": FULL}, True, False, False, id="the other"),
        pytest.param({"a": FULL, "b": FULL}, {"a": FULL, "b": NORMAL}, False, False, True, id="one is back"),
        pytest.param({"a": FULL}, {"a": FULL, "b": FULL}, True, False, False, id="a new zone is lost too"),
        pytest.param({"a": FULL, "b": FULL}, {"b": FULL}, False, True, False, id="a lost zone is removed"),
    ],
)
def test_where_all_zones_are_lost_nobody_is_driven_away(before, now, stops, stands_still, resumes):
    found = decide_disruption(before, now)
    assert (found.stops, found.stands_still, found.resumes) == (stops, stands_still, resumes)


def test_conditions_that_nobody_ever_reported_are_unknown_too():
    told = mark_unknown(make_node(("Ready", "True"), ("NetworkUnavailable", "False")), 5).status.conditions
    assert [(one.type, one.status, one.reason, one.message) for one in told] == [
        ("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."),
        ("NetworkUnavailable", "False", "", ""),
        *(
            (f"{name}Pressure", "Unknown", "NodeStatusNeverUpdated", "Kubelet never posted node status.")
            for name in ("Memory", "Disk", "PID")
        ),
    ]


def test_what_is_unknown_already_is_not_told_again():
    node = mark_unknown(make_node(("Ready", "False")), 5)
    assert mark_unknown(node, 9) is node


@pytest.mark.spec("NODELOSS-04")
@pytest.mark.parametrize("status, is_marked", [("True", True), ("False", False), (None, False)])
def test_a_pod_is_not_ready_on_a_lost_node_and_nothing_else_of_it_changes(status, is_marked):
    conditions = [{"type": "ContainersReady", "status": "True"}]
    if status is not None:
        conditions.append({"type": "Ready", "status": status})
    pod = Pod.from_json(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web"},
            "spec": {"containers": []},
            "status": {"phase": "Running", "conditions": conditions},
        }
    )
    marked = mark_not_ready(pod, 7)
    assert (marked is not pod) == is_marked
    assert marked.status.conditions[0] == pod.status.conditions[0]
    if is_marked:
        ready = marked.ready_condition
        assert ready is not None
        assert (ready.status, ready.reason, ready.message, ready.last_transition_ms) == ("False", "", "", 7)


@pytest.mark.parametrize(
    "labels, zone",
    [
        ({}, ""),
        ({"topology.kubernetes.io__zone": "a"}, ":a"),
        ({"topology.kubernetes.io__zone": "a", "topology.kubernetes.io__region": "eu"}, "eu:a"),
        ({"failure-domain.beta.kubernetes.io__zone": "old"}, ":old"),
        (
            {"topology.kubernetes.io__zone": "new", "failure-domain.beta.kubernetes.io__zone": "old"},
            ":new",
        ),
    ],
)
def test_a_zone_is_named_by_region_and_zone(labels: dict[str, str], zone: str):
    assert zone_of(make_node(("Ready", "True"), **labels)) == zone
