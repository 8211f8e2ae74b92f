"""Adapters of the tables of HorizontalPodAutoscalers."""

from typing import Any

import pytest

from lifecycle.engine.controllers.horizontal_pod_autoscaler.decide import (
    Past,
    Scale,
    Seen,
    conclude,
    decide,
    rules_of,
)
from lifecycle.engine.controllers.horizontal_pod_autoscaler.decide.calculator import (
    Asked,
    Clock,
    Question,
    Tolerances,
    ask_by_share,
    ask_by_total,
    ask_by_utilization,
    ask_by_value,
    milli_of,
)
from lifecycle.engine.controllers.horizontal_pod_autoscaler.decide.limits import (
    Bounds,
    find_down_limit,
    find_up_limit,
    limit_by_rules,
    limit_plainly,
    read_rules,
    remember_change,
    stabilize,
    stabilize_down,
    sum_changes,
)
from lifecycle.engine.controllers.horizontal_pod_autoscaler.decide.readings import (
    PodMetrics,
    Readings,
    Series,
    UnreadableMetric,
    read_external_metric,
    read_object_metric,
    read_pods_metric,
    read_resource,
)
from lifecycle.engine.objects.meta import PlainObject
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.times import parse_utc_ms
from tests.conformance.cases import load_cases

NOW_MS = 10_000_000
WINDOW_MS = 300_000


def aged(entries: list[dict[str, Any]] | None, number: str) -> list[list[int]]:
    return [[one[number], NOW_MS - one["ageSeconds"] * 1000] for one in entries or ()]


def clock_of(given: dict[str, Any]) -> Clock:
    # The tests that the tables come from set these two.
    return Clock(parse_utc_ms(given["now"]), 0, 120_000, 10_000)


def pods_of(given: dict[str, Any]) -> list[Pod]:
    kind = {"apiVersion": "v1", "kind": "Pod"}
    return [Pod.from_json({**kind, **one}, 0) for one in given.get("pods") or ()]


@pytest.mark.parametrize("case", load_cases("hpa_behavior_rate"))
def test_policies_limit_the_rate(case: dict[str, Any]):
    given = case["input"]
    past = Past(
        [], aged(given["scaleUpEvents"], "replicaChange"), aged(given["scaleDownEvents"], "replicaChange")
    )
    rules = read_rules(given["behavior"], WINDOW_MS)
    bounds = Bounds(given["minReplicas"], given["maxReplicas"])
    replicas, (reason, _) = limit_by_rules(
        given["currentReplicas"], given["desiredReplicas"], bounds, past, NOW_MS, *rules
    )
    assert {"replicas": replicas, "condition": reason} == case["expect"]


@pytest.mark.parametrize("case", load_cases("hpa_limits"))
def test_a_recommendation_is_limited(case: dict[str, Any]):
    given, current = case["input"], case["input"]["currentReplicas"]
    changes = [aged(given.get(name), "replicaChange") for name in ("scaleUpEvents", "scaleDownEvents")]
    if "scaleUp" in given:
        up, _ = read_rules({"scaleUp": given["scaleUp"]}, WINDOW_MS)
        assert {"limit": find_up_limit(current, Past([], *changes), NOW_MS, up)} == case["expect"]
        return
    if "scaleDown" in given:
        _, down = read_rules({"scaleDown": given["scaleDown"]}, WINDOW_MS)
        assert {"limit": find_down_limit(current, Past([], *changes), NOW_MS, down)} == case["expect"]
        return
    bounds = Bounds(given["minReplicas"], given["maxReplicas"])
    replicas, (reason, _) = limit_plainly(current, given["desiredReplicas"], bounds)
    assert {"replicas": replicas, "condition": reason} == case["expect"]


@pytest.mark.parametrize("case", load_cases("hpa_scale_events"))
def test_changes_are_remembered_as_long_as_a_policy_looks_back(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    changes = aged(given["previousEvents"], "replicaChange")
    before = sum_changes(changes, NOW_MS, given["periodSeconds"])
    assert before == expect["replicaChangePerPeriodBefore"]
    if given["rules"] is not None:
        up, _ = read_rules({"scaleUp": given["rules"]}, WINDOW_MS)
        kept = remember_change(changes, given["replicaChange"], NOW_MS, up.longest_ms)
        # The log keeps outdated changes until their place is needed; we forget them at once.
        stored = [one["replicaChange"] for one in expect["storedEvents"] if not one.get("outdated")]
        assert sorted(one[0] for one in kept) == sorted(stored)


@pytest.mark.parametrize("case", load_cases("hpa_stabilization"))
def test_recommendations_are_stabilized(case: dict[str, Any]):
    given = case["input"]
    past = Past(aged(given["recommendations"], "replicas"))
    wanted = given["desiredReplicas"]
    if "behavior" in given:
        rules = read_rules(given["behavior"], WINDOW_MS)
        replicas = stabilize(past, given["currentReplicas"], wanted, NOW_MS, *rules)
    else:
        window_ms = given["downscaleStabilizationWindowSeconds"] * 1000
        replicas = stabilize_down(past, wanted, NOW_MS, window_ms)
    assert replicas == case["expect"]["replicas"]


# --- one metric -------------------------------------------------------------------------------------------


def pods_measured(given: dict[str, Any]) -> dict[str, PodMetrics]:
    """What the containers of each pod use; all pods have the same containers, in the same order."""
    specs = [one.get("spec") or {} for one in given.get("pods") or ()]
    known = [one["name"] for one in specs[0].get("containers") or ()] if specs else []
    measured = {}
    for one in given.get("podMetrics") or ():
        used = one.get("containerUsageMilli") or ()
        names = [*known, *(f"container-{number}" for number in range(len(known), len(used)))]
        measured[one["podName"]] = PodMetrics(
            parse_utc_ms(one["timestamp"]),
            one.get("windowSeconds", 60) * 1000,
            {name: {given["resource"]: value} for name, value in zip(names, used, strict=False)},
        )
    return measured


def ask(given: dict[str, Any]) -> Asked:
    kind, clock, pods, tolerances = given["kind"], clock_of(given), pods_of(given), Tolerances()
    current, metric = given["currentReplicas"], {"name": "qps"}
    if kind == "Resource":
        resource, container = given["resource"], given.get("container") or ""
        try:
            samples = read_resource(Readings(pods_measured(given)), resource, container)
        except UnreadableMetric as problem:
            raise UnreadableMetric(f"unable to get metrics for resource {resource}: {problem}") from None
        goal = given["targetUtilization"]
        return ask_by_utilization(
            Question(current, goal, samples, pods, tolerances, clock, resource, container)
        )
    if kind == "Pods":
        of_pods = {
            one["podName"]: [Series("qps", one["valueMilli"])] for one in given.get("podMetrics") or ()
        }
        samples = read_pods_metric(Readings(of_pods=of_pods), metric)
        return ask_by_value(
            Question(current, given["targetAverageValueMilli"], samples, pods, tolerances, clock)
        )
    assert kind in ("Object", "ObjectPerPod", "External", "ExternalPerPod"), kind
    series = [Series("qps", value) for value in given.get("valuesMilli") or ()]
    if kind.startswith("Object"):
        described = {"kind": "Deployment", "name": "web"}
        usage = read_object_metric(Readings(of_objects={("Deployment", "web"): series}), described, metric)
    else:
        usage = read_external_metric(Readings(external=series), metric)
    if kind.endswith("PerPod"):
        is_external, goal = kind.startswith("External"), given["targetAverageValueMilli"]
        return ask_by_share(current, goal, usage, tolerances, is_external)
    return ask_by_total(current, given["targetValueMilli"], usage, pods, tolerances)


@pytest.mark.parametrize("case", load_cases("hpa_replica_calculator"))
def test_a_metric_asks_for_replicas(case: dict[str, Any]):
    expect = case["expect"]
    if "error" in expect:
        with pytest.raises(UnreadableMetric) as refused:
            ask(case["input"])
        assert expect["error"] in str(refused.value)
        return
    asked = ask(case["input"])
    told = {"replicas": asked.replicas, "utilization": asked.utilization}
    told |= {"rawValuePerPodMilli": asked.usage, "usageMilli": asked.usage}
    assert {name: told[name] for name in expect} == expect


# --- a whole look -----------------------------------------------------------------------------------------


def read_all(metrics: dict[str, Any]) -> Readings:
    if metrics.get("metricsApiError"):
        return Readings()
    of_pods: dict[str, list[Series]] = {}
    for one in metrics.get("podCustomMetrics") or ():
        of_pods.setdefault(one["name"], []).append(Series(one["metric"], milli_of(one["value"])))
    objects = {
        ("Deployment", one["object"]): [Series(one["metric"], milli_of(one["value"]))]
        for one in metrics.get("objectMetrics") or ()
    }
    external = [Series(one["metric"], milli_of(one["value"])) for one in metrics.get("externalMetrics") or ()]
    pods = {
        one["name"]: PodMetrics(
            parse_utc_ms(one["timestamp"]),
            one["windowSeconds"] * 1000,
            {
                container["name"]: {name: milli_of(value) for name, value in container["usage"].items()}
                for container in one["containers"]
            },
        )
        for one in metrics.get("podMetrics") or ()
    }
    return Readings(pods, of_pods, objects, external)


def matches(selector: str, labels: dict[str, str]) -> bool:
    key, _, value = selector.partition("=")
    return labels.get(key) == value


def see(given: dict[str, Any]) -> Seen:
    hpa, scale = given["hpa"], given["scale"]
    metadata = {"name": "test-hpa", "namespace": "test-namespace"}
    kind = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"}
    pods, selector = pods_of(given), scale.get("selector") or ""
    rivals = ["test-namespace/test-hpa"] + [
        f"test-namespace/other-{number}"
        for number, one in enumerate(given.get("otherHpaSelectors") or ())
        if any(matches(one, pod.meta.labels) for pod in pods)
    ]
    problem = "found 'cheese', expected: in, notin, =, ==, !=, gt, lt" if " " in selector else ""
    return Seen(
        PlainObject.from_json({**kind, "metadata": metadata, **hpa}),
        Scale(scale["specReplicas"], scale["statusReplicas"], selector, problem),
        pods,
        read_all({**given.get("metrics", {}), "metricsApiError": given.get("metricsApiError")}),
        rivals,
    )


@pytest.mark.parametrize("case", load_cases("hpa_reconcile"))
def test_one_look(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    seen, clock = see(given), clock_of(given)
    past = None
    if "pastRecommendations" in given:
        kept = given["pastRecommendations"]
        past = Past([[one["replicas"], clock.now_ms - one["ageSeconds"] * 1000] for one in kept])
    verdict = decide(seen, past, clock)
    if verdict.size is not None:
        conclude(seen, verdict, "", clock)
    size = given["scale"]["specReplicas"] if verdict.size is None else verdict.size
    assert size == expect["desiredReplicas"]
    told = [
        {name: one[name] for name in ("type", "status", "reason")} for one in verdict.status["conditions"]
    ]
    assert [one for one in told if one in expect["conditions"]] == expect["conditions"]
    percent = expect.get("currentCpuUtilization")
    if percent is not None:
        resources = [one["resource"] for one in verdict.status["currentMetrics"] if "resource" in one]
        cpu = [one["current"] for one in resources if one["name"] == "cpu"]
        # Several of them: the test looks at the first that has a percentage.
        percents = [one["averageUtilization"] for one in cpu if "averageUtilization" in one]
        assert percents[:1] == [percent]


def test_rules_that_are_left_out_take_their_defaults():
    spec = {"behavior": {"scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}}
    up, down = rules_of(PlainObject.from_json({"kind": "HorizontalPodAutoscaler", "spec": spec}), WINDOW_MS)
    assert (up.window_ms, up.select, up.longest_ms) == (0, "Max", 60_000)
    assert (down.window_ms, down.select, down.longest_ms) == (WINDOW_MS, "Max", 15_000)
