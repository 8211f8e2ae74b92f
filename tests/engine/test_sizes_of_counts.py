"""Counts are 32-bit, as in Kubernetes: what is larger is refused, whoever asks."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine import Cluster, Command

TEMPLATE = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "a", "image": "nginx"}]},
}


def make(replicas: Any) -> dict[str, Any]:
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": spec,
    }


@pytest.mark.parametrize("replicas", [2**31, 10**10, -(10**10), 10**30])
def test_a_count_of_more_than_32_bits_is_refused(replicas: int) -> None:
    cluster = Cluster(1)
    for number, (kind, payload) in enumerate(
        [
            ("create", {"object": make(replicas)}),
            ("create", {"object": make(1)}),
            ("replace", {"object": make(replicas)}),
            ("patch", patch({"spec": {"replicas": replicas}})),
            ("scale", {"kind": "Deployment", "namespace": "default", "name": "web", "replicas": replicas}),
        ]
    ):
        result = cluster.submit(Command(f"c{number}", kind, payload))
        assert result.ok is (number == 1), (kind, result)
        if not result.ok:
            assert "replicas" in (result.status or {})["message"]
    assert (cluster.get("Deployment", "default", "web") or {})["spec"]["replicas"] == 1


def patch(change: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "Deployment", "namespace": "default", "name": "web", "type": "merge", "patch": change}
