"""Who may read what; where a stranger sees nothing at all."""

from importlib import import_module
from io import StringIO

import pytest
from django.apps import apps
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.http import Http404
from django.test import Client
from rest_framework.authtoken.models import Token

from lifecycle import access
from lifecycle.rest_tokens import issue
from tests.builders import make_cluster, make_superuser, make_user

pytestmark = pytest.mark.django_db

PATHS = ["", "transitions", "events", "objects", "logs?pod=web-0"]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_someone_elses_cluster_is_not_there(client: Client, path: str):
    make_cluster("shop")
    client.force_login(make_user())
    response = client.get(f"/api/clusters/shop/{path}")
    assert (response.status_code, response.json()) == (404, {"detail": "There is no cluster 'shop'."})


@pytest.mark.parametrize("path", PATHS)
def test_a_stranger_is_asked_who_they_are(client: Client, path: str):
    make_cluster("shop")
    response = client.get(f"/api/clusters/shop/{path}")
    assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_a_token_opens_the_owners_clusters(client: Client):
    cluster = make_cluster("shop")
    make_cluster("other")
    token = issue(cluster.owner)
    response = client.get("/api/clusters/", headers={"Authorization": f"Bearer {token}"})
    assert [found["name"] for found in response.json()] == ["shop"]


def test_a_token_is_shown_once_and_kept_as_a_digest(client: Client):
    cluster, said = make_cluster("shop"), StringIO()
    first = issue(cluster.owner)
    call_command("drf_create_token", cluster.owner.get_username(), stdout=said)
    token = said.getvalue().split()[2]
    kept = Token.objects.get(user=cluster.owner).key
    assert kept != token and token[:20] not in kept
    for text, status in ((token, 200), (first, 401), (kept, 401)):
        assert client.get("/api/", headers={"Authorization": f"Bearer {text}"}).status_code == status
    client.force_login(make_superuser("root"))
    shown = client.get("/admin/authtoken/tokenproxy/")
    assert shown.status_code == 200 and token not in shown.content.decode()
    assert client.get("/admin/authtoken/tokenproxy/add/").status_code == 403


def test_a_token_that_was_kept_as_it_is_stays_good(client: Client):
    cluster = make_cluster("shop")
    Token.objects.create(user=cluster.owner, key="0123456789abcdef0123456789abcdef01234567")
    migration = import_module("lifecycle.migrations.0014_digests_of_tokens")
    migration.keep_digests(apps, None)
    assert not Token.objects.filter(key__startswith="0123456789abcdef").exists()
    shown = {"Authorization": "Bearer 0123456789abcdef0123456789abcdef01234567"}
    assert client.get("/api/clusters/", headers=shown).status_code == 200


def test_a_wrong_token_opens_nothing(client: Client):
    response = client.get("/api/clusters/", headers={"Authorization": "Bearer nonsense"})
    assert response.status_code == 401


def test_nothing_can_be_written(client: Client):
    cluster = make_cluster("shop")
    client.force_login(cluster.owner)
    assert client.post("/api/clusters/shop/events").status_code == 405


def make_people() -> dict[str, access.User]:
    owner = make_user("owner")
    return {
        "owner": owner,
        "stranger": make_user("stranger"),
        "staff": make_user("staff", is_staff=True),
        "superuser": make_superuser("superuser"),
        "retired": make_user("retired", is_active=False, is_superuser=True),
        "nobody": AnonymousUser(),
    }


@pytest.mark.parametrize(
    "who, expected",
    [
        ("owner", True),
        ("superuser", True),
        ("stranger", False),
        ("staff", False),
        ("retired", False),
        ("nobody", False),
    ],
)
def test_owners_and_superusers_may(who: str, expected: bool):
    people = make_people()
    cluster = make_cluster("shop", owner=people["owner"])
    assert [access.may(people[who], cluster, verb) for verb in access.Verb] == [expected] * len(access.Verb)
    assert list(access.clusters_for(people[who])) == [cluster] * expected


def test_a_misspelt_verb_is_refused():
    cluster = make_cluster()
    with pytest.raises(ValueError, match="peek"):
        access.may(cluster.owner, cluster, "peek")


def test_a_cluster_that_may_be_seen_but_not_changed_is_no_secret(monkeypatch):
    cluster = make_cluster("shop")
    monkeypatch.setattr(access, "may", lambda user, cluster, verb: verb == access.Verb.VIEW)
    assert access.get_cluster_or_404(cluster.owner, "shop") == cluster
    with pytest.raises(PermissionDenied, match="not change it"):
        access.get_cluster_or_404(cluster.owner, "shop", access.Verb.CHANGE)
    with pytest.raises(Http404):
        access.get_cluster_or_404(cluster.owner, "absent")
