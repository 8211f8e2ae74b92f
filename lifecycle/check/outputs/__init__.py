"""How a report is written: a module each, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

from lifecycle.check.report import Report

OUTPUTS = ("table", "json")


def write_report(output: str, report: Report) -> str:
    """The report in one of the `OUTPUTS`."""
    text: str = getattr(import_module(f".as_{output}", __package__), f"make_{output}")(report)
    return text
