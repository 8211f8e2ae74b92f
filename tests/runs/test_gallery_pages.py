"""Every page, figure and table of every scenario of the gallery, recorded as a worker records it."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from dashboard.live_figures import LiveFigures
from dashboard.pages import find_page
from lifecycle.models import Cluster, StoredObject
from lifecycle.runs import inbox
from lifecycle.stored_kinds import kind_of_stored
from tests.simulate.running import GALLERY, plan_of

pytestmark = pytest.mark.slow

FILES = sorted(GALLERY.glob("*.yaml"))
MOST_MS = 1_800_000


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


def look_at_everything(client: Any, cluster: Cluster) -> None:
    base = f"/clusters/{cluster.name}/"
    pages = {base: cluster.name, f"{base}workloads/": "", f"{base}control/": ""}
    figures = ["timeline"]
    for stored in StoredObject.objects.filter(cluster=cluster):
        page = find_page(kind_of_stored(stored), stored.namespace or "", stored.name)
        if not page:
            continue
        pages |= {f"{base}{page}": stored.name, f"{base}{page}status/": ""}
        if stored.kind == "Pod":
            figures.append(f"pod:{stored.namespace}/{stored.name}")
            pages[f"{base}{page}log/"] = ""
        else:
            subject = f"{stored.namespace}/{stored.kind}/{stored.name}"
            figures += [f"rollout:{subject}", f"timeline:{subject}"]
    for page, said in pages.items():
        answer = client.get(page)
        assert answer.status_code == 200 and said in answer.content.decode(), page
    for window_ms in (None, 60_000):
        for name in figures:
            (message,) = LiveFigures(cluster, [name], window_ms).messages()
            assert message["figure"] == name
            assert orjson.loads(orjson.dumps(message)) == message, name
    for rows, column in (("transitions", "type"), ("events", "type"), ("objects", "kind")):
        answer = client.get(f"/api/clusters/{cluster.name}/{rows}", {"format": "csv"})
        table = b"".join(answer.streaming_content).decode()
        assert answer.status_code == 200 and column in table.splitlines()[0].split(",")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_everything_can_be_looked_at(owner, make_cluster, client, file):
    plan = plan_of(file)
    cluster = make_cluster("gallery", settings=plan.settings.to_json(), paused=True)
    client.force_login(cluster.owner)
    objects = [(0, "apply", {"object": data}) for data in plan.objects]
    live(owner, cluster, objects + [(step.at_ms, step.kind, step.payload) for step in plan.steps])
    look_at_everything(client, cluster)
