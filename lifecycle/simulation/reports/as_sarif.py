"""`--output sarif`: SARIF 2.1.0, as code scanning of GitHub, GitLab and Azure takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import orjson

from lifecycle.simulation.reports.report import RULES, Finding, Report
from lifecycle.version import VERSION

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def make_sarif(report: Report) -> str:
    """One run of one tool, every finding a result."""
    rules = [make_rule(name, text, level) for name, (level, text) in RULES.items()]
    invocation = {"executionSuccessful": report.outcome is not None, "exitCode": report.exit_status}
    return write_log(rules, invocation, [_result(one) for one in report.findings])


def write_log(
    rules: Sequence[Mapping[str, Any]],
    invocation: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
) -> str:
    """A log of one run."""
    driver = {"name": "Podline", "version": VERSION, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "results": results,
        "columnKind": "unicodeCodePoints",
    }
    data = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def make_rule(name: str, text: str, level: str) -> dict[str, Any]:
    """What all results with this name have in common."""
    return {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}


def _result(finding: Finding) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": [*RULES].index(finding.rule),
        "level": finding.level,
        "message": {"text": finding.text},
    }
    if location := locate(finding.file, finding.line, finding.subject):
        result["locations"] = [location]
    return result


def locate(file: str, line: int | None, subject: str) -> dict[str, Any]:
    """Where something is: in a file, if one is to blame, and in which object. Empty for nowhere."""
    location: dict[str, Any] = {}
    if file:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _address(file)}}
        if line:
            physical["region"] = {"startLine": line}
        location["physicalLocation"] = physical
    if subject:
        location["logicalLocations"] = [{"fullyQualifiedName": subject, "kind": "object"}]
    return location


def _address(file: str) -> str:
    """A path as a URI: relative ones stay relative to where the command ran."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
