"""A future in which nothing befalls what has settled: what is wrong in it is no ordeal's fault.

It is told once, in the first ordeal that was tried of what is at fault. Of the ordeals themselves only what
they make worse is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lifecycle.check.claims import list_claims, requests, restarts, stuck
from lifecycle.check.facts import list_about
from lifecycle.check.life import Future, live
from lifecycle.check.ordeals import WHOLE, Ordeal, Variant
from lifecycle.check.settled import Settled, Workload
from lifecycle.check.targets import KINDS
from lifecycle.check.trials import Trial, list_trials
from lifecycle.lean_dataclasses import replace

Lived = Sequence[tuple[Trial, Future]]
UNTOUCHED = Ordeal(
    name="untouched",
    text="nothing is done",
    source="",
    each="cluster",
    kinds=KINDS,
    is_planned=False,
    # All tries of a Job, and the longest wait between two restarts, are over by then.
    within_ms=1_800_000,
    leaves=WHOLE,
    claims=(),
    # Nothing happened that it could be whole again after.
    spares=("whole-again",),
    variants=(Variant(lasts="10m"),),
)
_OF_WHAT_RESTARTS = (
    *("rollout-keeps-its-budget", "budget-kept", "whole-again"),
    *(stuck.CLAIM, requests.CLAIM),
)


def look_untouched(settled: Settled, seed: int) -> tuple[Settled, Lived]:
    """The same state with what is known to be at fault in it, and the future in which that is seen."""
    lived = [(trial, live(settled, trial, seed)) for trial in list_trials(settled, [UNTOUCHED])]
    seen = [one for _, future in lived for one in future.violations]
    found = [(one.claim, one.object) for one in seen]
    known = replace(settled, unwell={one.object: one.amount for one in seen if one.claim == stuck.CLAIM})
    restarting = [one.object for one in seen if one.claim == restarts.CLAIM]
    return replace(known, faults=frozenset([*found, *_list_implied(known, restarting)])), lived


def _list_implied(settled: Settled, restarting: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What else does not hold where something is at fault: by itself it restarts, is away, does not serve."""
    yield from ((restarts.CLAIM, title) for title in settled.unwell)
    yield from ((claim, title) for title in restarting for claim in _OF_WHAT_RESTARTS)
    for one in settled.workloads:
        for place in one.services:
            if all(is_down(other, settled) for other in settled.workloads if place in other.services):
                yield requests.CLAIM, requests.name_behind(settled, place)


def is_down(one: Workload, settled: Settled) -> bool:
    """Whether it has no pod that serves, before anything is done."""
    return settled.unwell.get(one.title) == 0


def find_carrier(claim: str, name: str, settled: Settled, tried: Sequence[Trial]) -> Trial | None:
    """The trial that a fault is told in: the first of what is at fault of which the claim is made."""
    titles = list_about(name, settled)
    befalling = [one for one in tried if any(other.title in titles for other in one.workloads)] or tried
    fit = [one for one in befalling if claim in list_claims(one.ordeal)]
    return next(iter(fit or befalling), None)
