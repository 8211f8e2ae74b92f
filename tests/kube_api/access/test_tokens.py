"""Tokens: shown once, one user's, one cluster's, ended by a click; and the files that hold them."""

from __future__ import annotations

import base64
from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client

from lifecycle import tokens
from lifecycle.kube_api.access.authentication import Right
from lifecycle.models import ApiToken, Cluster
from tests.dashboard.conftest import make_cluster, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def shop() -> Cluster:
    return make_cluster(make_user("ada"))


@pytest.fixture(autouse=True)
def authority(settings, tmp_path: Path) -> Path:
    """An authority as `manage.py up` keeps it."""
    settings.TLS_AUTHORITY = tmp_path / "authority.pem"
    settings.TLS_AUTHORITY.write_text("a certificate")
    return settings.TLS_AUTHORITY


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_only_the_digest_of_a_token_is_kept(shop):
    token = tokens.issue(shop.owner, shop)
    kept = ApiToken.objects.values().get()
    assert token not in str(kept)
    assert len(token) >= 43
    assert tokens.find(token) == ApiToken.objects.get()


@pytest.mark.parametrize("text", ["", "podline_", "é\ud800", "x" * 100_000])
def test_nonsense_is_no_token(shop, text):
    assert tokens.find(text) is None


def test_a_token_is_for_its_own_cluster(shop):
    other = make_cluster(shop.owner, "other")
    token = tokens.issue(shop.owner, shop)
    assert tokens.find(token, "shop") is not None
    assert tokens.find(token, other.name) is None


def test_the_oldest_of_too_many_tokens_ends(shop, monkeypatch):
    monkeypatch.setattr(tokens, "MOST_TOKENS", 2)
    issued = [tokens.issue(shop.owner, shop) for _ in range(3)]
    assert [tokens.find(token) is not None for token in issued] == [False, True, True]


def test_the_page_offers_the_file_and_ends_its_token(shop):
    client = signed_in(shop.owner)
    assert 'href="/clusters/shop/kubeconfig"' in client.get("/clusters/shop/").content.decode()
    answer = client.get("/clusters/shop/kubeconfig")
    assert answer["Content-Disposition"] == 'attachment; filename="shop.kubeconfig"'
    assert "no-store" in answer["Cache-Control"]
    config = yaml.safe_load(answer.content)
    token = config["users"][0]["user"]["token"]
    issued = tokens.find(token, "shop")
    assert issued is not None and issued.user == shop.owner
    assert token not in client.get("/clusters/shop/tokens/").content.decode()
    assert client.post(f"/clusters/shop/tokens/{issued.pk}/revoke/").status_code == 200
    assert tokens.find(token) is None


def test_a_strangers_cluster_gives_no_file(shop):
    client = signed_in(make_user("eve"))
    assert client.get("/clusters/shop/kubeconfig").status_code == 404
    assert not ApiToken.objects.exists()


def test_nobody_ends_the_token_of_another(shop):
    root = make_user("root", is_superuser=True)
    token = tokens.issue(shop.owner, shop)
    signed_in(root).post(f"/clusters/shop/tokens/{ApiToken.objects.get().pk}/revoke/")
    assert tokens.find(token) is not None


def test_the_file_leads_over_tls_to_the_address_asked_for(shop, authority):
    answer = signed_in(shop.owner).get("/clusters/shop/kubeconfig", headers={"host": "localhost:8123"})
    server = yaml.safe_load(answer.content)["clusters"][0]["cluster"]
    assert server["server"] == "https://localhost:8123/k8s/shop"
    assert base64.b64decode(server["certificate-authority-data"]) == authority.read_bytes()


def test_without_an_own_authority_the_file_leads_to_the_address_as_it_is(shop, settings):
    settings.TLS_AUTHORITY = "/nowhere"
    answer = signed_in(shop.owner).get("/clusters/shop/kubeconfig", headers={"host": "localhost:8123"})
    assert yaml.safe_load(answer.content)["clusters"][0]["cluster"] == {
        "server": "http://localhost:8123/k8s/shop"
    }


def run(*arguments: str) -> dict:
    out = StringIO()
    call_command("kubeconfig", *arguments, stdout=out)
    return yaml.safe_load(out.getvalue())


def test_the_command_prints_a_file_for_where_up_serves(shop, settings, tmp_path):
    settings.DATA = tmp_path
    (tmp_path / "address").write_text("http://127.0.0.1:8765\n")
    config = run("shop")
    assert config["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:8765/k8s/shop"
    issued = tokens.find(config["users"][0]["user"]["token"])
    assert issued is not None and (issued.user, issued.cluster) == (shop.owner, shop)


def test_the_command_takes_another_user_and_another_address(shop):
    root = make_user("root", is_superuser=True)
    config = run("shop", "--user", "root", "--server", "https://podline.example.org/")
    assert config["clusters"][0]["cluster"] == {"server": "https://podline.example.org/k8s/shop@ada"}
    issued = tokens.find(config["users"][0]["user"]["token"])
    assert issued is not None and issued.user == root


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["shop2"], "there is no cluster 'shop2'; there are: shop"),
        (["shop", "--user", "nobody"], "there is no user 'nobody'"),
        (["shop", "--user", "eve"], "the user 'eve' may not look at the cluster 'shop'"),
    ],
)
def test_the_command_says_what_is_wrong(shop, arguments, words):
    make_user("eve")
    with pytest.raises(CommandError, match=words):
        run(*arguments)
    assert not ApiToken.objects.exists()


def ask(token: str, cluster: str = "shop") -> int:
    """The code of an answer to who shows a token."""
    headers = {"authorization": f"Bearer {token}"}
    return Client().get(f"/k8s/{cluster}/api/v1/namespaces/default/pods", headers=headers).status_code


def test_a_token_lets_its_user_in_and_a_revoked_one_nobody(shop):
    token = tokens.issue(shop.owner, shop)
    assert ask(token) not in (401, 403)
    ApiToken.objects.all().delete()
    assert ask(token) == 401


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer wrong", "Basic YTpi", "é"])
def test_whatever_else_is_shown_is_unauthorized(shop, header):
    client = signed_in(shop.owner)
    answer = client.get("/k8s/shop/api/v1/namespaces/default/pods", headers={"authorization": header})
    assert answer.status_code == 401
    assert answer.json() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Unauthorized",
        "reason": "Unauthorized",
        "code": 401,
    }


def test_a_deactivated_users_token_is_unauthorized(shop):
    token = tokens.issue(shop.owner, shop)
    shop.owner.is_active = False
    shop.owner.save()
    assert ask(token) == 401


def test_a_token_says_nothing_about_other_clusters(shop):
    """A stranger's cluster, one of the user's own and one that is not there answer alike."""
    token = tokens.issue(shop.owner, shop)
    make_cluster(make_user("eve"), "hers")
    make_cluster(shop.owner, "mine")
    assert [ask(token, name) for name in ("hers", "mine", "none")] == [401] * 3


def test_a_token_of_a_cluster_that_went_to_somebody_else_finds_none(shop):
    token = tokens.issue(shop.owner, shop)
    shop.owner = make_user("eve")
    shop.save()
    assert ask(token) == 404


def test_a_right_ends_with_its_token_its_user_and_its_cluster(shop):
    tokens.issue(shop.owner, shop)
    right = Right(shop.pk, shop.owner.pk, ApiToken.objects.get().pk)
    assert right()
    assert not Right(shop.pk, shop.owner.pk, 0)()
    assert not Right(shop.pk, make_user("eve").pk, None)()
    ApiToken.objects.all().delete()
    assert not right() and Right(shop.pk, shop.owner.pk, None)()
    pk = shop.pk
    shop.delete()
    assert not Right(pk, shop.owner_id, None)()


@pytest.mark.parametrize(
    "begins, expected",
    [("same-origin", 200), ("none", 200), (None, 200), ("same-site", 403), ("cross-site", 403)],
)
def test_nobody_elses_page_has_a_token_made(shop, begins, expected):
    """Each would end an older one: a picture on a page elsewhere could end them all."""
    headers = {"Sec-Fetch-Site": begins} if begins else {}
    answer = signed_in(shop.owner).get("/clusters/shop/kubeconfig", headers=headers)
    assert answer.status_code == expected
    assert ApiToken.objects.exists() is (expected == 200)
