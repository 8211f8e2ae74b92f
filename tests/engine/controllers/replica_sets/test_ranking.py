"""Which pods a scale-down takes: RS-RANK-*, RS-COST-*."""

from collections import Counter
from typing import Any

import pytest

from lifecycle.engine.controllers.replica_set.decide.ranking import (
    age,
    deletion_cost,
    first_of_age,
    pods_to_delete,
    rank,
)
from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.objects.pods.pod import Pod

NOW_MS = 2_000_000
COST = "controller.kubernetes.io/pod-deletion-cost"


def make_pod(
    name: str,
    node: str = "node-1",
    phase: str = "Running",
    ready_for: int | None = 1000,
    age: int = 1000,
    restarts: int = 0,
    cost: str | None = None,
    uid: str = "",
) -> Pod:
    """Ages in seconds; `ready_for` None is not ready."""
    data: dict[str, Any] = {
        "metadata": {"name": name, "uid": uid or name, "annotations": {COST: cost} if cost else {}},
        "spec": {"nodeName": node},
        "status": {
            "phase": phase,
            "containerStatuses": [{"name": "app", "restartCount": restarts}],
            "conditions": [],
        },
    }
    pod = Pod.from_json(data)
    pod.meta.creation_ms = NOW_MS - age * 1000
    if ready_for is None:
        return pod
    ready = Condition("Ready", "True", last_transition_ms=NOW_MS - ready_for * 1000)
    return pod.with_status(pod.status.replace(conditions=(ready,)))


PODS = [
    make_pod("A", node="", phase="Pending", ready_for=None),
    make_pod("B", node="node-1", phase="Pending", ready_for=None),
    make_pod("C", node="node-2", ready_for=None),
    make_pod("D", node="node-3", cost="-5"),
    make_pod("E", node="node-1"),
    make_pod("F", node="node-1", ready_for=10, age=10),
    make_pod("G", node="node-2", ready_for=10, age=10),
    make_pod("H", node="node-3"),
]


def count_by_node(pods: list[Pod]) -> dict[str, int]:
    return Counter(pod.node_name for pod in pods if pod.is_active)


@pytest.mark.spec("RS-RANK-01", "RS-RANK-02", "RS-RANK-03", "RS-RANK-04", "RS-SCALE-02")
@pytest.mark.parametrize("count", range(1, 8))
def test_the_worked_ranking(count: int):
    """SC-RS-07."""
    chosen = pods_to_delete(PODS, count_by_node(PODS), count, NOW_MS)
    assert [pod.meta.name for pod in chosen] == list("ABCDFEGH")[:count]


@pytest.mark.spec("RS-RANK-05", "RS-RANK-04", "RS-RANK-06")
@pytest.mark.parametrize(
    "first, second",
    [
        pytest.param({"age": 1010, "uid": "1"}, {"age": 1000, "uid": "2"}, id="one bucket: the uid decides"),
        pytest.param({"age": 500}, {"age": 1500}, id="younger first"),
        pytest.param(
            {"ready_for": 1010, "uid": "1"}, {"ready_for": 1000, "uid": "2"}, id="ready in one bucket"
        ),
        pytest.param({"ready_for": 500}, {"ready_for": 1500}, id="ready for a shorter time first"),
        pytest.param({"restarts": 4}, {"restarts": 0}, id="more restarts first"),
        pytest.param({"phase": ""}, {"phase": "Unknown"}, id="of no phase yet is as good as pending"),
    ],
)
def test_finer_order(first: dict[str, Any], second: dict[str, Any]):
    assert rank(make_pod("x", **first), 0, NOW_MS) < rank(make_pod("y", **second), 0, NOW_MS)


@pytest.mark.parametrize("now_ms", [None, NOW_MS + 500])
def test_what_became_ready_within_one_second_is_equally_old(now_ms: int | None):
    """Restarts decide: by the milliseconds the second would go first, ready for 0.1 s and not for 0.4 s."""
    pods = []
    for name, ready_ms, restarts in (("a", NOW_MS + 100, 1), ("b", NOW_MS + 400, 0)):
        pod = make_pod(name, restarts=restarts)
        ready = Condition("Ready", "True", last_transition_ms=ready_ms)
        pods.append(pod.with_status(pod.status.replace(conditions=(ready,))))
    assert rank(pods[0], 0, now_ms) < rank(pods[1], 0, now_ms)


@pytest.mark.spec("RS-COST-01", "RS-COST-02", "RS-COST-05")
def test_the_lower_cost_goes_first():
    """SC-RS-08."""
    costs = {"a": None, "b": "10", "c": "-100", "d": "5"}
    pods = [make_pod(name, f"node-{name}", cost=cost) for name, cost in costs.items()]
    assert [pod.meta.name for pod in pods_to_delete(pods, {}, 2, NOW_MS)] == ["c", "a"]


@pytest.mark.spec("RS-COST-04")
def test_without_the_gate_costs_do_not_count():
    pods = [make_pod("a", cost="5"), make_pod("b", cost="-5")]
    assert [pod.meta.name for pod in pods_to_delete(pods, {}, 1, NOW_MS, use_cost=False)] == ["a"]


@pytest.mark.parametrize(
    "age_ms, goes",
    [
        pytest.param(15, "b", id="its coming asked for this look: nobody has heard of its node yet"),
        pytest.param(16, "a", id="older: both are bound and pending, and the uid decides"),
    ],
)
def test_a_pod_that_has_just_come_is_on_no_node_yet(age_ms: int, goes: str) -> None:
    """syncReplicaSet ranks the pods that it had heard of when it began, and a pod's coming has it begin."""
    pods = [make_pod(name, phase="Pending", ready_for=None) for name in ("a", "b")]
    pods[0].meta.creation_ms, pods[1].meta.creation_ms = NOW_MS - 20, NOW_MS - age_ms
    chosen = pods_to_delete(pods, {}, 1, NOW_MS, new_since_ms=NOW_MS - 15)
    assert [pod.meta.name for pod in chosen] == [goes]


def test_pods_that_have_just_come_are_related_to_none() -> None:
    """getPodsRankedByRelatedPodsOnSameNode knows one node of pods that are on none: they are alike."""
    pods = [make_pod(name, f"node-{name}", phase="Pending", ready_for=None) for name in ("a", "b")]
    for pod in pods:
        pod.meta.creation_ms = NOW_MS - 15
    for since_ms, goes in ((NOW_MS - 15, "a"), (NOW_MS - 14, "b")):
        chosen = pods_to_delete(pods, {"node-b": 2}, 1, NOW_MS, new_since_ms=since_ms)
        assert [pod.meta.name for pod in chosen] == [goes]


def test_a_pod_without_a_phase_is_as_one_that_is_pending():
    pods = [make_pod("a", phase="Unknown"), make_pod("b", phase="", ready_for=None), make_pod("c")]
    assert [pod.meta.name for pod in pods_to_delete(pods, {}, 2, NOW_MS)] == ["b", "a"]


@pytest.mark.parametrize(
    "text, cost",
    [
        ("2147483647", 2147483647),
        ("-2147483648", -2147483648),
        ("2147483648", 0),
        ("007", 0),
        ("+10", 0),
        ("1.5", 0),
        ("abc", 0),
        (None, 0),
    ],
)
def test_unreadable_costs_are_zero(text: str | None, cost: int):
    assert deletion_cost(make_pod("a", cost=text)) == cost


@pytest.mark.spec("RS-RANK-07")
def test_pods_of_related_sets_fill_a_node_too():
    pods = [make_pod("a", "node-1"), make_pod("b", "node-2")]
    related = [*pods, make_pod("other", "node-2")]
    assert [pod.meta.name for pod in pods_to_delete(pods, count_by_node(related), 1, NOW_MS)] == ["b"]


@pytest.mark.parametrize("now_ms", [None, 100_000])
@pytest.mark.parametrize("since_ms", [0, 1, 35_000, 99_000, 99_999, 100_000, 100_001, 170_000])
def test_the_first_of_an_age_is_of_it_and_no_earlier_one_is(since_ms, now_ms):
    first_ms = first_of_age(since_ms, now_ms)
    assert first_ms <= since_ms
    assert age(first_ms, now_ms) == age(since_ms, now_ms) != age(first_ms - 1, now_ms)


@pytest.mark.spec("RS-RANK-04", "RS-RANK-05")
@pytest.mark.parametrize(
    "first, second, goes",
    [
        # Ages of 1000 s and 1010 s are in one bucket of log2, those of 10 s and 1000 s are not.
        pytest.param({"ready_for": 1000, "restarts": 4}, {"ready_for": 10}, "b", id="buckets that differ"),
        pytest.param({"restarts": 0}, {"restarts": 4}, "b", id="of one second: restarts"),
        pytest.param(
            {"ready_for": 1000, "restarts": 0},
            {"ready_for": 1010, "restarts": 4},
            "a",
            id="uid before restarts",
        ),
        pytest.param(
            {"ready_for": 1010, "restarts": 0}, {"ready_for": 1000, "restarts": 4}, "a", id="so or so"
        ),
        pytest.param({"ready_for": 1010, "age": 9000}, {"ready_for": 1000}, "a", id="uid before youth"),
        pytest.param({"age": 9000}, {"age": 1000}, "b", id="of one second: youth"),
        pytest.param({"age": 1010}, {"age": 1000}, "a", id="of one second and age: uid"),
        pytest.param(
            {"ready_for": None, "age": 1010},
            {"ready_for": None, "restarts": 4},
            "b",
            id="not ready: restarts",
        ),
    ],
)
def test_equally_long_ready_pods_go_by_their_uids(first: Any, second: Any, goes: str) -> None:
    """ActivePodsWithRanks.Less: a tie of two times that differ is left to the uids, and to nothing else."""
    pods = [make_pod("a", **first), make_pod("b", **second)]
    for given in (pods, pods[::-1]):
        assert [pod.meta.name for pod in pods_to_delete(given, {}, 1, NOW_MS)] == [goes]
