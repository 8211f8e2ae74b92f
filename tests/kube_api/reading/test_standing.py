"""What every cluster has and nobody made: listed, read, and stored once somebody writes to it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lifecycle.kube_api.describing import openapi
from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.models import StoredObject
from lifecycle.runs import inbox
from tests.kube_api.conftest import Shop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
STANDING = [
    pytest.param(ROLES, "view", id="role"),
    pytest.param(CLASSES, "podline-default", id="class"),
    pytest.param(SERVICES, "v1.apps", id="API service"),
]
CLAIM = {
    "accessModes": ["ReadWriteOnce"],
    "resources": {"requests": {"storage": "1Gi"}},
}


class Caller:
    """The owner's client; the worker has its turns while it waits."""

    def __init__(self, shop: Shop, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        client.force_login(shop.cluster.owner)
        self.client = client

        def wait(command: Any, timeout: float) -> Any:
            shop.turn()
            command.refresh_from_db()
            return command.result

        monkeypatch.setattr(inbox, "wait_for_result", wait)

    def ask(self, method: str, path: str, body: Any = None, type: str = "application/json") -> Any:
        data = b"" if body is None else json.dumps(body)
        answer = self.client.generic(method, f"/k8s/shop{path}", data, content_type=type)
        return answer.status_code, answer.json()

    def names(self, path: str) -> list[str]:
        return [one["metadata"]["name"] for one in self.ask("GET", path)[1]["items"]]


@pytest.fixture
def caller(shop: Shop, client: Any, monkeypatch: pytest.MonkeyPatch) -> Caller:
    return Caller(shop, client, monkeypatch)


def test_a_new_cluster_lists_what_kubernetes_makes_by_itself(caller):
    roles = caller.names(ROLES)
    assert {"admin", "cluster-admin", "edit", "system:node", "view"} <= set(roles)
    assert len(roles) == 70 and roles == sorted(roles)
    assert caller.names(CLASSES) == ["podline-default"]


def test_a_claim_that_names_no_class_finds_the_one_that_was_listed(shop, caller):
    listed = caller.ask("GET", f"{CLASSES}/podline-default")[1]
    assert listed["metadata"]["annotations"] == {"storageclass.kubernetes.io/is-default-class": "true"}
    shop.create("PersistentVolumeClaim", "c", spec=CLAIM)
    stored = caller.ask("GET", f"{CLASSES}/podline-default")[1]
    assert stored["provisioner"] == listed["provisioner"]
    assert caller.names(CLASSES) == ["podline-default"]


def test_where_a_class_is_the_default_none_is_assumed(shop, caller):
    mark = {"storageclass.kubernetes.io/is-default-class": "true"}
    own = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "example.org/disks"}
    shop.submit("create", object=own | {"metadata": {"name": "fast", "annotations": mark}}, request={})
    assert caller.names(CLASSES) == ["fast"]


def test_every_group_version_has_an_available_api_service(caller):
    served = {one["groupVersion"] for g in caller.ask("GET", "/apis")[1]["groups"] for one in g["versions"]}
    services = caller.ask("GET", SERVICES)[1]["items"]
    of = {(one["spec"].get("group", ""), one["spec"]["version"]) for one in services}
    # What registers the others has none of its own.
    assert of == {tuple(one.split("/")) for one in served} - {("apiregistration.k8s.io", "v1")} | {("", "v1")}
    assert all(one["status"]["conditions"][0]["status"] == "True" for one in services)


@pytest.mark.parametrize("group, of_group, of_version", [("apps", 17800, 15), ("autoscaling", 17500, 15)])
def test_api_services_rank_as_the_aggregator_ranks_them(caller, group, of_group, of_version):
    spec = caller.ask("GET", f"{SERVICES}/v1.{group}")[1]["spec"]
    assert (spec["groupPriorityMinimum"], spec["versionPriority"]) == (of_group, of_version)


def test_a_metrics_server_is_reached_through_a_service(caller):
    spec = caller.ask("GET", f"{SERVICES}/v1beta1.metrics.k8s.io")[1]["spec"]
    assert spec["service"]["name"] == "metrics-server"


@pytest.mark.parametrize("path, name", STANDING)
def test_one_can_be_found_by_name_and_by_page(caller, path, name):
    assert caller.names(f"{path}?fieldSelector=metadata.name%3D{name}") == [name]
    found, token = [], ""
    while True:
        page = caller.ask("GET", f"{path}?limit=25&continue={token}")[1]
        found += [one["metadata"]["name"] for one in page["items"]]
        token = page["metadata"].get("continue", "")
        if not token:
            break
    assert found == caller.names(path) and found.count(name) == 1


@pytest.mark.parametrize("path, name", STANDING)
def test_one_that_is_written_to_is_stored(shop, caller, path, name):
    before = caller.names(path)
    change = {"metadata": {"labels": {"mine": "yes"}}}
    status, patched = caller.ask("PATCH", f"{path}/{name}", change, "application/merge-patch+json")
    assert (status, patched["metadata"]["labels"]["mine"]) == (200, "yes")
    assert StoredObject.objects.filter(cluster=shop.cluster, name=name).count() == 1
    assert caller.names(path) == before


@pytest.mark.parametrize("path, name", STANDING)
def test_one_that_was_read_can_be_sent_back(caller, path, name):
    read = caller.ask("GET", f"{path}/{name}")[1]
    read["metadata"].setdefault("labels", {})["mine"] = "yes"
    assert caller.ask("PUT", f"{path}/{name}", read)[0] == 200


@pytest.mark.parametrize("path, name", STANDING)
def test_one_cannot_be_created_again(caller, path, name):
    read = caller.ask("GET", f"{path}/{name}")[1]
    read["metadata"] = {"name": name}
    assert caller.ask("POST", path, read)[1]["reason"] == "AlreadyExists"


@pytest.mark.parametrize("path, name, is_there", [(ROLES, "view", False), (SERVICES, "v1.apps", True)])
def test_what_is_deleted_is_gone_unless_it_registers_itself(caller, path, name, is_there):
    assert caller.ask("DELETE", f"{path}/{name}")[0] == 200
    assert (name in caller.names(path)) == is_there


def test_all_of_a_selection_can_be_deleted(caller):
    path = f"{ROLES}?labelSelector=rbac.authorization.k8s.io/aggregate-to-edit%3Dtrue"
    assert caller.names(path) == ["system:aggregate-to-edit", "view"]
    assert caller.ask("DELETE", path)[0] == 200
    assert caller.names(path) == []


# --- what is answered on demand ---------------------------------------------------------------------------

ON_DEMAND = [one for one in list_built_in().values() if "".join(one.verbs) == "create"]


@pytest.mark.parametrize("kind", [one.kind for one in ON_DEMAND if one.kind.endswith("Review")])
def test_reviews_tell_their_fields_in_both_documents(kind):
    (resource,) = [one for one in ON_DEMAND if one.kind == kind]
    for document in (
        openapi.make_v2([resource])["definitions"],
        openapi.make_v3([resource])["components"]["schemas"],
    ):
        (schema,) = [one for name, one in document.items() if name.endswith(f".{kind}")]
        assert "status" in schema["properties"]
        assert ("spec" in schema["properties"]) == (kind != "SelfSubjectReview")
