"""`--output github`: a workflow command for each finding, and one last line that says how the check ended."""

from __future__ import annotations

from lifecycle.check.findings import Finding
from lifecycle.check.outputs.as_sarif import LEVELS, name_rule
from lifecycle.check.outputs.telling import tell_comparison, tell_often, tell_remedy, tell_verdict
from lifecycle.check.report import Report
from lifecycle.simulation.reports.as_github import annotate, escape


def make_github(report: Report) -> str:
    """`::error file=web.yaml,line=3,title=podline node-crash/whole-again::…`"""
    lines = [_annotate(report, one) for one in report.findings]
    lines += map(escape, tell_comparison(report))
    lines.append(escape(tell_verdict(report)))
    return "".join(f"{line}\n" for line in lines)


def _annotate(report: Report, one: Finding) -> str:
    place, standing = report.find_place(one), report.tell_standing(one)
    # What the change did not bring is no more than a notice.
    is_old = bool(standing) and not report.is_failing(one)
    head = f"{one.object}: {one.worst.violation.text}"
    told = [f"{standing}: {head}" if standing else head, tell_often(one), *map(tell_remedy, one.remedies)]
    level = "note" if is_old else LEVELS[one.severity]
    return annotate(level, place.file, place.line, f"podline {name_rule(one)}", "\n".join(told))
