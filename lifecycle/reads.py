"""Questions other surfaces ask about a cluster: its time, its rows, and any past instant.

Rows above a cluster's cursor belong to a slice that is not committed: nothing here returns them.
"""

import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.utils import timezone

from lifecycle import frames
from lifecycle.engine.heart import settings
from lifecycle.engine.heart.series import is_open, tell_at
from lifecycle.engine.releases.release import Release
from lifecycle.models import Cluster, Event, Shard, Transition
from lifecycle.recorded.once import once
from lifecycle.runs import checkpoints
from lifecycle.runs.run_clock import RunClock
from lifecycle.runs.sharing.shards import SILENCE


class Gone(Exception):
    """What was asked for has been deleted, or can no longer be replayed; the message says from where on."""


def read_release(cluster: Cluster) -> Release:
    """The release that a cluster's control plane is of: by its settings, or by the last upgrade."""
    return choose_release(cluster.kubernetes, cluster.settings)


def choose_release(upgraded_to: str, saved: dict[str, Any]) -> Release:
    """As `read_release`, of a cluster's columns."""
    return settings.read_release({"kubernetes": upgraded_to} if upgraded_to else saved)


def virtual_now_ms(cluster: Cluster) -> int:
    """Virtual now: it goes on between turns, and stands while nobody serves the cluster."""
    served_until = _served_until(cluster.shard)
    if served_until is None:
        return cluster.instant_ms
    wall = served_until.timestamp() if _is_silent(served_until) else time.time()
    return max(cluster.instant_ms, RunClock.of(cluster).now_ms(wall))


def tell_rows(cluster: Cluster, rows: Iterable[Event], now_ms: int) -> list[Event]:
    """Rows of events, those of open series as they have been told by an instant: count and last time.

    A row that a later one of the same event has followed stays as it was written.
    """
    found = list(rows)
    tell_up_to(list_going_on(cluster, found), now_ms)
    return found


def list_going_on(cluster: Cluster, rows: Iterable[Event]) -> list[Event]:
    """Those that are the last about a series that is open."""
    opened = [row for row in rows if is_open(row.detail)]
    if not opened:
        return []
    later = Event.objects.filter(
        cluster=cluster,
        uid__in={row.uid for row in opened},
        seq__gte=min(row.seq for row in opened),
        seq__lte=cluster.seq,
    )
    latest = dict(later.order_by("seq").values_list("event_id", "seq"))
    return [row for row in opened if row.seq >= latest.get(row.event_id, 0)]


def tell_up_to(going_on: Iterable[Event], now_ms: int) -> None:
    """Count rows that go on up to an instant."""
    for row in going_on:
        row.count, row.last_ms = tell_at(row.count, row.last_ms, row.detail, now_ms)


def is_served(cluster: Cluster) -> bool:
    """Whether an engine worker was heard of lately that serves the cluster."""
    served_until = _served_until(cluster.shard)
    return served_until is not None and not _is_silent(served_until)


@once
def _served_until(shard: int) -> datetime | None:
    return Shard.objects.filter(number=shard).values_list("served_until", flat=True).first()


def _is_silent(served_until: datetime) -> bool:
    return abs(timezone.now() - served_until) > SILENCE


def rows_since(cluster: Cluster, after: int, limit: int = frames.MAX_ROWS) -> list[dict[str, Any]]:
    """At most `limit` rows of the trace after a row number: transitions and events together, in order.

    Raises Gone when rows after it were deleted by the cluster's retention.
    """
    if after + 1 < cluster.oldest_seq:
        raise Gone(f"rows before {cluster.oldest_seq} are no longer kept; ask from there")
    # Transitions and events are counted together, without gaps.
    span = {"cluster": cluster, "seq__gt": after, "seq__lte": min(after + limit, cluster.seq)}
    rows = [frames.transition_json(row) for row in Transition.objects.filter(**span)]
    rows += [frames.event_json(row) for row in Event.objects.filter(**span)]
    return sorted(rows, key=lambda row: row["seq"])


def state(cluster: Cluster, at_ms: int) -> Iterator[dict[str, Any]]:
    """Every object as it was at a past instant, from the nearest checkpoint and the recorded commands.

    Raises Gone when that instant cannot be replayed any more, ValueError when it has not come yet.
    """
    if not 0 <= at_ms <= cluster.instant_ms:
        raise ValueError(f"instant {at_ms} ms: the recorded history goes from 0 to {cluster.instant_ms} ms")
    try:
        engine = checkpoints.restore(cluster, at_ms).engine
    except checkpoints.Unreadable as problem:
        raise Gone(str(problem)) from problem
    for kind in sorted(engine.kinds()):
        yield from engine.list(kind)
