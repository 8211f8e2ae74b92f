"""Whose cluster a worker turns to: a turn of a shard, fair between the users whose clusters wait.

Who is due is asked at every turn, and so in SQL: Django would take ten times as long to write the question as
the database to answer it.
"""

from __future__ import annotations

from functools import partial

from django.db import connection

from lifecycle.engine import ENGINE_VERSION
from lifecycle.runs.run_clock import moment
from lifecycle.runs.runner import TURN_SECONDS, Owner
from lifecycle.runs.sharing import shares
from lifecycle.runs.sharing.shares import Due

MIN_TURN_SECONDS = 0.01
# While clusters of several users live here, none has a whole turn.
SHARED_TURN_SECONDS = 0.04
# After so long, others who have had less of this worker are looked for.
LOOK_AROUND_SECONDS = 0.02

_DUE = """
    SELECT id, owner_id FROM (
        SELECT cluster.id, cluster.owner_id, cluster.next_wake_at, (
                cluster.id IN (SELECT command.cluster_id FROM lifecycle_command AS command
                    WHERE command.state = 'pending' AND command.pinned_ms IS NULL)
                OR cluster.id IN (SELECT control.cluster_id FROM lifecycle_runcontrol AS control
                    WHERE control.applied_at IS NULL)
                OR (cluster.seq > 0 AND cluster.engine_version <> %s)
            ) AS is_waiting
        FROM lifecycle_cluster AS cluster WHERE {which} AND cluster.failure = ''
    ) AS found
    WHERE is_waiting OR next_wake_at <= %s
    ORDER BY is_waiting DESC, next_wake_at, id
"""
_DUE_OF_SHARD = _DUE.format(which="cluster.shard = %s")
_DUE_OF_OTHERS = _DUE.format(
    which="""
        cluster.shard IN (SELECT shard.number FROM lifecycle_shard AS shard WHERE shard.worker = %s)
        AND cluster.owner_id <> %s"""
)


def find_due(shard: int, now: float) -> list[Due]:
    """The clusters of a shard that want a turn: those with something waiting first, then in wake order.

    One that another engine left is taken up at once, so that it can be forked and goes on whenever asked.
    """
    return _find(_DUE_OF_SHARD, [shard], now)


def _find(question: str, which: list[int | str], now: float) -> list[Due]:
    # SQLite compares instants as texts: each is to be written as the stored ones are.
    latest = connection.ops.adapt_datetimefield_value(moment(now))
    with connection.cursor() as cursor:
        cursor.execute(question, [ENGINE_VERSION, *which, latest])
        return [Due(pk, owner_id) for pk, owner_id in cursor.fetchall()]


def turn_of_shard(owner: Owner, shard: int) -> bool:
    """One turn of each due cluster; True when any of them wants another at once.

    Who has had least of this worker goes first. Between the turns of one user's clusters, and where
    a long turn can be left, others of any shard of this worker who have had less are served: no user's
    clusters, however many, keep another's waiting for longer than a turn.
    """
    due = owner.shares.order(find_due(shard, owner.wall()), owner.steady())
    # Many at once share the time of two, so that a command to any of them or to another shard waits little.
    most = TURN_SECONDS if len(owner.shares.had) < 2 else SHARED_TURN_SECONDS
    seconds = shares.split(due, most, MIN_TURN_SECONDS, 2 * TURN_SECONDS)
    wakes, looked_at = [], owner.steady()

    def look_around(one: Due) -> None:
        nonlocal looked_at
        if owner.steady() - looked_at > LOOK_AROUND_SECONDS:
            _serve_others(owner, one)
            looked_at = owner.steady()

    for one in due:
        look_around(one)
        wakes.append(owner.turn_of(one, seconds[one.owner], partial(look_around, one)))
    return any(wake is not None and wake <= owner.wall() for wake in wakes)


def _serve_others(owner: Owner, instead: Due) -> None:
    others = _find(_DUE_OF_OTHERS, [owner.name, instead.owner], owner.wall())
    first = owner.shares.before(others, instead.owner, owner.steady())
    seconds = shares.split(first, TURN_SECONDS, MIN_TURN_SECONDS, TURN_SECONDS)
    until = owner.steady() + TURN_SECONDS
    for one in first:
        if owner.steady() > until:
            return
        owner.turn_of(one, seconds[one.owner])
