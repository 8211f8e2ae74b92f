"""Objects of every kind hold all that their schemas call required: generated clients read nothing else."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import kubernetes
import pytest
import yaml
from django.test import Client

from lifecycle.kube_api.describing import openapi
from lifecycle.kube_api.describing.built_in import list_built_in
from tests.kube_api.conftest import Shop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

OBJECTS = list(yaml.safe_load_all(Path(__file__).with_name("every_kind.yaml").read_text()))
BUILT_IN = list(list_built_in().values())
SOON_SECONDS = 130.0
Json = dict[str, Any]


@pytest.fixture
def shop_with_all(shop: Shop) -> Shop:
    """A cluster with objects of every kind that can be made, and what two minutes made of them."""
    for data in OBJECTS:
        meta = {"namespace": "default", **data["metadata"]}
        shop.submit("create", object={**data, "metadata": meta}, request={})
    shop.submit("fault", node="node-2", kind="crash", **{"for": "5s"})
    shop.turn(SOON_SECONDS)
    return shop


class Reader:
    """The owner's own client."""

    def __init__(self, shop: Shop) -> None:
        self.client = Client()
        self.client.force_login(shop.cluster.owner)
        self.base = f"/k8s/{shop.cluster.name}"

    def read(self, path: str) -> Any:
        return self.client.get(f"{self.base}{path}")


# --- by the schemas we serve ------------------------------------------------------------------------------


def find_missing(value: Any, schema: Json, definitions: Mapping[str, Json], path: str) -> Iterator[str]:
    """Where in a value something stands not that its schema calls required."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/definitions/")]
    if isinstance(value, list):
        for index, one in enumerate(value):
            yield from find_missing(one, schema.get("items") or {}, definitions, f"{path}[{index}]")
    elif isinstance(value, dict):
        yield from (f"{path}.{name}" for name in schema.get("required") or () if name not in value)
        known, further = schema.get("properties") or {}, schema.get("additionalProperties")
        for name, one in value.items():
            inner = known.get(name, further)
            if isinstance(inner, dict):
                yield from find_missing(one, inner, definitions, f"{path}.{name}")


def test_every_listed_object_holds_what_its_schema_requires(shop_with_all: Shop) -> None:
    definitions = openapi.make_v2(BUILT_IN)["definitions"]
    by_kind = {
        (mark["group"], mark["version"], mark["kind"]): schema
        for schema in definitions.values()
        for mark in schema.get("x-kubernetes-group-version-kind") or ()
    }
    reader, seen, missing = Reader(shop_with_all), set(), []
    for resource in BUILT_IN:
        if "list" not in resource.verbs:
            continue
        root = f"/apis/{resource.api_version}" if resource.group else f"/api/{resource.version}"
        schema = by_kind[resource.group, resource.version, resource.kind]
        for one in reader.read(f"{root}/{resource.name}").json()["items"]:
            seen.add(resource.kind)
            subject = f"{resource.kind} {one['metadata']['name']}"
            missing += find_missing(one, schema, definitions, subject)
    assert missing == []
    assert {one.kind for one in BUILT_IN if "list" in one.verbs} == seen


# --- by a generated client --------------------------------------------------------------------------------


class Transport:
    """Takes a generated client's requests to our views."""

    def __init__(self, shop: Shop) -> None:
        self.reader = Reader(shop)

    def request(self, method: str, url: str, **beside: Any) -> Any:
        assert method == "GET"
        answer = self.reader.read(urlsplit(url).path)
        if answer.status_code != 200:
            raise kubernetes.client.ApiException(answer.status_code)
        headers = {"content-type": "application/json"}
        found = SimpleNamespace(status=200, reason="OK", data=answer.content, headers=headers)
        return kubernetes.client.rest.RESTResponse(found)


# Its times may be null, which no generated client reads; v1.35 sends what the core group's have so too.
UNREADABLE = {"EventsV1Api.list_event_for_all_namespaces"}


def list_calls(client: Any) -> Iterator[tuple[str, Any]]:
    """Every call of the client that lists all objects of a kind."""
    # By their names: all else that is there is only read when it is asked for, and is a thousand models.
    for api_name in dir(kubernetes.client):
        if not api_name.endswith("Api") or api_name in ("CustomObjectsApi", "ApisApi"):
            continue
        one = getattr(kubernetes.client, api_name)(client)
        for name in dir(one):
            call = getattr(one, name)
            if not name.startswith("list_") or name.endswith(("_with_http_info", "_without_preload_content")):
                continue
            if (
                f"{api_name}.{name}" not in UNREADABLE
                and not {"namespace", "name"} & inspect.signature(call).parameters.keys()
            ):
                yield f"{api_name}.{name}", call


# It reads no more than the schemas say, and its thousand models take as long as all other tests of a kind.
@pytest.mark.deep
def test_a_generated_client_lists_every_kind(shop_with_all: Shop) -> None:
    client = kubernetes.client.ApiClient()
    client.rest_client = Transport(shop_with_all)
    seen = set()
    for name, call in list_calls(client):
        try:
            found = call()
        except kubernetes.client.ApiException as problem:
            assert problem.status == 404, (name, problem)
            continue
        seen |= {found.kind} if found.items else set()
    addons = {"ScaledObject", "VerticalPodAutoscaler", "ContainerProfile", "Verdict"}
    own = {*addons, "Clock", "NodeMetrics", "PodMetrics"}
    listed = {one.kind_of_list for one in BUILT_IN if "list" in one.verbs and one.kind not in own}
    assert listed <= seen
