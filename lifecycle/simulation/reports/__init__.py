"""Outputs of `simulate` for other programs: JSON, SARIF, JUnit, annotations of GitHub."""

from collections.abc import Callable

from lifecycle.simulation.reports.as_github import make_github
from lifecycle.simulation.reports.as_json import make_json
from lifecycle.simulation.reports.as_junit import make_junit
from lifecycle.simulation.reports.as_sarif import make_sarif
from lifecycle.simulation.reports.report import Report

REPORTS: dict[str, Callable[[Report], str]] = {
    "json": make_json,
    "sarif": make_sarif,
    "junit": make_junit,
    "github": make_github,
}
"""What `--output` may be beside the trace, the table and the summary."""

__all__ = ["REPORTS", "Report"]
