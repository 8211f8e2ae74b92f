"""What `simulate` writes for other programs, read by programs that are not ours."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from lifecycle.simulation.command_line import main
from lifecycle.simulation.reports import REPORTS
from lifecycle.simulation.reports.as_github import make_github
from lifecycle.simulation.reports.as_junit import make_junit
from lifecycle.simulation.reports.as_sarif import make_sarif
from lifecycle.simulation.reports.report import RULES, Finding, Report

SOUND = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "shop.example/nobody:1"}]}
"""
WANTING = """
---
apiVersion: v1
kind: Pod
metadata: {name: lone}
spec: {containers: [{name: app, image: nginx, envFrom: [{secretRef: {name: gone}}]}]}
"""
SCENARIO = """
---
apiVersion: podline.dev/v1alpha1
kind: Scenario
metadata: {name: story}
spec:
  until: [2m, "deployment/web .status.replicas == 9"]
  steps: [{at: 5s, scale: {deployment: other, replicas: 1}}]
  expect:
  - {always: "deployment/web .status.replicas == 0"}
  - {eventually: "deployment/web Available"}
"""
BAD = SOUND.replace("replicas: 2", "replica: 2")


@pytest.fixture
def report(tmp_path, capfdbinary, monkeypatch):
    """(exit status, standard output) of a file with this text, which is called a.yaml."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, output: str, *arguments: str) -> tuple[int, str]:
        Path("a.yaml").write_text(text)
        status = main(["a.yaml", "-o", output, *arguments])
        return status, capfdbinary.readouterr().out.decode()

    return write


def test_json_says_how_a_run_ended_and_what_was_found(report):
    status, text = report(SOUND + WANTING + SCENARIO, "json", "--until", "2m")
    data = json.loads(text)
    assert (status, data["exit_status"], data["schema_version"]) == (1, 1, 1)
    assert (data["kubernetes"], data["seed"], data["end"]["why"], data["end"]["at_ms"]) == (
        *("v1.36", 1, "until", 120_000),
    )
    found = [(one["id"], one["level"], one["object"], one["line"]) for one in data["findings"]]
    assert found == [
        ("refused", "error", "Scenario story", 19),
        ("expectation-failed", "error", "Scenario story", 19),
        ("missing", "warning", "Pod lone", 13),
        ("assumed", "note", "", None),
    ]
    assert {one["file"] for one in data["findings"]} == {"a.yaml", None}
    verdicts = {(one["kind"], one["name"]): one["verdict"] for one in data["workloads"]}
    assert verdicts[("Deployment", "web")].startswith("Successfully rolled out")
    assert "gone" in verdicts[("Pod", "lone")]


def test_json_names_the_history_that_it_is_of(report):
    _, trace = report(SOUND, "ndjson")
    assert json.loads(report(SOUND, "json")[1])["end"]["hash"] == json.loads(trace.splitlines()[-1])["hash"]


@pytest.mark.parametrize("output", REPORTS)
def test_bad_input_is_a_report_too(report, output):
    status, text = report(BAD, output)
    assert status == 2
    assert 'unknown field "replica"' in text.replace("\\", "").replace("&quot;", '"')


def test_arrays_are_never_null(report):
    for text in (SOUND, BAD):
        data = json.loads(report(text, "json")[1])
        assert isinstance(data["findings"], list)
        assert isinstance(data["workloads"], list)


@pytest.mark.parametrize(
    "text, arguments, failed",
    [
        pytest.param(SOUND, [], [], id="all well"),
        pytest.param(BAD, [], ["the input is sound"], id="bad input"),
        pytest.param(
            SOUND + SCENARIO,
            [],
            [
                "every object and step is taken",
                'always "deployment/web .status.replicas == 0"',
                "until deployment/web .status.replicas == 9",
            ],
            id="a step, a claim and an end",
        ),
    ],
)
def test_junit_has_a_case_for_everything_that_was_asked(report, text, arguments, failed):
    root = ElementTree.fromstring(report(text, "junit", *arguments)[1])
    (suite,) = root
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases if case.find("failure") is not None] == failed
    for counted in (root, suite):
        assert (int(counted.get("tests")), int(counted.get("failures"))) == (len(cases), len(failed))


@pytest.mark.parametrize(
    "finding, line",
    [
        (Finding("bad-input", "a"), "::error title=podline bad-input::a"),
        (Finding("missing", "a", "", "b.yaml", 3), "::warning file=b.yaml,line=3,title=podline missing::a"),
        (Finding("assumed", "a", "", "b.yaml"), "::notice file=b.yaml,title=podline assumed::a"),
        (Finding("refused", "100%\nb"), "::error title=podline refused::100%25%0Ab"),
        (
            Finding("refused", "a", "", "x:1,y.yaml", 1),
            "::error file=x%3A1%2Cy.yaml,line=1,title=podline refused::a",
        ),
    ],
)
def test_annotations_are_escaped_as_workflow_commands_are(finding, line):
    assert make_github(Report(1, (finding,))).splitlines() == [line]


def test_no_text_of_a_manifest_becomes_a_command_of_its_own():
    lines = make_github(
        Report(1, (Finding("bad-input", "a\n::set-output name=b::c\r\n::error::d"),))
    ).splitlines()
    assert len(lines) == 1


def test_what_xml_cannot_write_is_replaced():
    text = make_junit(Report(2, (Finding("bad-input", "a\x00b\x1b\ufffe<&>"),)))
    (failure,) = ElementTree.fromstring(text).iter("failure")
    assert failure.text == "a�b��<&>"


@pytest.mark.parametrize(
    "file, uri",
    [
        ("my charts/a.yaml", "my%20charts/a.yaml"),
        ("/tmp/a b.yaml", "file:///tmp/a%20b.yaml"),
        ("ä.yaml", "%C3%A4.yaml"),
    ],
)
def test_places_of_sarif_are_uris(file, uri):
    data = json.loads(make_sarif(Report(1, (Finding("bad-input", "a", "Pod b", file, 4),))))
    (result,) = data["runs"][0]["results"]
    physical = result["locations"][0]["physicalLocation"]
    assert physical == {"artifactLocation": {"uri": uri}, "region": {"startLine": 4}}
    rules = data["runs"][0]["tool"]["driver"]["rules"]
    assert (rules[result["ruleIndex"]]["id"], [rule["id"] for rule in rules]) == (
        result["ruleId"],
        list(RULES),
    )
