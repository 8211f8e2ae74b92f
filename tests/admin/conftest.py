"""A cluster that answers at once, so that forms can be tested without workers."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from lifecycle.models import Cluster, Command
from lifecycle.runs import inbox
from tests.builders import make_cluster, make_user


@dataclass
class Inbox:
    """What was asked for (as (cluster, kind, payload)), and the answer it gets."""

    asked: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    result: dict[str, Any] | None = field(default_factory=lambda: {"code": 200, "warnings": []})

    def append(self, cluster: Cluster, kind: str, payload: dict[str, Any], user: Any = None) -> Command:
        assert user is not None and user.is_authenticated
        self.asked.append((cluster.name, kind, payload))
        return Command(cluster=cluster, order=1, kind=kind, payload=payload)

    def wait_for_result(self, command: Command) -> dict[str, Any] | None:
        return self.result


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Inbox:
    fake = Inbox()
    monkeypatch.setattr(inbox, "append", fake.append)
    monkeypatch.setattr(inbox, "wait_for_result", fake.wait_for_result)
    return fake


@pytest.fixture
def shop(client, db) -> Cluster:
    """A cluster of the signed-in member of staff, who is no superuser."""
    cluster = make_cluster("shop", owner=make_user("staff", is_staff=True))
    client.force_login(cluster.owner)
    return cluster
