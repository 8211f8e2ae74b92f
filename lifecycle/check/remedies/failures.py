"""What a finding stands on: in which futures it failed, and which workloads could be changed for it."""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle.check.findings import Finding
from lifecycle.check.life import Future
from lifecycle.check.remedies.candidates import Case, World
from lifecycle.check.remedies.retrials import Retrials
from lifecycle.check.scene import KEEPING, SEVERITIES, Violation
from lifecycle.check.settled import BUDGET, Settled, Workload
from lifecycle.check.trials import Trial
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.lost_requests import SERVICE

MOST_CASES = 2
"""Of more workloads that may be to blame, the others are left as they are."""
_MOVING = ("node", "zone")


class Failure(NamedTuple):
    """A finding with the futures it was seen in, (title of the trial, seed), the worst first."""

    finding: Finding
    cases: tuple[Case, ...]
    seen: tuple[tuple[str, int], ...]
    amount: int
    """How much, of all of them."""

    @property
    def seeds(self) -> list[int]:
        """Those in which it failed, the worst first."""
        return list(dict.fromkeys(seed for _, seed in self.seen))

    def list_trials(self, found: Sequence[Trial], seed: int) -> list[Trial]:
        """The trials that are to be lived through again. With a change pods may be on other nodes."""
        titles = [title for title, known in self.seen if known == seed]
        if self.finding.worst.trial.ordeal.each in _MOVING:
            concerned = {one.workload.title for one in self.cases}
            others = [one.title for one in found if any(owner.title in concerned for owner in one.workloads)]
            titles = list(dict.fromkeys([*titles, *others]))
        by_title = {one.title: one for one in found}
        return [by_title[one] for one in titles if one in by_title]

    def list_same(self, future: Future, before: Sequence[Future]) -> list[Violation]:
        """What fails of the same claim still, or of an object of which it held."""
        known = {(one.claim, one.object) for future in before for one in future.violations}
        return [
            one
            for one in future.violations
            if one.claim == self.finding.claim
            and (one.object == self.finding.object or (one.claim, one.object) not in known)
        ]


def make_failure(finding: Finding, retrials: Retrials, world: World) -> Failure:
    """What a finding stands on."""
    seen = [
        (SEVERITIES.index(one.severity), -one.amount, seed, title)
        for (title, seed), future in retrials.before.items()
        if retrials.trials[title].ordeal.name == finding.worst.trial.ordeal.name
        for one in future.violations
        if (one.claim, one.object) == (finding.claim, finding.object)
    ]
    places = tuple(dict.fromkeys((title, seed) for _, _, seed, title in sorted(seen)))
    cases = [world.make_case(one) for one in find_workloads(finding, world.settled)]
    known = tuple(one for one in cases if one is not None)[:MOST_CASES]
    return Failure(finding, known, places, -sum(amount for _, amount, _, _ in seen))


def find_workloads(finding: Finding, settled: Settled) -> list[Workload]:
    """The workloads that a change could be made of: the one that is named, or those around what is named."""
    kind, _, rest = finding.object.partition("/")
    namespace, _, name = rest.rpartition("/")
    concerned = finding.worst.trial.workloads
    if named := [one for one in settled.workloads if one.title == finding.object]:
        return named
    if kind == SERVICE:
        return [one for one in settled.workloads if (namespace, name) in one.services]
    if kind == BUDGET:
        covered = [one for one in settled.workloads if (namespace, name) in one.budgets]
        return covered or [one for one in concerned if one.namespace == namespace and not one.budgets]
    # A drain that does not end is held up by what a budget keeps.
    held = [one for one in concerned if one.budgets]
    return held or [one for one in concerned if one.kind in KEEPING]
