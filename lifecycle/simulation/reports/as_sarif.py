"""`--output sarif`: SARIF 2.1.0, as code scanning of GitHub, GitLab and Azure takes it."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import orjson

from lifecycle.simulation.reports.report import RULES, Finding, Report
from lifecycle.version import VERSION

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def make_sarif(report: Report) -> str:
    """One run of one tool, every finding a result."""
    run = {
        "tool": {
            "driver": {
                "name": "Podline",
                "version": VERSION,
                "rules": [
                    {
                        "id": name,
                        "shortDescription": {"text": text},
                        "defaultConfiguration": {"level": level},
                    }
                    for name, (level, text) in RULES.items()
                ],
            }
        },
        "invocations": [{"executionSuccessful": report.outcome is not None, "exitCode": report.exit_status}],
        "results": [_result(one) for one in report.findings],
        "columnKind": "unicodeCodePoints",
    }
    data = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _result(finding: Finding) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": [*RULES].index(finding.rule),
        "level": finding.level,
        "message": {"text": finding.text},
    }
    location: dict[str, Any] = {}
    if finding.file:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _address(finding.file)}}
        if finding.line:
            physical["region"] = {"startLine": finding.line}
        location["physicalLocation"] = physical
    if finding.subject:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.subject, "kind": "object"}]
    if location:
        result["locations"] = [location]
    return result


def _address(file: str) -> str:
    """A path as a URI: relative ones stay relative to where the command ran."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
