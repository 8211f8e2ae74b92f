"""Requests made by chance of what the REST API says it has: answers, and never a failure of ours."""

from __future__ import annotations

from random import Random
from typing import Any
from urllib.parse import quote, urlencode
from uuid import UUID

import pytest
import yaml
from django.test import Client

from tests.builders import make_cluster, make_transition
from tests.kube_api.hostile import VALUES

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PLAUSIBLE = ["0", "1", "10", "Pod", "Deployment", "default", "web", "10m", "2026-01-01T00:00:00Z", "true", ""]
FORMS = [
    "",
    "*/*",
    "application/json",
    "text/csv",
    "application/x-ndjson",
    "text/html",
    "nonsense",
    "a/b;q=x",
]
METHODS = ["GET"] * 12 + ["HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE"]


class Asker:
    """Asks of every path, with options that it has, in forms that it may not."""

    def __init__(self, client: Client, seed: int) -> None:
        self.client, self.chance = client, Random(seed)
        self.paths: dict[str, Any] = yaml.safe_load(client.get("/api/schema/").content)["paths"]

    def value(self) -> str:
        return str(self.chance.choice(PLAUSIBLE if self.chance.random() < 0.5 else VALUES))

    def ask(self) -> tuple[str, Any]:
        """One request, and its answer."""
        chance = self.chance
        path = chance.choice(sorted(self.paths))
        taken = self.paths[path].get("get", {}).get("parameters", [])
        named = [one["name"] for one in taken if one["in"] == "query"]
        name = "shop" if chance.random() < 0.8 else quote(self.value(), safe="")
        options = [
            (chance.choice([*named, "format", "nonsense"]), self.value()) for _ in range(chance.randrange(5))
        ]
        if chance.random() < 0.4:
            options.append(("format", chance.choice(["json", "csv", "ndjson", "xml"])))
        address = f"{path.format(cluster=name, check=UUID(int=1))}?{urlencode(options, errors='replace')}"
        method, headers = chance.choice(METHODS), {"Accept": chance.choice(FORMS)}
        return f"{method} {address}", self.client.generic(method, address, headers=headers)


def hold_out(client: Client, seed: int, number: int) -> None:
    cluster = make_cluster("shop")
    for seq in range(1, 20):
        make_transition(cluster, seq=seq)
    asker, failed = Asker(client, seed), []
    for _ in range(number):
        asked, answer = asker.ask()
        content = b"".join(answer) if answer.streaming else answer.content
        if answer.status_code >= 500 or b"Traceback" in content:
            failed.append(f"{asked}\n{answer.status_code} {content[:500]!r}")
    assert not failed, "\n".join(failed)


def test_requests_made_by_chance_are_answered(admin_client: Client) -> None:
    hold_out(admin_client, 1, 100)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(2, 8))
def test_many_requests_made_by_chance_are_answered(admin_client: Client, seed: int) -> None:
    hold_out(admin_client, seed, 3000)
