"""Server-side apply and field managers, held to what a real API server answered to the same requests."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from lifecycle.engine import Cluster, Result
from lifecycle.engine.objects.names import LAST_APPLIED
from lifecycle.engine.rules.managed_fields.managers import read_managers
from lifecycle.engine.schema.typed.shapes import shape_of_kind
from lifecycle.engine.schema.typed.values import set_of
from tests.engine.api.desk import Desk, Json, make, make_deployment, make_pod, said

REFUSED = 'PatchOptions.meta.k8s.io "" is invalid:'
DEPLOYMENT = {"kind": "Deployment", "apiVersion": "apps/v1"}


def config(name: str = "web", **data: str) -> Json:
    return make("ConfigMap", name, data=data)


def apply(desk: Desk, data: Json, manager: str = "one", /, **options: Any) -> Result:
    """Apply an object as a client of the API does; `options` are the request's, or the payload's."""
    own = {name: options.pop(name) for name in ("subresource", "kind", "apiVersion") if name in options}
    payload = {
        "kind": data["kind"],
        "apiVersion": data["apiVersion"],
        "name": data["metadata"]["name"],
        **own,
    }
    return desk.submit(
        "patch", **payload, type="apply", patch=data, request={"fieldManager": manager, **options}
    )


def change(desk: Desk, kind: str, patch: Any, manager: str, /, **payload: Any) -> Result:
    return desk.patch(kind, patch, **payload, request={"fieldManager": manager})


def managers_of(data: Json | None) -> dict[str, Any]:
    """Who owns what: trees by name, operation and subresource."""
    assert data is not None
    entries = data["metadata"].get("managedFields", [])
    return {
        " ".join(filter(None, (one["manager"], one["operation"], one.get("subresource")))): one["fieldsV1"]
        for one in entries
    }


def owns(*names: str) -> Json:
    return {"f:data": {f"f:{name}": {} for name in names}}


# --- the recorded story of a ConfigMap --------------------------------------------------------------------


def test_appliers_share_take_and_give_up_fields() -> None:
    desk = Desk()
    assert apply(desk, config(k="1", x="1")).code == 201
    assert apply(desk, config(k="1", x="1")).code == 200
    assert desk.take_versions() == [("ADDED", "ConfigMap")]
    refused = apply(desk, config(k="2"), "two")
    assert refused.code == 409 and refused.status is not None
    assert said(refused) == 'Apply failed with 1 conflict: conflict with "one": .data.k'
    cause = {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".data.k"}
    assert refused.status["details"] == {"causes": [cause]}
    shared = apply(desk, config(k="1"), "two").object
    assert managers_of(shared) == {"one Apply": owns("k", "x"), "two Apply": owns("k")}
    times = {one["manager"]: "time" in one for one in (shared or {})["metadata"]["managedFields"]}
    assert times == {"one": True, "two": False}
    taken = apply(desk, config(k="2"), "two", force=True).object
    assert managers_of(taken) == {"one Apply": owns("x"), "two Apply": owns("k")}
    kept = apply(desk, config(x="1")).object
    assert (kept or {})["data"] == {"k": "2", "x": "1"}
    gone = apply(desk, config()).object
    assert (gone or {})["data"] == {"k": "2"}
    assert managers_of(gone) == {"one Apply": {"f:data": {}}, "two Apply": owns("k")}
    patched = change(desk, "ConfigMap", {"data": {"k": "3", "h": "1"}}, "hand").object
    assert managers_of(patched) == {"one Apply": {"f:data": {}}, "hand Update": owns("h", "k")}
    refused = apply(desk, config(k="2"), "two")
    assert said(refused) == 'Apply failed with 1 conflict: conflict with "hand" using v1: .data.k'
    forced = apply(desk, config(k="2"), "two", force=True).object
    assert managers_of(forced) == {
        "one Apply": {"f:data": {}},
        "two Apply": owns("k"),
        "hand Update": owns("h"),
    }


@pytest.mark.parametrize(
    "patch, options, code, message",
    [
        pytest.param(
            {}, {"fieldManager": ""}, 422,
            f"{REFUSED} fieldManager: Required value: is required for apply patch",
            id="no manager",
        ),
        pytest.param(
            {}, {"fieldManager": "m" * 129}, 422,
            f"{REFUSED} fieldManager: Too long: may not be more than 128 bytes",
            id="too long a manager",
        ),
        pytest.param(
            {}, {"fieldValidation": "Loud"}, 422,
            f'{REFUSED} fieldValidation: Unsupported value: "Loud": supported values: "", "Ignore", "Strict",'
            ' "Warn"',
            id="no such validation",
        ),
        pytest.param(
            {}, {"dryRun": [""]}, 422,
            f'{REFUSED} dryRun: Unsupported value: [""]: supported values: "All"',
            id="an empty dry run",
        ),
        pytest.param(
            {"metadata": {"name": "other"}}, {}, 400,
            "the name of the object (other) does not match the name on the URL (web)",
            id="another name",
        ),
        pytest.param(
            {"apiVersion": None}, {}, 400, "invalid object type: /, Kind=ConfigMap", id="no version"
        ),
        pytest.param({"kind": None}, {}, 400, "invalid object type: /v1, Kind=", id="no kind"),
        pytest.param({"kind": "Secret"}, {}, 400, "invalid object type: /v1, Kind=Secret", id="another kind"),
        pytest.param(
            {"metadata": {"name": "web", "managedFields": [{"manager": "x"}]}}, {}, 400,
            "metadata.managedFields must be nil",
            id="managers",
        ),
        pytest.param(
            {"metadata": {"name": "web", "resourceVersion": "1"}}, {}, 409,
            'Operation cannot be fulfilled on configmaps "web": the object has been'
            ' modified; please apply your'
            " changes to the latest version and try again",
            id="an old version",
        ),
        pytest.param(
            {"foo": 1}, {}, 500,
            "failed to create typed patch object (default/web; /v1, Kind=ConfigMap): .foo: field not declared"
            " in schema",
            id="an unknown field",
        ),
        pytest.param(
            {"metadata": {"name": True}}, {}, 500,
            "failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.name:"
            " expected string, got"
            " &value.valueUnstructured{Value:true}",
            id="a name that reads as a boolean",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_applied(patch: Json, options: Json, code: int, message: str) -> None:
    desk = Desk()
    assert apply(desk, config(k="1")).ok
    data = {name: value for name, value in {**config(k="1"), **patch}.items() if value is not None}
    request = {"fieldManager": "one", **options}
    payload = {"kind": "ConfigMap", "apiVersion": "v1", "name": "web", "type": "apply", "patch": data}
    refused = desk.submit("patch", **payload, request=request)
    assert (refused.code, said(refused)) == (code, message)


def test_force_is_only_for_an_apply() -> None:
    desk = Desk()
    assert apply(desk, config(k="1")).ok
    refused = desk.patch("ConfigMap", {"data": {}}, request={"fieldManager": "two", "force": True})
    words = "force: Forbidden: may not be specified for non-apply patch"
    assert said(refused) == f'PatchOptions.meta.k8s.io "" is invalid: {words}'


def test_a_uid_of_what_is_not_there_is_a_conflict() -> None:
    data = make("ConfigMap", metadata={"uid": "00000000-0000-0000-0000-000000000000"})
    assert said(apply(Desk(), data)) == (
        'Operation cannot be fulfilled on configmaps "web": uid mismatch: the provided object specified uid'
        " 00000000-0000-0000-0000-000000000000, and no existing object was found"
    )


def test_who_states_nothing_is_no_manager() -> None:
    assert managers_of(apply(Desk(), make("ConfigMap")).object) == {}


# --- the recorded story of a Deployment -------------------------------------------------------------------


def make_paused(**spec: Any) -> Json:
    data = make_deployment(0)
    data["metadata"].pop("namespace")
    data["spec"].update(paused=True, **spec)
    return data


def test_a_deployment_beside_a_scaler_and_its_controller() -> None:
    desk = Desk()
    applied = make_paused()
    assert apply(desk, applied, "kubectl").code == 201
    assert change(desk, "Deployment", {"spec": {"replicas": 2}}, "hpa", subresource="scale").ok
    desk.cluster.run_until(10_000)
    found = desk.get("Deployment") or {}
    managers = managers_of(found)
    assert managers["hpa Update scale"] == {"f:spec": {"f:replicas": {}}}
    assert "f:replicas" not in managers["kubectl Apply"]["f:spec"]
    names = ("lastTransitionTime", "lastUpdateTime", "message", "reason", "status", "type")
    condition: Json = {".": {}, **{f"f:{name}": {} for name in names}}
    assert managers["kube-controller-manager Update status"] == {
        "f:status": {
            "f:conditions": {
                ".": {},
                'k:{"type":"Available"}': condition,
                'k:{"type":"Progressing"}': condition,
            },
            "f:observedGeneration": {},
            "f:terminatingReplicas": {},
        }
    }
    refused = apply(desk, applied, "kubectl")
    scaler = 'conflict with "hpa" with subresource "scale" using'
    assert said(refused) == f"Apply failed with 1 conflict: {scaler} apps/v1: .spec.replicas"
    unsized = copy.deepcopy(applied)
    del unsized["spec"]["replicas"]
    left = apply(desk, unsized, "kubectl").object or {}
    assert left["spec"]["replicas"] == 2
    scale = {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": "web"},
        "spec": {"replicas": 3},
    }
    refused = apply(desk, scale, "kubectl", subresource="scale", **DEPLOYMENT)
    assert said(refused) == f"Apply failed with 1 conflict: {scaler} autoscaling/v1: .spec.replicas"
    forced = apply(desk, scale, "kubectl", subresource="scale", force=True, **DEPLOYMENT).object or {}
    assert forced["spec"]["replicas"] == 3
    assert managers_of(forced)["kubectl Apply scale"] == {"f:spec": {"f:replicas": {}}}


def test_a_status_is_applied_beside_what_the_controller_says() -> None:
    desk = Desk()
    assert apply(desk, make_paused(), "kubectl").ok
    desk.cluster.run_until(10_000)
    status = {"conditions": [{"type": "lab/x", "status": "True"}]}
    told = {**DEPLOYMENT, "metadata": {"name": "web"}, "status": status}
    found = apply(desk, told, "st", subresource="status").object or {}
    assert [one["type"] for one in found["status"]["conditions"]][-1] == "lab/x"
    entry = {'k:{"type":"lab/x"}': {".": {}, "f:status": {}, "f:type": {}}}
    assert managers_of(found)["st Apply status"] == {"f:status": {"f:conditions": entry}}


# --- who is tracked ---------------------------------------------------------------------------------------


def test_what_the_simulation_makes_is_not_tracked() -> None:
    desk = Desk()
    assert desk.create(make_deployment()).ok
    desk.cluster.run_until(10_000)
    objects = [one for kind in desk.cluster.kinds() for one in desk.cluster.list(kind)]
    assert not [one["metadata"]["name"] for one in objects if "managedFields" in one["metadata"]]


def test_the_pods_of_a_tracked_deployment_are_not_tracked() -> None:
    desk = Desk()
    assert apply(desk, make_deployment(), "one").ok
    desk.cluster.run_until(10_000)
    assert [pod["metadata"].get("managedFields") for pod in desk.cluster.list("Pod")] == [None, None]
    revision = {"f:annotations": {".": {}, "f:deployment.kubernetes.io/revision": {}}}
    # The revision is written with the status.
    written = managers_of(desk.get("Deployment"))["kube-controller-manager Update status"]
    assert written["f:metadata"] == revision and "f:replicas" in written["f:status"]


def test_a_pod_of_a_clients_is_owned_by_the_client_and_its_status_by_the_kubelet() -> None:
    desk = Desk()
    assert desk.submit("create", object=make_pod(), request={"userAgent": "kubectl/v1.32 (linux)"}).ok
    desk.cluster.run_until(60_000)
    found = desk.get("Pod") or {}
    managers = managers_of(found)
    assert set(managers) == {"kubectl Update", "kubelet Update status"}
    of_others = {"f:nodeName", "f:serviceAccountName", "f:tolerations"}
    assert not of_others & managers["kubectl Update"]["f:spec"].keys()
    assert "f:phase" in managers["kubelet Update status"]["f:status"]
    restored = Cluster.load(_saved(desk.cluster))
    assert restored.get("Pod", "default", "web") == found


def _saved(cluster: Cluster) -> Json:
    cluster.take_changes()
    return cluster.save()


def test_a_first_apply_finds_the_fields_of_those_before() -> None:
    desk = Desk()
    assert desk.create(config(k="1")).ok
    refused = apply(desk, config(k="2"))
    assert (
        said(refused) == 'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k'
    )
    forced = apply(desk, config(k="2"), force=True).object
    before = {"f:data": {".": {}}}
    assert managers_of(forced) == {"one Apply": owns("k"), "before-first-apply Update": {"f:data": {}}}, (
        before
    )


def test_kubectl_takes_over_what_it_applied_on_its_own_side() -> None:
    desk = Desk()
    assert desk.submit("apply", object=config(k="1", x="1")).ok
    assert apply(desk, config(k="2", x="1"), "other").code == 409
    taken = apply(desk, config(k="2", x="1"), "kubectl").object or {}
    assert taken["data"] == {"k": "2", "x": "1"}
    assert managers_of(taken)["kubectl Apply"] == owns("k", "x")
    remembered = taken["metadata"]["annotations"][LAST_APPLIED]
    assert '"k":"2"' in remembered


@pytest.mark.parametrize(
    "given, remembered",
    [
        pytest.param({}, "", id="none"),
        pytest.param({"annotations": {}}, '"annotations":{},', id="an empty map"),
        pytest.param({"annotations": {"a": "b"}}, '"annotations":{"a":"b"},', id="one"),
    ],
)
def test_what_kubectl_applies_on_the_server_is_remembered_as_it_was_given(
    given: Json, remembered: str
) -> None:
    """As buildLastApplied has it (lastappliedupdater.go); a child keeps its empty annotations."""
    desk, inner = Desk(), {"metadata": {"annotations": {}, "name": "x"}}
    meta = {"name": "b", "namespace": "default", **given}
    box = {"apiVersion": "example.org/v1", "kind": "Box", "child": inner, "metadata": meta}
    assert desk.submit("apply", object=box).ok
    text = (apply(desk, box, "kubectl").object or {})["metadata"]["annotations"][LAST_APPLIED]
    head = '{"apiVersion":"example.org/v1","child":{"metadata":{"annotations":{},"name":"x"}},"kind":"Box"'
    assert text == f'{head},"metadata":{{{remembered}"name":"b","namespace":"default"}}}}\n'


@pytest.mark.parametrize(
    "value, written",
    [
        pytest.param("1", "1", id="plain"),
        pytest.param("<a>&b", r"\u003ca\u003e\u0026b", id="what HTML would read"),
        pytest.param("ä\u2028", r"ä\u2028", id="ends of lines of JavaScript"),
    ],
)
def test_what_was_applied_is_remembered_as_kubectl_writes_it(value: str, written: str) -> None:
    desk = Desk()
    made = desk.submit("apply", object=config(k=value)).object or {}
    text = made["metadata"]["annotations"][LAST_APPLIED]
    # Go's encoding/json sorts the keys of maps.
    meta = '"metadata":{"annotations":{},"name":"web","namespace":"default"}'
    assert text == f'{{"apiVersion":"v1","data":{{"k":"{written}"}},"kind":"ConfigMap",{meta}}}\n'


@pytest.mark.parametrize("entries", [[], [{}]])
def test_managers_are_forgotten_when_a_client_resets_them(entries: Any) -> None:
    desk = Desk()
    assert apply(desk, config(k="1")).ok
    changed = change(
        desk,
        "ConfigMap",
        [{"op": "replace", "path": "/metadata/managedFields", "value": entries}],
        "x",
        type="json",
    )
    assert managers_of(changed.object) == {}
    assert managers_of(desk.get("ConfigMap")) == {}


def test_a_write_that_changes_nothing_is_no_version_and_keeps_the_times() -> None:
    desk = Desk()
    assert apply(desk, config(k="1")).ok
    before = desk.get("ConfigMap")
    desk.cluster.run_until(5_000)
    desk.take_versions()
    assert change(desk, "ConfigMap", {"data": {"k": "1"}}, "hand").ok
    assert desk.submit("replace", object=config(k="1"), request={"fieldManager": "put"}).ok
    assert (desk.take_versions(), desk.get("ConfigMap")) == ([], before)


# --- how strictly a request is read -----------------------------------------------------------------------

ODD = {**config(a="b"), "datum": 1, "metadata": {"name": "web", "lables": {"x": "y"}}}
UNKNOWN = ['unknown field "metadata.lables"', 'unknown field "datum"']


@pytest.mark.parametrize("validation, warnings", [("Warn", UNKNOWN), (None, UNKNOWN), ("Ignore", [])])
def test_unknown_fields_are_warned_of(validation: str | None, warnings: list[str]) -> None:
    result = Desk().submit("create", object=ODD, request={"fieldValidation": validation})
    assert (result.code, result.warnings) == (201, warnings)


def test_asked_to_be_strict_unknown_fields_are_refused() -> None:
    request = {"fieldValidation": "Strict", "problems": ['duplicate field "data.k"']}
    refused = Desk().submit("create", object=ODD, request=request)
    texts = ", ".join(['duplicate field "data.k"', *UNKNOWN])
    whole = f'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: {texts}'
    assert (refused.code, said(refused)) == (400, whole)


@pytest.mark.parametrize("validation", ["Warn", "Ignore", "Strict"])
def test_a_field_of_a_wrong_type_is_refused_however_it_is_read(validation: str) -> None:
    data = make("ConfigMap", data={"k": 1})
    refused = Desk().submit("create", object=data, request={"fieldValidation": validation})
    assert said(refused) == (
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go'
        " struct field ConfigMap.data of type string"
    )


@pytest.mark.parametrize(
    "kind, patch", [("merge", {"dataa": {}}), ("json", [{"op": "add", "path": "/dataa", "value": {}}])]
)
def test_a_patch_with_unknown_fields(kind: str, patch: Any) -> None:
    desk = Desk()
    assert desk.create(config(k="1")).ok
    warned = desk.patch("ConfigMap", patch, type=kind, request={})
    assert (warned.code, warned.warnings) == (200, ['unknown field "dataa"'])
    refused = desk.patch("ConfigMap", patch, type=kind, request={"fieldValidation": "Strict"})
    assert refused.code == 422 and refused.status is not None
    assert said(refused).startswith(' "" is invalid: patch: Invalid value: "{')
    assert said(refused).endswith('strict decoding error: unknown field "dataa"')
    assert set(refused.status["details"]) == {"causes"}


def test_a_write_to_the_status_changes_labels_too_but_not_those_of_a_deployment() -> None:
    desk = Desk()
    assert desk.create(make_pod()).ok and desk.create(make_deployment()).ok
    patch = {"metadata": {"labels": {"via": "status"}}, "spec": {"activeDeadlineSeconds": 5}}
    pod = desk.patched("Pod", patch, subresource="status")
    assert (pod["metadata"]["labels"], "activeDeadlineSeconds" in pod["spec"]) == ({"via": "status"}, False)
    deployment = desk.patched("Deployment", {"metadata": {"labels": {"via": "x"}}}, subresource="status")
    assert "labels" not in deployment["metadata"]


def test_a_version_that_is_no_number_is_an_error_of_the_server() -> None:
    desk = Desk()
    data = desk.created(config())
    data["metadata"]["resourceVersion"] = "1x"
    refused = desk.submit("replace", object=data)
    assert (refused.code, said(refused)) == (500, 'strconv.ParseUint: parsing "1x": invalid syntax')


# --- what always holds ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_what_managers_own_is_there_and_nothing_is_lost_in_silence(seed: int) -> None:
    """Random applies and patches: an apply again changes nothing; what one stated it owns, or was refused."""
    draw, desk = random.Random(seed), Desk()
    shape = shape_of_kind("v1", "ConfigMap")
    assert shape is not None
    for _ in range(25):
        data = {key: draw.choice("12") for key in draw.sample("abcd", draw.randrange(4))}
        name = draw.choice(["one", "two", "three"])
        if draw.random() < 0.7 or desk.get("ConfigMap") is None:
            result = apply(desk, config(**data), name, force=draw.random() < 0.4)
            assert result.code in (200, 201, 409), result.status
            if result.ok:
                stated = set_of({"data": data}, shape)
                entries = read_managers((result.object or {})["metadata"].get("managedFields", []))
                mine = next(
                    share.fields
                    for one, share in entries.items()
                    if (one.name, one.operation) == (name, "Apply")
                )
                assert mine == stated
                assert apply(desk, config(**data), name).object == result.object
        else:
            patch = {key: draw.choice(["1", "2", None]) for key in draw.sample("abcd", 2)}
            assert change(desk, "ConfigMap", {"data": patch}, name).ok
        _check_owned(desk.get("ConfigMap"), shape)


def _check_owned(data: Json | None, shape: Any) -> None:
    assert data is not None
    there = set_of(data, shape) | {("f:data",)}
    for share in read_managers(data["metadata"].get("managedFields", [])).values():
        assert share.fields <= there
