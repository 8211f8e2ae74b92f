"""Every page, figure and table of every scenario of the gallery, recorded as a worker records it."""

from __future__ import annotations

import re
from collections import defaultdict
from html import unescape
from typing import Any

import orjson
import pytest

from dashboard.addresses import find_page
from dashboard.live.live_figures import LiveFigures
from lifecycle.models import Cluster, Event, StoredObject, Transition
from lifecycle.runs import inbox
from lifecycle.simulation.stories import list_stories
from lifecycle.stored_kinds import kind_of_stored
from tests.seeds import one_in
from tests.simulate.running import plan_of

pytestmark = pytest.mark.slow

# The shortest first, since what each run takes of them is the first.
FILES = sorted(list_stories().values(), key=lambda path: (path.stat().st_size, path.stem))
MOST_MS = 1_800_000
Subject = tuple[str, str, str]
"""(kind, namespace, name)"""
ALIKE = ("Node", "Pod")


def live(owner: Any, cluster: Cluster, commands: list[tuple[int, str, Any]]) -> None:
    """Commands pinned to their instants, and some minutes more."""
    for at_ms, kind, payload in commands:
        inbox.append(cluster, kind, orjson.loads(orjson.dumps(payload)), pinned_ms=at_ms)
    until_ms = min(max(at_ms for at_ms, _, _ in commands) + 300_000, MOST_MS)
    inbox.control(cluster, "run", {"untilMs": until_ms})
    while owner.turn(cluster.pk, 5.0) is not None:
        pass
    cluster.refresh_from_db()
    assert (cluster.failure, cluster.instant_ms) == ("", until_ms)


def look_at_everything(client: Any, cluster: Cluster, repeated: frozenset[Subject] = frozenset()) -> None:
    """Every page but those of `repeated`, every figure that one of them shows, every table."""
    base = f"/clusters/{cluster.name}/"
    pages = {base: cluster.name, f"{base}workloads/": "", f"{base}control/": ""}
    live_pages = {base}
    for stored in StoredObject.objects.filter(cluster=cluster):
        page = find_page(kind_of_stored(stored), stored.namespace or "", stored.name)
        if not page or subject_of(stored) in repeated:
            continue
        live_pages.add(f"{base}{page}")
        pages |= {f"{base}{page}": stored.name, f"{base}{page}status/": ""}
        if stored.kind == "Pod":
            pages[f"{base}{page}log/"] = ""
    figures: set[str] = set()
    for page, said in pages.items():
        answer = client.get(page)
        text = answer.content.decode()
        assert answer.status_code == 200 and said in text, page
        shown = re.findall(r'data-figure="([^"]+)"', text)
        assert bool(shown) == (page in live_pages), page
        figures.update(map(unescape, shown))
    names = sorted(figures)
    for window_ms in (None, 60_000):
        messages = LiveFigures(cluster, names, window_ms).messages()
        assert [message["figure"] for message in messages] == names
        assert orjson.loads(orjson.dumps(messages)) == messages
    for rows, column in (("transitions", "type"), ("events", "type"), ("objects", "kind")):
        answer = client.get(f"/api/clusters/{cluster.name}/{rows}", {"format": "csv"})
        table = b"".join(answer.streaming_content).decode()
        assert answer.status_code == 200 and column in table.splitlines()[0].split(",")


def subject_of(row: StoredObject | Transition | Event) -> Subject:
    return row.kind, row.namespace or "", row.name


def find_repeated(cluster: Cluster) -> frozenset[Subject]:
    """Pods and Nodes whose history is that of one before them, but for names, numbers and instants."""
    lives: dict[Subject, list[Any]] = defaultdict(list)
    for change in Transition.objects.filter(cluster=cluster).order_by("seq"):
        values = orjson.dumps([change.field, change.old, change.new, change.reason]).decode()
        lives[subject_of(change)].append(re.sub(r"\d+", "0", values.replace(change.name, "")))
    for event in Event.objects.filter(cluster=cluster).order_by("seq"):
        lives[subject_of(event)].append((event.event_type, event.reason, event.count))
    pods_by_node: dict[str | None, list[str]] = defaultdict(list)
    first: dict[str, Subject] = {}
    # Pods come first: what a Node's page shows hangs on those it has.
    for stored in StoredObject.objects.filter(cluster=cluster, kind__in=ALIKE).order_by("-kind", "rv"):
        subject = subject_of(stored)
        on_it = sorted(pods_by_node[stored.name]) if stored.kind == "Node" else []
        life = repr((stored.kind, stored.namespace, lives[subject], on_it))
        if stored.kind == "Pod":
            pods_by_node[stored.node].append(life)
        first.setdefault(life, subject)
    return frozenset(one for one in lives if one[0] in ALIKE) - frozenset(first.values())


@pytest.mark.parametrize("file", one_in(288, (pytest.param(file, id=file.stem) for file in FILES)))
def test_everything_can_be_looked_at(owner, make_cluster, client, file):
    plan = plan_of(file)
    cluster = make_cluster("gallery", settings=plan.settings.to_json(), paused=True)
    client.force_login(cluster.owner)
    objects = [(0, "apply", {"object": data}) for data in plan.objects]
    live(owner, cluster, objects + [(step.at_ms, step.kind, step.payload) for step in plan.steps])
    # Of pods that lived alike one is looked at here, and each where scenarios are mutated.
    look_at_everything(client, cluster, find_repeated(cluster))
