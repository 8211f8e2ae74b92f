"""The page of a sweep: its form, its grid, and what cannot be had, in words."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.pages.sweep import views
from lifecycle.models import Cluster, StoredObject
from lifecycle.runs.comparisons.sweeps import Cell
from tests.dashboard.conftest import make_cluster, make_user

pytestmark = pytest.mark.django_db
PAGE = "/clusters/shop/deployments/default/web/sweep/"
FORM = {"first": "preStop", "first_values": "0, 15", "second": "maxSurge", "second_values": "1, 25%"}


@pytest.fixture
def cluster(client: Client) -> Cluster:
    ada = make_user()
    client.force_login(ada)
    made = make_cluster(ada)
    data = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
    }
    StoredObject.objects.create(
        cluster=made,
        uid="web",
        kind="Deployment",
        group="apps",
        namespace="default",
        name="web",
        rv=1,
        data=data,
    )
    return made


class Restored:
    """What a cluster is taken up as."""

    engine = property(lambda self: self)

    def save(self) -> dict[str, Any]:
        return {}


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The pairs that were tried; each takes a second, and loses requests with a sleep of 0."""
    pairs: list[Any] = []

    def try_pair(saved: Any, name: Any, pair: Any, services: Any, is_late: Any) -> Cell:
        pairs.append(pair)
        if pair[1][1] == "25%":
            return Cell("<b>refused")
        return Cell("", 5000, 1000 if pair[0][1] else None, 3, 0 if pair[0][1] else 1200)

    monkeypatch.setattr(views, "try_pair", try_pair)
    monkeypatch.setattr(views.forks, "restore_at", lambda cluster, at_ms: Restored())
    return pairs


def test_the_form_offers_fields_and_values(client: Client, cluster: Cluster) -> None:
    page = client.get(PAGE).content.decode()
    assert "Sweep of default/web" in page and 'value="1, 25%, 50%"' in page
    assert client.get(PAGE.replace("web", "nothing")).status_code == 404


def test_the_grid_tells_each_pair(client: Client, cluster: Cluster, tried: list[Any]) -> None:
    page = client.post(f"{PAGE}try/", FORM).content.decode()
    assert len(tried) == 4
    assert page.count("Open as a fork") == 2
    for words in (
        "not done in 15 minutes",
        "1.2s of requests lost",
        "no request lost",
        "3 available at the fewest",
        "&lt;b&gt;refused",
        "Open preStop: sleep seconds 15, maxSurge 1 as a fork",
    ):
        assert words in page


@pytest.mark.parametrize(
    "change, words",
    [
        ({"second": "preStop"}, "Choose two fields that are not the same"),
        ({"first_values": "1,2,3,4,5"}, "give 1 to 4 values"),
        ({"second_values": "<b>"}, "&#x27;&lt;b&gt;&#x27; is no whole number, or a share as 25%"),
        ({"first": "image"}, "image is not one of the available choices"),
        ({"first_values": ""}, "This field is required"),
        ({"first_values": "1" * 70}, "at most 60 characters"),
    ],
)
@pytest.mark.parametrize("action", ["try", "open"])
def test_a_form_that_is_wrong_tries_nothing(client, cluster, tried, action, change, words) -> None:
    answer = client.post(f"{PAGE}{action}/", FORM | change)
    assert answer.status_code == 422 and words in answer.content.decode()
    assert tried == []


def test_a_pair_opens_as_a_fork_or_says_why_not(client, cluster, monkeypatch) -> None:
    asked: list[Any] = []

    def open_pair(cluster: Cluster, user: Any, name: Any, pair: Any, is_late: Any) -> Cluster:
        asked.append((name, pair))
        return make_cluster(user, "shop-sweep")

    monkeypatch.setattr(views, "open_pair", open_pair)
    form = FORM | {"first_values": "15", "second_values": "25%"}
    answer = client.post(f"{PAGE}open/", form)
    assert answer.headers["HX-Redirect"] == "/clusters/shop-sweep/deployments/default/web/"
    assert asked == [(("default", "web"), (("preStop", 15), ("maxSurge", "25%")))]

    def refuse(*_: Any) -> Cluster:
        raise ValueError("spec.<b>: not so")

    monkeypatch.setattr(views, "open_pair", refuse)
    answer = client.post(f"{PAGE}open/", form)
    assert answer.status_code == 422 and "spec.&lt;b&gt;: not so" in answer.content.decode()
