"""How a report is written: a module each, loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from lifecycle.check.report import Report
from lifecycle.input.problems import Problem
from lifecycle.simulation.reports import REPORTS

OUTPUTS = ("table", "json", "sarif", "junit", "github")


def write_report(output: str, report: Report) -> str:
    """The report in one of the `OUTPUTS`."""
    text: str = getattr(import_module(f".as_{output}", __package__), f"make_{output}")(report)
    return text


def write_refusal(output: str, exit_status: int, problems: Sequence[Problem]) -> str:
    """The report of an input that was refused, as `simulate` writes it; "" for people: they read stderr."""
    if output not in REPORTS:
        return ""
    from lifecycle.simulation.reports.sink import write_refusal as write

    return write(output, exit_status, problems)
