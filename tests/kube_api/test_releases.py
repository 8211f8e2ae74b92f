"""A cluster tells clients of the release that it models."""

from __future__ import annotations

import json

import pytest

from lifecycle.engine import Cluster, Settings
from lifecycle.models import Cluster as KeptCluster
from tests.builders import make_cluster, make_user


def ask(client, cluster: KeptCluster, path: str) -> dict:
    client.force_login(cluster.owner)
    return json.loads(client.get(f"/k8s/{cluster.name}{path}").content)


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(
    "given, version, minor",
    [
        pytest.param({}, "v1.35.6", "35", id="by default"),
        pytest.param({"kubernetes": "1.35"}, "v1.35.6", "35", id="v1.35"),
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


@pytest.mark.parametrize("name, version", [("1.35", "v1.35.6"), ("v1.23.1", "v1.23.1")])
def test_kubelets_are_of_the_clusters_release(name: str, version: str) -> None:
    node = Cluster(settings=Settings(kubernetes=name, nodes={"count": 1})).get("Node", None, "node-1")
    assert node is not None
    assert node["status"]["nodeInfo"]["kubeletVersion"] == version
