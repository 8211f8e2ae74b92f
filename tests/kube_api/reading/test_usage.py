"""What `kubectl top` asks for: use as behaviours state it, and a little that is assumed where nobody does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from lifecycle import tokens

pytestmark = pytest.mark.slow

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
    item, _ = found["items"]
    assert item["metadata"]["name"] == "busy" and "annotations" not in item["metadata"]
    assert item["containers"] == [{"name": "app", "usage": {"cpu": "100m", "memory": "65536Ki"}}]
    busy.turn(60)
    assert ask("/namespaces/default/pods/busy")[1]["containers"][0]["usage"]["cpu"] == "900m"


def test_nodes_use_what_their_pods_do_and_a_little_of_their_own(busy, ask):
    items = ask("/nodes")[1]["items"]
    assert [item["metadata"]["name"] for item in items] == ["node-1", "node-2", "node-3"]
    assert all(item["metadata"]["annotations"]["podline.dev/assumed"] for item in items)
    assert all(item["metadata"]["labels"]["kubernetes.io/os"] == "linux" for item in items)
    # Three times 100m and 500Mi, and 100m with 64Mi of one pod, 1m with 8Mi of the other.
    assert sum(int(item["usage"]["cpu"].removesuffix("m")) for item in items) == 401
    assert sum(int(item["usage"]["memory"].removesuffix("Ki")) for item in items) == (3 * 500 + 72) * 1024
    assert ask("/nodes/node-2")[1]["usage"] == items[1]["usage"]
    assert ask("/nodes/node-9")[0] == 404


def test_of_a_pod_of_which_nobody_says_anything_a_little_is_assumed_and_marked(busy, ask):
    code, found = ask("/namespaces/default/pods/silent")
    assert code == 200
    assert found["containers"] == [{"name": "app", "usage": {"cpu": "1m", "memory": "8192Ki"}}]
    assert found["metadata"]["annotations"] == {"podline.dev/assumed": "1m and 8Mi each of app"}
    assert ask("/namespaces/default/pods?labelSelector=app%3Dother")[1]["items"] == []
    assert ask("/namespaces/other/pods")[1]["items"] == []


def test_the_group_is_discovered(shop, ask):
    code, found = ask("")
    assert code == 200
    assert {one["name"]: one["verbs"] for one in found["resources"]} == {
        "nodes": ["get", "list"],
        "pods": ["get", "list"],
    }
