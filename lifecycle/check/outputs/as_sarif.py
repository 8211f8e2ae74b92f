"""`--output sarif`: every finding a result, what led to it a code flow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifecycle.check.comparing import BETTER, NEW, SAME, WORSE, Earlier
from lifecycle.check.findings import Finding
from lifecycle.check.outputs.telling import tell_often, tell_remedy
from lifecycle.check.report import Report
from lifecycle.check.scene import CRITICAL, MINOR, SERIOUS
from lifecycle.simulation.reports.as_sarif import locate, make_rule, write_log

LEVELS = {CRITICAL: "error", SERIOUS: "error", MINOR: "warning"}
_STATES = {NEW: "new", WORSE: "updated", BETTER: "updated", SAME: "unchanged"}
MOST_RESULTS = 25_000
"""What code scanning takes of one run."""
MOST_LINKS = 1_000
"""And of one code flow."""
FINGERPRINT = "podlineFinding/v1"
Json = dict[str, Any]


def make_sarif(report: Report) -> str:
    """One run of one tool; a rule for each claim about each ordeal."""
    told = list(report.findings[:MOST_RESULTS])
    rules = {name_rule(one): one for one in told}
    names = list(rules)
    invocation: Json = {"executionSuccessful": True, "exitCode": report.exit_status}
    if left := len(report.findings) - len(told):
        text = f"{left} findings more are left out: a run has {MOST_RESULTS:,} results at most"
        invocation["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": text}}]
    results = [_result(report, one, names) for one in told]
    if report.comparison:
        results += [_absent(one) for one in report.comparison.fixed[: MOST_RESULTS - len(told)]]
    return write_log([_rule(name, one) for name, one in rules.items()], invocation, results)


def name_rule(one: Finding) -> str:
    """`node-crash/whole-again`"""
    return f"{one.ordeal}/{one.claim}"


def _rule(name: str, one: Finding) -> Json:
    text = f"{one.worst.trial.ordeal.text}: {one.claim} does not hold"
    known = {"properties": {"tags": list(one.known_as)}} if one.known_as else {}
    return {**make_rule(name, text, LEVELS[one.severity]), **known}


def _result(report: Report, one: Finding, names: Sequence[str]) -> Json:
    place, name = report.find_place(one), name_rule(one)
    location = locate(place.file, place.line, one.object)
    lines = [one.worst.violation.text, tell_often(one), *map(tell_remedy, one.remedies)]
    result: Json = {
        "ruleId": name,
        "ruleIndex": names.index(name),
        "level": LEVELS[one.severity],
        "message": {"text": "\n".join(lines)},
        "locations": [location],
        "partialFingerprints": {FINGERPRINT: one.id},
        "codeFlows": [_flow(location, one.because[:MOST_LINKS])] if one.because else [],
        "properties": {"severity": one.severity, "command": report.tell_command(one)},
    }
    if report.comparison:
        result["baselineState"] = _STATES[report.comparison.kinds[one.id]]
    if one.id in report.accepted:
        accepted = {"kind": "external", "status": "accepted", "justification": report.accepted[one.id]}
        result["suppressions"] = [accepted]
    return result


def _flow(location: Json, links: Sequence[str]) -> Json:
    """What led to it: all in the one place that is written down, each with its own words."""
    steps = [{"location": {**location, "message": {"text": text}}} for text in links]
    return {"threadFlows": [{"locations": steps}]}


def _absent(one: Earlier) -> Json:
    return {
        "ruleId": f"{one.ordeal}/{one.claim}",
        "level": LEVELS[one.severity],
        "message": {"text": one.text},
        "locations": [locate("", None, one.object)],
        "partialFingerprints": {FINGERPRINT: one.id},
        "baselineState": "absent",
    }
