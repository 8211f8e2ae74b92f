"""`--output github`: a workflow command a line, which GitHub shows as annotations of the files."""

from __future__ import annotations

from lifecycle.simulation.reports.report import Finding, Report

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def make_github(report: Report) -> str:
    """`::error file=web.yaml,line=3,title=bad-input::…`, and one last line that says how the run ended."""
    lines = [_annotate(one) for one in report.findings]
    for told in report.told:
        lines.append(_escape(f"{told.kind} {told.namespace}/{told.name}: {told.verdict}"))
    lines += [_escape(f"Service {one.name}: {one.tell()}") for one in report.lost]
    if report.outcome:
        lines.append(f"run ended at {report.outcome.at_ms / 1000:.3f}s: {report.outcome.why}")
    return "".join(f"{line}\n" for line in lines)


def _annotate(finding: Finding) -> str:
    properties = [f"file={_escape_property(finding.file)}"] if finding.file else []
    properties += [f"line={finding.line}"] if finding.file and finding.line else []
    properties.append(f"title=podline {finding.rule}")
    return f"::{_COMMANDS[finding.level]} {','.join(properties)}::{_escape(finding.text)}"


def _escape(text: str) -> str:
    """No line of ours may be taken for another command."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f" {escaped}" if escaped.startswith("::") else escaped


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
