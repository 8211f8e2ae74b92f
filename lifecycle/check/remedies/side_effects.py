"""What a change breaks that held before: where two rules fight, both are to be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import orjson

from lifecycle.check.life import Future
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.remedies.candidates import Candidate, Case
from lifecycle.check.remedies.retrials import Json, Retrials
from lifecycle.check.scene import SEVERITIES
from lifecycle.check.trials import Trial

_MOST_PLANNED, _MOST_OTHERS = 6, 4
"""So many ordeals that somebody means, and so many others, are looked at."""


class SideEffects:
    """Looks at other ordeals of a workload, once for each change, with the first chance."""

    def __init__(self, retrials: Retrials) -> None:
        self._retrials = retrials
        self._seed = min((seed for _, seed in retrials.before), default=0)
        self._known: dict[bytes, tuple[str, ...]] = {}

    def list_all(self, case: Case, candidate: Candidate, ordeal: str, futures: Sequence[Future]) -> list[str]:
        """`rollout-healthy: budget-kept of Deployment/shop/web`; `futures`: what came of `ordeal`."""
        here = (text for future in futures for text in self._compare(ordeal, future))
        return list(dict.fromkeys((*here, *self._list_elsewhere(case, candidate))))

    def _list_elsewhere(self, case: Case, candidate: Candidate) -> tuple[str, ...]:
        key = orjson.dumps(candidate.patch)
        if key not in self._known:
            self._known[key] = tuple(self._look_elsewhere(case, candidate.patch))
        return self._known[key]

    def _look_elsewhere(self, case: Case, patch: Json) -> Iterator[str]:
        trials = [one for ordeal in self._list_ordeals(case) for one in self._choose(case, patch, ordeal)]
        self._retrials.live_ahead(patch, trials, self._seed)
        for one in trials:
            yield from self._compare(one.ordeal.name, self._retrials.live(patch, one, self._seed))

    def _list_ordeals(self, case: Case) -> list[Ordeal]:
        trials = self._retrials.trials.values()
        found = {one.ordeal.name: one.ordeal for one in trials if befalls(one, case) and one.ordeal.is_mended}
        planned = [one for one in found.values() if one.is_planned]
        return planned[:_MOST_PLANNED] + [one for one in found.values() if not one.is_planned][:_MOST_OTHERS]

    def _choose(self, case: Case, patch: Json, ordeal: Ordeal) -> list[Trial]:
        """One trial of an ordeal stands for all of it."""
        return [one for one in self._retrials.list_trials(patch, ordeal) if befalls(one, case)][:1]

    def _compare(self, ordeal: str, future: Future) -> Iterator[str]:
        """What is new, or graver, against all that the same ordeal has come to without the change."""
        known: dict[tuple[str, str], int] = {}
        for before in self._retrials.list_before(ordeal, future.seed):
            for one in before.violations:
                rank = SEVERITIES.index(one.severity)
                known[one.claim, one.object] = min(rank, known.get((one.claim, one.object), rank))
        for one in future.violations:
            if SEVERITIES.index(one.severity) < known.get((one.claim, one.object), len(SEVERITIES)):
                yield f"{ordeal}: {one.claim} of {one.object}"


def befalls(trial: Trial, case: Case) -> bool:
    """Whether an ordeal is told of a workload."""
    return any(one.title == case.workload.title for one in trial.workloads)
