"""`--output table`: what a person reads."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle.check.findings import Finding
from lifecycle.check.report import Report, count_by_severity
from lifecycle.check.scene import SEVERITIES
from lifecycle.engine.rules.telling.verdicts import tell_instant


def make_table(report: Report) -> str:
    """Findings, the gravest first, then a line for each ordeal."""
    lines = [*_tell_findings(report), "", *_tell_ordeals(report)]
    return "".join(f"{line}\n" for line in lines)


def _tell_findings(report: Report) -> Iterator[str]:
    findings = report.checked.findings
    counts = count_by_severity(findings)
    told = ", ".join(f"{counts[one]} {one}" for one in SEVERITIES if one in counts)
    yield f"{len(findings)} findings: {told}" if findings else "no findings"
    for one in findings:
        yield ""
        yield from _tell(one, report)


def _tell(one: Finding, report: Report) -> Iterator[str]:
    place = report.find_place(one.object)
    where = f"  {place.file}:{place.line}" if place.file else ""
    yield f"{one.severity.upper()}  {one.object}  {one.worst.trial.title}: {one.claim}{where}"
    yield f"  {one.worst.violation.text}"
    often = f"in {one.times} of {one.of} futures; " if one.of > 1 else ""
    yield f"  {often}worst with seed {one.worst.seed} at {tell_instant(one.worst.violation.at_ms)}"
    for link in one.because:
        yield f"    {link}"
    for cure in one.remedies:
        yield f"  with {cure.text}: {cure.price}"
    yield f"  open: {report.tell_command(one)}"


def _tell_ordeals(report: Report) -> Iterator[str]:
    for one in report.checked.summaries:
        who = ", ".join(one.workloads) if len(one.workloads) < 3 else f"{len(one.workloads)} workloads"
        figures = one.figures
        told = (
            f"lost {figures['lostMs']['max']} ms, fewest {figures['fewestAvailable']['min']},"
            f" whole after {figures['recoverySeconds']['max']} s, restarts {figures['restarts']['max']}"
        )
        yield f"{one.ordeal.name:<22}{one.end:<10}{told}  {who}"
