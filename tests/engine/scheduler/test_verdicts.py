"""What is said of every node for one pod: choices with their points, obstacles with what would help."""

from __future__ import annotations

from typing import Any

from lifecycle.engine.objects.node import Node
from lifecycle.engine.scheduler.explanation import NodeVerdict, judge_nodes, tell_outcome
from tests.engine.scheduler.worlds import Cluster, apart, spread


def judge(cluster: Cluster, name: str, scores_improvement: bool = True) -> list[NodeVerdict]:
    pod = cluster.find(name)
    nodes = [node for node in cluster.store.list("Node") if isinstance(node, Node)]
    return judge_nodes(
        pod, nodes, cluster.store.pods.values(), (), None, lambda space: {}, scores_improvement
    )


def told(cluster: Cluster, name: str) -> dict[str, list[tuple[str, str]]]:
    verdicts = judge(cluster, name)
    return {one.name: [(each.plugin, each.help) for each in one.obstacles] for one in verdicts}


def test_a_waiting_pod_learns_all_that_is_in_its_way() -> None:
    cluster = Cluster()
    taint = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
    cluster.node("a", "x", unschedulable=True, taints=[taint])
    cluster.node("b", "x", cpu="1")
    cluster.node("c", "y")
    cluster.pod("there", nodeName="c")
    spec = apart("web") | {"nodeSelector": {"disk": "ssd"}}
    cluster.pod("one", "db", "1500m", **spec)
    assert told(cluster, "one") == {
        "a": [
            ("NodeUnschedulable", "uncordon the node"),
            ("TaintToleration", "a toleration of dedicated=db:NoSchedule"),
            ("NodeAffinity", "the label disk=ssd"),
        ],
        "b": [("NodeAffinity", "the label disk=ssd"), ("NodeResourcesFit", "500m more cpu")],
        "c": [
            ("NodeAffinity", "the label disk=ssd"),
            ("InterPodAffinity", "the end of the pods in its domain that it must be apart from"),
        ],
    }
    assert tell_outcome(cluster.find("one"), judge(cluster, "one")) == "None of 3 nodes takes it now."


def test_the_best_node_is_the_one_that_the_scheduler_takes() -> None:
    cluster = Cluster()
    for number in range(4):
        cluster.node(f"n{number}", "xy"[number % 2], cpu=str(2 + number))
    specs: tuple[dict[str, Any], ...] = ({}, spread(when="ScheduleAnyway"), apart("db", "zone"))
    for number in range(12):
        name = f"p{number}"
        node = cluster.pod(name, cpu="300m", **specs[number % 3])
        best = judge(cluster, name)[0]
        assert (best.name, best.rank) == (node, 1)
        assert tell_outcome(cluster.find(name), judge(cluster, name)).startswith("Its node would be choice 1")


def test_points_are_those_of_the_default_profile() -> None:
    """4 CPU and 8 GiB, a pod of 1 CPU that asks for no memory and is counted for 200 MiB: three quarters of
    the CPU stay free and 97 % of the memory, 86 points; of 25 % and nothing used the half gap leaves 87.
    So it is before v1.36, where points are for a better balance (kubernetes/kubernetes#135573)."""
    cluster = Cluster()
    cluster.node("a")
    cluster.pod("one", cpu="1")
    (verdict,) = judge(cluster, "one", scores_improvement=False)
    assert dict(verdict.scores) == {
        "TaintToleration": 300, "NodeAffinity": 0, "NodeResourcesFit": 86,
        "NodeResourcesBalancedAllocation": 87, "PodTopologySpread": 0, "InterPodAffinity": 0,
        "ImageLocality": 0,
    }  # fmt: skip
    assert verdict.total == 473


def test_images_that_are_there_draw_pods() -> None:
    cluster = Cluster()
    for name in ("a", "b"):
        cluster.node(name)
    node = cluster.store.require("Node", "", "b")
    data = node.to_json()
    image = {"names": ["x:latest"], "sizeBytes": 800 << 20}
    status = {**data["status"], "images": [image]}
    cluster.api.update_json(node, {**data, "status": status}, "status")
    cluster.drain()
    assert cluster.pod("one") == "b"
    scores = {one.name: dict(one.scores)["ImageLocality"] for one in judge(cluster, "one")}
    # Half the nodes have it: (400 - 23) of (1000 - 23) MiB.
    assert scores == {"a": 0, "b": 38}


def test_a_pod_whose_node_is_gone_or_would_not_take_it_is_told_so() -> None:
    cluster = Cluster()
    cluster.node("a")
    cluster.pod("one")
    cluster.change_node("a", unschedulable=True)
    assert tell_outcome(cluster.find("one"), judge(cluster, "one")) == "None of 1 nodes takes it now."
    cluster.node("b")
    assert "would not take it now" in tell_outcome(cluster.find("one"), judge(cluster, "one"))
    assert tell_outcome(cluster.find("one"), []) == "There is no node."
