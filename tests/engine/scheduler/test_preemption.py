"""Who is pushed out for whom, from which node, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.scheduler.worlds import HOST, REQUIRED, Cluster, apart, selects, spread

PREEMPTED = "default-scheduler: preempting to accommodate a higher priority pod"


def crowd(pods: dict[str, str], cpu: str = "4") -> Cluster:
    """Nodes by name, each with pods written `name:class:cpu`. The number of a class is in its name."""
    cluster = Cluster()
    for value in (-10, 10, 20, 30, 1000, 2000):
        cluster.priority(f"p{value}".replace("-", "minus"), value)
    cluster.priority("never", 1000, preemptionPolicy="Never")
    for node, words in pods.items():
        cluster.node(node, cpu=cpu)
        for word in words.split():
            name, level, amount = word.split(":")
            cluster.pod(name, "low", amount, nodeName=node, **({"priorityClassName": level} if level else {}))
    return cluster


def ending(cluster: Cluster) -> list[str]:
    return [pod.meta.name for pod in cluster.store.pods.values() if pod.meta.deletion_ms is not None]


@pytest.mark.parametrize(
    "pods, node, victims",
    [
        pytest.param(
            {"a": "x:p30:3", "b": "y:p20:3", "c": "z:p10:3"}, "c", ["z"], id="the least important"
        ),
        pytest.param(
            {"a": "x:p10:1500m y:p10:1500m", "b": "z:p10:3"}, "b", ["z"], id="one rather than two of a kind"
        ),
        pytest.param(
            {"a": "x:p20:2 y:p10:2", "b": "z:p20:3"}, "b", ["z"], id="the smaller sum of equals at the top"
        ),
        pytest.param(
            {"a": "x:pminus10:1500m y:pminus10:1500m", "b": "z:pminus10:3"}, "b", ["z"],
            id="fewer of those below zero",
        ),
        pytest.param({"a": "x:p10:2 y:p20:1 z:p30:1"}, "a", ["x", "y"], id="who matters more is spared"),
        pytest.param({"a": "x:p10:3 y:p10:100m"}, "a", ["x"], id="who fits beside it is spared"),
        pytest.param({"a": "x:p1000:3", "b": "y:p2000:3"}, "", [], id="neither equals nor their betters"),
    ],
)  # fmt: skip
@pytest.mark.spec("QOS-18")
def test_whom_a_pod_pushes_out(pods: dict[str, str], node: str, victims: list[str]) -> None:
    cluster = crowd(pods)
    assert cluster.pod("high", cpu="3", priorityClassName="p1000") == ""
    assert cluster.find("high").status.nominated_node_name == node
    assert sorted(ending(cluster)) == victims


@pytest.mark.spec("DCOND-02")
def test_what_victim_and_preemptor_are_told() -> None:
    cluster = crowd({"a": "x:p10:3"})
    cluster.pod("high", cpu="3", priorityClassName="p1000")
    victim, high = cluster.find("x"), cluster.find("high")
    (condition,) = (one for one in victim.status.conditions if one.type == "DisruptionTarget")
    assert (condition.status, condition.reason, condition.message) == (
        "True",
        "PreemptionByScheduler",
        PREEMPTED,
    )
    assert victim.meta.deletion_grace_seconds == 30, "it has its own time to end"
    assert cluster.events("Preempted", "x") == [f"Preempted by pod {high.meta.uid} on node a"]
    assert cluster.events("FailedScheduling") == ["0/1 nodes are available: 1 Insufficient cpu."]
    cluster.delete("x")
    assert (cluster.node_of("high"), cluster.find("high").status.nominated_node_name) == ("a", "")


def test_a_pod_waits_for_its_victims_and_pushes_nobody_else_out() -> None:
    cluster = crowd({"a": "x:p10:3 other:p20:500m", "b": "y:p20:4"})
    cluster.pod("high", cpu="3", priorityClassName="p1000")
    cluster.delete("other")
    waits = "not eligible due to a terminating pod on the nominated node."
    assert cluster.events("FailedScheduling", "high")[-1].endswith(f"preemption: {waits}")
    assert ending(cluster) == ["x"]


def test_what_is_promised_goes_to_nobody_less_important() -> None:
    cluster = crowd({"a": "x:p10:3"})
    cluster.pod("high", cpu="3", priorityClassName="p1000")
    assert cluster.pod("middle", cpu="2", priorityClassName="p30") == ""
    assert cluster.events("FailedScheduling", "middle") == [
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are"
        " available: 1 Insufficient cpu."
    ]
    assert cluster.pod("highest", cpu="3", priorityClassName="p2000") == ""
    cluster.delete("x")
    assert [cluster.node_of(name) for name in ("highest", "high", "middle")] == ["a", "", ""]
    assert cluster.find("high").status.nominated_node_name == ""


def test_a_more_important_pod_takes_a_promise_away() -> None:
    """The promise is taken back when more have to go; else when the other is tried in vain."""
    cluster = crowd({"a": "x:p10:2 y:p10:2"})
    cluster.pod("high", cpu="2", priorityClassName="p1000")
    cluster.pod("highest", cpu="4", priorityClassName="p2000")
    assert sorted(ending(cluster)) == ["x", "y"]
    assert cluster.find("high").status.nominated_node_name == ""
    assert cluster.find("highest").status.nominated_node_name == "a"


@pytest.mark.parametrize(
    "level, why",
    [
        ("never", "not eligible due to preemptionPolicy=Never."),
        ("p10", "0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not"
                " helpful for scheduling."),
    ],
)  # fmt: skip
def test_who_pushes_nobody_out_says_why(level: str, why: str) -> None:
    cluster = crowd({"a": "x:p10:3", "b": ""})
    cluster.change_node("b", unschedulable=True)
    assert cluster.pod("one", cpu="3", priorityClassName=level) == ""
    filtered = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable."
    expected = f"{filtered} no new claims to deallocate, preemption: {why}"
    assert cluster.events("FailedScheduling", "one") == [expected]
    assert ending(cluster) == []


def budget(cluster: Cluster, name: str, app: str, allowed: int, **status: Any) -> None:
    made = cluster.make(
        "policy/v1", "PodDisruptionBudget", name, metadata={"namespace": "default"},
        spec={"selector": selects(app), "minAvailable": 1},
    )  # fmt: skip
    data = made.to_json()
    told = {**(data.get("status") or {}), "disruptionsAllowed": allowed, **status}
    cluster.api.update_json(made, {**data, "status": told}, "status")


def test_budgets_are_kept_where_another_node_serves() -> None:
    cluster = crowd({"a": "x:p10:3", "b": ""})
    cluster.pod("guarded", "guarded", "3", nodeName="b")
    cluster.delete("x")
    cluster.pod("y", "low", "3", nodeName="a", priorityClassName="p20")
    budget(cluster, "guard", "guarded", 0)
    cluster.pod("high", cpu="3", priorityClassName="p1000")
    assert ending(cluster) == ["y"], "though the other one is less important"


def test_budgets_do_not_keep_the_last_place() -> None:
    cluster = crowd({"a": ""})
    cluster.pod("one", "guarded", "2", nodeName="a")
    cluster.pod("two", "free", "2", nodeName="a")
    budget(cluster, "guard", "guarded", 0)
    cluster.pod("high", cpu="2", priorityClassName="p1000")
    assert ending(cluster) == ["two"], "the guarded one is spared first"
    cluster.pod("higher", cpu="4", priorityClassName="p2000")
    assert sorted(ending(cluster)) == ["one", "two"]


def test_preemption_makes_room_for_rules_about_pods_too() -> None:
    cluster = crowd({"a": ""})
    cluster.pod("there", "web", nodeName="a")
    assert cluster.pod("lone", "db", priorityClassName="p10", **apart("web", HOST)) == ""
    assert ending(cluster) == ["there"]
    cluster.delete("there")
    assert cluster.node_of("lone") == "a"


def test_preemption_does_not_help_against_affinity_or_labels() -> None:
    cluster = crowd({"a": ""})
    cluster.pod("there", "web", nodeName="a")
    missing = {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": selects("nobody"), "topologyKey": HOST}]}}}  # fmt: skip
    cluster.pod("near", "db", priorityClassName="p10", **missing)
    cluster.pod("spread", "db", priorityClassName="p10", **spread("rack"))
    assert ending(cluster) == []
    assert all("1 Preemption is not helpful" in one for one in cluster.events("FailedScheduling"))


@pytest.mark.spec("DS-SCHED-04")
def test_a_pod_that_names_its_node_pushes_out_there_alone() -> None:
    cluster = crowd({"a": "x:p20:4", "b": "y:p10:4"})
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}
    named = {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    }
    assert cluster.pod("plain", affinity=named) == ""
    assert cluster.events("FailedScheduling", "plain") == [
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]."
        " no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for"
        " incoming pod, 1 Preemption is not helpful for scheduling."
    ]
    cluster.pod("daemon", affinity=named, priorityClassName="p1000")
    assert ending(cluster) == ["x"]


def test_terms_that_name_no_common_node_are_a_fault_of_the_pod() -> None:
    cluster = crowd({"a": "", "b": ""})
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in ("a", "b")]
    for name, named in (("fine", fields[:1]), ("torn", fields)):
        required = {REQUIRED: {"nodeSelectorTerms": [{"matchFields": named}]}}
        cluster.pod(name, affinity={"nodeAffinity": required})
    assert cluster.node_of("fine") == "a"
    assert cluster.events("FailedScheduling", "torn") == [
        "0/2 nodes are available: pod affinity terms conflict. not found"
    ]
