"""A live cluster begins now, so that ages which clients work out are right; unless somebody says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.contrib.auth import get_user_model
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dashboard.pages.home import gallery
from lifecycle.input.manifests import read_documents
from lifecycle.management.commands import up
from lifecycle.models import Cluster
from lifecycle.runs import inbox
from lifecycle.simulation.plan import make_plan
from tests.dashboard.conftest import make_user

NOW = datetime(2031, 5, 6, 7, 8, 9, 999_000, tzinfo=UTC)
BEGUN = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: nginx}]}\n"
SCENARIO = "---\napiVersion: podline.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec: {%s}\n"
EPOCH = "epoch: 2024-02-29T00:00:00Z"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    monkeypatch.setattr(connections, "close_all", lambda: None)


def by_page(client: Client) -> None:
    client.post("/clusters/", {"name": "made", "seed": 1, "nodes": 3, "timing": "realistic"})


def by_demo(client: Client) -> None:
    get_user_model().objects.create_user(up.USER_NAME)
    up.make_demo()


def by_story(client: Client) -> None:
    client.post("/gallery/s01-plain-pod/")


def by_manifests(client: Client) -> None:
    client.post("/try/", {"manifest": POD}, headers={"HX-Request": "true"})


def by_scenario(client: Client) -> None:
    client.post("/try/", {"manifest": POD + SCENARIO % "seed: 3"}, headers={"HX-Request": "true"})


@pytest.mark.slow
@pytest.mark.parametrize("make", [by_page, by_demo, by_story, by_manifests, by_scenario])
def test_a_live_cluster_begins_now_in_whole_seconds(client: Client, make: Callable[[Client], None]) -> None:
    client.force_login(make_user("ada"))
    make(client)
    assert Cluster.objects.get().epoch == BEGUN


def test_a_scenario_says_when_its_cluster_begins(client: Client) -> None:
    client.force_login(make_user("ada"))
    client.post("/try/", {"manifest": POD + SCENARIO % EPOCH}, headers={"HX-Request": "true"})
    assert Cluster.objects.get().epoch == datetime(2024, 2, 29, tzinfo=UTC)


@pytest.mark.slow
def test_stories_that_go_by_the_time_of_day_say_when_they_begin() -> None:
    plans = {
        story.name: gallery.find_plan(story.name)
        for topic in gallery.list_topics()
        for story in topic.stories
    }
    by_clock = {
        name
        for name, plan in plans.items()
        if plan is not None
        and not plan.is_epoch_given
        and any(
            data["kind"] == "CronJob"
            or any(one.get("type") == "cron" for one in data["spec"].get("triggers", ()))
            for data in plan.objects
            if isinstance(data.get("spec"), dict)
        )
    }
    assert by_clock == set()


def test_an_epoch_that_is_given_wins_and_the_admin_offers_now(client: Client) -> None:
    ada = make_user("ada", is_superuser=True, is_staff=True)
    given = datetime(2020, 1, 1, tzinfo=UTC)
    assert inbox.create_cluster(ada, "given", epoch=given).epoch == given
    client.force_login(ada)
    answer = client.get(reverse("admin:lifecycle_cluster_add"))
    assert answer.context["adminform"].form.initial["epoch"] == BEGUN


def test_runs_without_a_server_begin_when_they_always_did() -> None:
    plan = make_plan(read_documents(POD))
    assert (plan.epoch_ms, plan.is_epoch_given) == (1_767_225_600_000, False)
