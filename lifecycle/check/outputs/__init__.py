"""How a report is written: a module each, loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from lifecycle.check.report import Report
from lifecycle.input.problems import Problem
from lifecycle.simulation.reports import REPORTS

OUTPUTS = ("table", "json", "sarif", "junit", "github", "markdown", "html")


def write_report(output: str, report: Report) -> str:
    """The report in one of the `OUTPUTS`."""
    text: str = getattr(import_module(f".as_{output}", __package__), f"make_{output}")(report)
    return text


def write_refusal(output: str, exit_status: int, problems: Sequence[Problem]) -> str:
    """The report of an input that was refused, for programs as `simulate` writes it. A table has none."""
    if output in REPORTS:
        from lifecycle.simulation.reports.sink import write_refusal as write

        return write(output, exit_status, problems)
    if output == "table":
        return ""
    text: str = import_module(f".as_{output}", __package__).make_refusal(problems)
    return text
