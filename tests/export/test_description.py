"""The OpenAPI description and its page, and the streams of an asynchronous server."""

import json
import re
from html import escape

import pytest
import yaml
from django.core.management import call_command
from django.test import AsyncClient, Client

from tests.builders import make_cluster, make_transition

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def client(admin_client: Client) -> Client:
    """Of somebody: strangers are told nothing."""
    return admin_client


def test_strangers_are_told_nothing():
    assert Client().get("/api/schema/").status_code == 403
    assert Client().get("/api/docs/").status_code == 403


def test_the_description_names_every_path(client: Client):
    description = yaml.safe_load(client.get("/api/schema/").content)
    base = "/api/clusters/{cluster}/"
    assert {
        "/api/",
        "/api/clusters/",
        base,
        f"{base}transitions",
        f"{base}events",
        f"{base}objects",
        f"{base}logs",
    } <= (set(description["paths"]))
    transitions = description["paths"][f"{base}transitions"]["get"]
    assert {"kind", "since", "until", "after"} <= {
        parameter["name"] for parameter in transitions["parameters"]
    }
    assert set(transitions["responses"]["200"]["content"]) == {
        "application/json",
        "application/x-ndjson",
        "text/csv",
    }


def test_the_description_names_what_refusals_look_like(client: Client):
    description = yaml.safe_load(client.get("/api/schema/").content)
    make_cluster("shop")
    for path, operations in description["paths"].items():
        expected = {"401"} | ({"404"} if "{cluster}" in path else set())
        for method, operation in operations.items():
            codes = operation["responses"].keys()
            assert expected <= codes and any(code.startswith("2") for code in codes), path
            missing = client.generic(method.upper(), path.replace("{cluster}", "no-such-cluster"))
            assert str(missing.status_code) in codes, (method, path)
    for path in ("transitions?format=json&wrong=1", "events?limit=-1"):
        assert client.get(f"/api/clusters/shop/{path}").status_code == 400
        responses = description["paths"][f"/api/clusters/{{cluster}}/{path.partition('?')[0]}"]["get"][
            "responses"
        ]
        assert {"400", "429"} <= responses.keys()


def test_the_description_is_sound(tmp_path):
    """No warning either: every answer and parameter is described."""
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yaml"))


def test_the_page_tells_of_every_path_and_all_that_it_takes(client: Client):
    page = client.get("/api/docs/").content.decode()
    description = yaml.safe_load(client.get("/api/schema/").content)
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            assert f"{method.upper()} <code>{path}</code>" in page
            assert method != "get" or f'data-api-path="{path}"' in page
            for parameter in operation.get("parameters", ()):
                assert f'name="{parameter["name"]}"' in page
                assert escape(parameter.get("description", "")) in page
    for field in description["components"]["schemas"]["Transition"]["properties"]:
        assert f"<dt><code>{field}</code></dt>" in page
    assert page.count('name="format"') == 4, "of transitions, events, objects and logs"


def test_the_page_needs_nothing_from_elsewhere(client: Client):
    page = client.get("/api/docs/").content.decode()
    assert "//cdn" not in page and "https://" not in page
    scripts = re.findall(r"<script[^>]*>", page)
    assert scripts and all(" src=" in script for script in scripts), (
        "an inline script would be refused by the policy"
    )


def test_the_root_says_where_to_go(client: Client):
    client.force_login(make_cluster("shop").owner)
    assert client.get("/api/").json()["clusters"] == "http://testserver/api/clusters/"
    assert client.get("/api/clusters/shop/").json()["name"] == "shop"


@pytest.mark.django_db(transaction=True)
async def test_an_asynchronous_server_streams_page_by_page(async_client: AsyncClient, monkeypatch):
    from asgiref.sync import sync_to_async

    monkeypatch.setattr("lifecycle.sources.PAGE_ROWS", 2)
    cluster = await sync_to_async(make_cluster)("shop")
    for _ in range(5):
        await sync_to_async(make_transition)(cluster)
    await async_client.aforce_login(cluster.owner)
    response = await async_client.get("/api/clusters/shop/transitions?format=ndjson")
    assert response.is_async
    pieces = [piece async for piece in response.streaming_content]
    assert [piece.count(b"\n") for piece in pieces] == [2, 2, 1, 1]
    assert json.loads(pieces[-1]) == {"type": "cursor", "after": 5, "complete": True}


def test_what_a_path_takes_is_told_of_logs_too(client: Client):
    make_cluster("shop")
    answer = client.options("/api/clusters/shop/logs")
    assert answer.status_code == 200
    assert json.loads(answer.content)["renders"] == ["text/plain", "application/json"]
