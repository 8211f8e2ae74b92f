"""`--output junit`: a test case for each ordeal of what it befell; it fails by what fails the check."""

from __future__ import annotations

from lifecycle.check.checking import Summary
from lifecycle.check.findings import Finding
from lifecycle.check.outputs.telling import tell_often, tell_remedy, tell_workloads
from lifecycle.check.report import Report
from lifecycle.simulation.reports.as_junit import Case, tell_with_place, write_suite


def make_junit(report: Report) -> str:
    """Findings that fail nothing are in what the suite says beside its cases."""
    cases: list[Case] = []
    others: list[str] = []
    for summary in report.checked.summaries:
        found = [one for one in report.findings if belongs_to(one, summary)]
        failing = [line for one in found if report.is_failing(one) for line in _tell(report, one)]
        cases.append((f"{summary.ordeal.name}: {tell_workloads(summary.workloads)}", failing))
        others += [line for one in found if not report.is_failing(one) for line in _tell(report, one)]
    return write_suite("check", cases, [*others, *report.not_run])


def belongs_to(one: Finding, summary: Summary) -> bool:
    """Whether a finding was made of the trials that are summed up."""
    titles = {workload.title for workload in one.worst.trial.workloads}
    return one.ordeal == summary.ordeal.name and titles <= set(summary.workloads)


def _tell(report: Report, one: Finding) -> list[str]:
    place, standing = report.find_place(one), report.tell_standing(one)
    head = f"{one.severity} {one.object} {one.claim}{f' ({standing})' if standing else ''}"
    text = tell_with_place(place.file, place.line, f"{head}: {one.worst.violation.text}")
    cures = [f"  {tell_remedy(cure)}" for cure in one.remedies]
    return [text, f"  {tell_often(one)}", *cures, f"  open: {report.tell_command(one)}"]
