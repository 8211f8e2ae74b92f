"""Which ordinal a StatefulSet waits for, as its controller decides, for those that only look on."""

from __future__ import annotations

from collections.abc import Iterable

from lifecycle.lean_tuples import NamedTuple

from ....objects.workloads.stateful_set import ON_DELETE, StatefulSetSpec
from .ordinals import Ordinals

NEXT, SCALE_DOWN, UPDATE = "the next pod", "scaling down", "the update"


class Wait(NamedTuple):
    """The ordinal that `what` waits for."""

    ordinal: int
    what: str


def find_highest_unavailable(present: Ordinals, unsettled: Ordinals, low: int, high: int) -> int:
    """The highest ordinal of a range of which no pod is available; -1 where all are."""
    unwell = unsettled.last_within(low, high)
    lowest = -1 if unwell is None else unwell
    is_whole = present.count_within(low, high) == max(0, high - low + 1)
    return lowest if is_whole else max(lowest, *present.gaps(low, high))


def find_wait(
    spec: StatefulSetSpec, present: Ordinals, unsettled: Ordinals, outdated: Iterable[int]
) -> Wait | None:
    """What the next look would wait for; None: it has something to do, or nothing is to be done.

    `unsettled`: present, but going, finished or not available. `outdated`: not of the latest revision.
    `OrderedReady` goes from the lowest ordinal up and stops at the first that is not well; what is beyond
    the range goes from the highest down; an update likewise, however pods are managed.
    """
    low, high = spec.start, spec.end
    updated_from = low + (spec.partition or 0)
    old = max((one for one in outdated if updated_from <= one <= high), default=None)
    is_updated = old is None or spec.strategy_type == ON_DELETE
    if not spec.is_parallel:
        blocked = next(unsettled.within(low, high), None)
        missing = next(present.gaps(low, high), None)
        top = present.last_outside(low, high)
        if blocked is not None and (missing is None or blocked < missing):
            what = NEXT if missing is not None else SCALE_DOWN if top is not None else UPDATE
            return None if what is UPDATE and is_updated else Wait(blocked, what)
        if missing is not None:
            return None
        if top is not None:
            first = unsettled.first_outside(low, high)
            return Wait(first, SCALE_DOWN) if first is not None else None
    if is_updated or old is None:
        return None
    highest = find_highest_unavailable(present, unsettled, updated_from, high)
    return Wait(highest, UPDATE) if highest > old else None
