"""Add-ons that scale: the vertical autoscaler, KEDA, and the one that follows the size of the cluster."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.controllers.proportional_autoscaler.decide import Size, decide_replicas, read_flags
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.objects.times import parse_utc_ms
from lifecycle.engine.rules.scaling.event_scaling import is_active, next_turn_ms, read_triggers, value_of
from lifecycle.engine.rules.scaling.vertical_scaling import bucket_of, recommend
from tests.engine.controllers.autoscaled import Autoscaled

Json = dict[str, Any]


def define(world: Autoscaled, group: str, kind: str, plural: str, served: str = "v1") -> None:
    """What installing an add-on brings."""
    names = {"kind": kind, "plural": plural, "singular": kind.lower()}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": served, "served": True, "storage": True, "schema": schema}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}
    meta = {"name": f"{plural}.{group}"}
    kinds = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    world.apply({**kinds, "metadata": meta, "spec": spec})


# --- the vertical autoscaler ------------------------------------------------------------------------------


def vertical(mode: str, is_installed: bool = True, replicas: int = 2, **spec: Any) -> Autoscaled:
    """Containers that request 100m and use 250m."""
    world = Autoscaled()
    if is_installed:
        define(world, "autoscaling.k8s.io", "VerticalPodAutoscaler", "verticalpodautoscalers")
    use = {"podline.dev/behavior": "nginx: {usage: [{at: 0s, cpu: 250m, memory: 64Mi}]}"}
    requests = {"cpu": "100m", "memory": "250Mi"}
    world.workload(replicas=replicas, annotations=use, requests=requests)
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    kinds = {"apiVersion": "autoscaling.k8s.io/v1", "kind": "VerticalPodAutoscaler"}
    spec = {"targetRef": target, "updatePolicy": {"updateMode": mode}, **spec}
    world.apply({**kinds, "metadata": {"name": "web"}, "spec": spec})
    return world


def requests_of(world: Autoscaled) -> list[str]:
    return [one["spec"]["containers"][0]["resources"]["requests"]["cpu"] for one in world.pods()]


def test_use_falls_into_the_recommenders_buckets():
    # What its own walkthrough shows for containers that use about 500m.
    counts = {"cpu": {bucket_of("cpu", 500): 10}, "memory": {bucket_of("memory", 1 << 20): 10}}
    found = recommend("hamster", counts, 1, {}, 600_000)
    shown = found.to_json()
    assert shown["target"] == {"cpu": "587m", "memory": "262144k"}
    assert found.lower["cpu"] < found.target["cpu"] < found.upper["cpu"]


def test_bounds_draw_nearer_with_time():
    early, late = (
        recommend("app", {"cpu": {bucket_of("cpu", 250): count}}, 1, {}, count * 60_000)
        for count in (5, 14_400)
    )
    assert (
        early.lower["cpu"] < late.lower["cpu"] <= late.target["cpu"] <= late.upper["cpu"] < early.upper["cpu"]
    )


def test_a_policy_holds_a_recommendation_within_its_bounds():
    policy = {"minAllowed": {"cpu": "1"}, "controlledResources": ["cpu"]}
    found = recommend("app", {"cpu": {bucket_of("cpu", 250): 5}, "memory": {0: 5}}, 1, policy, 300_000)
    assert (found.target, found.uncapped) == ({"cpu": 1000}, {"cpu": 297})


@pytest.mark.spec("VPA-05", "AUTO-02")
def test_off_only_recommends():
    world = vertical("Off").run(600)
    (container,) = world.get("VerticalPodAutoscaler")["status"]["recommendation"]["containerRecommendations"]
    assert container["containerName"] == "nginx" and container["target"] == {
        "cpu": "297m",
        "memory": "262144k",
    }
    assert {"lowerBound", "upperBound", "uncappedTarget"} <= container.keys()
    assert requests_of(world) == ["100m", "100m"]
    columns = decide_columns(world.get("VerticalPodAutoscaler"), world.cluster.now_ms)
    assert list(columns.values())[:-1] == ["web", "Off", "297m", "262144k", "True"]


@pytest.mark.spec("VPA-04")
def test_initial_changes_new_pods_alone():
    world = vertical("Initial").run(600)
    assert requests_of(world) == ["100m", "100m"]
    world.change("scale", replicas=3)
    world.run(5)
    assert sorted(requests_of(world)) == ["100m", "100m", "297m"]
    new = next(one for one in world.pods() if "vpaUpdates" in one["metadata"]["annotations"])
    told = "Pod resources updated by web: container 0: cpu request, memory request"
    assert new["metadata"]["annotations"]["vpaUpdates"] == told


@pytest.mark.spec("VPA-02", "VPA-03", "VPA-06", "AUTO-02", "RESIZE-11")
@pytest.mark.parametrize("mode", ["Recreate", "Auto"])
def test_pods_outside_the_bounds_are_evicted_one_after_another(mode: str):
    world = vertical(mode).run(900)
    assert requests_of(world) == ["297m", "297m"]
    evicted = [
        row["at_ms"] for row in world.rows if row["type"] == "event" and row["reason"] == "EvictedByVPA"
    ]
    # With three minutes between its samples the lower bound is above 100m; once a minute, half at most.
    assert evicted == [240_000, 300_000]
    assert min(value for at_ms, value in world.lane("Deployment", "availableReplicas") if at_ms > 10_000) == 1


@pytest.mark.spec("VPA-06")
def test_a_single_replica_is_not_evicted():
    world = vertical("Recreate", replicas=1).run(900)
    assert requests_of(world) == ["100m"]


@pytest.mark.slow
@pytest.mark.spec("VPA-06")
def test_a_budget_keeps_pods_from_it():
    world = vertical("Recreate")
    spec = {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}}
    world.apply(
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": spec}
    )
    world.run(900)
    assert requests_of(world) == ["100m", "100m"]


@pytest.mark.spec("VPA-01", "AUTO-03")
def test_without_its_definition_nothing_acts():
    world = vertical("Recreate", is_installed=False).run(600)
    assert "status" not in world.get("VerticalPodAutoscaler")
    define(world, "autoscaling.k8s.io", "VerticalPodAutoscaler", "verticalpodautoscalers")
    world.run(70)
    assert "recommendation" in world.get("VerticalPodAutoscaler")["status"]


def test_limits_follow_in_proportion():
    world = vertical("Initial")
    world.run(120)
    labels = {"app": "web", "more": "yes"}
    resources = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "200m", "memory": "64Mi"}}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "nginx", "image": "nginx:1", "resources": resources}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"more": "yes"}}, "template": template}
    world.apply(
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "limited"}, "spec": spec}
    )
    world.run(5)
    (pod,) = [one for one in world.pods() if one["metadata"]["labels"].get("more")]
    found = pod["spec"]["containers"][0]["resources"]
    assert (found["requests"]["cpu"], found["limits"]["cpu"]) == ("297m", "594m")


@pytest.mark.parametrize(
    "spec, problem",
    [
        (
            {"updatePolicy": {"updateMode": "Sometimes"}},
            'spec.updatePolicy.updateMode: Unsupported value: "Sometimes"',
        ),
        ({"targetRef": None}, "spec.targetRef: Required value"),
        ({"resourcePolicy": []}, 'spec.resourcePolicy in body must be of type object: "array"'),
    ],
)
def test_a_vertical_autoscaler_of_another_shape_is_refused(spec: Json, problem: str):
    world = Autoscaled()
    reference = {"kind": "Deployment", "name": "web"}
    data = {
        "apiVersion": "autoscaling.k8s.io/v1",
        "kind": "VerticalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "default"},
    }
    result = world.submit("create", object={**data, "spec": {"targetRef": reference, **spec}})
    assert result.status is not None and problem in result.status["message"]


WEB = "apps/v1.Deployment/web"
CHECK = f"Error checking if target {WEB} is a topmost well-known or scalable controller"


@pytest.mark.slow
@pytest.mark.parametrize(
    "target, owner, problem",
    [
        pytest.param(
            {}, {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "over"},
            f"The target {WEB} has a parent controller but it should point to a topmost well-known or"
            " scalable controller", id="another controller controls it",
        ),
        pytest.param(
            {}, {"apiVersion": "v1", "kind": "Node", "name": "node-1"},
            f"{CHECK}: unhandled targetRef v1 / Node / node-1, last error node is not a valid owner",
            id="a node is no controller",
        ),
        pytest.param(
            {}, {"apiVersion": "ops.example/v1", "kind": "App", "name": "web"},
            f"{CHECK}: unhandled targetRef ops.example/v1 / App / web, last error no matches for kind"
            ' "App" in group "ops.example"', id="its controller is of a kind that nobody knows",
        ),
        pytest.param({}, {"apiVersion": "v1", "kind": "ConfigMap", "name": "web"}, "", id="of no controller"),
        pytest.param(
            {"name": "gone"}, None, "Cannot read targetRef. Reason: Deployment default/gone does not exist",
            id="no such target",
        ),
        pytest.param(
            {"apiVersion": "v1", "kind": "ConfigMap"}, None,
            "Cannot read targetRef. Reason: unhandled targetRef v1 / ConfigMap / web, last error the server"
            " could not find the requested resource", id="nothing to be scaled",
        ),
    ],
)  # fmt: skip
def test_what_an_autoscaler_points_to_stands_highest(target: Json, owner: Json | None, problem: str):
    """As VPA's recommender checks its target (FindTopMostWellKnownOrScalable)."""
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", **target}
    world = vertical("Recreate", targetRef=reference)
    labels = {"app": "over"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "busybox"}]}}
    spec = {"replicas": 0, "serviceName": "over", "selector": {"matchLabels": labels}, "template": template}
    world.apply({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "over"}, "spec": spec})
    world.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}})
    if owner is not None:
        namespace = None if owner["kind"] == "Node" else "default"
        found = world.cluster.get(owner["kind"], namespace, owner["name"])
        uid = found["metadata"]["uid"] if found else "of-another-cluster"
        owned = {"metadata": {"ownerReferences": [{**owner, "uid": uid, "controller": True}]}}
        patch = {"kind": "Deployment", "namespace": "default", "name": "web", "type": "merge", "patch": owned}
        assert world.submit("patch", **patch).ok
    world.run(130)
    status = world.get("VerticalPodAutoscaler")["status"]
    told = {one["type"]: (one["status"], one.get("message", "")) for one in status["conditions"]}
    if not problem:
        assert told == {"RecommendationProvided": ("True", "")}
        return
    nobody = "No pods match this VPA object"
    assert told == {
        "ConfigUnsupported": ("True", problem),
        "NoPodsMatched": ("True", nobody),
        "RecommendationProvided": ("False", nobody),
    }
    assert "recommendation" not in status
    assert requests_of(world) == ["100m", "100m"]


def test_what_was_seen_is_saved():
    worlds = [vertical("Recreate") for _ in range(2)]
    for world in worlds:
        world.run(130)
        assert world.rows
    worlds[1].cluster = Cluster.load(worlds[1].cluster.save())
    for world in worlds:
        world.run(300)
    assert worlds[0].rows == worlds[1].rows


# --- KEDA -------------------------------------------------------------------------------------------------


def scaled(triggers: list[Json], series: str = "", **spec: Any) -> Autoscaled:
    world = Autoscaled()
    define(world, "keda.sh", "ScaledObject", "scaledobjects", "v1alpha1")
    world.workload()
    meta = {"name": "web", "annotations": {"podline.dev/metrics": series} if series else {}}
    spec = {"scaleTargetRef": {"name": "web"}, "triggers": triggers, **spec}
    world.apply({"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": meta, "spec": spec})
    return world


QUEUE = {"type": "rabbitmq", "metadata": {"queueName": "work", "value": "5"}}


@pytest.mark.spec("KEDA-01", "KEDA-02", "AUTO-03")
def test_a_queue_drives_replicas_to_none_and_back():
    world = scaled(
        [QUEUE],
        "[{name: rabbitmq, values: [{at: 0s, value: 0}, {at: 100s, value: 23}, {at: 250s, value: 0}]}]",
    )
    world.run(900)
    # Polls at 30 s, 120 s and 270 s find it empty, full and empty; the last full one was at 240 s.
    made = [
        (row["at_ms"], row["reason"])
        for row in world.rows
        if row["type"] == "event" and row["source"] == "keda-operator"
    ]
    assert made == [
        (30_000, "KEDAScaleTargetDeactivated"),
        (120_000, "KEDAScaleTargetActivated"),
        (540_000, "KEDAScaleTargetDeactivated"),
    ]
    hpa = world.hpa("keda-hpa-web")
    assert (hpa["spec"]["minReplicas"], hpa["spec"]["maxReplicas"]) == (1, 100)
    sizes = [value for _, value in world.lane("HorizontalPodAutoscaler", "currentReplicas")]
    assert max(sizes) == 5
    columns = decide_columns(world.get("ScaledObject"), world.cluster.now_ms)
    assert (columns["SCALETARGETKIND"], columns["READY"], columns["ACTIVE"]) == (
        "apps/v1.Deployment",
        "True",
        "False",
    )


@pytest.mark.spec("KEDA-02")
def test_its_autoscaler_goes_with_it():
    world = scaled([QUEUE])
    world.run(31)
    world.done("delete", kind="ScaledObject", namespace="default", name="web")
    world.run(5)
    assert world.cluster.get("HorizontalPodAutoscaler", "default", "keda-hpa-web") is None


@pytest.mark.spec("KEDA-03", "KEDA-04")
@pytest.mark.parametrize(
    "at, is_on, turn",
    [
        # Kyiv is two hours ahead in winter.
        ("2026-01-05T05:59:00Z", False, "2026-01-05T06:00:00Z"),
        ("2026-01-05T06:00:00Z", True, "2026-01-05T18:00:00Z"),
        ("2026-01-05T18:00:00Z", False, "2026-01-06T06:00:00Z"),
        ("2026-01-10T12:00:00Z", False, "2026-01-12T06:00:00Z"),
    ],
)
def test_a_schedule_is_on_between_its_start_and_its_end(at: str, is_on: bool, turn: str):
    times = {
        "timezone": "Europe/Kyiv",
        "start": "0 8 * * 1-5",
        "end": "0 20 * * 1-5",
        "desiredReplicas": "10",
    }
    (trigger,) = read_triggers({"triggers": [{"type": "cron", "metadata": times}]})
    utc_ms = parse_utc_ms(at)
    assert is_active(trigger, {}, utc_ms) == is_on
    assert value_of(trigger, {}, utc_ms) == (10_000 if is_on else 1000)
    assert next_turn_ms(trigger, utc_ms) == parse_utc_ms(turn)


def test_a_trigger_that_cannot_be_read_is_said():
    world = scaled([{"type": "cron", "metadata": {"start": "whenever", "end": "0 20 * * *"}}])
    world.run(31)
    conditions = {one["type"]: one for one in world.get("ScaledObject")["status"]["conditions"]}
    assert (conditions["Ready"]["status"], conditions["Ready"]["reason"]) == (
        "False",
        "ScaledObjectCheckFailed",
    )


def test_where_no_trigger_can_turn_nobody_polls():
    world = scaled([QUEUE], "[{name: rabbitmq, values: [{at: 0s, value: 7}]}]")
    world.run(600)
    wakes, until_ms = 0, world.cluster.now_ms + 3_600_000
    while (world.cluster.next_wake() or until_ms) < until_ms:
        world.cluster.run_until(world.cluster.next_wake() or until_ms)
        wakes += 1
    assert wakes < 5


# --- the size of the cluster ------------------------------------------------------------------------------

TEN, FORTY = Size(10, 40, 10, 40), Size(40, 160, 40, 160)


@pytest.mark.spec("CPA-02")
@pytest.mark.parametrize(
    "data, size, replicas",
    [
        ({"linear": '{"coresPerReplica":256,"nodesPerReplica":16,"min":1}'}, TEN, 1),
        ({"linear": '{"coresPerReplica":256,"nodesPerReplica":16,"min":1}'}, FORTY, 3),
        ({"linear": '{"coresPerReplica":2,"nodesPerReplica":1,"max":12}'}, FORTY, 12),
        ({"linear": '{"nodesPerReplica":100,"preventSinglePointFailure":true}'}, TEN, 2),
        ({"ladder": '{"coresToReplicas":[[1,1],[64,3],[512,5]],"nodesToReplicas":[[1,1],[2,2]]}'}, TEN, 2),
        ({"ladder": '{"coresToReplicas":[[1,1],[64,3],[512,5]],"nodesToReplicas":[[1,1],[2,2]]}'}, FORTY, 3),
    ],
)
def test_the_size_of_a_cluster_asks_for_replicas(data: Json, size: Size, replicas: int):
    assert decide_replicas(data, size) == replicas


@pytest.mark.parametrize(
    "data",
    [{}, {"linear": "{"}, {"linear": "[]"}, {"linear": '{"min":"x"}'}, {"ladder": '{"nodesToReplicas":[3]}'}],
)
def test_parameters_that_cannot_be_read_are_an_error(data: Json):
    with pytest.raises(ValueError):
        decide_replicas(data, TEN)


@pytest.mark.spec("CPA-01")
def test_more_nodes_are_followed_in_the_next_period():
    world = Autoscaled()
    world.workload()
    flags = ["--namespace=default", "--configmap=sizes", "--target=deployment/web"]
    labels = {"app": "autoscaler"}
    container = {
        "name": "autoscaler",
        "image": "registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.9.0",
        "args": flags,
    }
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    assert read_flags({"template": template}, "default") is not None
    spec = {"selector": {"matchLabels": labels}, "template": template}
    world.apply(
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "autoscaler"}, "spec": spec}
    )
    data = {"linear": '{"nodesPerReplica": 2}'}
    world.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "sizes"}, "data": data})
    world.run(11)
    assert world.replicas() == 2
    for number in range(3):
        world.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"more-{number}"}})
    world.run(10)
    assert world.replicas() == 3
    world.done("cordon", node="more-0")
    world.done("cordon", node="more-1")
    world.run(10)
    assert world.replicas() == 2
    (told, *_) = [one for one in world.events("ConfigMap") if one[0] == "SuccessfulRescale"]
    assert told[1] == "Replicas are not as expected : updating replicas from 1 to 2"


@pytest.mark.spec("CPA-03")
def test_requests_follow_the_size_where_the_replicas_must_stay():
    world = Autoscaled()
    world.workload(replicas=2)
    config = '{"nginx": {"requests": {"cpu": {"base": "10m", "step": "5m", "nodesPerStep": 1}}}}'
    flags = ["--namespace=default", "--target=deployment/web", f"--default-config={config}"]
    labels = {"app": "autoscaler"}
    image = "registry.k8s.io/cpa/cluster-proportional-vertical-autoscaler-amd64:v0.8.4"
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "autoscaler", "image": image, "args": flags}]},
    }
    spec = {"selector": {"matchLabels": labels}, "template": template}
    world.apply(
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "autoscaler"}, "spec": spec}
    )
    world.run(60)

    def requests() -> set[str]:
        pods = [one for one in world.pods() if one["metadata"]["labels"]["app"] == "web"]
        return {one["spec"]["containers"][0]["resources"]["requests"]["cpu"] for one in pods}

    assert requests() == {"25m"} and world.replicas() == 2
    world.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "more"}})
    world.run(60)
    assert requests() == {"30m"} and world.replicas() == 2
