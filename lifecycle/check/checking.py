"""The check as a whole: settle, live through all futures, sum up, find, explain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lifecycle.check.figures import sum_up, worst_end, worst_of
from lifecycle.check.findings import Finding, explain, find_findings
from lifecycle.check.life import Future, live
from lifecycle.check.limits import Judge, Limits
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.processes import do_all
from lifecycle.check.remedies.curing import cure
from lifecycle.check.settled import Settled
from lifecycle.check.trials import Trial, list_trials
from lifecycle.check.untouched import Lived, look_untouched
from lifecycle.lean_dataclasses import dataclass
from lifecycle.lean_tuples import NamedTuple

Progress = Callable[[int, int], None]
NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Summary:
    """One ordeal of some workloads: the ranges of its figures over all seeds, its worst end."""

    ordeal: Ordeal
    workloads: tuple[str, ...]
    figures: dict[str, Any]
    end: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of a check."""

    settled: Settled
    seeds: tuple[int, ...]
    summaries: tuple[Summary, ...]
    findings: tuple[Finding, ...]
    refusals: tuple[str, ...]


def check(
    settled: Settled,
    ordeals: Sequence[Ordeal],
    seeds: Sequence[int],
    progress: Progress = lambda done, of: None,
    processes: int = 1,
    limits: Limits = NO_LIMITS,
    has_reasons: bool = True,
) -> Checked:
    """Try everything. Raises ManifestError for an ordeal that cannot be read.

    `has_reasons`: False for whoever compares what came out, and needs neither reasons nor remedies.
    """
    seen = _try_all(settled, ordeals, seeds, progress, processes, limits)
    untried: list[str] = []
    if has_reasons:
        explain(seen.settled, seen.findings)
        untried = cure(seen.settled, [*seen.lived, *seen.untouched], seen.findings, processes)
    return conclude(seen.settled, seen.lived, seeds, seen.findings, untried)


class _Seen(NamedTuple):
    settled: Settled
    lived: Lived
    untouched: Lived
    findings: list[Finding]


def _try_all(
    settled: Settled,
    ordeals: Sequence[Ordeal],
    seeds: Sequence[int],
    progress: Progress,
    processes: int,
    limits: Limits,
) -> _Seen:
    settled, alone = look_untouched(settled, seeds[0])
    judge = Judge(limits, ordeals)
    trials = list_trials(settled, judge.ordeals)
    every = live_all(settled, trials, seeds, progress, processes)
    lived = [(trial, judge.judge(settled, trial, future)) for trial, future in every]
    untouched = [(trial, judge.judge(settled, trial, future)) for trial, future in alone]
    return _Seen(settled, lived, untouched, find_findings(settled, lived, len(seeds), untouched))


def conclude(
    settled: Settled,
    lived: Sequence[tuple[Trial, Future]],
    seeds: Sequence[int],
    findings: Sequence[Finding],
    untried: Sequence[str] = (),
) -> Checked:
    """What came of a check whose futures were lived through, wherever that was."""
    refusals = {f"{trial.title}: {text}": None for trial, future in lived for text in future.refusals}
    return Checked(settled, tuple(seeds), tuple(_sum_up(lived)), tuple(findings), (*refusals, *untried))


def live_all(
    settled: Settled,
    trials: Sequence[Trial],
    seeds: Sequence[int],
    progress: Progress = lambda done, of: None,
    processes: int = 1,
) -> Iterator[tuple[Trial, Future]]:
    """Every trial under every seed, in order."""
    jobs = [(number, seed) for number in range(len(trials)) for seed in seeds]

    def work(job: tuple[int, int]) -> Future:
        return live(settled, trials[job[0]], job[1])

    for done, (job, future) in enumerate(zip(jobs, do_all(work, jobs, processes), strict=True), 1):
        yield trials[job[0]], future
        progress(done, len(jobs))


def _sum_up(lived: Sequence[tuple[Trial, Future]]) -> Iterator[Summary]:
    """One for each ordeal and those whom it befell together; what befalls each node is one ordeal of all."""
    grouped: dict[tuple[str, tuple[str, ...]], list[tuple[Trial, Future]]] = {}
    for trial, future in lived:
        is_alone = trial.ordeal.each in ("workload", "container")
        key = trial.ordeal.name, tuple(one.title for one in trial.workloads) if is_alone else ()
        grouped.setdefault(key, []).append((trial, future))
    for found in grouped.values():
        names = sorted({one.title for trial, _ in found for one in trial.workloads})
        by_seed: dict[int, list[Future]] = {}
        for _, future in found:
            by_seed.setdefault(future.seed, []).append(future)
        figures = sum_up([worst_of(futures) for futures in by_seed.values()])
        yield Summary(found[0][0].ordeal, tuple(names), figures, worst_end(one for _, one in found))
