"""Ordeals once more, with a change: the same chances, one thing different."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from lifecycle.check.life import ENDS, Future, live
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.processes import do_all
from lifecycle.check.remedies.candidates import change_plan
from lifecycle.check.settled import Settled, settle
from lifecycle.check.trials import Trial, list_trials
from lifecycle.check.untouched import look_untouched
from lifecycle.engine.heart.errors import ApiError
from lifecycle.lean_dataclasses import replace

Json = Mapping[str, Any]
_BROUGHT = ("create", "apply")
SETTLING = 2
"""To settle anew counts as so many futures."""


class SpentError(Exception):
    """So many futures were lived through that no more are."""


class Retrials:
    """Settles anew with a change and lives through ordeals; what was lived through once is known.

    `left` futures, then it is over. Nothing of it depends on how long anything takes, or on how many
    processes there are.
    """

    def __init__(
        self, settled: Settled, lived: Sequence[tuple[Trial, Future]], left: int, processes: int = 1
    ) -> None:
        self.settled, self.left, self._processes = settled, left, processes
        self.trials = {trial.title: trial for trial, _ in lived}
        self.before = {(trial.title, future.seed): future for trial, future in lived}
        self._by_ordeal: dict[tuple[str, int], list[Future]] = {}
        for (title, seed), future in self.before.items():
            self._by_ordeal.setdefault((self.trials[title].ordeal.name, seed), []).append(future)
        self._settled: dict[bytes, Settled | None] = {}
        self._trials: dict[tuple[bytes, str], list[Trial]] = {}
        self._futures: dict[tuple[bytes, str, int], Future] = {}

    def settle(self, patch: Json) -> Settled | None:
        """The state with a change; None where that is refused, or does not come up any more."""
        key = _key(patch)
        if key not in self._settled:
            self._spend(SETTLING)
            self._settled[key] = self._settle(patch)
        return self._settled[key]

    def _settle(self, patch: Json) -> Settled | None:
        try:
            plan = change_plan(self.settled.plan, patch)
        except ApiError:
            return None
        found = settle(plan)
        if self.settled.faults:
            # What is at fault before all with the change is no fault of an ordeal either.
            found, lived = look_untouched(found, min(seed for _, seed in self.before))
            known_key = _key(patch)
            self._futures |= {(known_key, one.title, future.seed): future for one, future in lived}
        known = self.settled.outcome
        is_refused = len(found.outcome.refusals) > len(known.refusals)
        is_worse = bool(found.outcome.not_reached) and not known.not_reached
        return None if is_refused or is_worse else found

    def list_trials(self, patch: Json, ordeal: Ordeal) -> list[Trial]:
        """What an ordeal befalls with a change; nothing where that is refused."""
        settled = self.settle(patch)
        key = _key(patch), ordeal.name
        if key not in self._trials:
            found = list_trials(settled, [ordeal]) if settled is not None else []
            self._trials[key] = [self._bring_the_same(one) for one in found]
        return self._trials[key]

    def _bring_the_same(self, trial: Trial) -> Trial:
        """What an ordeal brings along is as it was: it does not grow with what is changed against it."""
        known = self.trials.get(trial.title)
        if known is None or [one.kind for one in known.steps] != [one.kind for one in trial.steps]:
            return trial
        pairs = zip(known.steps, trial.steps, strict=True)
        return replace(trial, steps=tuple(old if old.kind in _BROUGHT else new for old, new in pairs))

    def live_ahead(self, patch: Json, trials: Sequence[Trial], seed: int) -> None:
        """Live through them side by side, as far as is left: all are asked for next, in this order."""
        settled, key = self.settle(patch), _key(patch)
        places = {(key, one.title, seed): one for one in trials}
        jobs = [(place, one) for place, one in places.items() if place not in self._futures][: self.left]
        if settled is None or self._processes < 2:
            return
        self._spend(len(jobs))
        lived = do_all(lambda job: live(settled, job[1], seed), jobs, self._processes)
        self._futures.update(zip((place for place, _ in jobs), lived, strict=True))

    def live(self, patch: Json, trial: Trial, seed: int) -> Future:
        """One future with a change."""
        key = _key(patch), trial.title, seed
        if key not in self._futures:
            settled = self.settle(patch)
            assert settled is not None, "its trial was made from it"
            self._spend(1)
            self._futures[key] = live(settled, trial, seed)
        return self._futures[key]

    def _spend(self, count: int) -> None:
        if self.left < count:
            self.left = 0
            raise SpentError
        self.left -= count

    def list_before(self, ordeal: str, seed: int) -> list[Future]:
        """What came of an ordeal without a change, of all that it befell."""
        return self._by_ordeal.get((ordeal, seed), [])


def is_worse(futures: Sequence[Future], before: Sequence[Future]) -> bool:
    """Whether they end worse: less is whole, or what came to an end does not any more."""
    return _rank_end(futures) > _rank_end(before)


def _rank_end(futures: Sequence[Future]) -> tuple[int, bool]:
    worst = max((ENDS.index(one.end) for one in futures), default=0)
    return worst, any(one.figures.recovery_ms is None for one in futures)


def _key(patch: Json) -> bytes:
    return orjson.dumps(patch, option=orjson.OPT_SORT_KEYS)
