"""The page of checks: every state, its cells, what was found, and names that are no names."""

from typing import Any

import pytest
from django.test import Client

from lifecycle.models import Check, CheckPart, Cluster
from lifecycle.runs import forks
from lifecycle.runs.checks import news
from tests.builders import make_cluster, make_user

pytestmark = pytest.mark.django_db
WEB, API = "Deployment/shop/web", "StatefulSet/shop/api"
HOSTILE = "Deployment/shop/<script>alert(1)</script>"


def cell(of: int = 1, done: int = 1, **found: Any) -> dict[str, Any]:
    return {"of": of, "done": done, "isDown": False, "found": found}


def finding(**values: Any) -> dict[str, Any]:
    return {
        "id": "0123456789ab",
        "ordeal": "node-crash",
        "claim": "whole-again",
        "severity": "serious",
        "object": WEB,
        "text": "not whole again",
        "times": 3,
        "of": 4,
        "counterexample": {"seed": 2, "at_ms": 65_000, "command": ""},
        "because": ["a node is gone: fault"],
        "remedies": [{"text": "replicas 2", "patch": {}, "figures": {}, "price": "one pod more"}],
    } | values


@pytest.fixture
def cluster(client: Client, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    monkeypatch.setattr(news, "tell", lambda check: None)
    made = make_cluster("shop")
    client.force_login(made.owner)
    return made


def make_check(cluster: Cluster, state: str, **values: Any) -> Check:
    return Check.objects.create(cluster=cluster, user=cluster.owner, state=state, **values)


def read(client: Client, path: str = "") -> str:
    answer = client.get(f"/clusters/shop/check/{path}")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize(
    "state, values, words",
    [
        pytest.param(None, {}, "No check yet", id="none"),
        pytest.param("asked", {}, "Waiting for a worker", id="asked"),
        pytest.param("running", {"total": 8, "done": 2}, "2 of 8 futures", id="running"),
        pytest.param("running", {"total": 8, "done": 8, "is_summing": True}, "Trying what helps", id="sum"),
        pytest.param("done", {"total": 8, "done": 8}, "Nothing found", id="done"),
        pytest.param("cancelled", {}, "Cancelled", id="cancelled"),
        pytest.param("failed", {"problem": "no <b>worker</b>"}, "no &lt;b&gt;worker", id="failed"),
    ],
)
def test_every_state_is_told(client, cluster, state, values, words):
    if state:
        make_check(cluster, state, **values)
    page = read(client)
    assert words in page
    assert ("Cancel</button>" in page) == (state in ("asked", "running"))


def test_the_card_is_joined_from_what_parts_have_told_so_far(client, cluster):
    begun = {"node-crash": {WEB: cell(2, 0), API: cell(2, 0)}}
    check = make_check(cluster, "running", total=4, done=3, card=begun)
    lived = {"node-crash": {WEB: cell(0, 2), API: cell(0, 1, stuck={API: "minor"})}}
    CheckPart.objects.create(check_of=check, first=0, count=4, card=lived)
    page = read(client, "status/")
    assert page.count('<span class="mark fine"><span aria-hidden="true">✓') == 1
    assert '1<span class="visually-hidden"> finding, minor at worst' in page


def test_what_never_came_up_passes_no_ordeal(client, cluster):
    down = {**cell(2, 0), "isDown": True}
    check = make_check(cluster, "running", total=4, done=2, card={"node-crash": {WEB: down, API: cell(2, 2)}})
    CheckPart.objects.create(check_of=check, first=0, count=2, card={"node-crash": {WEB: cell(0, 2)}})
    page = read(client, "status/")
    assert page.count('<span class="visually-hidden">never came up</span>') == 1
    assert page.count('<span class="visually-hidden">fine</span>') == 1


def test_a_cell_opens_its_findings(client, cluster):
    card = {"node-crash": {WEB: cell(1, 1, **{"whole-again": {WEB: "serious"}}), API: cell()}}
    check = make_check(cluster, "done", card=card, report={"findings": [finding()]})
    assert f"node-crash of {WEB}: 1 finding, serious at worst" in read(client)
    own = read(client, f"{check.pk}/?ordeal=node-crash&workload={WEB}")
    for words in (
        "not whole again",
        "in 3 of 4 futures",
        "replicas 2: one pod more",
        "a node is gone: fault",
    ):
        assert words in own
    assert "Nothing was found" in read(client, f"{check.pk}/?ordeal=node-crash&workload={API}")
    assert "not whole again" in read(client, f"{check.pk}/")


def test_names_from_manifests_are_text(client, cluster):
    card = {"node-crash": {HOSTILE: cell(1, 1, **{"whole-again": {HOSTILE: "critical"}})}}
    told = finding(object=HOSTILE, because=[HOSTILE], text=HOSTILE, severity="critical")
    check = make_check(cluster, "done", card=card, report={"findings": [told]}, remarks=[HOSTILE])
    for path in ("", "status/", f"{check.pk}/?ordeal=node-crash&workload=%3Cscript%3E"):
        assert "<script>alert" not in read(client, path)


@pytest.mark.parametrize(
    "form, words",
    [
        ({"seeds": "0"}, "greater than or equal to 1"),
        ({"seeds": "51"}, "less than or equal to 50"),
        ({}, "This field is required"),
        ({"seeds": "1", "ordeals": "nothing"}, "nothing is not one of the available choices"),
    ],
)
def test_a_form_that_is_wrong_starts_nothing(client, cluster, form, words):
    answer = client.post("/clusters/shop/check/start/", form)
    assert answer.status_code == 422 and words in answer.content.decode()
    assert not Check.objects.exists()


def test_one_check_starts_and_a_second_is_told_to_wait(client, cluster):
    form = {"seeds": "2", "ordeals": ["node-crash", "undo"]}
    assert "Waiting for a worker" in client.post("/clusters/shop/check/start/", form).content.decode()
    assert Check.objects.get().ordeals == ["undo", "node-crash"]
    again = client.post("/clusters/shop/check/start/", form)
    assert again.status_code == 422 and "Not started" in again.content.decode()
    check = Check.objects.get()
    assert "Cancelled" in client.post(f"/clusters/shop/check/{check.pk}/cancel/").content.decode()


def test_a_counterexample_that_cannot_be_opened_is_told_why(client, cluster, monkeypatch):
    check = make_check(cluster, "done", at_ms=0, counterexamples={})
    answer = client.post(f"/clusters/shop/check/{check.pk}/open/", {"finding": "x<b>"})
    assert answer.status_code == 422 and "has no finding x&lt;b&gt;" in answer.content.decode()

    def fork(*_: Any) -> None:
        raise ValueError("that instant is no longer kept")

    monkeypatch.setattr(forks, "fork", fork)
    check.counterexamples = {"1": {"title": "node-crash node-1", "seed": 1, "steps": []}}
    check.save()
    answer = client.post(f"/clusters/shop/check/{check.pk}/open/", {"finding": "1"})
    assert answer.status_code == 422 and "no longer kept" in answer.content.decode()


def test_a_check_of_another_cluster_is_not_shown_here(client, cluster):
    other = make_check(make_cluster("other", owner=make_user()), "done")
    assert client.get(f"/clusters/shop/check/{other.pk}/").status_code == 404
    assert client.post(f"/clusters/shop/check/{other.pk}/cancel/").status_code == 404
