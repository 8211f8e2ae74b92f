"""Custom resources that have a size are scaled by whatever scales: found and written through their /scale."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.controllers.autoscaled import Autoscaled
from tests.engine.controllers.autoscalers.test_scaling_addons import define

PATHS = {
    "specReplicasPath": ".spec.size",
    "statusReplicasPath": ".status.size",
    "labelSelectorPath": ".status.selector",
}
REFERENCE = {"apiVersion": "x.io/v1", "kind": "Fleet", "name": "web"}
USE = {"podline.dev/behavior": "nginx: {usage: [{at: 0s, cpu: 100m, memory: 64Mi}]}"}


def make_world(scale: dict[str, str] | None, **manager: str) -> Autoscaled:
    """The kind Fleet, with this subresource."""
    world = Autoscaled(**manager)
    names = {"kind": "Fleet", "plural": "fleets", "singular": "fleet"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version: dict[str, Any] = {"name": "v1", "served": True, "storage": True, "schema": schema}
    version["subresources"] = {"status": {}} | ({"scale": scale} if scale is not None else {})
    spec = {"group": "x.io", "scope": "Namespaced", "names": names, "versions": [version]}
    kinds = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    world.apply({**kinds, "metadata": {"name": "fleets.x.io"}, "spec": spec})
    return world


def add_fleet(world: Autoscaled, spec: dict[str, Any], selector: Any = "app=web", pods: int = 2) -> None:
    """A Fleet of these pods, whose operator has told how many there are and by what to know them."""
    fleet = {**REFERENCE, "metadata": {"name": "web"}, "spec": spec}
    del fleet["name"]
    uid = world.apply(fleet)["metadata"]["uid"]
    status = {"status": {"size": pods, "selector": selector}}
    patch = {"type": "merge", "patch": status, "subresource": "status"}
    world.done("patch", kind="Fleet", apiVersion="x.io/v1", namespace="default", name="web", **patch)
    for number in range(pods):
        container = {"name": "nginx", "image": "nginx:1", "resources": {"requests": {"cpu": "100m"}}}
        owner = {**REFERENCE, "uid": uid, "controller": True}
        meta = {"name": f"web-{number}", "labels": {"app": "web"}, "annotations": USE}
        meta |= {"ownerReferences": [owner]}
        world.apply(
            {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [container]}}
        )


def add_autoscaler(world: Autoscaled) -> None:
    world.autoscale(scaleTargetRef=REFERENCE)


def sizes(world: Autoscaled) -> dict[str, Any]:
    found: dict[str, Any] = world.get("Fleet.x.io", "web")["spec"]
    return found


@pytest.mark.spec("HPA-02")
def test_an_autoscaler_writes_the_size_where_the_definition_says():
    world = make_world(PATHS)
    add_fleet(world, {"size": 2, "color": "red"})
    add_autoscaler(world)
    world.run(16)
    # 100 % of the requests against 50 %: twice as many.
    assert sizes(world) == {"size": 4, "color": "red"}
    assert world.hpa()["status"]["currentReplicas"] == 2
    assert world.conditions()["AbleToScale"] == ("True", "SucceededRescale")


@pytest.mark.parametrize(
    "scale, spec, problem",
    [
        pytest.param(None, {"size": 2}, "the server could not find the requested resource", id="no /scale"),
        pytest.param(
            PATHS,
            {"color": "red"},
            'Internal error occurred: the spec replicas field ".spec.size" does not exist',
            id="no size",
        ),
    ],
)
def test_without_a_size_no_scale_is_had(scale: Any, spec: dict[str, Any], problem: str):
    world = make_world(scale)
    add_fleet(world, spec)
    add_autoscaler(world)
    world.run(16)
    assert world.conditions() == {"AbleToScale": ("False", "FailedGetScale")}
    message = world.hpa()["status"]["conditions"][0]["message"]
    assert message == f"the HPA controller was unable to get the target's current scale: {problem}"
    assert sizes(world) == spec


def test_a_fleet_that_is_not_there_is_named_by_the_plural_of_its_definition():
    world = make_world(PATHS)
    add_autoscaler(world)
    world.run(16)
    assert world.hpa()["status"]["conditions"][0]["message"].endswith('fleets.x.io "web" not found')


@pytest.mark.parametrize(
    "scale, selector, event",
    [
        pytest.param({**PATHS, "labelSelectorPath": ""}, "app=web", "SelectorRequired", id="no path"),
        pytest.param(PATHS, "", "SelectorRequired", id="not told yet"),
        pytest.param(PATHS, "app in web", "InvalidSelector", id="no selector"),
    ],
)
def test_pods_are_counted_only_where_the_selector_is_told(scale: Any, selector: str, event: str):
    world = make_world({name: path for name, path in scale.items() if path})
    add_fleet(world, {"size": 2}, selector)
    add_autoscaler(world)
    world.run(16)
    assert sizes(world) == {"size": 2}
    assert world.conditions()["ScalingActive"] == ("False", "InvalidSelector")
    told = [reason for reason, _message in world.events("HorizontalPodAutoscaler")]
    # The first is said once more: it goes on beside the second.
    assert told == [event, "FailedComputeMetricsReplicas", event]


def test_an_autoscaler_at_rest_hears_of_a_selector_that_is_told_later():
    world = make_world(PATHS)
    add_fleet(world, {"size": 2}, "")
    add_autoscaler(world)
    world.run(100)
    patch = {"type": "merge", "patch": {"status": {"selector": "app=web"}}, "subresource": "status"}
    world.done("patch", kind="Fleet", apiVersion="x.io/v1", namespace="default", name="web", **patch)
    world.run(10)
    assert sizes(world) == {"size": 4}


@pytest.mark.spec("KEDA-02")
def test_events_take_a_custom_target_from_none_to_one():
    world = make_world(PATHS)
    define(world, "keda.sh", "ScaledObject", "scaledobjects", "v1alpha1")
    add_fleet(world, {"size": 0}, pods=0)
    trigger = {"type": "rabbitmq", "metadata": {"queueName": "work", "mode": "QueueLength", "value": "5"}}
    kinds = {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject"}
    meta = {
        "name": "web",
        "annotations": {"podline.dev/metrics": "[{name: rabbitmq, values: [{at: 0s, value: 3}]}]"},
    }
    world.apply({**kinds, "metadata": meta, "spec": {"scaleTargetRef": REFERENCE, "triggers": [trigger]}})
    world.run(31)
    assert sizes(world) == {"size": 1}
    assert world.get("HorizontalPodAutoscaler", "keda-hpa-web")["spec"]["scaleTargetRef"] == REFERENCE


@pytest.mark.spec("VPA-05")
def test_use_of_a_custom_target_s_pods_is_recommended_for():
    world = make_world(PATHS)
    define(world, "autoscaling.k8s.io", "VerticalPodAutoscaler", "verticalpodautoscalers")
    add_fleet(world, {"size": 2})
    kinds = {"apiVersion": "autoscaling.k8s.io/v1", "kind": "VerticalPodAutoscaler"}
    spec = {"targetRef": REFERENCE, "updatePolicy": {"updateMode": "Off"}}
    world.apply({**kinds, "metadata": {"name": "web"}, "spec": spec})
    world.run(121)
    (found,) = world.get("VerticalPodAutoscaler")["status"]["recommendation"]["containerRecommendations"]
    assert found["containerName"] == "nginx"
