"""Creating: decoded, defaulted, validated, admitted, stored, and what comes along."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.api.desk import Desk, Json, make, make_deployment, make_pod, said


def test_a_new_object_has_an_identity_and_the_first_generation() -> None:
    desk = Desk()
    meta = desk.created(make_deployment())["metadata"]
    assert (meta["generation"], meta["creationTimestamp"]) == (1, "2026-01-01T00:00:00Z")
    assert meta["uid"] and meta["resourceVersion"]


def test_an_object_without_spec_has_no_generation() -> None:
    assert "generation" not in Desk().created(make("ConfigMap", data={"a": "b"}))["metadata"]


@pytest.mark.parametrize("field", ["uid", "creationTimestamp", "deletionTimestamp", "generation"])
def test_what_is_the_servers_to_say_is_not_taken_from_a_client(field: str) -> None:
    values = {"uid": "mine", "generation": 7}
    sent = values.get(field, "2020-01-01T00:00:00Z")
    meta = Desk().created(make_pod(metadata={field: sent}))["metadata"]
    assert meta.get(field) != sent


@pytest.mark.parametrize("make_object", [make_pod, make_deployment])
def test_a_status_that_a_client_sends_is_dropped(make_object: Any) -> None:
    desk = Desk()
    data = make_object() | {"status": {"phase": "Succeeded", "readyReplicas": 9}}
    result = desk.create(data)
    assert result.object is not None
    assert result.object["status"].get("phase", "Pending") == "Pending"
    assert "readyReplicas" not in result.object["status"]


# --- names ------------------------------------------------------------------------------------------------


def test_generated_names_continue_their_prefix_and_differ() -> None:
    desk = Desk()
    data = make_pod(metadata={"name": None, "generateName": "web-"})
    first, second = (desk.created(data)["metadata"]["name"] for _ in range(2))
    assert first != second
    assert {first[:4], second[:4]} == {"web-"} and {len(first), len(second)} == {9}


def test_a_name_of_its_own_goes_before_a_generated_one() -> None:
    meta = Desk().created(make_pod(metadata={"generateName": "web-"}))["metadata"]
    assert (meta["name"], meta["generateName"]) == ("web", "web-")


def test_a_name_is_taken_once() -> None:
    desk = Desk()
    assert desk.create(make_pod()).ok
    again = desk.create(make_pod())
    assert (again.code, said(again)) == (409, 'pods "web" already exists')


# --- the namespace ----------------------------------------------------------------------------------------


def test_without_a_namespace_it_is_default() -> None:
    assert Desk().created(make_pod(metadata={"namespace": None}))["metadata"]["namespace"] == "default"


def test_a_namespace_that_is_not_there_takes_nothing() -> None:
    desk = Desk()
    refused = desk.create(make_pod(metadata={"namespace": "shop"}))
    assert (refused.code, said(refused)) == (404, 'namespaces "shop" not found')
    assert desk.take_versions() == []


def test_a_namespace_that_is_going_takes_nothing() -> None:
    desk = Desk()
    space = make("Namespace", "shop", metadata={"namespace": None, "finalizers": ["example.com/hold"]})
    assert desk.create(space).ok and desk.delete("Namespace", "shop").ok
    refused = desk.create(make_pod(metadata={"namespace": "shop"}))
    assert refused.code == 403
    assert "unable to create new content in namespace shop because it is being terminated" in said(refused)


def test_every_namespace_has_a_default_service_account() -> None:
    desk = Desk()
    assert desk.create(make("Namespace", "shop", metadata={"namespace": None})).ok
    assert desk.take_versions() == [
        ("ADDED", "Namespace"),
        ("ADDED", "ServiceAccount"),
        ("ADDED", "ConfigMap"),
    ]
    account = desk.get("ServiceAccount", "default", "shop")
    assert account is not None and account["metadata"]["uid"]


def test_a_pod_of_an_account_that_is_not_there_is_refused() -> None:
    refused = Desk().create(make_pod(serviceAccountName="robot"))
    assert refused.code == 403
    assert 'error looking up service account default/robot: serviceaccount "robot" not found' in said(refused)


# --- addresses --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec, address",
    [
        pytest.param({}, "10.96.0.11", id="the next"),
        pytest.param({"clusterIP": "10.96.7.7"}, "10.96.7.7", id="its own"),
        pytest.param({"clusterIP": "None"}, "None", id="none"),
        pytest.param({"type": "ExternalName", "externalName": "db.example.com"}, None, id="an alias"),
    ],
)
def test_the_address_of_a_service(spec: Json, address: str | None) -> None:
    made = Desk().created(make("Service", spec={"ports": [{"port": 80}], **spec}))
    assert made["spec"].get("clusterIP") == address


def test_addresses_are_given_in_order_and_never_twice() -> None:
    desk = Desk()
    service = {"spec": {"ports": [{"port": 80}]}}
    given = [desk.created(make("Service", name, **service))["spec"]["clusterIP"] for name in ("a", "b")]
    assert desk.delete("Service", "b").ok
    given.append(desk.created(make("Service", "c", **service))["spec"]["clusterIP"])
    assert given == ["10.96.0.11", "10.96.0.12", "10.96.0.13"]


# --- what the answer says ---------------------------------------------------------------------------------


def test_every_field_that_is_wrong_is_a_cause() -> None:
    data = make_deployment(replicas=-1)
    del data["spec"]["selector"]
    refused = Desk().create(data)
    assert refused.code == 422 and refused.status is not None
    details = refused.status["details"]
    assert (details["name"], details["group"], details["kind"]) == ("web", "apps", "Deployment")
    assert [cause["field"] for cause in details["causes"]][:2] == ["spec.replicas", "spec.selector"]


def test_a_field_of_a_wrong_type_is_named() -> None:
    assert 'Pod "web": spec.hostNetwork: must be true or false' in said(
        Desk().create(make_pod(hostNetwork="yes"))
    )


def test_another_version_of_a_known_kind_has_its_fields() -> None:
    refused = Desk().create(make_deployment() | {"apiVersion": "apps/v1beta9", "spec": 5})
    assert (refused.code, 'Deployment "web": spec: must be a mapping' in said(refused)) == (400, True)


@pytest.mark.parametrize("template", [5, {"spec": 5}, {"metadata": 5, "spec": {"containers": [1]}}])
@pytest.mark.parametrize(
    "address", [("argoproj.io/v1alpha1", "Rollout"), ("v1", "ConfigMap")], ids=["custom", "of another kind"]
)
def test_a_template_that_nobody_makes_pods_from_may_be_anything(
    address: tuple[str, str], template: Any
) -> None:
    api_version, kind = address
    data = make(kind, spec={"template": template}) | {"apiVersion": api_version}
    assert Desk().create(data).code == 201


def test_a_grace_below_zero_is_warned_of() -> None:
    data = make_deployment()
    data["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = -1
    assert Desk().create(data).warnings == [
        "spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will"
        " be treated as 1"
    ]
