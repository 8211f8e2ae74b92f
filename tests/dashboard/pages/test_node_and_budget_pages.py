"""The pages of nodes and of disruption budgets, of real runs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.asking.forms import NodeForm
from dashboard.live.feeds import make_feed
from dashboard.pages.budget.readings import list_evictions, tell
from dashboard.pages.node.drain_previews import preview_drain
from dashboard.pages.node.readings import list_nodes, read_node
from lifecycle.models import Cluster, Role
from lifecycle.recorded.objects import find_object
from tests.dashboard.conftest import make_user
from tests.engine.disruption.site import Site, make_budget, make_workload
from tests.engine.kinds.kept import keep

EDITOR_AND_DRAIN = ("deployments/default/web/?edit", "nodes/node-1/?drain#drain-title")
pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def make_site(**budget: object) -> Site:
    """Two pods on each of two nodes, and a budget."""
    site = Site(nodes=2, end="2s", start="8s")
    site.apply(make_workload(replicas=4))
    site.apply(make_budget(**budget))
    return site.run(20)  # type: ignore[return-value]


def drained() -> Cluster:
    """A drain that its budget held up for ten seconds, from 20.5 s on."""
    site = make_site(maxUnavailable=1)
    site.drain(timeout="5m")
    return keep(site.run(40).cluster)


def test_a_node_says_what_it_has_and_what_is_asked_of_it():
    cluster = keep(make_site(maxUnavailable=1).cluster)
    stored = find_object(cluster, "Node", "", "node-1")
    assert stored is not None
    read = read_node(cluster, stored, 20_000)
    assert read["verdict"] == "Ready; 2 pods on it."
    assert [(one.name, one.asked, one.there_is) for one in read["resources"]][:2] == [
        ("cpu", "0m", "4000m"),
        ("memory", "0 Mi", "8.0 Gi"),
    ]
    assert [(one.owner.partition("/")[0], one.status) for one in read["pods"]] == [
        ("ReplicaSet", "Running")
    ] * 2
    listed = list_nodes(cluster)
    assert [(one["name"], one["pods"], one["status"]) for one in listed["shown"]] == [
        ("node-1", 2, "Ready"),
        ("node-2", 2, "Ready"),
    ]


def test_the_page_of_a_drained_node_says_so(client: Client):
    cluster = drained()
    client.force_login(cluster.owner)
    here = f"/clusters/{cluster.name}"
    page = client.get(f"{here}/nodes/node-1/").content.decode()
    assert "Ready, takes no new pods; 0 pods on it." in page
    assert "It was drained at" in page
    for part in ("status/", "yaml/"):
        assert client.get(f"{here}/nodes/node-1/{part}").status_code == 200
    assert client.get(f"{here}/nodes/node-9/").status_code == 404
    assert "nodes/node-1/" in client.get(f"{here}/").content.decode()


def test_its_lanes_show_conditions_cordon_and_drain():
    feed = make_feed(drained(), "node:node-1")
    assert feed is not None
    figure = feed.figure(60_000)
    lanes = [one["key"] for one in figure["layout"]["meta"]["rows"]]
    assert lanes[:3] == ["condition.Ready", "unschedulable", "drain"]
    bars = [
        (lane, start, end, word)
        for trace in figure["data"]
        if trace["type"] == "bar"
        for lane, start, end, word in zip(
            trace["y"], trace["base"], trace["customdata"], trace["words"], strict=True
        )
    ]
    assert [one[1:] for one in sorted(bars, key=lambda one: one[1]) if one[0] == "drain"] == [
        (20_000, 20_500, "started"),
        (20_500, 30_500, "blocked by web"),
        (30_500, 32_500, "started"),
    ]
    assert ("unschedulable", 20_000, None, "cordoned") in bars


def test_a_drain_that_is_blocked_at_once_has_no_other_bar():
    site = make_site(maxUnavailable=0)
    site.drain()
    feed = make_feed(keep(site.run(40).cluster), "node:node-1")
    assert feed is not None
    bars = [
        (start, word, trace["name"])
        for trace in feed.figure(60_000)["data"]
        if trace["type"] == "bar"
        for lane, start, word in zip(trace["y"], trace["base"], trace["words"], strict=True)
        if lane == "drain"
    ]
    assert bars == [(20_000, "blocked by web", "value-bad")]


def test_a_preview_tells_the_order_who_waits_and_how_long_and_changes_nothing(client: Client):
    cluster = keep(make_site(maxUnavailable=1).cluster)
    cluster.settings = {"timing": "instant", "nodes": {"count": 2}}
    cluster.save()
    told = preview_drain(cluster, {"node": "node-1"})
    assert (told.told, told.is_good, told.refusals) == ("Drained after 12.5s.", True, ())
    assert [(one.workload, one.accepted, one.gone, one.budget, one.waited) for one in told.steps] == [
        ("Deployment web", "0ms", "2s", "", ""),
        ("Deployment web", "10.5s", "12.5s", "web", "10s"),
    ]
    assert told.left == (("Deployment web in default", "3 at least"),)
    client.force_login(cluster.owner)
    change = f"/clusters/{cluster.name}/nodes/node-1/change/"
    page = client.post(change, {"action": "drain", "preview": "yes"})
    assert page.status_code == 200 and "Drained after 12.5s." in page.content.decode()
    assert cluster.commands.count() == 0


def test_rows_lead_who_may_change_things_to_an_editor_and_to_a_preview(client: Client):
    cluster = keep(make_site(maxUnavailable=1).cluster)
    here, bob = f"/clusters/{cluster.name}/", make_user("bob")
    links = [f'href="{here}{page}"' for page in EDITOR_AND_DRAIN]
    client.force_login(cluster.owner)
    for page in (here, f"{here}workloads/"):
        shown = client.get(page).content.decode()
        assert all(link in shown for link in links)
    # It is asked for as the page opens, and only where the address says so.
    node = f"{here}nodes/node-1/"
    asked = [client.get(page).content.decode().count('"click, load"') for page in (f"{node}?drain", node)]
    assert asked == [1, 0]
    Role.objects.create(cluster=cluster, user=bob, name=Role.Name.VIEWER)
    client.force_login(bob)
    shown = client.get(f"/clusters/{cluster.name}@{cluster.owner}/").content.decode()
    assert "nodes/node-1/" in shown and "?drain" not in shown and "?edit" not in shown


@pytest.mark.parametrize(
    "budget, payload, said",
    [
        pytest.param({"maxUnavailable": 0}, {"timeout": "1m"}, "Gives up after 1m", id="its time is over"),
        pytest.param(
            {"maxUnavailable": 0},
            {},
            "Not done within 15m 00s: budget web (4 of 4 healthy, 4 needed); it waits for ever unless",
            id="never",
        ),
    ],
)
def test_a_preview_of_a_drain_that_does_not_end_well(
    budget: dict[str, int], payload: dict[str, str], said: str
):
    told = preview_drain(keep(make_site(**budget).cluster), {"node": "node-1", **payload})
    assert told.told.startswith(said) and not told.is_good
    assert {one.accepted for one in told.steps} == {"never"}


def test_a_preview_says_what_forbids_the_drain(client: Client):
    site = make_site(maxUnavailable=1)
    site.apply(make_workload("agent", kind="DaemonSet"))
    cluster = keep(site.run(20).cluster)
    client.force_login(cluster.owner)
    change = f"/clusters/{cluster.name}/nodes/node-1/change/"
    page = client.post(change, {"action": "drain", "preview": "yes"})
    assert page.status_code == 422
    assert "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)" in page.content.decode()
    allowed = client.post(change, {"action": "drain", "preview": "yes", "daemons": "on"})
    assert "Drained after" in allowed.content.decode()


@pytest.mark.parametrize(
    "given, command",
    [
        ({"action": "cordon", "daemons": "on"}, ("cordon", {"node": "n"})),
        ({"action": "cancel", "force": "on"}, ("drain", {"node": "n", "cancel": True})),
        (
            {"action": "drain", "daemons": "on", "grace": "0", "timeout": "10m"},
            ("drain", {"node": "n", "ignoreDaemonSets": True, "gracePeriodSeconds": 0, "timeout": "10m"}),
        ),
        (
            {"action": "fault", "fault": "reboot", "lasts": "1m"},
            ("fault", {"node": "n", "kind": "reboot", "for": "1m"}),
        ),
    ],
)
def test_what_a_page_asks_of_a_node(given: dict[str, str], command: object):
    form = NodeForm(given)
    assert form.is_valid(), form.errors
    assert form.command("n") == command


@pytest.mark.parametrize(
    "given", [{"action": "drain", "timeout": "soon"}, {"action": "fault"}, {"action": "explode"}, {}]
)
def test_what_it_may_not_ask(given: dict[str, str]):
    assert not NodeForm(given).is_valid()


@pytest.mark.spec("DISRUPT-02")
@pytest.mark.parametrize(
    "preset, command",
    [
        ("hardware", ("fault", {"node": "node-1", "kind": "crash"})),
        ("deleted", ("remove", {"node": "node-1"})),
        ("vanished", ("fault", {"node": "node-1", "kind": "crash", "for": "10m"})),
        ("panic", ("fault", {"node": "node-1", "kind": "reboot"})),
        ("cut-off", ("fault", {"node": "node-1", "kind": "partition", "for": "10m"})),
        ("exhausted", ("fault", {"node": "node-1", "kind": "pressure", "for": "5m"})),
    ],
)
def test_each_involuntary_disruption_is_a_choice_that_does_it(preset: str, command: tuple[str, Any]):
    form = NodeForm({"action": "fault", "fault": preset})
    assert form.is_valid(), form.errors
    assert form.command("node-1") == command
    site = Site()
    site.apply(make_workload(replicas=3))
    site.apply(make_budget(maxUnavailable=1))
    site.run(20)
    site.done(command[0], **command[1])
    site.run(1200)
    # Nobody's budget was asked.
    assert site.lane("Pod", "eviction") == []
    assert site.rows[-1]["at_ms"] > 20_000


def test_trouble_lasts_as_long_as_it_is_told_to():
    form = NodeForm({"action": "fault", "fault": "cut-off", "lasts": "30s"})
    assert form.is_valid(), form.errors
    assert form.command("n") == ("fault", {"node": "n", "kind": "partition", "for": "30s"})


@pytest.mark.spec("DISRUPT-02", "DISRUPT-04")
def test_the_page_tells_voluntary_disruptions_from_involuntary_ones(client: Client):
    cluster = drained()
    client.force_login(cluster.owner)
    page = client.get(f"/clusters/{cluster.name}/nodes/node-1/").content.decode()
    group = page[page.index('<optgroup label="Involuntary disruptions">') :].partition("</optgroup>")[0]
    assert group.count("<option") == 6
    assert "A voluntary disruption: budgets are asked" in page


# --- budgets ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "status, said",
    [
        (
            {"disruptionsAllowed": 1, "currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 3},
            "Allows 1 eviction now: 3 of 3 pods are healthy and 2 must be.",
        ),
        ({}, "Allows no eviction now: 0 of 0 pods are healthy and 0 must be."),
        (
            {"conditions": [{"type": "DisruptionAllowed", "reason": "SyncFailed", "message": "no scale"}]},
            "Allows no eviction: what it needs cannot be reckoned (no scale).",
        ),
    ],
)
def test_a_budget_in_a_sentence(status: dict[str, object], said: str):
    assert tell(status) == said


def test_the_page_of_a_budget_says_who_was_refused_and_how_long(client: Client):
    cluster = drained()
    stored = find_object(cluster, "PodDisruptionBudget", "default", "web")
    assert stored is not None
    asked = [(one.asked_ms, one.is_refused, one.waited) for one in list_evictions(cluster, stored, 60_000)]
    assert asked == [(20_500, True, "10s"), (20_000, False, "")]
    client.force_login(cluster.owner)
    here = f"/clusters/{cluster.name}"
    page = client.get(f"{here}/poddisruptionbudgets/default/web/").content.decode()
    assert "Allows 1 eviction now: 4 of 4 pods are healthy and 3 must be." in page
    assert "<strong>refused</strong>, accepted at" in page
    for part in ("status/", "yaml/"):
        assert client.get(f"{here}/poddisruptionbudgets/default/web/{part}").status_code == 200
    assert client.get(f"{here}/poddisruptionbudgets/default/none/").status_code == 404
    assert "poddisruptionbudgets/default/web/" in client.get(f"{here}/").content.decode()


def test_its_picture_draws_its_sums():
    feed = make_feed(drained(), "budget:default/web")
    assert feed is not None
    lines = {
        trace["name"]: list(zip(trace["x"], trace["y"], strict=True)) for trace in feed.figure(60_000)["data"]
    }
    assert [value for _at, value in lines["needed"]][-1] == 3
    allowed = [one for one in lines["allowed"] if one[0] >= 20_000]
    assert allowed[0] == (20_000, 0) and allowed[-1] == (60_000, 1)


def test_a_node_offers_what_can_be_done_as_it_is(client: Client) -> None:
    site = make_site(maxUnavailable=1)
    idle = keep(site.cluster)
    client.force_login(idle.owner)
    page = client.get(f"/clusters/{idle.name}/nodes/node-1/").content.decode()
    assert ">Drain</button>" in page and ">Cordon</button>" in page
    assert "Cancel the drain" not in page and "Uncordon" not in page
    assert "The kubelet stops (kubeletDown)" in page
    site.drain(timeout="5m")
    Cluster.objects.filter(pk=idle.pk).update(name="before")
    held = keep(site.run(2).cluster)
    client.force_login(held.owner)
    part = client.get(f"/clusters/{held.name}/nodes/node-1/status/").content.decode()
    assert "Cancel the drain" in part and ">Uncordon</button>" in part and 'hx-swap-oob="true"' in part
    assert ">Drain</button>" not in part and ">Cordon</button>" not in part
