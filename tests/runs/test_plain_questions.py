"""What is asked in SQL at every write has the answer that Django's own words have, on every database."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Q
from django.utils import timezone

from lifecycle import tokens
from lifecycle.engine import ENGINE_VERSION
from lifecycle.kube_api.describing import resources
from lifecycle.kube_api.reading import reads
from lifecycle.kube_api.watching import records
from lifecycle.models import Cluster, Command, ObjectVersion, RunControl, Shard, StoredObject
from lifecycle.models.rows import Rows
from lifecycle.runs import entries, inbox
from lifecycle.runs.run_clock import moment
from lifecycle.runs.sharing import shards, shares, turns
from tests.runs.conftest import create

pytestmark = pytest.mark.django_db(transaction=True)


def find_due_slowly(which: Q, now: float) -> list[int]:
    there = Cluster.objects.filter(which, failure="")
    waiting = there.filter(
        Q(pk__in=Command.objects.filter(state="pending", pinned_ms=None).values("cluster"))
        | Q(pk__in=RunControl.objects.filter(applied_at=None).values("cluster"))
        | Q(seq__gt=0) & ~Q(engine_version=ENGINE_VERSION)
    )
    due = there.filter(next_wake_at__lte=moment(now)).order_by("next_wake_at")
    return list(dict.fromkeys([*waiting.values_list("pk", flat=True), *due.values_list("pk", flat=True)]))


def test_the_clusters_that_are_due(owner, wall, make_cluster):
    other = get_user_model().objects.create_user("other")
    now, past = moment(wall.now), moment(wall.now - 1)
    particular: dict[str, dict[str, object]] = {
        "command": {},
        "pinned": {},
        "control": {},
        "of-another-engine": {"seq": 5, "engine_version": 1},
        "due": {"next_wake_at": now},
        "soon": {"next_wake_at": moment(wall.now + 0.001)},
        "failed": {"next_wake_at": past, "failure": "broken"},
        "elsewhere": {"next_wake_at": past, "shard": 7},
        "mine": {"next_wake_at": past},
    }
    made = {name: make_cluster(name) for name in particular}
    inbox.append(made["command"], "delete", {})
    inbox.append(made["pinned"], "delete", {}, pinned_ms=5000)
    inbox.control(made["control"], "pause")
    usual = {"next_wake_at": None, "shard": 0, "owner": other, "engine_version": ENGINE_VERSION}
    for name, cluster in made.items():
        owned = {"owner": cluster.owner} if name == "mine" else {}
        Cluster.objects.filter(pk=cluster.pk).update(**usual | owned | particular[name])
    expected = find_due_slowly(Q(shard=0), wall.now)
    found = [one.cluster for one in turns.find_due(0, wall.now)]
    assert sorted(found) == sorted(expected)
    assert found[-2:] == expected[-2:] == [made["mine"].pk, made["due"].pk]
    Shard.objects.update_or_create(number=7, defaults={"worker": "another"})
    others: list[int] = []
    owner.turn_of = lambda one, seconds: others.append(one.cluster)
    turns._serve_others(owner, shares.Due(made["mine"].pk, made["mine"].owner_id))
    owner.shares.charge(made["mine"].owner_id, 1.0, wall.now)
    turns._serve_others(owner, shares.Due(made["mine"].pk, made["mine"].owner_id))
    assert sorted(others) == sorted(set(expected) - {made["mine"].pk})


def test_the_commands_that_wait_and_what_came_of_them(make_cluster):
    cluster = make_cluster()
    first, second = create(cluster, name="first"), create(cluster, name="second")
    pinned = [inbox.append(cluster, "delete", {"at": at}, pinned_ms=at) for at in (2000, 9000)]
    Command.objects.filter(pk=second.pk).update(
        state="done", result={"code": 201, "object": {"a": "ü"}}, instant_ms=7, done_at=timezone.now()
    )
    waiting = entries.list_waiting(cluster, 1000, 5000)
    assert [(at_ms, command.pk) for at_ms, command in waiting] == [(1000, first.pk), (2000, pinned[0].pk)]
    for _, command in waiting:
        whole = Command.objects.get(pk=command.pk)
        for name in ("cluster_id", "order", "kind", "version", "state", "pinned_ms", "attempts", "source"):
            assert name in command.__dict__ and getattr(command, name) == getattr(whole, name)
        assert "payload" not in command.__dict__ and command.payload == whole.payload
    assert inbox.wait_for_result(second, 0) == {"code": 201, "object": {"a": "ü"}}
    whole = Command.objects.get(pk=second.pk)
    assert (second.state, second.instant_ms, second.done_at) == ("done", 7, whole.done_at)
    assert [command.order for command in cluster.commands.order_by("order")] == [1, 2, 3, 4]
    cluster.delete()
    with pytest.raises(Command.DoesNotExist, match=f"Command {second.pk} is gone"):
        inbox.wait_for_result(second, 0)


def values_of(instance: Any) -> dict[str, Any]:
    return {field.attname: getattr(instance, field.attname) for field in instance._meta.concrete_fields}


def test_a_command_is_stored_as_django_would(make_cluster):
    cluster = make_cluster(is_auto=True)
    payload = {"object": {"metadata": {"name": "ü \U0001f600"}, "spec": [None, True, 2**63, 0.5]}}
    command = inbox.append(cluster, "create", payload, cluster.owner, pinned_ms=7)
    assert values_of(Command.objects.get(pk=command.pk)) == values_of(command)
    assert command.source is not None and timezone.now() - command.created_at < timedelta(minutes=1)
    beside = Command(cluster=cluster, order=2, kind="create", payload=payload)
    beside.save(force_insert=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT CAST(payload AS TEXT) FROM lifecycle_command")
        assert len({*cursor.fetchall()}) == 1


def test_the_row_of_a_cluster_and_what_its_inbox_has(make_cluster):
    cluster = make_cluster()
    Cluster.objects.filter(pk=cluster.pk).update(
        settings={"a": [1]}, anchor_wall=timezone.now(), achieved_speed=0.5, keep_ms=2**40, seq=2**62
    )
    flags = ("has_commands", "has_pinned", "has_controls")
    for change, expected in (
        (lambda: None, (False, False, False)),
        (lambda: inbox.append(cluster, "delete", {}, pinned_ms=5), (True, True, False)),
        (lambda: inbox.control(cluster, "pause"), (True, True, True)),
    ):
        change()
        found, whole = shards.row_and_inbox(cluster.pk), Cluster.objects.get(pk=cluster.pk)
        assert found is not None and values_of(found) == values_of(whole)
        assert tuple(getattr(found, name) for name in flags) == expected
    Rows(Cluster).refresh(cluster)
    assert values_of(cluster) == values_of(whole)
    Cluster.objects.filter(pk=cluster.pk).update(failure="broken")
    assert shards.row_and_inbox(cluster.pk) is None
    cluster.delete()
    with pytest.raises(Cluster.DoesNotExist, match="is gone"):
        Rows(Cluster).refresh(Cluster(pk=whole.pk))


def test_an_object_by_its_place(make_cluster):
    cluster, other = make_cluster(), make_cluster("other")
    service, node = (resources.find(cluster, "", "v1", name) for name in ("services", "nodes"))
    assert service is not None and node is not None
    places: list[dict[str, object]] = [
        {"kind": "Service", "namespace": "a", "name": "web"},
        {"kind": "Service", "namespace": "b", "name": "web"},
        {"kind": "Service", "namespace": "a", "name": "gone", "deleted_ms": 5},
        {"kind": "Service", "namespace": "a", "name": "api", "group": "serving.example.org"},
        {"kind": "Service", "namespace": "a", "name": "theirs", "cluster": other},
        {"kind": "Node", "namespace": None, "name": "node-1"},
    ]
    for number, place in enumerate(places):
        row = {"cluster": cluster, "uid": str(number), "rv": 1, "data": {"n": number}, **place}
        StoredObject.objects.create(**row)
    for resource, namespace, name, expected in (
        (service, "a", "web", {"n": 0}),
        (service, "b", "web", {"n": 1}),
        (service, "a", "gone", None),
        (service, "a", "api", None),
        (service, "a", "theirs", None),
        (node, None, "node-1", {"n": 5}),
        (node, None, "web", None),
    ):
        assert reads.find(cluster, resource, namespace, name) == expected


def test_what_is_recorded_of_kinds_page_by_page(make_cluster, monkeypatch):
    monkeypatch.setattr(records, "PAGE_ROWS", 2)
    cluster = make_cluster()
    Cluster.objects.filter(pk=cluster.pk).update(rv=8, seq=4, anchor_wall=timezone.now(), has_reached=True)
    kinds = [("", "Pod"), ("apps", "Deployment"), ("", "Secret")]
    for rv in range(1, 11):
        group, kind = kinds[rv % 3]
        ObjectVersion.objects.create(
            cluster=cluster, rv=rv, at_ms=rv, uid="u", type="ADDED", kind=kind, group=group, name="n",
            patch={"z": rv, "a": "ü"},
        )  # fmt: skip
    head, rows = records.read_news(cluster.pk, kinds[:2], 1)
    assert head == records.Head.of(Cluster.objects.get(pk=cluster.pk))
    assert rows == [
        records.Row(rv, "ADDED", *kinds[rv % 3], None, "n", "u", f'{{"z":{rv},"a":"ü"}}') for rv in (3, 4)
    ]
    assert [row.rv for row in records.read_news(cluster.pk, kinds[:2], 4)[1]] == [6, 7]
    # What is above the cursor is not there.
    assert [records.read_news(cluster.pk, wanted, 7)[1] for wanted in (kinds[:2], [])] == [[], []]
    assert records.read_news(cluster.pk + 1, kinds, 0) == (None, [])


def test_what_waits_is_found_without_a_look_at_what_is_done(make_cluster):
    """A cluster has had a hundred thousand commands, and a turn is not to walk them."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL knows how many wait, and chooses by that")
    cluster = make_cluster()
    for question, values in (
        (entries._LIST_WAITING, [cluster.pk, 0, 200]),
        (shards.ROW_AND_INBOX, [cluster.pk]),
        (turns._DUE_OF_SHARD, [ENGINE_VERSION, 0, ""]),
    ):
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {question}", values)
            plan = [step for _, _, _, step in cursor.fetchall()]
        of_commands = [step for step in plan if " command " in step]
        assert of_commands and all("command_pending" in step for step in of_commands), plan


def test_who_shows_a_token(make_cluster):
    cluster, guest = make_cluster(), get_user_model().objects.create_user("guest")
    for user in (cluster.owner, guest):
        found = tokens.find(tokens.issue(user, cluster), f"shop@{cluster.owner.get_username()}")
        assert found is not None and (found.user, found.cluster) == (user, cluster)
        assert found.cluster.owner == cluster.owner and found.cluster.epoch == cluster.epoch
        assert timezone.now() - found.created_at < timedelta(minutes=1)
        assert found.user.is_active and not found.user.is_superuser
        whole = tokens.ApiToken.objects.select_related("user", "cluster").get(pk=found.pk)
        for one, other in ((found, whole), (found.user, whole.user), (found.cluster, whole.cluster)):
            names = [field.attname for field in other._meta.concrete_fields]
            assert [getattr(one, name) for name in names] == [getattr(other, name) for name in names]
    assert tokens.find(tokens.issue(guest, cluster), "shop@guest") is None
