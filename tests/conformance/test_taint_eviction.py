"""`taint_eviction.json`: pods, their tolerations and the taints of their node, to who goes, and when."""

from typing import Any

import pytest

from lifecycle.engine.objects.node import Node, Taint
from lifecycle.engine.objects.pods.pod import Pod, Toleration
from lifecycle.engine.rules.nodes.taint_evictions import (
    Planned,
    decide_eviction,
    decide_toleration_seconds,
    list_no_execute,
    mark_for_deletion,
)
from tests.conformance.cases import Case, load_cases


def read_tolerations(data: Any) -> list[Toleration]:
    return [Toleration.from_json(one) for one in data or ()]


def read_taints(nodes: Any) -> dict[str, list[Taint]]:
    """The taints that drive pods away, by node."""
    read = [Node.from_json({"apiVersion": "v1", "kind": "Node", **_without_time(node)}) for node in nodes]
    return {node.meta.name: list_no_execute(node) for node in read}


def _without_time(node: Any) -> Any:
    taints = [{**one, "timeAdded": None} for one in node.get("spec", {}).get("taints") or ()]
    return {**node, "spec": {**node.get("spec", {}), "taints": taints}}


def list_evicted(given: Any) -> dict[str, int]:
    """The pods that go, and after how many seconds, all that happens being seen at once."""
    taints, before = read_taints(given["nodes"]), None
    if "previousNode" in given:
        before = read_taints([given["previousNode"]])
    going: dict[str, int] = {}
    for data in given["pods"]:
        pod = Pod.from_json({"apiVersion": "v1", "kind": "Pod", **data})
        if pod.node_name not in taints:
            # Of no node, or of one that nobody knows.
            continue
        plan: Planned | None = None
        if before is not None:
            plan = decide_eviction(pod.spec.tolerations, before[pod.node_name], None, 0).plan
        if "previousPod" in given:
            former = read_tolerations(given["previousPod"]["spec"].get("tolerations"))
            plan = decide_eviction(former, taints[pod.node_name], None, 0).plan
        verdict = decide_eviction(pod.spec.tolerations, taints[pod.node_name], plan, 1)
        if verdict.goes_now:
            going[pod.meta.name] = 0
        elif verdict.plan is not None:
            going[pod.meta.name] = verdict.plan.due_ms // 1000
        assert mark_for_deletion(pod, 0) is not pod
    return going


@pytest.mark.parametrize("case", load_cases("taint_eviction"))
def test_taint_eviction(case: Case) -> None:
    given, expected = case["input"], case["expect"]
    if given.get("function") == "getMinTolerationTime":
        assert decide_toleration_seconds(read_tolerations(given["tolerations"])) == expected["seconds"]
        return
    going = list_evicted(given)
    if "evictedAtOnce" in expected:
        assert [name for name, seconds in going.items() if seconds == 0] == expected["evictedAtOnce"]
    else:
        within = expected["withinSeconds"]
        in_time = [name for name, seconds in going.items() if within is not None and seconds <= within]
        assert in_time == expected["evicted"]
        assert within is not None or not going
