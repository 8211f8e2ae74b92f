"""What kubectl prints where selectors, amounts and names are out of the ordinary."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.kinds.presentation import decide_columns

SELECTOR = {
    "matchLabels": {"x": "q"},
    "matchExpressions": [
        {"key": "x", "operator": "NotIn", "values": ["b", "a"]},
        {"key": "x", "operator": "Exists"},
        {"key": "a", "operator": "DoesNotExist"},
    ],
}
GIB_AND_A_HALF = {"type": "AverageValue", "averageValue": "1.5Gi"}
METRICS = [
    {"type": "Pods", "pods": {"metric": {"name": "m"}, "target": GIB_AND_A_HALF}},
    {"type": "Resource", "resource": {"name": "memory", "target": GIB_AND_A_HALF}},
]
USED = [
    {"type": "Pods", "pods": {"metric": {"name": "m"}, "current": {"averageValue": "0"}}},
    {"type": "Resource", "resource": {"name": "memory", "current": {"averageValue": "1.1Gi"}}},
]


@pytest.mark.parametrize(
    "kind, data, column, text",
    [
        pytest.param(
            "ReplicaSet",
            {"spec": {"selector": SELECTOR}},
            "SELECTOR",
            "!a,x=q,x notin (a,b),x",
            id="several terms of one key stay in order",
        ),
        pytest.param(
            "HorizontalPodAutoscaler",
            {"spec": {"metrics": METRICS}, "status": {"currentMetrics": USED}},
            "TARGETS",
            "0/1536Mi, memory: 1181116006400m/1536Mi",
            id="amounts as the API server writes them",
        ),
        pytest.param(
            "HorizontalPodAutoscaler",
            {"spec": {"metrics": METRICS}},
            "TARGETS",
            "<unknown>/1536Mi, memory: <unknown>/1536Mi",
            id="amounts that nobody has told",
        ),
        pytest.param(
            "EndpointSlice",
            {"ports": [{"name": "", "port": 80}, {"name": ""}, {"name": "web"}]},
            "PORTS",
            "80,,web",
            id="ports of any number go by their name",
        ),
        pytest.param("EndpointSlice", {"ports": [{}]}, "PORTS", "*", id="a port of any number and no name"),
        pytest.param(
            "PersistentVolumeClaim",
            {"spec": {"volumeAttributesClassName": ""}},
            "VOLUMEATTRIBUTESCLASS",
            "",
            id="a class that is said to be none",
        ),
        pytest.param(
            "PersistentVolumeClaim", {}, "VOLUMEATTRIBUTESCLASS", "<unset>", id="a class that is not said"
        ),
    ],
)
def test_a_column(kind: str, data: dict[str, Any], column: str, text: str):
    assert decide_columns({"kind": kind, "metadata": {"name": "one"}, **data}, 0, wide=True)[column] == text
