"""Several metrics of one autoscaler: which one is followed, and of which it is told."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.controllers.horizontal_pod_autoscaler.decide import Past, Seen, decide
from lifecycle.engine.controllers.horizontal_pod_autoscaler.decide.calculator import Clock
from lifecycle.engine.controllers.horizontal_pod_autoscaler.decide.readings import Readings, Series
from lifecycle.engine.objects.meta import PlainObject
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.scaling.scales import Scale

NOW_MS = 600_000


def make_pod(name: str) -> Pod:
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    meta = {"name": name, "labels": {"app": "web"}}
    return Pod.from_json({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "status": status}, 0)


def make_metric(name: str) -> dict[str, Any]:
    """One that asks for as many replicas as it says, of a target of 1 for each."""
    target = {"type": "AverageValue", "averageValue": "1"}
    return {"type": "External", "external": {"metric": {"name": name}, "target": target}}


@pytest.mark.spec("HPA-08")
@pytest.mark.parametrize(
    "values, followed, size",
    [
        pytest.param({"a": 4, "b": 6}, "b", 6, id="the largest wins"),
        pytest.param({"a": 6, "b": 6}, "a", 6, id="the first of equals"),
        pytest.param({"a": 0, "b": 0}, "b", 1, id="nobody asks for any: told of the last"),
        pytest.param({"a": 0, "b": 1}, "b", 1, id="one asks for one"),
        pytest.param({"a": 5, "b": None}, "a", 5, id="one cannot be read, the other asks for more"),
        pytest.param({"a": 2, "b": None}, "a", 2, id="one cannot be read, the other asks for as many"),
        pytest.param({"a": 1, "b": None}, "", 2, id="one cannot be read: nobody scales down"),
        pytest.param({"a": None, "b": None}, "", 2, id="none can be read"),
    ],
)
def test_which_of_several_metrics_is_followed(values: dict[str, int | None], followed: str, size: int):
    spec = {"minReplicas": 1, "maxReplicas": 10, "metrics": [make_metric(name) for name in values]}
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 0}}
    autoscaler = PlainObject.from_json(
        {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {**spec, "behavior": behavior},
        },
        0,
    )
    series = [Series(name, value * 1000) for name, value in values.items() if value is not None]
    pods = [make_pod("web-0"), make_pod("web-1")]
    seen = Seen(autoscaler, Scale(2, 2, "app=web"), pods, Readings(external=series))
    verdict = decide(seen, Past(), Clock(NOW_MS))
    conditions = {one["type"]: one for one in verdict.status["conditions"]}
    active = conditions["ScalingActive"]
    assert (verdict.size or 2) == size
    assert active["status"] == ("True" if followed else "False")
    assert f"external metric {followed}(nil)" in active["message"] or not followed
    is_told = [reason for reason, _message in verdict.warnings]
    unreadable = sum(value is None for value in values.values())
    assert is_told.count("FailedGetExternalMetric") == unreadable
    assert ("FailedComputeMetricsReplicas" in is_told) is not bool(followed)
