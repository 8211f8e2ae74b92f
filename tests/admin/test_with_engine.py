"""The admin and the export against a real engine: what is saved is done, what is done is exported."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from lifecycle.engine import Cluster as Engine
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.models import Cluster, Command, StoredObject
from lifecycle.runs import inbox, publisher
from lifecycle.runs.celery import carrier
from lifecycle.runs.runner import Owner
from lifecycle.runs.sharing import shards
from tests.admin.test_objects import act, errors_of, save
from tests.export.test_transitions import ask

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]},
        },
    },
}


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Every row the engine wrote, as the trace has it."""
    rows: list[dict[str, Any]] = []
    take = Engine.take_changes

    def keep(engine: Engine) -> Any:
        changes = take(engine)
        rows.extend(row_to_json(row) for row in changes.rows)
        return changes

    monkeypatch.setattr(Engine, "take_changes", keep)
    return rows


@pytest.fixture
def turn(monkeypatch: pytest.MonkeyPatch, taken: list[dict[str, Any]], db: None) -> Callable[[int], None]:
    """A worker in this process. `turn(seconds)` lets the wall go on and gives every cluster its turn."""
    monkeypatch.setattr(carrier, "nudge", lambda shard: None)
    monkeypatch.setattr(publisher, "publish", lambda group, frame: None)
    monkeypatch.setattr(carrier, "announce_results", lambda ids: None)
    shards.make_shards()
    shards.beat("test")
    wall = [1_800_000_000.0]
    owner = Owner("test", lambda: wall[0], lambda: wall[0])

    def go_on(seconds: int = 0) -> None:
        wall[0] += seconds
        for cluster in Cluster.objects.all():
            owner.turn(cluster.pk, 10.0)

    def answer(command: Command) -> dict[str, Any] | None:
        go_on()
        command.refresh_from_db()
        return command.result

    monkeypatch.setattr(inbox, "wait_for_result", answer)
    return go_on


@pytest.fixture
def web(client: Client, shop: Cluster, turn: Callable[..., None]) -> StoredObject:
    """A Deployment that is up."""
    command = inbox.append(shop, "create", {"object": DEPLOYMENT}, shop.owner)
    assert inbox.wait_for_result(command)["code"] == 201
    turn(60)
    return StoredObject.objects.get(kind="Deployment")


def spec_of(stored: StoredObject, **changes: Any) -> dict[str, Any]:
    return stored.data["spec"] | changes


def generation_of(stored: StoredObject) -> int:
    stored.refresh_from_db()
    return stored.data["metadata"]["generation"]


def test_saving_the_page_as_it_is_changes_nothing(client: Client, web: StoredObject):
    """The API server's defaults are in the shown spec; they are no change."""
    assert save(client, web, spec_of(web)).status_code == 302
    assert generation_of(web) == 1


def test_a_new_replica_count_is_rolled_out(client: Client, web: StoredObject, turn):
    assert save(client, web, spec_of(web, replicas=4)).status_code == 302
    assert generation_of(web) == 2
    turn(60)
    web.refresh_from_db()
    assert (web.data["spec"]["replicas"], web.data["status"]["readyReplicas"]) == (4, 4)


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"replicas": -1}, "spec.replicas"),
        ({"selector": {"matchLabels": {"app": "other"}}}, "spec.selector"),
        (
            {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}},
            "spec.strategy.rollingUpdate.maxUnavailable",
        ),
    ],
)
def test_what_the_api_server_refuses_is_said_with_line_and_field(
    client: Client, web: StoredObject, changes: dict, field: str
):
    errors = errors_of(save(client, web, spec_of(web, **changes)))
    assert any(error.startswith("line ") and f": {field}: " in error for error in errors), errors
    assert generation_of(web) == 1


def test_actions_reach_the_engine(client: Client, web: StoredObject, turn):
    assert act(client, "scale", web, replicas=1) == ["Deployment default/web: scaled to 1."]
    assert act(client, "restart", web) == ["Deployment default/web: restarted."]
    turn(60)
    web.refresh_from_db()
    assert web.data["spec"]["replicas"] == 1
    assert "kubectl.kubernetes.io/restartedAt" in web.data["spec"]["template"]["metadata"]["annotations"]
    assert act(client, "delete_with_grace", web) == ["Deployment default/web: asked to end."]
    turn(60)
    web.refresh_from_db()
    assert web.deleted_ms is not None


def test_the_export_is_the_trace(client: Client, web: StoredObject, taken: list[dict[str, Any]]):
    """Line for line and byte for byte what the engine wrote."""
    for kind, path in (("transition", "transitions"), ("event", "events")):
        *rows, cursor = ask(client, f"shop/{path}", format="ndjson").splitlines()
        expected = [row for row in taken if row["type"] == kind]
        assert rows == [
            json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() for row in expected
        ]
        assert json.loads(cursor)["after"] == taken[-1]["seq"]
