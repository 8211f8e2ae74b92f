"""Whatever is sent to a cluster's API server: an answer in its words, never a failure of ours."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client

from lifecycle.models import Command
from lifecycle.runs import inbox
from tests.kube_api.conftest import Shop
from tests.kube_api.hostile import Chance, Json, Request
from tests.seeds import one_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

OBJECTS = yaml.safe_load(Path(__file__).with_name("hostile_objects.yaml").read_text())
# What a real API server answers 500 to as well, as it words it.
AS_REAL = re.compile(
    r"resourceVersion: Invalid value: |resourceVersion should not be set|.*strconv.ParseUint"
    r"|failed to create (typed|manager for)|.*field not declared|name: expected a plain"
    r"|expected a map with |map: map.* does not contain declared merge key|unknown patch type"
    r"|target\.(kind|name): |\[target"
)


class Target:
    """A cluster with objects of many kinds, its worker having a turn whenever something waits."""

    def __init__(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.client = Client()
        self.client.force_login(shop.cluster.owner)

        def wait(command: Command, timeout: float) -> Json | None:
            shop.turn()
            command.refresh_from_db()
            return command.result

        monkeypatch.setattr(inbox, "wait_for_result", wait)
        self.objects: dict[str, Json] = {}
        for one in OBJECTS:
            path, data = one["path"], one["object"]
            answer = self.send(Request("POST", path, json.dumps(data).encode(), "application/json"))
            assert answer.status_code == 201, (path, answer.content)
            self.objects[f"{path}/{data['metadata']['name']}"] = answer.json()
        self.paths: Json = json.loads(self.client.get("/k8s/shop/openapi/v2").content)["paths"]

    def send(self, request: Request) -> Any:
        return self.client.generic(
            request.method,
            f"/k8s/shop{request.path}",
            request.body,
            request.content_type,
            headers={"Accept": request.accept},
        )


@pytest.fixture
def target(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Target:
    return Target(shop, monkeypatch)


def is_answered(answer: Any) -> bool:
    """Whether it is what a server says that is well. 503 and 504 are told by their own tests."""
    if answer.streaming:
        return answer.status_code < 500
    if b"Traceback" in answer.content or b"Internal error occurred" in answer.content:
        return False
    if answer.status_code != 500:
        return True
    return AS_REAL.match(yaml.safe_load(answer.content)["message"]) is not None


def hold_out(target: Target, seed: int, number: int) -> None:
    """Send that many requests, and tell those that are not answered well."""
    failed = []
    for request in Chance(seed, target.paths, target.objects).make(number):
        answer = target.send(request)
        if not is_answered(answer):
            failed.append(f"{request}\n{answer.status_code} {answer.content[:1000]!r}")
    assert not failed, f"{len(failed)} of {number}\n\n" + "\n\n".join(failed)


@pytest.mark.parametrize("levels", one_in(8, [240, 20, 45, 100, 200, 330, 1000, 5000]))
def test_however_deep_a_body_is_it_is_answered(target: Target, levels: int) -> None:
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "string"}},
    }
    names = {"kind": "Odd", "plural": "odds"}
    spec = {"group": "example.net", "scope": "Cluster", "names": names, "versions": [version]}
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    data = json.dumps({**head, "metadata": {"name": "odds.example.net"}, "spec": spec})
    # The writer of JSON is not as patient as its readers have to be.
    text = '{"type": "object", "properties": {"a": ' * levels + '{"type": "string"}' + "}}" * levels
    body = data.replace('{"type": "string"}', text).encode()
    for method, place, kind in (
        ("POST", path, "application/json"),
        ("POST", path, "application/yaml"),
        ("PUT", f"{path}/odds.example.net", "application/json"),
        ("PATCH", f"{path}/odds.example.net", "application/merge-patch+json"),
        ("PATCH", f"{path}/odds.example.net?fieldManager=x", "application/apply-patch+yaml"),
        ("GET", "/openapi/v2", ""),
        ("GET", "/openapi/v3/apis/example.net/v1", ""),
        ("GET", path, ""),
    ):
        answer = target.send(Request(method, place, body, kind))
        assert is_answered(answer), (method, place, answer.status_code, answer.content[:300])


@pytest.mark.slow
def test_requests_made_by_chance_are_answered(target: Target) -> None:
    hold_out(target, seed=1, number=80)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(2, 10))
def test_many_requests_made_by_chance_are_answered(target: Target, seed: int) -> None:
    hold_out(target, seed, number=3000)
