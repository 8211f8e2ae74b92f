"""Cures that were run: for each finding the changes that hold under the same chances, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lifecycle.check.figures import sum_up
from lifecycle.check.findings import Finding, Remedied
from lifecycle.check.life import Future
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.processes import do_all
from lifecycle.check.remedies.candidates import Candidate, Case, Json, World, find_place
from lifecycle.check.remedies.failures import Failure, find_workloads, make_failure
from lifecycle.check.remedies.fields import Path, find_field
from lifecycle.check.remedies.known import list_known_as
from lifecycle.check.remedies.lists import list_candidates
from lifecycle.check.remedies.prices import tell_price, worst_by_seed
from lifecycle.check.remedies.requests import find_for_requests
from lifecycle.check.remedies.retrials import Retrials, SpentError, is_worse
from lifecycle.check.scene import SEVERITIES
from lifecycle.check.settled import Settled, name_object
from lifecycle.check.trials import Trial
from lifecycle.lean_tuples import NamedTuple

FUTURES = 150
"""So many futures are lived through for what may help one workload, and for each further seed some more."""
FUTURES_A_SEED = 6
MOST_SHOWN, MOST_TRIED = 3, 16
_MOST_LOOKED_AT = 8
"""So many other ordeals of a workload are looked at for what a change breaks."""
_LITTLE = 0.1
"""What leaves no more than this share of the harm helps, if what is left is less grave."""


class Cured(NamedTuple):
    """What is known of a finding in the end. `is_done`: whether all was tried that was to be."""

    remedies: tuple[Remedied, ...]
    field_object: str
    field_path: Path
    is_done: bool


def cure(
    settled: Settled,
    lived: Sequence[tuple[Trial, Future]],
    findings: Sequence[Finding],
    processes: int = 1,
    futures: int = FUTURES,
) -> list[str]:
    """Write into the findings what helps. Returns what is to be said of what was not tried."""
    seeds = len({future.seed for _, future in lived})
    left = futures + FUTURES_A_SEED * (seeds - 1)
    kept = group_findings(settled, findings)

    def work(place: int) -> list[Cured]:
        return _Ward(settled, lived, left).cure_all(kept[place])

    untried = 0
    for group, cured in zip(kept, do_all(work, range(len(kept)), processes), strict=True):
        for finding, told in zip(group, cured, strict=True):
            finding.remedies = told.remedies
            finding.field_object, finding.field_path = told.field_object, told.field_path
            names = (name for remedy in told.remedies for name in remedy.known_as)
            finding.known_as = tuple(dict.fromkeys(names))
            untried += not told.is_done
    return [f"for {untried} findings not all was tried that may help"] if untried else []


def group_findings(settled: Settled, findings: Sequence[Finding]) -> list[list[Finding]]:
    """Those of one workload together: each group is cured by itself."""
    groups: dict[str, list[Finding]] = {}
    for one in findings:
        owners = find_workloads(one, settled)
        groups.setdefault(owners[0].title if owners else one.object, []).append(one)
    return list(groups.values())


class _Held(NamedTuple):
    """A candidate that helped: with which futures, and what else it breaks."""

    case: Case
    candidate: Candidate
    futures: tuple[Future, ...]
    broken: tuple[str, ...]


class _Ward:
    """Cures the findings of one workload, one after the other: what helped against one is tried first."""

    def __init__(self, settled: Settled, lived: Sequence[tuple[Trial, Future]], left: int) -> None:
        self._world, self._retrials = World(settled), Retrials(settled, lived, left)
        self._helped: list[tuple[str, Case, Candidate]] = []

    def cure_all(self, findings: Sequence[Finding]) -> list[Cured]:
        """What is known of each."""
        return [self._cure(make_failure(one, self._retrials, self._world)) for one in findings]

    def _cure(self, failure: Failure) -> Cured:
        held = list[_Held]()
        is_done = True
        try:
            self._collect(failure, held)
        except SpentError:
            is_done = False
        held.sort(key=lambda one: bool(one.broken))
        held = held[:MOST_SHOWN] + [one for one in held[MOST_SHOWN:] if one.broken][:1]
        remedies = tuple(self._tell(failure, one) for one in held)
        if not held:
            return Cured((), "", (), is_done)
        place = find_place(held[0].candidate.patch)
        data = self._world.find(place)
        if data is None:
            return Cured(remedies, "", (), is_done)
        return Cured(remedies, name_object(dict(data)), find_field(data, held[0].candidate.patch), is_done)

    def _collect(self, failure: Failure, held: list[_Held]) -> None:
        tried, claim = list[Json](), failure.finding.claim
        for case, candidate in self._list(failure):
            is_helped = any(one.candidate.family == candidate.family for one in held)
            if is_helped or candidate.patch in tried or len(tried) >= MOST_TRIED:
                continue
            tried.append(candidate.patch)
            futures = self._try(failure, candidate)
            if futures is None:
                continue
            found = _Held(
                case, candidate, futures, tuple(self._list_broken(failure, case, candidate, futures))
            )
            held.append(found)
            if not found.broken:
                self._helped.append((claim, case, candidate))
            if sum(not one.broken for one in held) >= MOST_SHOWN:
                return

    def _list(self, failure: Failure) -> Iterator[tuple[Case, Candidate]]:
        """What may help: what has helped against the same claim first, then what has against others."""
        claim = failure.finding.claim
        same = [(case, one) for helped, case, one in self._helped if helped == claim]
        yield from same
        yield from ((case, one) for helped, case, one in self._helped if helped != claim)
        for case in failure.cases:
            if claim == "no-request-lost" and not same:
                for one in find_for_requests(failure, case, self._retrials):
                    yield case, one
            for one in list_candidates(claim, case):
                yield case, one

    def _try(self, failure: Failure, candidate: Candidate) -> tuple[Future, ...] | None:
        """The futures with it, where it helps in all that failed; None at the first where it does not."""
        ordeal, retrials = failure.finding.worst.trial.ordeal, self._retrials
        found = retrials.list_trials(candidate.patch, ordeal)
        futures, left = list[Future](), 0
        for seed in failure.seeds:
            before = retrials.list_before(ordeal.name, seed)
            for trial in failure.list_trials(found, seed):
                future = retrials.live(candidate.patch, trial, seed)
                futures.append(future)
                same = failure.list_same(future, before)
                left += sum(max(one.amount, 1) for one in same)
                is_graver = any(_rank(one.severity) <= _rank(failure.finding.severity) for one in same)
                if is_graver or left > failure.amount * _LITTLE or is_worse([future], before):
                    return None
        return tuple(futures) or None

    def _list_broken(
        self, failure: Failure, case: Case, candidate: Candidate, futures: Sequence[Future]
    ) -> Iterator[str]:
        """What else fails with it that held before: in the same ordeal, and in others of the workload."""
        own = failure.finding.worst.trial.ordeal
        lived = [(own.name, future) for future in futures]
        seed = failure.seeds[0]
        for ordeal in self._list_others(case, own.name):
            trials = self._retrials.list_trials(candidate.patch, ordeal)
            concerned = [one for one in trials if _befalls(one, case)][:1]
            lived += [(ordeal.name, self._retrials.live(candidate.patch, one, seed)) for one in concerned]
        told: dict[str, None] = {}
        for name, future in lived:
            known = {
                (one.claim, one.object)
                for before in self._retrials.list_before(name, future.seed)
                for one in before.violations
            }
            for one in future.violations:
                is_new = (one.claim, one.object) not in known
                # What the finding itself is about was judged before.
                is_own = name == own.name and one.claim == failure.finding.claim
                if is_new and not is_own:
                    told[f"{name}: {one.claim} of {one.object}"] = None
        yield from told

    def _list_others(self, case: Case, own: str) -> list[Ordeal]:
        found = {
            trial.ordeal.name: trial.ordeal
            for trial in self._retrials.trials.values()
            if _befalls(trial, case) and trial.ordeal.name != own
        }
        # What somebody plans happens most often.
        return sorted(found.values(), key=lambda one: not one.is_planned)[:_MOST_LOOKED_AT]

    def _tell(self, failure: Failure, held: _Held) -> Remedied:
        with_it = self._retrials.settle(held.candidate.patch)
        assert with_it is not None, "it was lived through"
        pods = len(with_it.pods) - len(self._world.settled.pods)
        before = [self._retrials.before[one] for one in failure.seen]
        price = tell_price(before, held.futures, pods) or f"{failure.finding.claim} holds, no figure changes"
        if held.broken:
            price += f"; but then {', '.join(held.broken[:3])}"
        names = list_known_as(held.case, held.candidate.patch)
        figures = sum_up(worst_by_seed(held.futures))
        return Remedied(held.candidate.text, held.candidate.patch, figures, price, tuple(names))


def _befalls(trial: Trial, case: Case) -> bool:
    return any(one.title == case.workload.title for one in trial.workloads)


def _rank(severity: str) -> int:
    return SEVERITIES.index(severity)
