"""HorizontalPodAutoscalers in a whole cluster: what they see, when they look, what they say."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.upgrades import Known
from tests.engine.controllers.autoscaled import Autoscaled, of_cpu

FAST = {"horizontalPodAutoscalerSyncPeriod": "5s"}


def use(cpu: str, at: int = 0) -> dict[str, str]:
    return {"podline.dev/behavior": f"nginx: {{usage: [{{at: {at}s, cpu: {cpu}, memory: 20Mi}}]}}"}


@pytest.mark.spec("HPA-03", "HPA-05", "HPA-12", "AUTO-01", "AUTO-04")
def test_a_load_closes_the_loop():
    # 100 % of 50: two; then 50 % each, and nothing more to do.
    world = Autoscaled()
    world.load((0, "100m"))
    world.workload()
    world.autoscale()
    world.run(14)
    assert world.replicas() == 1 and "status" not in world.hpa()
    world.run(2)
    assert world.replicas() == 2
    world.run(60)
    assert world.lane("HorizontalPodAutoscaler", "currentReplicas") == [(15_000, 1), (30_000, 2)]
    assert world.lane("HorizontalPodAutoscaler", "desiredReplicas") == [(15_000, 2)]
    why = "New size: 2; reason: cpu resource utilization (percentage of request) above target"
    assert world.events("HorizontalPodAutoscaler") == [("SuccessfulRescale", why)]
    assert world.scaled() == "A1 A2"
    assert world.hpa()["status"]["currentMetrics"] == [
        {
            "type": "Resource",
            "resource": {"name": "cpu", "current": {"averageUtilization": 50, "averageValue": "50m"}},
        }
    ]


@pytest.mark.parametrize(
    "demand, replicas",
    [
        # 100 % of 50: two. 20 a second that cost 5 ms each are 100m.
        pytest.param({"podline.dev/load": "nginx: [{at: 0s, cpu: 100m}]"}, 2, id="a load"),
        pytest.param(
            {"podline.dev/requests": "{perSecond: 20, cpuPerRequest: {nginx: 5m}}"},
            2,
            id="what requests cost",
        ),
        pytest.param(
            {"podline.dev/requests": "{perSecond: 20, cpuPerRequest: {nginx: 0.015}}"},
            6,
            id="three times that",
        ),
        pytest.param({"podline.dev/requests": "{perSecond: 20}"}, 1, id="requests that cost nothing"),
        pytest.param(
            {"podline.dev/requests": "{cpuPerRequest: {nginx: 5m}}"}, 1, id="nobody says how many there are"
        ),
        pytest.param(
            {"podline.dev/requests": "{perSecond: 20, cpuPerRequest: {other: 5m}}"},
            1,
            id="of no container of it",
        ),
        pytest.param(
            {
                "podline.dev/load": "nginx: [{at: 0s, cpu: 100m}]",
                "podline.dev/requests": "{perSecond: 20, cpuPerRequest: {nginx: 15m}}",
            },
            2,
            id="both: the load counts",
        ),
    ],
)
def test_requests_that_cost_cpu_are_a_load(demand: dict[str, str], replicas: int):
    world = Autoscaled()
    world.serve("web", demand)
    world.workload()
    world.autoscale()
    assert world.run(80).replicas() == replicas


def test_a_cost_of_requests_that_changes_is_seen():
    world = Autoscaled()
    world.serve("web", {"podline.dev/requests": "{perSecond: 20, cpuPerRequest: {nginx: 2m}}"})
    world.workload()
    world.autoscale()
    assert world.run(40).replicas() == 1
    world.serve("web", {"podline.dev/requests": "{perSecond: 20, cpuPerRequest: {nginx: 5m}}"})
    assert world.run(40).replicas() == 2


@pytest.mark.spec("HPA-04", "DEP-SCALE-04")
@pytest.mark.parametrize("cpu, replicas", [("54m", 10), ("56m", 12), ("46m", 10), ("44m", 10)])
def test_a_ratio_near_one_changes_nothing(cpu: str, replicas: int):
    # 1.08, 1.12, 0.92 and 0.88, which waits for its window.
    world = Autoscaled()
    world.workload(replicas=10, annotations=use(cpu))
    world.autoscale(most=20)
    assert world.run(20).replicas() == replicas
    reason = (
        "ScaleDownStabilized" if cpu == "44m" else "SucceededRescale" if replicas > 10 else "ReadyForNewScale"
    )
    assert world.conditions()["AbleToScale"] == ("True", reason)


@pytest.mark.spec("HPA-02", "RC-39", "AUTO-03")
@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"])
def test_whatever_has_a_size_is_scaled(kind: str):
    world = Autoscaled()
    world.workload(kind=kind, annotations=use("100m"))
    world.autoscale(kind=kind, most=4)
    world.run(31)
    assert world.replicas(kind=kind) == 4


@pytest.mark.parametrize(
    "kind, problem",
    [
        ("Deployment", 'deployments.apps "web" not found'),
        ("DaemonSet", "the server could not find the requested resource"),
        ("Toaster", 'no matches for kind "Toaster" in group "apps"'),
    ],
)
def test_what_cannot_be_scaled_is_said(kind: str, problem: str):
    world = Autoscaled()
    world.autoscale(kind=kind)
    world.run(100)
    (condition,) = world.hpa()["status"]["conditions"]
    text = f"the HPA controller was unable to get the target's current scale: {problem}"
    assert (condition["status"], condition["reason"], condition["message"]) == (
        "False",
        "FailedGetScale",
        text,
    )
    world.cluster.close_series()
    events = [row for row in world.rows if row["type"] == "event"]
    assert [(row["count"], row["message"]) for row in events] == [(1, problem), (6, problem)]


def test_a_target_that_comes_later_is_found_in_its_period():
    world = Autoscaled(**FAST)
    world.autoscale(most=4)
    world.run(62)
    world.workload(annotations=use("100m"))
    world.run(2)
    assert world.conditions()["AbleToScale"] == ("False", "FailedGetScale")
    world.run(2)
    assert world.conditions()["AbleToScale"] == ("True", "SucceededRescale")
    assert world.replicas() == 2


@pytest.mark.spec("HPA-10")
def test_pods_being_deleted_are_ignored_and_unready_ones_idle():
    world = Autoscaled(**FAST)
    world.workload(replicas=2, annotations=use("90m"))
    for name in ("a", "b"):
        # Two more pods that the selector selects, and that are never ready.
        meta = {"name": name, "labels": {"app": "web"}, "annotations": use("90m")}
        spec = {
            "containers": [{"name": "nginx", "image": "nginx:1", "resources": {"requests": {"cpu": "100m"}}}],
            "readinessGates": [{"conditionType": "example.com/open"}],
        }
        world.apply({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
    world.autoscale()
    # 90 % of 50 %: ratio 1.8; with two idle ones 0.9, which turns the direction.
    world.run(11)
    assert world.replicas() == 2
    assert world.conditions()["AbleToScale"] == ("True", "ReadyForNewScale")
    for name in ("a", "b"):
        world.done("delete", kind="Pod", namespace="default", name=name)
    world.run(5)
    assert world.replicas() == 4


def test_two_autoscalers_of_the_same_pods_do_nothing():
    world = Autoscaled(**FAST)
    world.workload(annotations=use("100m"))
    world.autoscale("a", target="web")
    world.run(1)
    world.autoscale("b", target="web")
    # The first scales once: the other's selector is known from its own first look on.
    world.run(5)
    assert world.replicas() == 2
    world.run(60)
    assert world.replicas() == 2
    for name in ("a", "b"):
        assert world.conditions(name)["ScalingActive"] == ("False", "AmbiguousSelector")
    told = [one for one in world.hpa("b")["status"]["conditions"] if one["type"] == "ScalingActive"]
    assert (
        told[0]["message"]
        == "pods by selector app=web are controlled by multiple HPAs: [default/a default/b]"
    )
    world.done("delete", kind="HorizontalPodAutoscaler", namespace="default", name="b")
    world.run(6)
    assert world.replicas() == 4


@pytest.mark.spec("AUTO-05")
def test_who_else_writes_the_size_is_not_kept_from_it():
    world = Autoscaled(**FAST)
    world.load((0, "100m"))
    world.workload()
    world.autoscale(least=2, most=4)
    world.run(6)
    world.change("scale", replicas=5)
    assert world.replicas() == 5
    world.run(5)
    assert world.replicas() == 4


@pytest.mark.spec("HPA-13")
def test_columns_tell_what_is_used_and_what_is_wanted():
    world = Autoscaled()
    world.load((0, "63m"))
    world.workload()
    created = world.autoscale("web", 1, 3, 80)
    columns = decide_columns(world.hpa(), 0)
    assert columns["TARGETS"] == "cpu: <unknown>/80%" and created["spec"]["maxReplicas"] == 3
    world.run(20)
    shown = decide_columns(world.hpa(), world.cluster.now_ms)
    assert {name: shown[name] for name in ("REFERENCE", "TARGETS", "MINPODS", "MAXPODS", "REPLICAS")} == {
        "REFERENCE": "Deployment/web", "TARGETS": "cpu: 63%/80%", "MINPODS": "1", "MAXPODS": 3, "REPLICAS": 1,
    }  # fmt: skip


@pytest.mark.spec("RS-HPA-01", "HPA-02")
def test_the_first_version_is_read_and_kept_as_the_second():
    world = Autoscaled()
    manifest = {
        "apiVersion": "autoscaling/v1",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "maxReplicas": 3,
            "targetCPUUtilizationPercentage": 50,
        },
    }
    world.apply(manifest)
    assert world.hpa()["apiVersion"] == "autoscaling/v2"
    assert world.hpa()["spec"]["metrics"] == [of_cpu(50)] and world.hpa()["spec"]["minReplicas"] == 1
    manifest["spec"]["targetCPUUtilizationPercentage"] = 70  # type: ignore[index]
    world.apply(manifest)
    assert world.hpa()["spec"]["metrics"] == [of_cpu(70)]


def test_what_is_left_out_of_a_behavior_is_filled_in():
    world = Autoscaled()
    world.autoscale(behavior={"scaleDown": {"stabilizationWindowSeconds": 5}})
    all_of_them = {"type": "Percent", "value": 100, "periodSeconds": 15}
    assert world.hpa()["spec"]["behavior"] == {
        "scaleUp": {
            "stabilizationWindowSeconds": 0,
            "selectPolicy": "Max",
            "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}, all_of_them],
        },
        "scaleDown": {"stabilizationWindowSeconds": 5, "selectPolicy": "Max", "policies": [all_of_them]},
    }


REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"behavior": {"scaleUp": {"policies": []}}},
        "spec.behavior.scaleUp.policies: Required value: must specify at least one Policy",
    ),
    ({"behavior": {"scaleUp": {"tolerance": "-0.1"}}}, "must be greater than or equal to 0"),
    ({"minReplicas": 0}, "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1"),
    (
        {"scaleTargetRef": {"apiVersion": "a/b/c", "kind": "Deployment", "name": "web"}},
        "unexpected GroupVersion string: a/b/c",
    ),
]


@pytest.mark.parametrize("spec, problem", REFUSED)
def test_a_bad_one_is_refused_as_the_server_does(spec: dict[str, Any], problem: str):
    world = Autoscaled()
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    kinds = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"}
    whole = {"scaleTargetRef": reference, "maxReplicas": 3, "metrics": [of_cpu(50)], **spec}
    result = world.submit(
        "create", object={**kinds, "metadata": {"name": "web", "namespace": "default"}, "spec": whole}
    )
    assert not result.ok and result.status is not None
    assert problem in result.status["message"]


def test_without_metrics_nothing_is_scaled_and_each_look_says_so():
    world = Autoscaled(**FAST)
    world.workload(replicas=2)
    world.autoscale()
    world.run(21)
    assert world.conditions()["ScalingActive"] == ("False", "FailedGetResourceMetric")
    assert world.replicas() == 2
    world.cluster.close_series()
    counted = {
        row["reason"]: row["count"]
        for row in world.rows
        if row["type"] == "event" and row["kind"] == "HorizontalPodAutoscaler"
    }
    assert counted == {"FailedGetResourceMetric": 4, "FailedComputeMetricsReplicas": 4}


def test_a_metrics_server_has_new_pods_wait_for_a_whole_step():
    # Samples at 15, 30, …: the first that covers a whole step of pods that came at 3 is that of 30.
    world = Autoscaled(metricsResolution="15s", **FAST)
    world.run(3)
    world.workload(annotations=use("100m"))
    world.autoscale(most=2)
    world.run(26)
    assert world.replicas() == 1
    world.run(5)
    assert world.replicas() == 2


def test_a_share_of_a_load_stops_at_the_limit():
    world = Autoscaled(**FAST)
    world.load((0, "900m"))
    labels, requests = {"app": "web"}, {"cpu": "100m"}
    container = {
        "name": "nginx",
        "image": "nginx:1",
        "resources": {"requests": requests, "limits": {"cpu": "150m"}},
    }
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    world.apply({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec})
    world.autoscale(percent=100)
    assert world.run(6).replicas() == 2


@pytest.mark.parametrize(
    "annotation, text, problem",
    [
        ("podline.dev/load", "nginx: 5", "metadata.annotations[podline.dev/load].nginx: 5 must be a list"),
        ("podline.dev/load", "nginx: [{at: 1s..2s, cpu: 1}]", "`at` must be one instant"),
        ("podline.dev/load", "nginx: [{at: 0s, cpu: lots}]", "is not a quantity"),
        ("podline.dev/load", "[", "not YAML"),
        ("podline.dev/metrics", "[{values: []}]", "[0].name: is required"),
        ("podline.dev/requests", "{perSeconds: 5}", "[podline.dev/requests].perSeconds: unknown key"),
        ("podline.dev/requests", "{cpuPerRequest: 5m}", ".cpuPerRequest: '5m' must map container names"),
        ("podline.dev/requests", "{cpuPerRequest: {a: 5m}}", ".cpuPerRequest: needs perSecond beside it"),
        ("podline.dev/requests", "{perSecond: 1, cpuPerRequest: {a: lots}}", ".cpuPerRequest.a: "),
        ("podline.dev/requests", "{perSecond: 1, cpuPerRequest: {a: -1}}", ".a: -1 must be from 0 to 3600"),
        ("podline.dev/metrics", "[{name: a, values: [{at: 0s}]}]", "[0].values[0].value: is required"),
        (
            "podline.dev/metrics",
            "[{name: a, labels: {b: 1}, values: [{value: 1}]}]",
            "[0].labels: must be a mapping of texts",
        ),
    ],
)
def test_a_demand_that_cannot_be_read_is_told(annotation: str, text: str, problem: str):
    world = Autoscaled()
    meta = {"name": "web", "namespace": "default", "annotations": {annotation: text}}
    spec = {"ports": [{"port": 80}]}
    result = world.submit(
        "create", object={"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}
    )
    assert result.ok and any(problem in warning for warning in result.warnings), result.warnings


def test_a_load_beside_what_requests_cost_is_told():
    load, requests = "app: [{at: 0s, cpu: 1}]", "{perSecond: 1, cpuPerRequest: {app: 1}}"
    annotations = {"podline.dev/load": load, "podline.dev/requests": requests}
    meta = {"name": "web", "namespace": "default", "annotations": annotations}
    made = {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"ports": [{"port": 80}]}}
    result = Autoscaled().submit("create", object=made)
    assert result.warnings == [
        "metadata.annotations[podline.dev/requests].cpuPerRequest: metadata.annotations[podline.dev/load]"
        " says what CPU is used as well: give one of both; the load counts"
    ]


def test_a_load_belongs_on_a_service():
    world = Autoscaled()
    meta = {"name": "web", "namespace": "default", "annotations": {"podline.dev/load": "app: [{cpu: 1}]"}}
    result = world.submit("create", object={"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta})
    assert result.ok and any("only a Service has a load" in warning for warning in result.warnings)


def test_a_queue_that_is_changed_by_hand_is_seen_in_the_next_period():
    world = Autoscaled(**FAST)
    world.workload()
    metric = {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "5"}}
    world.autoscale(metrics=[{"type": "External", "external": metric}])
    world.run(61)
    assert world.conditions()["ScalingActive"] == ("False", "FailedGetExternalMetric")
    text = "[{name: queue, values: [{value: 14}]}]"
    patch = {"metadata": {"annotations": {"podline.dev/metrics": text}}}
    world.done("patch", kind="Namespace", name="default", patch=patch, type="merge")
    world.run(5)
    assert world.replicas() == 3


NO_ADAPTER = "custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered"
NO_PATH = "the server could not find the requested resource (get rate.external.metrics.k8s.io)"
NAMED_WEB = {"name": "web"}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": NAMED_WEB, "spec": {"ports": [{"port": 80}]}}
DESCRIBED = {"describedObject": {"apiVersion": "v1", "kind": "Service", "name": "web"}}
OTHER_METRIC = {"podline.dev/metrics": "[{name: other, values: [{value: 1}]}]"}


@pytest.mark.parametrize(
    "kind, more, annotations, problem",
    [
        # Nobody has registered the API of custom metrics, as in a cluster without an adapter.
        ("Pods", {}, {}, f"unable to get metric rate: unable to fetch metrics from {NO_ADAPTER}"),
        # The one text whose parts Kubernetes fills in in another order than it means.
        (
            "Object",
            DESCRIBED,
            {},
            f"unable to get metric rate: Service on default web/unable to fetch metrics from {NO_ADAPTER}",
        ),
        # An adapter is there, and knows another metric only.
        ("Pods", {}, OTHER_METRIC, "unable to get metric rate: no metrics returned from custom metrics API"),
        # The client of external metrics asks no discovery: the server answers that there is no such path.
        (
            "External",
            {},
            {},
            "unable to get external metric default/rate/nil:"
            f" unable to fetch metrics from external metrics API: {NO_PATH}",
        ),
    ],
)
def test_a_metric_that_nobody_serves_is_told_so(
    kind: str, more: dict[str, Any], annotations: dict[str, str], problem: str
):
    world = Autoscaled(**FAST)
    world.workload(annotations=annotations)
    world.apply(SERVICE)
    source = {"metric": {"name": "rate"}, "target": {"type": "AverageValue", "averageValue": "5"}, **more}
    world.autoscale(metrics=[{"type": kind, kind.lower(): source}])
    world.run(20)
    (active,) = [one for one in world.hpa()["status"]["conditions"] if one["type"] == "ScalingActive"]
    assert active["reason"] == f"FailedGet{kind}Metric"
    assert active["message"] == f"the HPA was unable to compute the replica count: {problem}"


# --- at rest ----------------------------------------------------------------------------------------------


def test_where_nothing_can_change_nobody_looks():
    world = Autoscaled()
    world.workload(annotations=use("40m"))
    world.autoscale()
    world.run(600)
    assert world.cluster.is_idle()
    wakes, until_ms = 0, world.cluster.now_ms + 3_600_000
    while (world.cluster.next_wake() or until_ms) < until_ms:
        world.cluster.run_until(world.cluster.next_wake() or until_ms)
        wakes += 1
    # An hour has 240 periods.
    assert wakes < 10


def test_an_autoscaler_at_rest_goes_on_after_a_load():
    worlds = [Autoscaled(**FAST) for _ in range(2)]
    for world in worlds:
        world.load((0, "100m"), (200, "10m"))
        world.workload()
        world.autoscale(behavior={"scaleDown": {"stabilizationWindowSeconds": 60}})
        world.run(150)
        assert world.rows
    saved = worlds[1].cluster.save()
    worlds[1].cluster = Cluster.load(saved)
    for world in worlds:
        world.run(150)
    assert worlds[0].replicas() == worlds[1].replicas() == 1
    assert worlds[0].rows == worlds[1].rows


def test_one_that_an_older_engine_stored_in_the_first_version_is_followed_from_then_on():
    world = Autoscaled()
    world.load((0, "100m"))
    world.workload()
    world.autoscale(most=4)
    world.run(5)
    assert world.rows
    saved = world.cluster.save()
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {
        "scaleTargetRef": reference,
        "minReplicas": 1,
        "maxReplicas": 4,
        "targetCPUUtilizationPercentage": 50,
    }
    for entry in saved["objects"]:
        if "HorizontalPodAutoscaler" in str(entry):
            as_it_was(entry, spec)
    saved["controllers"].pop("horizontalPodAutoscaler")
    saved["agenda"]["timers"] = [one for one in saved["agenda"]["timers"] if "horizontalPod" not in str(one)]
    objects = [data for kind in world.cluster.kinds() for data in world.cluster.list(kind)]
    seq, settings = world.rows[-1]["seq"], world.cluster.settings
    known = Known(1, world.cluster.epoch_ms, settings, 5_000, seq, saved["resource_version"], objects)
    world.cluster = Cluster.take_up(known, {**saved, "engine_version": 9})
    assert world.hpa()["apiVersion"] == "autoscaling/v2"
    world.run(12)
    assert world.replicas() == 2


def as_it_was(entry: Any, spec: Any) -> None:
    """Make what is saved of an autoscaler one of the first version, wherever it says so."""
    places = entry.items() if isinstance(entry, dict) else enumerate(entry)
    for place, value in list(places):
        if value == "autoscaling/v2":
            entry[place] = "autoscaling/v1"
        elif isinstance(value, dict) and "scaleTargetRef" in value:
            entry[place] = spec
        elif isinstance(value, dict | list):
            as_it_was(value, spec)
