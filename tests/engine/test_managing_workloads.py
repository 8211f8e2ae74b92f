"""Managing workloads, as far as the engine carries it: what kubectl asks of it, and what becomes of that."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.controllers.horizontal_pod_autoscaler.decide import rules_of
from lifecycle.engine.objects.meta import PlainObject
from lifecycle.verdicts import judge_rollout
from tests.engine.controllers.autoscaled import Autoscaled, of_cpu
from tests.engine.controllers.door import Door

Json = dict[str, Any]


def service(**selector: str) -> Json:
    spec = {"type": "LoadBalancer", "selector": selector or {"app": "nginx"}, "ports": [{"port": 80}]}
    meta = {"name": "my-nginx-svc", "labels": {"app": "nginx"}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}


def deployment(
    name: str = "my-nginx", image: str = "nginx:1.14.2", replicas: int | None = 3, **more: Any
) -> Json:
    labels = more.pop("labels", {"app": "nginx"})
    containers = [{"name": "nginx", "image": image, "ports": [{"containerPort": 80}]}]
    spec = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
    }
    spec |= {"replicas": replicas} if replicas is not None else {}
    meta = {"name": name, "labels": labels, "annotations": more.pop("annotations", {})}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": {**spec, **more}}


def endpoints(door: Door) -> list[str]:
    """The names of pods that traffic goes to."""
    found = [one for entry in door.slices() for one in entry.get("endpoints") or ()]
    return sorted(one["targetRef"]["name"] for one in found if one["conditions"]["ready"])


# --- organising resources, bulk operations ----------------------------------------------------------------


@pytest.mark.spec("MANAGE-02", "MANAGE-03", "MANAGE-06")
def test_what_stands_in_one_file_is_made_in_its_order_and_spread():
    door = Door()
    made = [
        door.apply(one)
        for one in (
            service(),
            deployment(),
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more"}},
        )
    ]
    versions = [int(one["metadata"]["resourceVersion"]) for one in made]
    assert versions == sorted(versions) and len(set(versions)) == 3
    door.run(5)
    assert len({pod["spec"]["nodeName"] for pod in door.pods()}) == 3
    assert len(endpoints(door)) == 3


@pytest.mark.spec("MANAGE-08", "MANAGE-09", "MANAGE-10")
def test_all_of_it_goes_by_name_and_what_has_other_labels_stays():
    door = Door()
    for one in (service(), deployment(), deployment("other", labels={"app": "other"})):
        door.apply(one)
    door.run(5)
    named = [("Deployment", "my-nginx"), ("Service", "my-nginx-svc")]
    # What a label query finds, kubectl deletes one by one.
    found = [
        (one["kind"], one["metadata"]["name"])
        for kind in ("Deployment", "Service")
        for one in door.cluster.list(kind, "default")
        if one["metadata"].get("labels", {}).get("app") == "nginx"
    ]
    assert found == named
    for kind, name in named:
        door.done("delete", kind=kind, namespace="default", name=name)
    door.run(60)
    assert door.cluster.get("Deployment", "default", "my-nginx") is None
    assert door.cluster.get("Service", "default", "my-nginx-svc") is None
    assert {pod["metadata"]["labels"]["app"] for pod in door.pods()} == {"other"}


# --- updating without an outage ---------------------------------------------------------------------------


@pytest.mark.spec("MANAGE-21", "MANAGE-22")
def test_a_deployment_made_by_a_generator_is_scaled_through_its_subresource():
    door = Door()
    # `kubectl create deployment my-nginx --image=nginx:1.14.2`
    labels = {"app": "my-nginx"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "nginx", "image": "nginx:1.14.2"}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template, "strategy": {}}
    meta = {"name": "my-nginx", "namespace": "default", "labels": labels}
    made = door.done(
        "create", object={"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}
    )
    assert (made["spec"]["replicas"], made["metadata"]["labels"]) == (1, labels)
    scaled = door.change(
        "patch", "my-nginx", patch={"spec": {"replicas": 1}}, type="merge", subresource="scale"
    )
    assert scaled["metadata"]["resourceVersion"] == door.get(name="my-nginx")["metadata"]["resourceVersion"]


@pytest.mark.spec("MANAGE-20", "MANAGE-23", "MANAGE-24", "MANAGE-25")
def test_with_one_replica_and_a_full_surge_there_is_always_one():
    door = Door(start="10s")
    door.apply(deployment(replicas=1))
    door.run(20)
    door.change(
        "patch",
        "my-nginx",
        patch={"spec": {"strategy": {"rollingUpdate": {"maxSurge": "100%"}}}},
        type="merge",
    )
    door.change("setImage", "my-nginx", container="nginx", image="nginx:1.16.1")
    door.run(60)
    since = [value for at_ms, value in door.lane("Deployment", "availableReplicas") if at_ms > 15_000]
    assert min([1, *since]) == 1
    assert max(value for _, value in door.lane("Deployment", "replicas")) == 2
    assert door.sets() == [(0, 0, 0), (1, 1, 1)]


@pytest.mark.spec("MANAGE-26", "MANAGE-27", "MANAGE-28")
@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet"])
def test_how_far_a_rollout_is_can_be_asked_of_each_kind(kind: str):
    door = Door(start="10s")
    manifest = deployment(replicas=None if kind == "DaemonSet" else 2) | {"kind": kind}
    if kind == "StatefulSet":
        manifest["spec"]["serviceName"] = "my-nginx"
    door.apply(manifest)
    door.run(2)
    waiting = judge_rollout(kind, door.get(kind, "my-nginx"))
    assert waiting is not None and not waiting.is_done
    door.run(60)
    done = judge_rollout(kind, door.get(kind, "my-nginx"))
    assert done is not None and done.is_done


@pytest.mark.spec("MANAGE-29")
def test_a_rollout_is_paused_resumed_and_undone():
    door = Door()
    door.apply(deployment())
    door.run(10)
    door.done("rollout", kind="Deployment", namespace="default", name="my-nginx", action="pause")
    door.change("setImage", "my-nginx", container="nginx", image="nginx:1.16.1")
    door.run(30)
    assert len(door.sets()) == 1
    door.done("rollout", kind="Deployment", namespace="default", name="my-nginx", action="resume")
    door.run(30)
    assert door.sets() == [(0, 0, 0), (3, 3, 3)]
    door.done("rollout", kind="Deployment", namespace="default", name="my-nginx", action="undo")
    door.run(30)
    assert door.sets() == [(3, 3, 3), (0, 0, 0)]


def test_a_paused_rollout_is_not_undone_and_one_without_a_past_has_none():
    door = Door()
    door.apply(deployment())
    door.run(10)
    which = {"kind": "Deployment", "namespace": "default", "name": "my-nginx"}
    door.done("rollout", **which, action="pause")
    told = door.submit("rollout", **which, action="undo").status["message"]
    assert told == 'no rollout history found for deployment "my-nginx"'
    door.done("rollout", **which, action="resume")
    door.change("setImage", "my-nginx", container="nginx", image="nginx:1.16.1")
    door.run(30)
    door.done("rollout", **which, action="pause")
    told = door.submit("rollout", **which, action="undo").status["message"]
    assert told.startswith("you cannot rollback a paused deployment; resume it first with")


@pytest.mark.slow
@pytest.mark.spec("MANAGE-30", "MANAGE-31", "MANAGE-32", "MANAGE-33")
def test_a_canary_gets_its_share_of_the_traffic():
    door = Door()
    both = {"app": "guestbook", "tier": "frontend"}
    door.apply(service(**both))
    for name, track, replicas, image in (
        ("frontend", "stable", 3, "nginx:3"),
        ("frontend-canary", "canary", 1, "nginx:4"),
    ):
        door.apply(deployment(name, image, replicas, labels={**both, "track": track}))
    door.run(5)
    tracks = sorted(pod["metadata"]["labels"]["track"] for pod in door.pods())
    assert tracks == ["canary", "stable", "stable", "stable"] and len(endpoints(door)) == 4
    # Neither touches the other's pods.
    owners = {pod["metadata"]["ownerReferences"][0]["name"].rpartition("-")[0] for pod in door.pods()}
    assert owners == {"frontend", "frontend-canary"}
    door.change("setImage", "frontend", container="nginx", image="nginx:4")
    door.run(30)
    door.done("delete", kind="Deployment", namespace="default", name="frontend-canary")
    door.run(60)
    assert [pod["spec"]["containers"][0]["image"] for pod in door.pods()] == ["nginx:4"] * 3
    assert len(endpoints(door)) == 3


# --- annotations, scaling, in-place and disruptive updates ------------------------------------------------


@pytest.mark.spec("MANAGE-40")
def test_an_annotation_touches_nothing_else():
    door = Door()
    door.apply(deployment(replicas=1))
    door.run(5)
    (before,) = door.pods()
    annotations = {"description": "my frontend running nginx"}
    name = before["metadata"]["name"]
    door.change("patch", name, "Pod", patch={"metadata": {"annotations": annotations}}, type="merge")
    door.run(30)
    (after,) = door.pods()
    assert after["metadata"]["annotations"]["description"] == annotations["description"]
    assert after["metadata"]["uid"] == before["metadata"]["uid"] and after["status"] == before["status"]


@pytest.mark.spec("MANAGE-41", "SCALE-01", "SCALE-02")
def test_sizes_and_requests_are_changed_by_hand():
    door = Door()
    door.apply(deployment())
    door.run(5)
    door.change("scale", "my-nginx", replicas=1)
    door.run(60)
    (pod,) = door.pods()
    assert pod["status"]["phase"] == "Running" and pod["status"]["containerStatuses"][0]["restartCount"] == 0
    resources = {"containers": [{"name": "nginx", "resources": {"requests": {"cpu": "200m"}}}]}
    door.change("patch", "my-nginx", patch={"spec": {"template": {"spec": resources}}})
    door.run(30)
    assert len(door.sets()) == 2
    assert door.pods()[0]["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "200m"}


@pytest.mark.spec("SCALE-04")
def test_requests_of_a_pod_change_in_place():
    door = Door()
    manifest = deployment(replicas=1)
    manifest["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "100m"}}
    door.apply(manifest)
    door.run(5)
    (pod,) = door.pods()
    name = pod["metadata"]["name"]
    resources = {"containers": [{"name": "nginx", "resources": {"requests": {"cpu": "200m"}}}]}
    refused = door.submit(
        "patch", kind="Pod", namespace="default", name=name, patch={"spec": resources}, type="strategic"
    )
    assert refused.status is not None and refused.status["code"] == 422
    door.change("patch", name, "Pod", patch={"spec": resources}, type="strategic", subresource="resize")
    door.run(10)
    (after,) = door.pods()
    (status,) = after["status"]["containerStatuses"]
    assert status["restartCount"] == 0 and status["resources"]["requests"] == {"cpu": "200m"}


@pytest.mark.spec("SCALE-05")
def test_another_node_takes_the_pods_that_wait():
    door = Door()
    for number in (2, 3):
        door.done("cordon", node=f"node-{number}")
    manifest = deployment(replicas=2)
    manifest["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "3"}}
    door.apply(manifest)
    door.run(30)
    assert sorted(pod["status"]["phase"] for pod in door.pods()) == ["Pending", "Running"]
    door.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "more"}})
    door.run(30)
    assert [pod["status"]["phase"] for pod in door.pods()] == ["Running", "Running"]


@pytest.mark.spec("MANAGE-42")
def test_an_autoscaler_without_metrics_goes_by_80_percent_of_the_cpu():
    world = Autoscaled()
    world.workload("my-nginx")
    made = world.autoscale("my-nginx", 1, 3, metrics=[])
    assert made["spec"]["metrics"] == [of_cpu(80)]
    assert (made["spec"]["minReplicas"], made["spec"]["maxReplicas"]) == (1, 3)
    up, down = rules_of(PlainObject.from_json(made), 300_000)
    assert (up.window_ms, down.window_ms) == (0, 300_000)


@pytest.mark.spec("MANAGE-44", "MANAGE-45", "DEP-SCALE-07")
def test_apply_changes_what_the_file_says_and_nothing_else():
    door = Door()
    door.apply(deployment(replicas=None, annotations={"note": "a"}))
    door.change("scale", "my-nginx", replicas=5)
    changed = door.apply(deployment(image="nginx:1.16.1", replicas=None))
    assert changed["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1.16.1"
    assert "note" not in changed["metadata"]["annotations"]
    assert changed["spec"]["replicas"] == 5
    door.run(60)
    stands = door.get(name="my-nginx")["metadata"]["resourceVersion"]
    again = door.apply(deployment(image="nginx:1.16.1", replicas=None))
    assert again["metadata"]["resourceVersion"] == stands


@pytest.mark.spec("MANAGE-49")
def test_three_kinds_of_patches():
    door = Door()
    door.apply(deployment())
    by_json = [{"op": "replace", "path": "/spec/replicas", "value": 2}]
    assert door.change("patch", "my-nginx", patch=by_json, type="json")["spec"]["replicas"] == 2
    assert (
        door.change("patch", "my-nginx", patch={"spec": {"replicas": 4}}, type="merge")["spec"]["replicas"]
        == 4
    )
    image = {"spec": {"template": {"spec": {"containers": [{"name": "nginx", "image": "nginx:1.16.1"}]}}}}
    for how, ports in (("strategic", [{"containerPort": 80, "protocol": "TCP"}]), ("merge", None)):
        patched = door.change("patch", "my-nginx", patch=image, type=how)
        (container,) = patched["spec"]["template"]["spec"]["containers"]
        assert (container["image"], container.get("ports")) == ("nginx:1.16.1", ports)


@pytest.mark.spec("MANAGE-50", "MANAGE-52")
def test_what_cannot_be_changed_is_made_again():
    door = Door()
    door.apply(deployment())
    door.run(5)
    before = {pod["metadata"]["uid"] for pod in door.pods()}
    uid = door.get(name="my-nginx")["metadata"]["uid"]
    other = deployment(labels={"app": "nginx2"})
    other["metadata"]["namespace"] = "default"
    refused = door.submit("apply", object=other)
    assert refused.status is not None and refused.status["code"] == 422
    assert "spec.selector" in refused.status["message"] and "field is immutable" in refused.status["message"]
    # `kubectl replace --force` deletes, then creates.
    door.done("delete", kind="Deployment", namespace="default", name="my-nginx")
    door.run(1)
    made = door.done("create", object=other)
    door.run(60)
    assert made["metadata"]["uid"] != uid
    after = {pod["metadata"]["uid"] for pod in door.pods()}
    assert len(after) == 3 and not after & before
    assert (
        0 in [value for at_ms, value in door.lane("Deployment", "availableReplicas") if at_ms >= 5000]
        or made["status"] == {}
    )
