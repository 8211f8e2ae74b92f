"""A write is warned of an image that nobody knows: once in a cluster."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lifecycle.kube_api import unknown_programs
from tests.kube_api.conftest import Shop
from tests.kube_api.reading.test_standing import Caller

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SAID = "nothing is known of example.org/a:1: assumed to start and to answer on every port"


@pytest.fixture
def caller(shop: Shop, client: Any, monkeypatch: pytest.MonkeyPatch) -> Caller:
    unknown_programs._seen_in.cache_clear()
    return Caller(shop, client, monkeypatch)


def send(caller: Caller, method: str, path: str, body: Any, type: str = "application/json") -> list[str]:
    """What a write is warned of."""
    answer = caller.client.generic(method, f"/k8s/shop{path}", json.dumps(body), content_type=type)
    assert answer.status_code < 300, answer.content
    return [text.partition('"')[2] for text in answer.warnings]


def deployment(name: str, *images: str) -> dict[str, Any]:
    containers = [{"name": f"c{number}", "image": image} for number, image in enumerate(images)]
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def test_the_first_use_of_an_image_is_warned_of_in_one_line(caller: Caller):
    (warning,) = send(caller, "POST", DEPLOYMENTS, deployment("a", "example.org/a:1", "nginx:1.27"))
    assert warning.startswith(SAID)
    assert send(caller, "POST", DEPLOYMENTS, deployment("b", "example.org/a:1")) == []
    # Another process, which remembers nothing, finds who has it.
    unknown_programs._seen_in.cache_clear()
    assert send(caller, "POST", DEPLOYMENTS, deployment("c", "example.org/a:1")) == []
    assert send(caller, "POST", DEPLOYMENTS, deployment("d", "nginx:1.27")) == []
    (warning,) = send(caller, "POST", DEPLOYMENTS, deployment("e", "example.org/b:1", "example.org/c:1"))
    assert "example.org/b:1, example.org/c:1" in warning


def test_a_change_is_warned_of_the_images_it_brings(caller: Caller):
    send(caller, "POST", DEPLOYMENTS, deployment("a", "example.org/a:1"))
    unknown_programs._seen_in.cache_clear()
    merge = "application/strategic-merge-patch+json"
    assert send(caller, "PATCH", f"{DEPLOYMENTS}/a", {"metadata": {"labels": {"x": "y"}}}, merge) == []
    containers = [{"name": "c0", "image": "example.org/a:2"}]
    change = {"spec": {"template": {"spec": {"containers": containers}}}}
    (warning,) = send(caller, "PATCH", f"{DEPLOYMENTS}/a", change, merge)
    assert "example.org/a:2" in warning
    assert send(caller, "PUT", f"{DEPLOYMENTS}/a", deployment("a", "nginx:1.27")) == []


def test_a_job_is_warned_of_what_it_would_make(shop: Shop, caller: Caller):
    shop.create("ServiceAccount", "maker")
    spec = {"restartPolicy": "Never", "serviceAccountName": "maker"}
    spec["containers"] = [{"name": "app", "image": "example.org/job:1"}]
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j"},
        "spec": {"template": {"spec": spec}},
    }
    first, second = send(caller, "POST", "/apis/batch/v1/namespaces/default/jobs", job)
    assert "to end with code 0" in first and "its program may call the API" in second
