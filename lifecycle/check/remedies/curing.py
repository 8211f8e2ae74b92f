"""Cures that were run: for each finding the changes that hold under the same chances, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lifecycle.check.figures import sum_up
from lifecycle.check.findings import Finding, Remedied
from lifecycle.check.life import Future
from lifecycle.check.processes import do_all
from lifecycle.check.remedies.candidates import Candidate, Case, Json, World, find_place
from lifecycle.check.remedies.failures import Failure, find_workloads, make_failure
from lifecycle.check.remedies.fields import Path, find_field
from lifecycle.check.remedies.known import list_known_as
from lifecycle.check.remedies.lists import list_candidates
from lifecycle.check.remedies.prices import tell_price, worst_by_seed
from lifecycle.check.remedies.requests import find_for_requests
from lifecycle.check.remedies.retrials import Retrials, SpentError, is_worse
from lifecycle.check.remedies.side_effects import SideEffects
from lifecycle.check.scene import MINOR, SEVERITIES
from lifecycle.check.settled import Settled, name_object
from lifecycle.check.trials import Trial
from lifecycle.lean_tuples import NamedTuple

FUTURES, FEWEST = 180, 40
"""So many futures are lived through for what may help: of all workloads together, and of each at least;
for each further seed a twentieth more. Of workloads of which all is minor half as many."""
_SEEDS = 20
_PODS, _SOME = 5, 4
"""A future of more pods than these takes longer: there are so many fewer. Less than some find nothing."""
MOST_SHOWN, MOST_TRIED = 3, 16
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
    is_wanted: Callable[[], bool] = lambda: True,
) -> list[str]:
    """Write into the findings what helps. Returns what is to be said of what was not tried.

    `is_wanted` is asked between workloads: whether anybody still waits for it.
    """
    kept = _group(settled, findings)
    shares = _share_out(futures, kept, len(settled.pods), len({future.seed for _, future in lived}))

    def work(place: int) -> list[Cured]:
        return _Ward(settled, lived, shares[place], processes).cure_all(kept[place])

    untried = 0
    for group, cured in zip(kept, do_all(work, range(len(kept)), processes), strict=True):
        for finding, told in zip(group, cured, strict=True):
            finding.remedies = told.remedies
            finding.field_object, finding.field_path = told.field_object, told.field_path
            names = (name for remedy in told.remedies for name in remedy.known_as)
            finding.known_as = tuple(dict.fromkeys(names))
            untried += not told.is_done
        if not is_wanted():
            break
    return [f"for {untried} findings not all was tried that may help"] if untried else []


def _group(settled: Settled, findings: Sequence[Finding]) -> list[list[Finding]]:
    """Those of one workload together: each group is cured by itself."""
    groups: dict[str, list[Finding]] = {}
    for one in findings:
        owners = find_workloads(one, settled)
        groups.setdefault(owners[0].title if owners else one.object, []).append(one)
    return list(groups.values())


def _share_out(futures: int, groups: Sequence[Sequence[Finding]], pods: int, seeds: int) -> list[int]:
    """How many futures there are for each workload: what is grave comes before what is minor."""
    is_minor = [all(one.severity == MINOR for one in group) for group in groups]
    grave = max(len(groups) - sum(is_minor), 1)
    size = max(pods, _PODS)
    shares = []
    for minor in is_minor:
        most, least = (futures // 2, FEWEST // 2) if minor else (futures, FEWEST)
        share = max(most // (sum(is_minor) if minor else grave), min(futures, least)) * _PODS // size
        share = share if share >= min(futures, _SOME) else 0
        shares.append(share + share * (seeds - 1) // _SEEDS)
    return shares


class _Held(NamedTuple):
    """A candidate that helped: with which futures, and what else it breaks."""

    case: Case
    candidate: Candidate
    futures: tuple[Future, ...]
    broken: tuple[str, ...]


class _Ward:
    """Cures the findings of one workload, one after the other: what helped against one is tried first."""

    def __init__(
        self, settled: Settled, lived: Sequence[tuple[Trial, Future]], left: int, processes: int
    ) -> None:
        self._world, self._retrials = World(settled), Retrials(settled, lived, left, processes)
        self._side_effects = SideEffects(self._retrials)
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
        for case, candidate in self._list(failure, held):
            is_helped = any(one.candidate.family == candidate.family for one in held)
            if is_helped or candidate.patch in tried or len(tried) >= MOST_TRIED:
                continue
            tried.append(candidate.patch)
            futures = self._try(failure, candidate)
            if futures is None:
                continue
            broken = self._side_effects.list_all(case, candidate, failure.finding.ordeal, futures)
            held.append(_Held(case, candidate, futures, tuple(broken)))
            if not broken and (claim, case, candidate) not in self._helped:
                self._helped.append((claim, case, candidate))
            if sum(not one.broken for one in held) >= MOST_SHOWN:
                return

    def _list(self, failure: Failure, held: Sequence[_Held]) -> Iterator[tuple[Case, Candidate]]:
        """What may help: what has helped against the same claim first, then what has against others."""
        claim, helped = failure.finding.claim, list(self._helped)
        yield from ((case, one) for against, case, one in helped if against == claim)
        yield from ((case, one) for against, case, one in helped if against != claim)
        # What is enough already is not searched for once more: that is many futures.
        is_helped = any(not one.broken for one in held)
        for case in failure.cases:
            if claim == "no-request-lost" and not is_helped:
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


def _rank(severity: str) -> int:
    return SEVERITIES.index(severity)
