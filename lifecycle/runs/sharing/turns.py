"""Whose cluster a worker turns to: a turn of a shard, fair between the users whose clusters wait."""

from __future__ import annotations

from functools import partial

from django.db.models import Q

from lifecycle.engine import ENGINE_VERSION
from lifecycle.models import Cluster, Command, RunControl, Shard
from lifecycle.runs.run_clock import moment
from lifecycle.runs.runner import TURN_SECONDS, Owner
from lifecycle.runs.sharing import shares
from lifecycle.runs.sharing.shares import Due

MIN_TURN_SECONDS = 0.01
# While clusters of several users live here, none has a whole turn.
SHARED_TURN_SECONDS = 0.04
# After so long, others who have had less of this worker are looked for.
LOOK_AROUND_SECONDS = 0.02


def find_due(where: Q, now: float) -> list[Due]:
    """The clusters that want a turn: those with something waiting first, then in wake order.

    One that another engine left is taken up at once, so that it can be forked and goes on whenever asked.
    """
    there = Cluster.objects.filter(where, failure="")
    waiting = there.filter(
        Q(pk__in=Command.objects.filter(state=Command.State.PENDING, pinned_ms=None).values("cluster"))
        | Q(pk__in=RunControl.objects.filter(applied_at=None).values("cluster"))
        | Q(seq__gt=0) & ~Q(engine_version=ENGINE_VERSION)
    ).values_list("pk", "owner_id")
    due = there.filter(next_wake_at__lte=moment(now)).order_by("next_wake_at").values_list("pk", "owner_id")
    return [Due(pk, owner_id) for pk, owner_id in dict.fromkeys([*waiting, *due])]


def turn_of_shard(owner: Owner, shard: int) -> bool:
    """One turn of each due cluster; True when any of them wants another at once.

    Who has had least of this worker goes first. Between the turns of one user's clusters, and where
    a long turn can be left, others of any shard of this worker who have had less are served: no user's
    clusters, however many, keep another's waiting for longer than a turn.
    """
    due = owner.shares.order(find_due(Q(shard=shard), owner.wall()), owner.steady())
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
    mine = Q(shard__in=Shard.objects.filter(worker=owner.name).values("number"))
    others = find_due(mine & ~Q(owner_id=instead.owner), owner.wall())
    first = owner.shares.before(others, instead.owner, owner.steady())
    seconds = shares.split(first, TURN_SECONDS, MIN_TURN_SECONDS, TURN_SECONDS)
    until = owner.steady() + TURN_SECONDS
    for one in first:
        if owner.steady() > until:
            return
        owner.turn_of(one, seconds[one.owner])
