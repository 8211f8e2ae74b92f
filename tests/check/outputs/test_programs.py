"""What `check` writes for other programs: SARIF, JUnit, annotations of GitHub, JSON."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from lifecycle.check.comparing import Earlier, compare
from lifecycle.check.outputs import OUTPUTS, write_refusal, write_report
from lifecycle.check.outputs.as_github import make_github
from lifecycle.check.outputs.as_json import make_json
from lifecycle.check.outputs.as_junit import make_junit
from lifecycle.check.outputs.as_sarif import make_sarif
from lifecycle.check.report import Report
from lifecycle.input.problems import Problem
from lifecycle.lean_dataclasses import replace
from lifecycle.simulation.reports import REPORTS
from tests.check.conftest import find, say

FINDING = "id ordeal claim severity object file line text times of counterexample because known_as remedies"
GRACE_LINE = 11
"""On which `terminationGracePeriodSeconds` stands."""


@pytest.mark.slow
def test_json_is_the_contract_and_nothing_more(report):
    data = json.loads(make_json(report))
    assert [*data] == ["schema_version", "kubernetes", "seeds", "ordeals", "findings"]
    assert (data["schema_version"], data["kubernetes"], data["seeds"]) == (1, "v1.36", 2)
    for one in data["ordeals"]:
        assert [*one] == ["name", "text", "workloads", "figures", "end"]
        assert [*one["figures"]] == (
            "lostMs fewestAvailable belowBudgetSeconds recoverySeconds restarts".split()
        )
        assert all([*spread] == ["min", "p50", "p95", "max"] for spread in one["figures"].values())
    for one in data["findings"]:
        assert [*one] == FINDING.split()
        assert [*one["counterexample"]] == ["seed", "at_ms", "command"]
        assert all(isinstance(one[name], list) for name in ("because", "known_as", "remedies"))


def test_the_line_is_that_of_the_field_at_fault(report):
    place = report.find_place(find(report, "drain-each", "no-hard-kill"))
    assert place == ("web.yaml", GRACE_LINE)


def test_sarif_tells_of_each_finding_how_it_came_about(report):
    (run,) = json.loads(make_sarif(report))["runs"]
    rules = [one["id"] for one in run["tool"]["driver"]["rules"]]
    for result, finding in zip(run["results"], report.findings, strict=True):
        assert rules[result["ruleIndex"]] == result["ruleId"] == f"{finding.ordeal}/{finding.claim}"
        assert result["partialFingerprints"] == {"podlineFinding/v1": finding.id}
        (flow,) = result["codeFlows"][0]["threadFlows"]
        assert [one["location"]["message"]["text"] for one in flow["locations"]] == list(finding.because)
        assert "baselineState" not in result
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]


@pytest.mark.parametrize(
    "severity, level", [("critical", "error"), ("serious", "error"), ("minor", "warning")]
)
def test_levels_of_sarif_follow_severities(report, severity, level):
    first = report.findings[0]
    worst = first.worst._replace(violation=first.worst.violation._replace(severity=severity))
    checked = replace(report.checked, findings=(replace(first, worst=worst),))
    (run,) = json.loads(make_sarif(replace(report, checked=checked)))["runs"]
    assert [one["level"] for one in run["results"]] == [level]


def make_compared(report: Report) -> Report:
    """Beside a report that had the first finding, graver, and another one, which is gone."""
    first = Earlier.from_json(report.finding_to_json(report.findings[0]))
    gone = first._replace(id="gone", claim="whole-again")
    now = [Earlier.from_json(report.finding_to_json(one)) for one in report.findings]
    return replace(report, comparison=compare(now, [first, gone], "main"))


def test_sarif_says_what_a_change_brought(report):
    (run,) = json.loads(make_sarif(make_compared(report)))["runs"]
    states = [one["baselineState"] for one in run["results"]]
    assert states == ["unchanged", "new", "absent"]


def test_only_what_is_new_fails_in_junit(report):
    compared = make_compared(report)
    counts = [len([*ElementTree.fromstring(make_junit(one)).iter("failure")]) for one in (report, compared)]
    assert counts == [2, 1]


def test_junit_has_a_case_for_every_ordeal(report):
    root = ElementTree.fromstring(make_junit(report))
    cases = {one.get("name"): one.find("failure") is not None for one in root.iter("testcase")}
    assert cases == {
        "rollout-healthy: Deployment/shop/web": True,
        "drain-each: Deployment/shop/web": True,
        "node-crash: Deployment/shop/web": False,
    }
    assert (root.get("tests"), root.get("failures")) == ("3", "2")


@pytest.mark.parametrize("fail_on, failures", [("critical", 0), ("serious", 2), ("minor", 2)])
def test_junit_fails_by_what_fails_the_check(report, fail_on, failures):
    told = replace(report, fail_on=fail_on)
    root = ElementTree.fromstring(make_junit(told))
    assert (int(root.get("failures")), told.exit_status) == (failures, min(failures, 1))
    assert ("no-hard-kill" in (root.findtext("testsuite/system-out") or "")) == (failures == 0)


def test_annotations_stand_at_the_field(report):
    lines = make_github(report).splitlines()
    head = f"::error file=web.yaml,line={GRACE_LINE},title=podline drain-each/no-hard-kill::"
    assert any(one.startswith(f"{head}Deployment/shop/web: ") for one in lines)
    assert lines[-1] == "2 findings: 2 serious"


def test_what_the_change_did_not_bring_is_a_notice(report):
    commands = [one.split()[0] for one in make_github(make_compared(report)).splitlines()[:2]]
    assert commands == ["::notice", "::error"]


@pytest.mark.parametrize("output", ["github", "sarif", "junit", "json"])
def test_hostile_text_stays_text(report, output):
    hostile = 'a\n::error::b\r\n]]><x y="&lt;">\x00\x1b[31m</x>'
    text = write_report(output, say(report, hostile))
    if output == "github":
        assert not [line for line in text.splitlines() if line.startswith("::error::b")]
    elif output == "junit":
        assert "<x" not in "".join(one.tag for one in ElementTree.fromstring(text).iter())
    else:
        assert hostile.replace("\x00", "\\u0000")[:3] in json.dumps(json.loads(text)).replace("\\n", "\n")


@pytest.mark.parametrize("output", OUTPUTS)
def test_the_same_check_is_written_the_same(report, output):
    assert write_report(output, report) == write_report(output, replace(report))


@pytest.mark.parametrize("output", REPORTS)
def test_a_refusal_is_written_as_simulate_does(output):
    problem = Problem('unknown field "replica"', "did you mean replicas?", "spec.replica", "Deployment web")
    assert "replica" in write_refusal(output, 2, [problem])
