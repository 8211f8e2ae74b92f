"""Ten things that a page must do, asked of every kind that has one.

What needs a browser (a lost connection, one axis for all) is asked in `tests/browser/test_every_page.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from dashboard.live.feeds import make_feed
from dashboard.reading.causes import read_chain
from lifecycle.engine.kinds import registry
from lifecycle.engine.schema.tables import is_known_kind
from lifecycle.input.stored_only import list_stored_only
from lifecycle.models import Cluster, Event, StoredObject, Transition
from lifecycle.recorded.objects import find_object
from lifecycle.simulation.reports.tones import TONES
from lifecycle.stored_kinds import of_kind
from tests.dashboard import zoo
from tests.dashboard.conftest import make_cluster as make_empty
from tests.dashboard.conftest import make_user, record
from tests.dashboard.live.test_flags import ask
from tests.dashboard.rows import pod_life, transition
from tests.engine.controllers.door import MISSING, Door
from tests.engine.kinds.kept import keep
from tests.seeds import one_in

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
BAD_WORDS = ("ContainersNotReady", "CrashLoopBackOff", "ImagePullBackOff", "Error", "Unschedulable")
CRASHING: dict[str, Any] = {
    "containers": [{"name": "app", "image": "busybox:1", "command": ["sh", "-c", "sleep 3; exit 1"]}]
}
MOST_ROWS_ASKED = 60


def list_figures(client: Client, cluster: Cluster, kind: str) -> dict[str, dict[str, Any]]:
    """All that is drawn on the page of a kind, by the names by which the page asks."""
    client.force_login(cluster.owner)
    page = client.get(f"/clusters/{cluster.name}/{zoo.page_of(kind)}").content.decode()
    names = set(re.findall(r'data-figure="([^"]+)"', page))
    assert names, kind
    figures = {}
    for name in names:
        feed = make_feed(cluster, name)
        assert feed is not None, name
        figures[name] = feed.figure(cluster.instant_ms)
    return figures


def list_bars(figure: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Tone and hover text of each bar."""
    for trace in figure["data"]:
        if trace["type"] == "bar":
            yield from ((trace["name"], text) for text in trace["hovertext"])


def test_there_is_one_of_each_kind_that_has_a_page():
    assert {zoo.make_manifest(kind)["kind"] for kind in zoo.WITH_PAGE if kind not in zoo.NAMES}
    others = {"Pod", "Node", "PodDisruptionBudget", "HorizontalPodAutoscaler", "Service"}
    assert {*zoo.WORKLOADS, *others} == {*zoo.WITH_PAGE}


def test_1_what_came_later_has_another_cause_than_what_came_first():
    """Nobody's rows all name the same row, and each chain begins with what was asked, or with time."""
    door = zoo.fill(Door(), CRASHING)
    door.run(70)
    door.change("cordon", "node-1", "Node")
    cluster = keep(door.run(5).cluster)
    wrong = {}
    for kind in zoo.WITH_PAGE:
        where = of_kind(kind)
        rows = Transition.objects.filter(where, cluster=cluster, name=zoo.NAMES.get(kind, "web"))
        told = list(rows.order_by("seq")[:MOST_ROWS_ASKED])
        later = [row for row in told if row.at_ms > told[0].at_ms]
        if later and len({str(row.cause) for row in told}) < 2:
            wrong[kind] = f"all {len(told)} because of {told[0].cause}"
        for row in later:
            chain = read_chain(cluster, row.seq)
            instants = [link.at_ms for link in chain]
            is_asked = str(row.cause).startswith("command:")
            if row.cause is None or instants != sorted(instants) or (len(chain) < 2 and not is_asked):
                wrong[f"{kind} {row.field} {row.old}→{row.new} at {row.at_ms}"] = instants
    assert wrong == {}


def test_2_no_tip_tells_the_reason_of_the_state_before(client: Client):
    """Pods no node took at first, then started, crashed and came back: what is well says nothing bad."""
    late = {**CRASHING, "nodeSelector": {"late": "yes"}}
    door = zoo.fill(Door(), late)
    door.run(65)
    for node in ("node-1", "node-2", "node-3"):
        patch = {"metadata": {"labels": {"late": "yes"}}}
        door.done("patch", kind="Node", name=node, type="merge", patch=patch)
    cluster = keep(door.run(12).cluster)
    wrong, well = {}, Counter[str]()
    for kind in zoo.WITH_PAGE:
        for name, figure in list_figures(client, cluster, kind).items():
            for tone, text in list_bars(figure):
                if tone in ("ready", "succeeded", "True", "value-good"):
                    well[kind] += 1
                    if any(word in text for word in BAD_WORDS):
                        wrong[kind] = f"{name}: {text}"
    assert wrong == {}
    # Of pods there were such bars everywhere, so something was asked.
    drawn_as_lines = {"HorizontalPodAutoscaler", "PodDisruptionBudget"}
    # Pods that crash listen to nobody: the Service is never well.
    assert {kind for kind in zoo.WITH_PAGE if not well[kind]} <= {*drawn_as_lines, "Service"}


@pytest.mark.parametrize("kind", one_in(6, zoo.WORKLOADS))
def test_3_header_meter_home_and_api_count_the_same_of_more_pods_than_are_drawn(client: Client, kind: str):
    """310 pods of any kind of workload, some of them not ready: nobody counts those that are drawn alone."""
    cluster = make_empty(make_user())
    client.force_login(cluster.owner)
    entry = registry.entry_of_id(kind)
    made = transition(0, "exists", "created", "web", kind=entry.kind.name, group=entry.kind.group)
    lives = [pod_life(f"web-{number}", number, f"{kind}/web") for number in range(310)]
    unready = [life[:10] for life in lives[:10]]
    rows = sorted([row for life in [*unready, *lives[10:]] for row in life], key=lambda row: row["at_ms"])
    record(cluster, [made, *rows])
    for name, state in [(life[0]["name"], life[-1]["new"]) for life in [*unready, *lives[10:]]]:
        state = "notReady" if name in {life[0]["name"] for life in unready} else "ready"
        StoredObject.objects.filter(cluster=cluster, name=name).update(state=state)
    StoredObject.objects.filter(cluster=cluster, name="web").update(
        data={"metadata": {"name": "web", "namespace": "default"}, "spec": zoo.make_manifest(kind)["spec"]}
    )
    feed = make_feed(cluster, f"timeline:default/{kind}/web")
    assert feed is not None
    meta = feed.figure(cluster.instant_ms)["layout"]["meta"]
    assert meta["counts"] == {"ready": 300, "notReady": 10}
    # Those in trouble stand on top, and apart from their workload.
    assert meta["rows"][0]["note"] == "10 pods"
    assert any("300 of 310 ready" in row.get("note", "") for row in meta["rows"])
    page, home = (client.get(path).content.decode() for path in (f"/clusters/{cluster.name}/", "/"))
    (meter,) = re.findall(r'<svg class="meter"[^>]*aria-label="([^"]+)"', page)
    assert "300 ready" in meter and "10 not ready" in meter
    assert "<b>300</b>" in home and "<b>10</b>" in home


BROKEN = {
    "stuck": [
        {"containers": [{"name": "app", "image": MISSING}]},
        {"containers": [{"name": "app", "image": "nginx:1"}], "nodeSelector": {"gpu": "yes"}},
        {
            "containers": [
                {"name": "app", "image": "nginx:1", "envFrom": [{"configMapRef": {"name": "nosuch"}}]}
            ]
        },
    ],
    "crashing": [{"containers": [{"name": "app", "image": "busybox:1", "command": ["false"]}]}],
}


@pytest.mark.parametrize(
    "number, tone", one_in(4, [(0, "stuck"), (1, "stuck"), (2, "stuck"), (0, "crashing")])
)
def test_5_what_never_runs_looks_wrong_wherever_it_is_drawn_and_is_named(
    client: Client, number: int, tone: str
):
    door = zoo.fill(Door(), BROKEN[tone][number])
    cluster = keep(door.run(75).cluster)
    wrong = {}
    # For no node such a DaemonSet makes any pod, and its table of nodes says why.
    for kind in [one for one in (*zoo.WORKLOADS, "Pod") if (one, number) != ("DaemonSet", 1)]:
        figures = list_figures(client, cluster, kind)
        page = client.get(f"/clusters/{cluster.name}/{zoo.page_of(kind)}").content.decode()
        (verdict,) = re.findall(r'<p class="card verdict"[^>]*>(.*?)</p>', page, re.DOTALL)
        pods = StoredObject.objects.filter(cluster=cluster, kind="Pod", state=tone)
        reasons = {pod.status for pod in pods}
        tones = {tone for figure in figures.values() for tone, _ in list_bars(figure)}
        # A Pod's own page draws its containers and conditions, and says the state in words.
        if tone not in tones and TONES[tone].label not in page:
            wrong[kind] = f"drawn as {tones}"
        elif kind != "CronJob" and not any(f"{reason}" in verdict for reason in {*reasons, "Unschedulable"}):
            wrong[kind] = verdict
    assert wrong == {}
    # The Node's list shows the same tone beside each pod.
    if number != 1:
        client.force_login(cluster.owner)
        nodes = [f"/clusters/{cluster.name}/nodes/node-{one}/" for one in (1, 2, 3)]
        assert f"tone-{tone}" in "".join(client.get(path).content.decode() for path in nodes)


def test_6_after_a_day_every_event_is_told_to_the_second(client: Client):
    door = zoo.fill(Door(), CRASHING)
    cluster = keep(door.run(70).cluster)
    day_ms = 36 * 3_600_000
    Event.objects.filter(cluster=cluster).update(at_ms=day_ms + 61_250, last_ms=day_ms + 61_250)
    cluster.instant_ms = day_ms + 70_000
    cluster.save()
    client.force_login(cluster.owner)
    for kind in zoo.WITH_PAGE:
        page = client.get(f"/clusters/{cluster.name}/{zoo.page_of(kind)}").content.decode()
        events = page[page.index('id="events-title"') :]
        times = re.findall(r"<time[^>]*>([^<]+)</time>", events)
        assert times or kind in ("Node", "PodDisruptionBudget", "Service"), kind
        assert set(times) <= {"1d 12:01:01.2"}, (kind, times)


@pytest.mark.parametrize("entry", registry.list_entries(), ids=lambda entry: entry.kind.id)
def test_7_what_is_stored_and_not_acted_on_is_said(entry: Any):
    """Of every kind that is known: its controller acts, or who applies one is told."""
    said = tell_stored_only({"apiVersion": entry.kind.api_version, "kind": entry.kind.name})
    if entry.is_passive or entry.unattended:
        assert entry.kind.name in said, said
    elif is_known_kind(entry.kind.api_version, entry.kind.name):
        assert said == ""


def test_7_what_nobody_knows_is_said_too():
    assert "Odd.example.org" in tell_stored_only({"apiVersion": "example.org/v1", "kind": "Odd"})


def tell_stored_only(data: dict[str, Any]) -> str:
    return " ".join(list_stored_only([data | {"metadata": {"name": "web"}}]))


def test_7_no_workload_is_without_its_pods():
    """No kind of workload takes an object in silence: after a minute each has made pods."""
    cluster = keep(zoo.fill(Door()).run(70).cluster)
    owners = StoredObject.objects.filter(cluster=cluster, kind="Pod").values_list("owner", flat=True)
    made = {str(owner).partition("/")[0] for owner in owners}
    # Those of Deployments and CronJobs are made by what these make.
    assert {*zoo.WORKLOADS} - {"Deployment", "CronJob"} <= made
    names = {str(owner) for owner in owners}
    assert any(name.startswith("ReplicaSet/web-") for name in names)
    assert any(name.startswith("Job/web-") for name in names)


def test_9_what_was_asked_is_flagged_on_every_chart_of_every_kind(client: Client):
    door = zoo.fill(Door())
    cluster = keep(door.run(70).cluster)
    for kind in zoo.WITH_PAGE:
        name, namespace = zoo.NAMES.get(kind, "web"), {} if kind in zoo.NAMES else {"namespace": "default"}
        ask(cluster, "patch", 30_000, kind=kind, name=name, **namespace)
    wrong = {}
    for kind in zoo.WITH_PAGE:
        for name, figure in list_figures(client, cluster, kind).items():
            flags = figure["layout"]["meta"].get("flags") or []
            if not any(flag["at"] == 30_000 and "patch" in flag["label"] for flag in flags):
                wrong[kind] = f"{name}: {flags}"
    assert wrong == {}


WITH_UNDO = [kind for kind in zoo.WORKLOADS if "undo" in registry.entry_of_id(kind).rollout]


@pytest.mark.parametrize("kind", WITH_UNDO)
def test_9_an_undo_repaints_nothing(client: Client, kind: str):
    """What a chart drew before an undo has the colours that it had."""
    before, after = (colour(client, keep(roll(kind, is_undone).cluster), kind) for is_undone in (False, True))
    assert before and {key: after.get(key) for key in before} == before


def roll(kind: str, is_undone: bool) -> Door:
    """Three images of a workload, and perhaps back to the second."""
    door = Door()
    door.apply(zoo.make_manifest(kind))
    for image in ("nginx:2", "nginx:3"):
        door.run(40)
        door.change("setImage", "web", kind, container="app", image=image)
    door.run(40)
    if is_undone:
        door.change("rollout", "web", kind, action="undo")
        door.run(40)
    return door


def colour(client: Client, cluster: Cluster, kind: str) -> dict[str, Any]:
    """By revision, told by what it is called in a tip, its colour."""
    feed = make_feed(cluster, f"rollout:default/{kind}/web")
    assert feed is not None and find_object(cluster, kind, "default", "web") is not None
    found = {}
    for trace in feed.figure(cluster.instant_ms)["data"]:
        if trace.get("fillcolor"):
            # Numbers change with an undo, and the newest stands out by being less transparent.
            found[trace["name"].partition("· ")[2] or trace["name"]] = trace["fillcolor"][:7]
    return found
