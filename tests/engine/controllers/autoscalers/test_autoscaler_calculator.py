"""What one metric of an autoscaler asks for, where requests, shares and sums are out of the ordinary."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.controllers.horizontal_pod_autoscaler.decide import Past, Seen, decide
from lifecycle.engine.controllers.horizontal_pod_autoscaler.decide.calculator import (
    Clock,
    Tolerances,
    ask_by_share,
    ask_by_total,
    sum_requests,
)
from lifecycle.engine.controllers.horizontal_pod_autoscaler.decide.readings import (
    PodMetrics,
    Readings,
    Series,
    read_external_metric,
    read_resource,
)
from lifecycle.engine.objects.meta import PlainObject
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.scaling.scales import Scale

NOW_MS = 600_000
MOST = (1 << 63) - 1


def make_pod(name: str, spec: dict[str, Any] | None = None) -> Pod:
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    raw = {"metadata": {"name": name}, "spec": spec or {}, "status": status}
    return Pod.from_json({"apiVersion": "v1", "kind": "Pod", **raw}, 0)


def asks_for(cpu: str, name: str = "app", **others: Any) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": {"cpu": cpu}}, **others}


@pytest.mark.parametrize(
    "spec, milli",
    [
        pytest.param({"containers": [asks_for("100m")]}, 100, id="the containers'"),
        pytest.param({"containers": [asks_for("100m")], "overhead": {"cpu": "50m"}}, 100, id="no overhead"),
        pytest.param(
            {"containers": [asks_for("100m")], "initContainers": [asks_for("1", "set-up")]},
            100,
            id="no init containers",
        ),
        pytest.param(
            {
                "containers": [asks_for("100m")],
                "resources": {"requests": {"cpu": "700m"}},
                "overhead": {"cpu": "50m"},
            },
            750,
            id="the pod's own, and its overhead",
        ),
        pytest.param(
            {
                "containers": [asks_for("100m")],
                "initContainers": [asks_for("200m", "mesh", restartPolicy="Always")],
                "resources": {"requests": {"memory": "1Gi"}},
            },
            300,
            id="the pod's own for something else: containers and sidecars",
        ),
    ],
)
def test_a_pod_that_requests_as_a_whole_is_counted_as_the_scheduler_does(spec: dict[str, Any], milli: int):
    assert sum_requests([make_pod("web-0", spec)], "", "cpu") == {"web-0": milli}


@pytest.mark.parametrize(
    "replicas, usage, is_external, expected",
    [
        pytest.param(2, 3_000, True, (3, 1_500), id="shared"),
        pytest.param(0, 3_000, True, (3, -(1 << 63)), id="nobody there to share"),
        pytest.param(0, 0, False, (0, -(1 << 63)), id="nothing to share either"),
        pytest.param(2, MOST, True, ((1 << 31) - 1, MOST), id="external: stops at the most"),
        pytest.param(2, MOST, False, (-(1 << 31), 1 << 62), id="of an object: overflows"),
    ],
)
def test_a_share_is_what_go_makes_of_it(
    replicas: int, usage: int, is_external: bool, expected: tuple[int, int]
):
    asked = ask_by_share(replicas, 1_000, usage, Tolerances(), is_external)
    assert (asked.replicas, asked.usage) == expected


@pytest.mark.parametrize(
    "current, usage, replicas",
    [
        pytest.param(1, MOST, (1 << 31) - 1, id="in proportion: stops at the most"),
        pytest.param(0, MOST, -(1 << 31), id="from nothing: overflows"),
    ],
)
def test_a_total_is_what_go_makes_of_it(current: int, usage: int, replicas: int):
    assert ask_by_total(current, 1_000, usage, [make_pod("web-0")], Tolerances()).replicas == replicas


def test_the_sum_of_an_external_metric_stops_at_the_most():
    readings = Readings(external=[Series("jobs", MOST), Series("jobs", 300)])
    assert read_external_metric(readings, {"name": "jobs"}) == MOST


def test_metrics_without_containers_say_nothing_of_a_pod():
    readings = Readings(
        {"web-0": PodMetrics(0, 60_000, {}), "web-1": PodMetrics(0, 60_000, {"app": {"cpu": 5}})}
    )
    assert list(read_resource(readings, "cpu", "")) == ["web-1"]


@pytest.mark.parametrize(
    "target, value, told, shown",
    [
        pytest.param("1", 2_000, "", "1", id="as many as there are"),
        pytest.param("1", 1_000, "All metrics below target", "500m", id="fewer"),
        pytest.param("1", 6_000, "external metric jobs(nil) above target", "3", id="more"),
    ],
)
def test_why_it_is_rescaled_while_more_was_asked_before(target: str, value: int, told: str, shown: str):
    metric = {
        "type": "External",
        "external": {"metric": {"name": "jobs"}, "target": {"type": "AverageValue", "averageValue": target}},
    }
    raw = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"minReplicas": 1, "maxReplicas": 10, "metrics": [metric]},
    }
    seen = Seen(
        PlainObject.from_json(raw, 0),
        Scale(2, 2, "app=web"),
        [make_pod("web-0"), make_pod("web-1")],
        Readings(external=[Series("jobs", value)]),
    )
    verdict = decide(seen, Past([[4, NOW_MS - 60_000]]), Clock(NOW_MS))
    assert (verdict.size, verdict.reason) == (4, told)
    assert verdict.status["currentMetrics"][0]["external"]["current"] == {"averageValue": shown}
