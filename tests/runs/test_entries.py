"""What a turn reads of an inbox, and what becomes of a command that costs its workers the shard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lifecycle.engine import Cluster as Engine
from lifecycle.models import Cluster, Command, StoredObject
from lifecycle.runs import inbox
from lifecycle.runs.entries import SET_ASIDE
from lifecycle.runs.runner import Owner
from lifecycle.runs.sharing import shards
from tests.runs.histories import assert_whole
from tests.runs.workers.test_shards import be_silent

pytestmark = pytest.mark.slow


class Killed(BaseException):
    """The worker's process ends here."""


def order(cluster: Cluster, name: str, size: int = 1) -> Command:
    meta = {"name": name, "namespace": "default"}
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"a": "x" * size}}
    return inbox.append(cluster, "create", {"object": data})


def poison(monkeypatch: pytest.MonkeyPatch, name: str, harm: Callable[[], Any]) -> list[str]:
    """Have `harm` done by whoever carries out what makes `name`. The names that were begun are noted."""
    begun: list[str] = []
    really_submit = Engine.submit

    def submit(engine: Engine, command: Any) -> Any:
        begun.append(command.payload["object"]["metadata"]["name"])
        if begun[-1] == name:
            harm()
        return really_submit(engine, command)

    monkeypatch.setattr(Engine, "submit", submit)
    return begun


def take_turns(owner: Owner, cluster: Cluster, count: int = 6) -> None:
    for _ in range(count):
        owner.turn(cluster.pk)


def codes(commands: list[Command]) -> list[int]:
    return [(inbox.wait_for_result(command, 0) or {"code": 0})["code"] for command in commands]


def die() -> None:
    raise Killed


@pytest.mark.parametrize("is_known_to_be_dead", [True, False], ids=["killed", "silent"])
def test_a_command_that_killed_two_workers_is_set_aside(
    owner, wall, make_cluster, monkeypatch, is_known_to_be_dead
):
    cluster = make_cluster()
    owner.turn(cluster.pk)
    begun = poison(monkeypatch, "bad", die)
    commands = [order(cluster, name) for name in ("before", "bad", "after")]
    for name in ("test", "second"):
        shards.beat(name)
        with pytest.raises(Killed):
            take_turns(Owner(name, wall, wall), cluster)
        if is_known_to_be_dead:
            shards.give_up(name)
        else:
            be_silent(name, seconds=4)
    shards.beat("third")
    take_turns(Owner("third", wall, wall), cluster)
    assert codes(commands) == [201, 500, 201]
    assert inbox.wait_for_result(commands[1], 0)["status"] == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f"Internal error occurred: {SET_ASIDE}",
        "reason": "InternalError",
        "code": 500,
    }
    assert begun.count("bad") == 2
    cluster.refresh_from_db()
    assert (cluster.failure, cluster.losses) == ("", 0)
    names = StoredObject.objects.filter(cluster=cluster, kind="ConfigMap", namespace="default")
    assert {"before", "after"} <= {*names.values_list("name", flat=True)}
    assert_whole(cluster)


def test_a_command_that_twice_kept_its_worker_from_beating_is_set_aside(owner, make_cluster, monkeypatch):
    """The process lives on: it is fenced off by its own next beat, and nothing of the turn is recorded."""
    cluster = make_cluster()
    owner.turn(cluster.pk)

    def hang() -> None:
        be_silent("test", seconds=60)
        shards.beat("test")

    begun = poison(monkeypatch, "bad", hang)
    commands = [order(cluster, name) for name in ("bad", "after")]
    take_turns(owner, cluster)
    assert codes(commands) == [500, 201]
    # As long as there is time in the first turn, the other one is begun in it too, and lost with it.
    assert (begun.count("bad"), begun[-1]) == (2, "after")


def test_two_commands_that_cost_the_shard_are_both_set_aside(owner, make_cluster, monkeypatch):
    cluster = make_cluster()
    owner.turn(cluster.pk)

    def hang() -> None:
        be_silent("test", seconds=60)
        shards.beat("test")

    poison(monkeypatch, "bad", hang)
    bad = order(cluster, "bad")
    poison(monkeypatch, "worse", hang)
    commands = [bad, order(cluster, "good"), order(cluster, "worse"), order(cluster, "late")]
    take_turns(owner, cluster, 10)
    assert codes(commands) == [500, 201, 500, 201]


def test_a_shard_that_was_lost_for_another_reason_costs_no_command(owner, wall, make_cluster):
    """The machine slept, or somebody killed the worker: what waited is carried out by the next one."""
    cluster = make_cluster()
    owner.turn(cluster.pk)
    commands = [order(cluster, name) for name in "abc"]
    be_silent("test", seconds=3600)
    shards.beat("second")
    # One a turn, and with the last of them care is over: what is written next is not counted.
    take_turns(Owner("second", wall, wall), cluster, 3)
    assert codes(commands) == [201, 201, 201]
    cluster.refresh_from_db()
    assert cluster.losses == 0


def test_shards_that_are_handed_over_are_not_lost(make_cluster, owner):
    cluster = make_cluster()
    shards.leave("test")
    shards.beat("second")
    shards.beat("third")
    shards.beat("second")
    shards.beat("third")
    cluster.refresh_from_db()
    assert cluster.losses == 0


def test_as_long_as_no_shard_is_lost_nothing_is_counted(owner, make_cluster):
    cluster = make_cluster()
    owner.turn(cluster.pk)
    commands = [order(cluster, name) for name in "abc"]
    with CaptureQueriesContext(
        connection,
    ) as queries:
        owner.turn(cluster.pk)
    assert codes(commands) == [201, 201, 201]
    assert not [one["sql"] for one in queries if '"attempts" =' in one["sql"] or '"losses" =' in one["sql"]]


def test_a_turn_reads_no_more_of_an_inbox_than_it_carries_out(owner, make_cluster):
    cluster = make_cluster()
    owner.turn(cluster.pk)
    commands = [order(cluster, f"c{number}", size=100_000) for number in range(20)]
    with CaptureQueriesContext(connection) as queries:
        # Its time is over at once: one command enters all the same.
        owner.turn(cluster.pk, seconds=0)
    assert codes(commands) == [201] + [0] * 19
    read = [one["sql"] for one in queries if "payload" in one["sql"].partition(" FROM ")[0]]
    assert len(read) == 1
    key = Command._meta.pk.get_db_prep_value(commands[0].pk, connection)
    assert read[0].endswith(f"WHERE \"id\" = '{key}'")
