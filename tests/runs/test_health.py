"""Podline's own probes, its metrics, and the way in."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from dashboard.web import signin
from lifecycle.models import EntryLink, Worker
from lifecycle.runs.sharing import shards
from tests.runs.conftest import create

pytestmark = pytest.mark.django_db


def test_alive_is_said_without_asking_anything(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert client.get("/healthz").content == b"ok\n"


def test_not_ready_says_what_is_missing(client, settings):
    answer = client.get("/readyz")
    assert (answer.status_code, json.loads(answer.content)["workers"]) == (503, "not ready")
    settings.OPEN_TO_ALL = ["metrics"]
    answer = client.get("/readyz")
    assert "no engine worker" in json.loads(answer.content)["workers"]


def test_ready_with_a_worker(client):
    shards.make_shards()
    shards.beat("one")
    answer = client.get("/readyz")
    assert (answer.status_code, json.loads(answer.content)["ready"]) == (200, True)


@pytest.mark.slow
def test_metrics_show_what_workers_counted(client, owner, make_cluster, settings):
    cluster = make_cluster()
    create(cluster)
    owner.turn(cluster.pk)
    shards.beat("test", hot_clusters=1)
    assert client.get("/metrics").status_code == 403
    settings.OPEN_TO_ALL = ["metrics"]
    text = client.get("/metrics").content.decode()
    assert 'podline_worker_hot_clusters{worker="test"} 1.0' in text
    assert "podline_clusters_running 1.0" in text
    figures = Worker.objects.get(name="test").figures
    assert figures["turns"] >= 1 and figures["commands"] >= 1


@pytest.fixture
def token():
    return signin.make_entry_token(get_user_model().objects.create(username="podline"))


def test_the_link_signs_in_once(client, token):
    assert client.get(f"/enter/{token}/").headers["Location"] == "/"
    assert client.session["_auth_user_id"]
    client.logout()
    assert client.get(f"/enter/{token}/").status_code == 410
    assert "_auth_user_id" not in client.session


def test_a_preview_of_the_link_does_not_use_it_up(client, token):
    assert client.head(f"/enter/{token}/").status_code == 200
    assert client.get(f"/enter/{token}/").status_code == 302


def test_a_link_lives_for_a_day(client, token):
    EntryLink.objects.update(created_at=timezone.now() - timedelta(days=1, minutes=1))
    assert client.get(f"/enter/{token}/").status_code == 410


def test_the_token_itself_is_not_kept(token):
    assert token not in str(EntryLink.objects.values())


def test_every_answer_carries_the_content_policy(client):
    answer = client.get("/healthz", headers={"host": "localhost:8000"})
    policy = answer.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy and "default-src 'none'" in policy
    assert "unsafe-eval" not in policy and "ws://localhost:8000 " in policy


def test_a_strange_host_does_not_get_into_the_policy(client):
    answer = client.get("/healthz", headers={"host": "evil;script-src *"})
    assert "evil" not in answer.headers["Content-Security-Policy"]
