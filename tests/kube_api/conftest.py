"""Clusters with an engine worker in this process, and messages without Redis."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from lifecycle.kube_api.watching import feed
from lifecycle.models import DEFAULT_EPOCH, Cluster
from lifecycle.runs import inbox, messages, publisher
from lifecycle.runs.runner import Owner
from lifecycle.runs.sharing import shards
from tests.kube_api.live import installation

__all__ = ["installation"]


@pytest.fixture(autouse=True)
def channels_in_memory(settings: Any) -> None:
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Feeds look at the head often, so that no message is needed."""
    monkeypatch.setattr(feed, "HEAD_SECONDS", 0.02)


class Shop:
    """A cluster and the worker that serves it: time passes when told."""

    def __init__(self, name: str = "shop", of: str = "ada", **columns: Any) -> None:
        user, _ = get_user_model().objects.get_or_create(username=of)
        shards.make_shards()
        shards.beat("test")
        self.wall = time.time()
        self.owner = Owner("test", lambda: self.wall, lambda: self.wall)
        self.cluster: Cluster = inbox.create_cluster(user, name, **{"epoch": DEFAULT_EPOCH, **columns})
        self.turn()

    def turn(self, seconds: float = 0.0) -> None:
        """Let wall time pass, and the cluster have its turn."""
        self.wall += seconds
        self.owner.turn(self.cluster.pk, 10.0)
        self.cluster.refresh_from_db()

    def submit(self, kind: str, /, **payload: Any) -> dict[str, Any]:
        """A command's result."""
        command = inbox.append(self.cluster, kind, payload)
        self.turn()
        command.refresh_from_db()
        assert command.result is not None and command.result["code"] < 400, command.result
        return command.result["object"]

    def create(
        self, kind: str, name: str, labels: dict[str, str] | None = None, **more: Any
    ) -> dict[str, Any]:
        """An object of the core group in `default`."""
        metadata = {"name": name, "namespace": "default", "labels": labels or {}}
        return self.submit("create", object={"apiVersion": "v1", "kind": kind, "metadata": metadata, **more})

    def patch(self, kind: str, name: str, **patch: Any) -> dict[str, Any]:
        return self.submit("patch", kind=kind, namespace="default", name=name, type="merge", patch=patch)

    def delete(self, kind: str, name: str) -> None:
        self.submit("delete", kind=kind, namespace="default", name=name)


@pytest.fixture
def shop_settings() -> dict[str, Any]:
    """The settings of the cluster; tests may have others."""
    return {}


@pytest.fixture
def shop(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, settings: Any, shop_settings: dict[str, Any]
) -> Iterator[Shop]:
    # Each shard is taken by itself.
    settings.SHARDS = 1
    monkeypatch.setattr(publisher, "publish", lambda group, frame: None)
    monkeypatch.setattr(messages, "_carrier", messages.Nobody())
    yield Shop(settings=shop_settings)
