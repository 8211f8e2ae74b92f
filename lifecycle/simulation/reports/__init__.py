"""Outputs of `simulate` for other programs: JSON, SARIF, JUnit, annotations of GitHub.

Each stands in a module of its own, which is loaded when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lifecycle.simulation.reports.report import Report

REPORTS = ("json", "sarif", "junit", "github")
"""What `--output` may be beside the trace, the table and the summary."""


def write_report(output: str, report: Report) -> str:
    """The report in one of the `REPORTS`."""
    text: str = getattr(import_module(f".as_{output}", __package__), f"make_{output}")(report)
    return text
