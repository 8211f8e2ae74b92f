"""Which nodes a pod may go to at all."""

from typing import Any

import pytest

from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.rules.placement.node_filters import NOT_WANTED, why_not

LABELS = {"disk": "ssd", "cores": "8"}
TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


def a_node(**spec: Any) -> Node:
    return Node.from_json({"kind": "Node", "metadata": {"name": "node-1", "labels": LABELS}, "spec": spec})


def required(*terms: dict[str, Any]) -> dict[str, Any]:
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"affinity": {"nodeAffinity": rule}}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    "spec, is_wanted",
    [
        pytest.param({}, True, id="nothing asked"),
        pytest.param({"nodeSelector": {"disk": "ssd"}}, True, id="its selector"),
        pytest.param({"nodeSelector": {"disk": "ssd", "zone": "a"}}, False, id="one label is missing"),
        pytest.param(required(expression("disk", "In", "hdd", "ssd")), True, id="In"),
        pytest.param(required(expression("disk", "NotIn", "ssd")), False, id="NotIn"),
        pytest.param(required(expression("zone", "NotIn", "a")), True, id="NotIn of an absent label"),
        pytest.param(required(expression("zone", "Exists")), False, id="Exists"),
        pytest.param(required(expression("zone", "DoesNotExist")), True, id="DoesNotExist"),
        pytest.param(required(expression("cores", "Gt", "7")), True, id="Gt"),
        pytest.param(required(expression("cores", "Gt", "8")), False, id="Gt is more than"),
        pytest.param(required(expression("cores", "Lt", "9")), True, id="Lt"),
        pytest.param(required(expression("disk", "Gt", "1")), False, id="Gt of no number"),
        pytest.param(
            required(expression("zone", "Exists"), expression("disk", "Exists")), True, id="any term"
        ),
        pytest.param(required({}), False, id="an empty term"),
        pytest.param(
            required({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-2"]}]}),
            False,
            id="by name",
        ),
    ],
)
def test_selectors_and_affinity_choose_nodes(spec, is_wanted):
    assert why_not(PodSpec(spec), a_node()) == ("" if is_wanted else NOT_WANTED)


@pytest.mark.parametrize(
    "node, tolerations, words",
    [
        pytest.param({"taints": [TAINT]}, [], "node(s) had untolerated taint(s)", id="a taint"),
        pytest.param({"taints": [TAINT]}, [{"key": "gpu", "operator": "Exists"}], "", id="tolerated"),
        pytest.param({"taints": [TAINT]}, [{"key": "gpu", "value": "yes"}], "", id="tolerated by value"),
        pytest.param(
            {"taints": [TAINT]},
            [{"key": "gpu", "value": "no"}],
            "node(s) had untolerated taint(s)",
            id="another value",
        ),
        pytest.param({"taints": [TAINT]}, [{"value": "yes"}], "", id="of any key, tolerated by value"),
        pytest.param(
            {"taints": [TAINT]},
            [{"key": "gpu", "operator": "Gt", "value": "yes"}],
            "node(s) had untolerated taint(s)",
            id="an operator behind a gate",
        ),
        pytest.param({"taints": [{**TAINT, "effect": "PreferNoSchedule"}]}, [], "", id="a mere preference"),
        pytest.param({"unschedulable": True}, [], "node(s) were unschedulable", id="cordoned"),
        pytest.param({"unschedulable": True}, [{"operator": "Exists"}], "", id="cordoned, all tolerated"),
    ],
)
def test_taints_keep_pods_away(node, tolerations, words):
    assert why_not(PodSpec({"tolerations": tolerations}), a_node(**node)) == words
