"""Changing: conflicts, versions, generations, and what a request may not touch."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.engine.api.desk import Desk, Json, make, make_deployment, make_pod, said


def test_a_change_of_an_older_version_is_a_conflict() -> None:
    desk = Desk()
    old = desk.created(make("ConfigMap", data={"a": "1"}))
    assert desk.patch("ConfigMap", {"data": {"a": "2"}}).ok
    refused = desk.submit("replace", object={**old, "data": {"a": "3"}})
    assert refused.code == 409
    assert said(refused) == (
        'Operation cannot be fulfilled on configmaps "web": the object has been modified; please apply your'
        " changes to the latest version and try again"
    )
    found = desk.get("ConfigMap")
    assert found is not None and found["data"] == {"a": "2"}


@pytest.mark.parametrize("version", ["", None])
def test_a_change_of_no_named_version_is_of_the_present_one(version: str | None) -> None:
    desk = Desk()
    data = desk.created(make("ConfigMap", data={"a": "1"}))
    data["metadata"]["resourceVersion"] = version
    assert desk.submit("replace", object={**data, "data": {"a": "2"}}).ok


def test_a_patch_may_name_its_version() -> None:
    desk = Desk()
    old = desk.created(make("ConfigMap", data={"a": "1"}))["metadata"]["resourceVersion"]
    patch = {"metadata": {"resourceVersion": old}, "data": {"a": "2"}}
    assert desk.patch("ConfigMap", patch).ok
    assert desk.patch("ConfigMap", patch).code == 409


@pytest.mark.parametrize(
    "command, payload",
    [
        pytest.param("patch", {"type": "merge", "patch": {"spec": {"replicas": 2}}}, id="patch"),
        pytest.param("scale", {"replicas": 2}, id="scale"),
        pytest.param("setImage", {"container": "app", "image": "nginx:1"}, id="setImage"),
    ],
)
def test_a_write_that_changes_nothing_is_no_version(command: str, payload: Json) -> None:
    desk = Desk()
    assert desk.create(make_deployment()).ok
    assert desk.patch("Deployment", {"spec": {"paused": False}}).ok
    desk.cluster.run_until(10_000)
    before = desk.get("Deployment") or {}
    desk.take_versions()
    assert desk.submit(command, kind="Deployment", name="web", **payload).ok
    assert (desk.take_versions(), desk.get("Deployment")) == ([], before)


def test_applying_the_same_twice_is_one_version() -> None:
    desk = Desk()
    data = make("ConfigMap", data={"a": "1"})
    assert [desk.submit("apply", object=data).code for _ in range(2)] == [201, 200]
    assert desk.take_versions() == [("ADDED", "ConfigMap")]


@pytest.mark.parametrize(
    "patch, generation",
    [
        pytest.param({"spec": {"replicas": 3}}, 2, id="spec"),
        pytest.param({"metadata": {"labels": {"a": "b"}}}, 1, id="labels"),
        # They are copied to its replica sets, which is worth a generation.
        pytest.param({"metadata": {"annotations": {"a": "b"}}}, 2, id="annotations"),
    ],
)
def test_the_generation_counts_changes_of_the_spec(patch: Json, generation: int) -> None:
    desk = Desk()
    assert desk.create(make_deployment()).ok
    assert desk.patched("Deployment", patch)["metadata"]["generation"] == generation


def test_annotations_of_other_kinds_are_not_counted() -> None:
    desk = Desk()
    assert desk.create(make_deployment() | {"kind": "ReplicaSet"}).ok
    patched = desk.patched("ReplicaSet", {"metadata": {"annotations": {"a": "b"}}})
    assert patched["metadata"]["generation"] == 1


def test_what_is_asked_for_is_looked_at_before_what_stays_for_life() -> None:
    desk = Desk()
    assert desk.create(make_deployment()).ok
    result = desk.patch("Deployment", {"spec": {"selector": {"matchLabels": {"app": "other"}}}})
    causes = (result.status or {})["details"]["causes"]
    assert [cause["field"] for cause in causes] == ["spec.template.metadata.labels", "spec.selector"]


@pytest.mark.parametrize(
    "patch, said_of",
    [
        pytest.param({"metadata": {"uid": "mine"}}, "metadata.uid: Invalid value", id="uid"),
        pytest.param(
            {"spec": {"selector": {"matchLabels": {"app": "other"}}}}, "field is immutable", id="selector"
        ),
    ],
)
def test_what_never_changes(patch: Json, said_of: str) -> None:
    desk = Desk()
    assert desk.create(make_deployment()).ok
    refused = desk.patch("Deployment", patch)
    assert (refused.code, said_of in said(refused)) == (422, True)


@pytest.mark.parametrize(
    "field, value, said_of",
    [
        ("name", "q", "the name of the object (q) does not match the name on the URL (web)"),
        ("name", None, "the name of the object (web based on URL) was undeterminable: name must be provided"),
        (
            "namespace",
            "other",
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
    ],
)
def test_a_patch_is_of_the_object_at_its_address(field: str, value: str | None, said_of: str) -> None:
    """In the words of v1.35's API server, which looks before it checks what may change (POD-OBJ-11)."""
    desk = Desk()
    assert desk.create(make_deployment()).ok
    refused = desk.patch("Deployment", {"metadata": {field: value}})
    assert (refused.code, said(refused)) == (400, said_of)


def test_a_replacement_of_nothing_is_not_found() -> None:
    refused = Desk().submit("replace", object=make("ConfigMap", data={}))
    assert (refused.code, said(refused)) == (404, 'configmaps "web" not found')


def test_a_replacement_removes_what_it_leaves_out() -> None:
    desk = Desk()
    assert desk.create(make("ConfigMap", metadata={"labels": {"a": "b"}}, data={"a": "1", "b": "2"})).ok
    assert desk.submit("replace", object=make("ConfigMap", data={"b": "2"})).ok
    found = desk.get("ConfigMap")
    assert found is not None
    assert (found["data"], "labels" in found["metadata"]) == ({"b": "2"}, False)


# --- patches ----------------------------------------------------------------------------------------------

STRATEGIC = {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "nginx:2"}]}}}}


@pytest.mark.slow
@pytest.mark.parametrize(
    "how, patch",
    [
        pytest.param("strategic", STRATEGIC, id="strategic"),
        pytest.param("apply", STRATEGIC, id="apply"),
        pytest.param("merge", STRATEGIC, id="merge"),
        pytest.param(
            "json",
            [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nginx:2"}],
            id="json",
        ),
    ],
)
def test_every_type_of_patch_reaches_the_object(how: str, patch: Any) -> None:
    desk = Desk()
    assert desk.create(make_deployment()).ok
    changed = desk.patched("Deployment", patch, type=how)
    assert changed["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:2"


@pytest.mark.parametrize(
    "how, patch, code, said_of",
    [
        pytest.param(
            "merge", [1], 400, "error decoding patch: json: cannot unmarshal array", id="merge, a list"
        ),
        pytest.param("strategic", None, 400, "json: cannot unmarshal null into Go value", id="nothing"),
        pytest.param(
            "json",
            {"spec": {}},
            400,
            "json: cannot unmarshal object into Go value of type []",
            id="json, a map",
        ),
        pytest.param(
            "json",
            [{"op": "replace", "path": "", "value": 5}],
            422,
            "the server rejected our request",
            id="the whole",
        ),
        pytest.param(
            "json",
            [{"op": "remove", "path": "/spec/x"}],
            422,
            "the server rejected our request",
            id="no such field",
        ),
        pytest.param(
            "strategic",
            {"spec": {"$retainKeys": 5}},
            400,
            "invalid patch format of retainKeys",
            id="retained keys",
        ),
        pytest.param(
            "strategic",
            {"metadata": {"$deleteFromPrimitiveList/finalizers": 5}},
            400,
            "invalid patch format of primitive list",
            id="entries to delete",
        ),
    ],
)
def test_a_patch_that_cannot_be_read(how: str, patch: Any, code: int, said_of: str) -> None:
    desk = Desk()
    assert desk.create(make_deployment()).ok
    before = desk.get("Deployment")
    refused = desk.patch("Deployment", patch, type=how)
    assert (refused.code, said_of in said(refused)) == (code, True), said(refused)
    assert desk.get("Deployment") == before


# --- subresources -----------------------------------------------------------------------------------------


def test_a_status_goes_to_its_subresource_alone() -> None:
    desk = Desk()
    assert desk.create(make("ResourceQuota", spec={"hard": {"pods": "5"}})).ok
    node = desk.cluster.get("Node", "", "node-1")
    assert node is not None
    condition = {"type": "Example", "status": "True"}
    patch = {"spec": {"unschedulable": True}, "status": {"conditions": [condition]}}
    told = desk.patched("Node", patch, "node-1", subresource="status")
    assert [one["type"] for one in told["status"]["conditions"]] == ["Example"]
    assert told["spec"] == node["spec"]
    assert told["metadata"].get("generation") == node["metadata"].get("generation")
    kept = desk.patched("Node", {"status": {"conditions": None}}, "node-1")
    assert kept["status"] == told["status"]


@pytest.mark.parametrize(
    "how, patch",
    [
        pytest.param("merge", {"spec": {"replicas": 5, "paused": True}}, id="merge"),
        pytest.param("json", [{"op": "replace", "path": "/spec/replicas", "value": 5}], id="json"),
    ],
)
def test_the_scale_is_the_size_and_nothing_else(how: str, patch: Any) -> None:
    desk = Desk()
    before = desk.created(make_deployment())
    after = desk.patched("Deployment", patch, type=how, subresource="scale")
    assert after["spec"] == {**before["spec"], "replicas": 5}
    assert after["metadata"]["generation"] == 2


def test_a_replaced_scale_leaves_the_template() -> None:
    desk = Desk()
    assert desk.create(make_deployment()).ok
    before = desk.get("Deployment") or {}
    data = copy.deepcopy(before)
    data["spec"]["replicas"] = 4
    data["spec"]["template"]["spec"]["containers"][0]["image"] = "nginx:2"
    assert desk.submit("replace", object=data, subresource="scale").ok
    after = desk.get("Deployment")
    assert after is not None and after["spec"] == {**before["spec"], "replicas": 4}


@pytest.mark.parametrize("subresource", ["resize", "ephemeralcontainers"])
def test_what_only_a_pod_has(subresource: str) -> None:
    desk = Desk()
    assert desk.create(make_deployment()).ok
    refused = desk.patch("Deployment", {"spec": -1}, subresource=subresource)
    assert (refused.code, said(refused)) == (400, f"Deployment web: has no {subresource}; only a Pod has")


@pytest.mark.parametrize(
    "kind, name, payload, said_of",
    [
        ("Deployment", "web", {"replicas": -1}, "scale.replicas -1: use a whole number, 0 or more"),
        ("Deployment", "web", {"replicas": True}, "scale.replicas True: use a whole number, 0 or more"),
        ("Node", "node-1", {"replicas": 1}, "Node node-1: has no size; scale one of Deployment, StatefulSet"),
    ],
)
def test_what_cannot_be_scaled(kind: str, name: str, payload: Json, said_of: str) -> None:
    desk = Desk()
    assert desk.create(make_deployment()).ok
    refused = desk.submit("scale", kind=kind, name=name, **payload)
    assert (refused.code, said_of in said(refused)) == (400, True), said(refused)


def test_a_resize_changes_the_resources_and_nothing_else() -> None:
    desk = Desk()
    container = {"name": "app", "image": "nginx:1", "resources": {"requests": {"cpu": "100m"}}}
    before = desk.created(make_pod(containers=[container]))
    patch = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "200m"}}}]},
    }
    after = desk.patched("Pod", patch, type="strategic", subresource="resize")
    assert after["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "200m"}}
    assert after["metadata"].get("labels") == before["metadata"].get("labels")
    assert after["metadata"]["generation"] == 2
    more = {"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "300m"}}}]}}
    assert desk.patch("Pod", more, type="strategic").code == 422


_ASKS = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}}


@pytest.mark.parametrize(
    "changed, refusal",
    [
        pytest.param({"app": {"requests": {"cpu": "1m"}}}, "", id="less of one"),
        pytest.param({"side": {"requests": {"cpu": "1m"}}}, "", id="a sidecar"),
        pytest.param(
            {"app": {"limits": {"memory": None}}},
            "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed",
            id="a limit taken away",
        ),
        pytest.param(
            {"app": {"requests": {"ephemeral-storage": "1Mi"}}},
            "spec: Forbidden: only cpu and memory resources are mutable",
            id="another resource",
        ),
    ],
)
def test_what_a_resize_may_change(changed: Json, refusal: str) -> None:
    assert resize("v1.36", changed) == refusal


@pytest.mark.parametrize(
    "changed, before, since",
    [
        pytest.param(
            {"side": {"requests": {"ephemeral-storage": "1Mi"}}},
            "spec: Forbidden: only cpu and memory resources for sidecar containers are mutable",
            "spec.initContainers[1]: Forbidden: only cpu and memory resources for init or sidecar containers"
            " are mutable",
            id="another resource of a sidecar",
        ),
        pytest.param(
            {"setup": {"requests": {"cpu": "1m"}}},
            "spec: Forbidden: resources for non-sidecar init containers are immutable",
            "",
            id="an init container",
        ),
        pytest.param(
            {
                "app": {"requests": {"memory": "128Mi"}, "limits": {"cpu": "100m"}},
                "setup": {"limits": {"cpu": "100m"}, "requests": {"memory": "128Mi"}},
                "side": {"limits": {"cpu": "100m"}, "requests": {"memory": "128Mi"}},
            },
            'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing,'
            " spec: Forbidden: resources for non-sidecar init containers are immutable",
            'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
            id="another class, and an init container",
        ),
    ],
)
def test_since_v1_36_init_containers_can_be_resized(changed: Json, before: str, since: str) -> None:
    """Gate InPlacePodVerticalScalingInitContainers (kubernetes/kubernetes#137352, #137458)."""
    assert [resize(release, changed) for release in ("v1.35", "v1.36")] == [before, since]


def resize(release: str, changed: Json) -> str:
    """What a resize is refused with; "" when it is not."""
    desk = Desk(kubernetes=release)
    inits = [
        {"name": "setup", "image": "busybox:1", "resources": _ASKS},
        {"name": "side", "image": "busybox:1", "restartPolicy": "Always", "resources": _ASKS},
    ]
    apps = [{"name": "app", "image": "nginx:1", "resources": _ASKS}]
    desk.created(make_pod(containers=apps, initContainers=inits))
    spec: Json = {"containers": [], "initContainers": []}
    for name, resources in changed.items():
        group = "containers" if name == "app" else "initContainers"
        spec[group].append({"name": name, "resources": resources})
    answer = desk.patch("Pod", {"spec": spec}, type="strategic", subresource="resize")
    return "" if answer.ok else said(answer).removeprefix('Pod "web" is invalid: ').strip("[]")


@pytest.mark.parametrize(
    "subresource, given",
    [
        ("resize", {"resources": {"requests": {"cpu": "2"}}}),
        ("ephemeralcontainers", None),
    ],
)
def test_a_subresource_drops_in_silence_what_it_does_not_change(subresource: str, given: Json | None) -> None:
    desk = Desk()
    app = {"name": "app", "image": "nginx:1", "resources": {"requests": {"cpu": "1"}}}
    desk.created(make_pod(containers=[app]))
    spec: Json = {"containers": [{"name": "app", "image": "nginx:2", **(given or {})}]}
    if given is None:
        spec["ephemeralContainers"] = [{"name": "debug", "image": "busybox:1"}]
    after = desk.patched("Pod", {"spec": spec}, type="strategic", subresource=subresource)
    (kept,) = after["spec"]["containers"]
    assert (kept["image"], kept["resources"]) == ("nginx:1", (given or app)["resources"])
    assert ("ephemeralContainers" in after["spec"]) is (given is None)


def test_an_ephemeral_container_is_added_by_its_subresource_alone() -> None:
    desk = Desk()
    assert desk.create(make_pod()).ok
    patch = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "busybox:1"}]}}
    assert desk.patch("Pod", patch, type="strategic").code == 422
    after = desk.patched("Pod", patch, type="strategic", subresource="ephemeralcontainers")
    assert [one["name"] for one in after["spec"]["ephemeralContainers"]] == ["debug"]


def test_there_is_no_other_subresource() -> None:
    desk = Desk()
    assert desk.create(make_pod()).ok
    refused = desk.patch("Pod", {}, subresource="binding")
    assert refused.code == 400
    assert "patch.subresource 'binding': use one of status, resize, ephemeralcontainers" in said(refused)
