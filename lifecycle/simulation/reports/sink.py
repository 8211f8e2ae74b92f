"""Follows a run and writes its report at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lifecycle.engine import Changes, Cluster
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.reports.report import Place, Report, find_findings, find_problems
from lifecycle.simulation.run import Outcome
from lifecycle.simulation.summaries import describe_assumed
from lifecycle.simulation.traces import NdjsonSink, WriteBytes
from lifecycle.simulation.verdicts_at_end import VerdictSink

Make = Callable[[Report], str]


class ReportSink:
    """`make` writes the report; `notes` is what was said before the run, `places` where the objects stand."""

    def __init__(
        self, write: WriteBytes, plan: Plan, make: Make, notes: Sequence[str], places: Sequence[Place]
    ) -> None:
        self._write = write
        self._plan = plan
        self._make = make
        self._notes = notes
        self._places = places
        self._verdicts = VerdictSink()
        # Only for the hash: the report names the history that it is of.
        self._trace = NdjsonSink(lambda _block: None)

    def take(self, changes: Changes) -> None:
        self._verdicts.take(changes)
        self._trace.take(changes)

    def finish(self, outcome: Outcome, cluster: Cluster) -> None:
        notes = [*self._notes, *describe_assumed(cluster)]
        report = Report(
            outcome.exit_status,
            (*find_problems(self._plan.refused), *find_findings(self._plan, outcome, notes, self._places)),
            self._plan,
            outcome,
            self._trace.finish(outcome),
            tuple(self._verdicts.tell(cluster)),
        )
        self._write(self._make(report).encode())
