"""What became of pods within a stretch of time, counted from the rows that were recorded in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import Max, Min, Q, QuerySet

from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.lean_dataclasses import dataclass
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.pod_judge import ENDED
from lifecycle.stored_kinds import of_kind

STATE, EXISTS, DELETED, READY = "state", "exists", "deleted", "ready"
CONTAINER, RESTARTS = "container.", ".restartCount"
NOT_COUNTED = (*ENDED, "terminating")
"""Pods of these states are not among those that could be ready."""
MOST_ROWS = 200_000


class TooMuch(ValueError):
    """More happened within a stretch than is counted at once; the message says what would be right."""


@dataclass(slots=True)
class Stretch:
    """Counts of pods from `from_ms` until before `to_ms`, in virtual milliseconds.

    `fewest_ready` of the `wanted` that could have been, first at `fewest_ms`; None where there was no pod.
    `ended`: deleted, or ended by themselves.
    """

    from_ms: int
    to_ms: int
    fewest_ready: int | None = None
    wanted: int = 0
    fewest_ms: int = 0
    created: int = 0
    ended: int = 0
    restarts: int = 0


def read_stretch(cluster: Cluster, from_ms: int, to_ms: int, uids: Collection[str] | None = None) -> Stretch:
    """The figures of a stretch, of the pods with these uids or of all. TooMuch of too many rows."""
    told = Stretch(from_ms, to_ms)
    states = _read_states(cluster, from_ms, uids)
    counts, at_ms = Counter(states.values()), from_ms
    for uid, row_ms, field, old, new in _list_rows(cluster, from_ms, to_ms, uids):
        if row_ms != at_ms:
            _see(told, counts, at_ms)
            at_ms = row_ms
        if field == STATE:
            _turn(states, counts, uid, new)
            told.ended += new in ENDED and old not in ENDED
        elif field != EXISTS:
            told.restarts += max(0, (new or 0) - (old or 0))
        elif new == DELETED:
            told.ended += states.get(uid) not in ENDED
            _turn(states, counts, uid, None)
        else:
            told.created += 1
    _see(told, counts, at_ms)
    return told


def _turn(states: dict[str, str], counts: Counter[str], uid: str, state: str | None) -> None:
    if (before := states.pop(uid, None)) is not None:
        counts[before] -= 1
    if state is not None:
        states[uid] = state
        counts[state] += 1


def _see(told: Stretch, counts: Counter[str], at_ms: int) -> None:
    """Take what is true once an instant is over."""
    wanted = sum(count for state, count in counts.items() if state not in NOT_COUNTED)
    if wanted and (told.fewest_ready is None or counts[READY] < told.fewest_ready):
        told.fewest_ready, told.wanted, told.fewest_ms = counts[READY], wanted, at_ms


def _read_states(cluster: Cluster, from_ms: int, uids: Collection[str] | None) -> dict[str, str]:
    """By uid the state of each pod that was there just before an instant: what its next change was from."""
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster, created_ms__lt=from_ms)
    there = pods.filter(Q(deleted_ms__isnull=True) | Q(deleted_ms__gte=from_ms))
    wanted = None if uids is None else frozenset(uids)
    states = {
        uid: state or "unknown"
        for uid, state in there.values_list("uid", "state")
        if wanted is None or uid in wanted
    }
    if not states:
        return states
    changes = _pod_rows(cluster).filter(field=STATE, at_ms__gte=from_ms)
    first = changes.order_by().values("uid").annotate(first=Min("seq")).values("first")
    for uid, old in changes.filter(seq__in=first).values_list("uid", "old"):
        if uid in states and old:
            states[uid] = old
    return states


def _list_rows(
    cluster: Cluster, from_ms: int, to_ms: int, uids: Collection[str] | None
) -> Iterator[tuple[str, int, str, Any, Any]]:
    """Uid, instant, field, old and new of what changed in the stretch, in order."""
    restarts = Q(field__startswith=CONTAINER, field__endswith=RESTARTS)
    rows = _between(cluster, from_ms, to_ms).filter(Q(field__in=(STATE, EXISTS)) | restarts)
    wanted = None if uids is None else frozenset(uids)
    told = rows.order_by("seq").values_list("uid", "at_ms", "field", "old", "new")[: MOST_ROWS + 1]
    for number, row in enumerate(told.iterator()):
        if number == MOST_ROWS:
            raise TooMuch(f"more than {MOST_ROWS:,} changes: choose a shorter stretch")
        if wanted is None or row[0] in wanted:
            yield row


def _between(cluster: Cluster, from_ms: int, to_ms: int) -> QuerySet[Transition]:
    """The rows of pods in a stretch. Changes of state are found by instants, others between their numbers."""
    rows = _pod_rows(cluster)
    changes = rows.filter(field=STATE)
    before = changes.filter(at_ms__lt=from_ms).aggregate(seq=Max("seq"))["seq"]
    after = changes.filter(at_ms__gte=to_ms).aggregate(seq=Min("seq"))["seq"]
    rows = rows.filter(at_ms__gte=from_ms, at_ms__lt=to_ms, seq__gt=before or 0)
    return rows if after is None else rows.filter(seq__lt=after)


def _pod_rows(cluster: Cluster) -> QuerySet[Transition]:
    return Transition.objects.filter(of_kind(POD_KIND.id), cluster=cluster, seq__lte=cluster.seq)
