"""What `kubectl top` asks for: use as behaviours state it, and nothing where nothing is known."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from lifecycle import tokens

BEHAVIOR = """
app: {usage: [{at: 0s, cpu: 100m, memory: 64Mi}, {at: 60s, cpu: 900m, memory: 200Mi}]}
"""
CONTAINER = {"name": "app", "image": "example/app:1"}


@pytest.fixture
def ask(shop) -> Any:
    """GET below the metrics API, by a token; the code and the answer."""
    token = tokens.issue(shop.cluster.owner, shop.cluster)

    def get(path: str) -> tuple[int, Any]:
        base = f"/k8s/{shop.cluster.name}/apis/metrics.k8s.io/v1beta1"
        found = Client().get(f"{base}{path}", headers={"Authorization": f"Bearer {token}"})
        return found.status_code, json.loads(found.content)

    return get


@pytest.fixture
def busy(shop):
    """A pod that states what it uses, and one that does not."""
    stated = {"podline.dev/behavior": BEHAVIOR}
    meta = {"name": "busy", "namespace": "default", "labels": {"app": "busy"}, "annotations": stated}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [CONTAINER]}}
    shop.submit("create", object=pod)
    shop.create("Pod", "silent", spec={"containers": [CONTAINER]})
    shop.turn(30)
    return shop


def test_pods_use_what_their_behavior_states(busy, ask):
    code, found = ask("/namespaces/default/pods")
    assert (code, found["kind"]) == (200, "PodMetricsList")
    (item,) = found["items"]
    assert item["metadata"]["name"] == "busy"
    assert item["containers"] == [{"name": "app", "usage": {"cpu": "100m", "memory": "65536Ki"}}]
    busy.turn(60)
    assert ask("/namespaces/default/pods/busy")[1]["containers"][0]["usage"]["cpu"] == "900m"


def test_nodes_use_what_their_pods_do(busy, ask):
    (item,) = ask("/nodes")[1]["items"]
    busy.cluster.refresh_from_db()
    assert item["usage"] == {"cpu": "100m", "memory": "65536Ki"}
    assert ask(f"/nodes/{item['metadata']['name']}")[0] == 200


def test_of_what_is_not_known_nothing_is_told(busy, ask):
    code, status = ask("/namespaces/default/pods/silent")
    assert (code, status["message"]) == (404, 'pods.metrics.k8s.io "silent" not found')
    assert ask("/namespaces/default/pods?labelSelector=app%3Dother")[1]["items"] == []
    assert ask("/namespaces/other/pods")[1]["items"] == []


def test_the_group_is_discovered(shop, ask):
    code, found = ask("")
    assert code == 200
    assert {one["name"]: one["verbs"] for one in found["resources"]} == {
        "nodes": ["get", "list"],
        "pods": ["get", "list"],
    }
