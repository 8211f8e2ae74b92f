"""Follows a run and writes its report at the end."""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle.engine import Changes, Cluster
from lifecycle.input.manifests import Document
from lifecycle.input.problems import Problem
from lifecycle.simulation.assumed import describe_assumed
from lifecycle.simulation.durations import list_bases
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.reports import write_report
from lifecycle.simulation.reports.report import Report, find_findings, find_problems, list_places
from lifecycle.simulation.run import Outcome
from lifecycle.simulation.traces import NdjsonSink, WriteBytes
from lifecycle.simulation.verdicts_at_end import VerdictSink


def write_refusal(output: str, exit_status: int, problems: Sequence[Problem]) -> str:
    """The report of an input that was refused, so that nothing was run."""
    return write_report(output, Report(exit_status, find_problems(problems)))


class ReportSink:
    """`output`: one of `REPORTS`; `notes`: what was said before the run; `documents`: where objects stand."""

    def __init__(
        self, write: WriteBytes, plan: Plan, output: str, notes: Sequence[str], documents: Sequence[Document]
    ) -> None:
        self._write = write
        self._plan = plan
        self._output = output
        self._notes = notes
        self._places = list_places(documents)
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
            tuple(self._verdicts.list_lost(cluster)),
            tuple(list_bases(cluster)),
        )
        self._write(write_report(self._output, report).encode())
