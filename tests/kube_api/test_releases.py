"""A cluster tells clients of the release that it models."""

from __future__ import annotations

import json
import re

import pytest

from dashboard.asking.forms import ClusterForm
from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.heart.settings import read_release
from lifecycle.engine.releases.known import find_release
from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.printing.tables import make_table
from lifecycle.models import Cluster as KeptCluster
from lifecycle.runs import inbox
from tests.builders import make_cluster, make_user


def ask(client, cluster: KeptCluster, path: str) -> dict:
    client.force_login(cluster.owner)
    return json.loads(client.get(f"/k8s/{cluster.name}{path}").content)


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(
    "given, version, minor",
    [
        pytest.param({}, "v1.35.6", "35", id="made before there was a choice"),
        pytest.param({"kubernetes": "1.35"}, "v1.35.6", "35", id="v1.35"),
        pytest.param({"kubernetes": "1.34"}, "v1.34.9", "34", id="v1.34"),
        pytest.param({"kubernetes": "1.36"}, "v1.36.3", "36", id="v1.36"),
        pytest.param({"kubernetes": "1.36.0"}, "v1.36.0", "36", id="another patch release"),
        pytest.param({"kubernetes": "v1.23.1"}, "v1.23.1", "23", id="v1.23.1"),
        pytest.param({"compatibility": "v1.23.1"}, "v1.23.1", "23", id="the older spelling"),
        pytest.param({"compatibility": "v9.9"}, "v1.35.6", "35", id="made when any text was taken"),
    ],
)
def test_version_and_openapi_are_of_the_clusters_release(client, given, version, minor) -> None:
    cluster = make_cluster("shop", make_user("ada"), settings=given)
    told = ask(client, cluster, "/version")
    assert (told["gitVersion"], told["major"], told["minor"]) == (version, "1", minor)
    assert ask(client, cluster, "/openapi/v2")["info"] == {"title": "Kubernetes", "version": version}
    assert ask(client, cluster, "/openapi/v3/apis/apps/v1")["info"]["version"] == version


@pytest.mark.django_db
@pytest.mark.parametrize(
    "release, is_warned_of",
    [("1.23.1", True), ("1.34", False), ("1.35", False), ("1.36", False), ("1.36.0", False), ("1.37", True)],
)
def test_what_kubectl_v1_35_warns_of_when_it_is_asked_for_versions(client, release, is_warned_of) -> None:
    """It reads gitVersion as a semantic version, and warns of more than one minor release (`kubectl version`,
    pkg/cmd/version/skew_warning.go)."""
    told = ask(client, make_cluster("shop", make_user("ada"), settings={"kubernetes": release}), "/version")
    read = re.fullmatch(r"v([0-9]+)\.([0-9]+)\.[0-9]+", told["gitVersion"])
    assert read is not None and read.groups() == (told["major"], told["minor"])
    assert (told["major"] != "1" or abs(35 - int(told["minor"])) > 1) is is_warned_of


@pytest.mark.parametrize(
    "name, version", [("1.34", "v1.34.9"), ("1.35", "v1.35.6"), ("1.36", "v1.36.3"), ("v1.23.1", "v1.23.1")]
)
def test_kubelets_are_of_the_clusters_release(name: str, version: str) -> None:
    node = Cluster(settings=Settings(kubernetes=name, nodes={"count": 1})).get("Node", None, "node-1")
    assert node is not None
    assert node["status"]["nodeInfo"]["kubeletVersion"] == version


@pytest.mark.slow
@pytest.mark.django_db
def test_resources_are_those_of_the_clusters_release(client) -> None:
    ada, path = make_user("ada"), "/apis/admissionregistration.k8s.io/v1"
    older = make_cluster("older", ada, settings={"kubernetes": "1.35"})
    newer = make_cluster("newer", ada, settings={"kubernetes": "1.36"})
    names = [{one["name"] for one in ask(client, cluster, path)["resources"]} for cluster in (older, newer)]
    assert names[1] - names[0] == {"mutatingadmissionpolicies", "mutatingadmissionpolicybindings"}
    policies = f"{path}/mutatingadmissionpolicies"
    assert ask(client, older, policies)["code"] == 404
    assert ask(client, newer, policies)["kind"] == "MutatingAdmissionPolicyList"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "given, name",
    [
        pytest.param({}, "v1.36", id="the default of its time"),
        pytest.param({"nodes": {"count": 1}}, "v1.36", id="with other settings"),
        pytest.param({"kubernetes": "1.34"}, "v1.34", id="as asked for"),
        pytest.param({"compatibility": "v1.23.1"}, "v1.23.1", id="in the older spelling"),
    ],
)
def test_a_new_cluster_says_of_which_release_it_was_made(given: dict, name: str) -> None:
    made = inbox.create_cluster(make_user("ada"), "shop", settings=given)
    assert read_release(made.settings).name == name
    assert made.settings.items() >= given.items()


@pytest.mark.django_db
def test_who_runs_the_server_says_of_which_release_new_clusters_are(settings) -> None:
    settings.KUBERNETES = "1.34"
    assert read_release(inbox.create_cluster(make_user("ada"), "shop").settings).name == "v1.34"
    assert ClusterForm()["kubernetes"].initial == "v1.34"


SECRET = {"secrets": [{"name": "a"}, {"name": "b"}]}


@pytest.mark.parametrize(
    "release, path, data, column, cell",
    [
        pytest.param("1.34", ("", "v1", "serviceaccounts"), SECRET, "Secrets", 2, id="secrets until v1.34"),
        pytest.param("1.35", ("", "v1", "serviceaccounts"), SECRET, "Secrets", None, id="none since v1.35"),
        pytest.param(
            "1.35",
            ("", "v1", "nodes"),
            {"status": {"nodeInfo": {"kernelVersion": "6.1", "architecture": "arm64"}}},
            "Kernel-Version",
            "6.1",
            id="the kernel",
        ),
        pytest.param(
            "1.36",
            ("", "v1", "nodes"),
            {"status": {"nodeInfo": {"kernelVersion": "6.1", "architecture": "arm64"}}},
            "Kernel-Version",
            "6.1 (arm64)",
            id="and the machine since v1.36",
        ),
        pytest.param(
            "1.35",
            ("networking.k8s.io", "v1", "ingressclasses"),
            {"metadata": {"annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}}},
            "Name",
            "one",
            id="an ingress class",
        ),
        pytest.param(
            "1.36",
            ("networking.k8s.io", "v1", "ingressclasses"),
            {"metadata": {"annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}}},
            "Name",
            "one (default)",
            id="the default one since v1.36",
        ),
        pytest.param(
            "1.36",
            ("networking.k8s.io", "v1", "ingressclasses"),
            {},
            "Name",
            "one",
            id="no default one",
        ),
    ],
)
def test_cells_are_those_of_the_clusters_release(release, path, data, column, cell) -> None:
    resource = list_built_in(find_release(release))[path]
    meta = {"name": "one", "creationTimestamp": "2026-01-01T00:00:00Z", **data.get("metadata", {})}
    table = make_table(resource, [{"spec": {}, "status": {}, **data, "metadata": meta}], 0, 0, "v1", "None")
    names = [one["name"] for one in table["columnDefinitions"]]
    assert dict(zip(names, table["rows"][0]["cells"], strict=False)).get(column) == cell


@pytest.mark.parametrize(
    "release, field, is_known",
    [
        ("1.34", "workloadRef", False),
        ("1.35", "workloadRef", True),
        ("1.36", "workloadRef", False),
        ("1.35", "schedulingGroup", False),
        ("1.36", "schedulingGroup", True),
    ],
)
def test_fields_are_those_of_the_clusters_release(release: str, field: str, is_known: bool) -> None:
    spec = {"containers": [{"name": "app", "image": "nginx"}], field: {}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "one", "namespace": "default"},
        "spec": spec,
    }
    cluster = Cluster(settings=Settings(kubernetes=release))
    for kind, payload in (
        ("create", {"object": pod, "request": {"fieldValidation": "Strict"}}),
        ("create", {"object": pod, "fieldValidation": "Strict"}),
        ("apply", {"object": pod, "fieldValidation": "Strict"}),
    ):
        answer = cluster.submit(Command(id="one", kind=kind, payload=payload))
        said = (answer.status or {}).get("message") or ""
        assert (f'unknown field "spec.{field}"' in said) is not is_known
        cluster = Cluster(settings=Settings(kubernetes=release))


@pytest.mark.parametrize("asked, name", [("v1.36", "v1.36"), ("v1.34", "v1.34"), ("", "v1.36")])
def test_a_new_cluster_is_of_the_release_that_the_form_says(asked: str, name: str) -> None:
    form = ClusterForm({"name": "shop", "seed": 1, "nodes": 3, "timing": "instant", "kubernetes": asked})
    assert form.is_valid(), form.errors
    assert Settings.from_json(form.settings()).release.name == name
