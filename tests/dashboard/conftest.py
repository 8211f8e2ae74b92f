"""Clusters with a recorded history, and sockets that watch them without Redis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth import get_user_model
from django.utils import timezone

from dashboard.live import shared_parts
from lifecycle import frames
from lifecycle.access import give_address
from lifecycle.models import Cluster, Event, StoredObject, Transition
from tests.dashboard.rows import pod_life

EVENT_COLUMNS = {key: column for column, key in frames.EVENT_COLUMNS.items()}


@pytest.fixture(autouse=True)
def channels_in_memory(settings: Any) -> None:
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}


def make_user(name: str = "ada", **more: Any) -> Any:
    return get_user_model().objects.create_user(name, **more)


def make_cluster(owner: Any, name: str = "shop", **more: Any) -> Cluster:
    """A cluster as its owner finds it."""
    columns = {"anchor_wall": timezone.now(), "paused": True} | more
    return give_address(owner, Cluster.objects.create(owner=owner, name=name, **columns))


def make_shop(client: Any) -> Cluster:
    """A cluster of the signed-in user with the pod `web-1`."""
    ada = make_user()
    client.force_login(ada)
    cluster = make_cluster(ada)
    record(cluster, pod_life())
    return cluster


def record(cluster: Cluster, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Append rows to the cluster's history, numbered on from its head; as recorded."""
    numbered = [row | {"seq": seq} for seq, row in enumerate(rows, cluster.seq + 1)]
    events, transitions = [], []
    for row in numbered:
        columns = {key: value for key, value in row.items() if key != "type"}
        if row["type"] == "event":
            events.append(Event(cluster=cluster, **{EVENT_COLUMNS[key]: columns[key] for key in columns}))
        else:
            transitions.append(Transition(cluster=cluster, **columns))
    Event.objects.bulk_create(events)
    Transition.objects.bulk_create(transitions)
    _store_subjects(cluster, numbered)
    cluster.seq += len(numbered)
    cluster.instant_ms = max([cluster.instant_ms, *(row["at_ms"] for row in numbered)])
    cluster.save()
    return numbered


def _store_subjects(cluster: Cluster, rows: list[dict[str, Any]]) -> None:
    first = {row["uid"]: row for row in reversed(rows)}
    for known in StoredObject.objects.filter(cluster=cluster).values_list("uid", flat=True):
        first.pop(known, None)
    StoredObject.objects.bulk_create(
        StoredObject(
            cluster=cluster,
            uid=uid,
            created_ms=row["at_ms"],
            rv=row["seq"],
            data={},
            **{key: row.get(key) for key in ("kind", "group", "namespace", "name", "owner")},
        )
        for uid, row in reversed(first.items())
    )


def watch(
    user: Any, cluster: Cluster, query: str = "", origin: str = "http://localhost"
) -> WebsocketCommunicator:
    """A socket of `user` on `cluster`, past the session middleware."""
    from channels.routing import URLRouter

    from dashboard.routing import websocket_urlpatterns
    from dashboard.web.origins import SameOriginOnly

    routes = SameOriginOnly(URLRouter(websocket_urlpatterns))
    path = f"/ws/clusters/{quote(cluster.address)}/{query}"
    socket = WebsocketCommunicator(
        routes, path, headers=[(b"host", b"localhost"), (b"origin", origin.encode())]
    )
    socket.scope["user"] = user
    return socket


@pytest.fixture(autouse=True)
def nothing_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests store what no engine stores: without another number, by which a part is known to be old."""
    monkeypatch.setattr(shared_parts, "FRESH_SECONDS", 0.0)
