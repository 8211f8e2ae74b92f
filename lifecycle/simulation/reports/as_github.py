"""`--output github`: a workflow command a line, which GitHub shows as annotations of the files."""

from __future__ import annotations

from lifecycle.simulation.reports.report import Report

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def make_github(report: Report) -> str:
    """`::error file=web.yaml,line=3,title=bad-input::…`, and one last line that says how the run ended."""
    lines = [
        annotate(one.level, one.file, one.line, f"podline {one.rule}", one.text) for one in report.findings
    ]
    for told in report.told:
        lines.append(escape(f"{told.kind} {told.namespace}/{told.name}: {told.verdict}"))
    lines += [escape(f"Service {one.name}: {one.tell()}") for one in report.lost]
    if report.outcome:
        lines.append(f"run ended at {report.outcome.at_ms / 1000:.3f}s: {report.outcome.why}")
    return "".join(f"{line}\n" for line in lines)


def annotate(level: str, file: str, line: int | None, title: str, text: str) -> str:
    """One command. `level`: `error`, `warning` or `note`."""
    properties = [f"file={_escape_property(file)}"] if file else []
    properties += [f"line={line}"] if file and line else []
    properties.append(f"title={_escape_property(title)}")
    return f"::{_COMMANDS[level]} {','.join(properties)}::{escape(text)}"


def escape(text: str) -> str:
    """No line of ours may be taken for another command."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f" {escaped}" if escaped.startswith("::") else escaped


def _escape_property(text: str) -> str:
    return escape(text).replace(":", "%3A").replace(",", "%2C")
