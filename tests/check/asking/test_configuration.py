"""`podline.yaml`: what is checked, how strictly, what is accepted."""

from __future__ import annotations

import json
from contextlib import nullcontext

import jsonschema
import pytest
import yaml

from lifecycle.check.asking.configuration import (
    Configuration,
    find_file,
    read_annotations,
    read_configuration,
    write_baseline,
)
from lifecycle.check.asking.configuration_schema import make_configuration_schema
from lifecycle.check.limits import Limit
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.input.manifests import read_documents
from lifecycle.input.problems import ManifestError
from podline import schemas

HEAD = "apiVersion: podline.dev/v1alpha1\nkind: CheckConfiguration\nspec:\n"
WHOLE = """
  ordeals: [rollout-*, drain-each]
  withoutOrdeals: [rollout-slow]
  seeds: 20
  failOn: minor
  claims: {no-request-lost: {atMost: 500ms}}
  workloads: {Deployment/shop/web: {whole-again: {within: 5m}}}
  accept: [{ordeal: node-crash, claim: whole-again, reason: one pod}]
"""


@pytest.fixture
def read(tmp_path):
    def read_text(text: str) -> Configuration:
        path = tmp_path / "podline.yaml"
        path.write_text(text)
        return read_configuration(path, list_ordeals())

    return read_text


def test_all_of_it_is_read(read):
    found = read(HEAD + WHOLE)
    assert (found.seeds, found.fail_on) == (20, "minor")
    assert found.limits.of_all == {"no-request-lost": Limit(at_most=500)}
    assert found.limits.of_one == {"Deployment/shop/web": {"whole-again": Limit(within_ms=300_000)}}
    names = [one.name for one in found.choose(list_ordeals())]
    assert "rollout-healthy" in names and "drain-each" in names
    assert not {"rollout-slow", "node-crash"} & set(names)


def test_without_names_all_ordeals_are_tried():
    assert Configuration().choose(list_ordeals()) == list(list_ordeals())


@pytest.mark.parametrize(
    "text, problem",
    [
        pytest.param("kind: Scenario\napiVersion: podline.dev/v1alpha1\n", "kind: ", id="kind"),
        pytest.param(f"{HEAD}  seed: 1\n", "spec.seed: unknown key; known are ordeals", id="key"),
        pytest.param(f"metadata: {{name: a}}\n{HEAD}  seeds: 1\n", "metadata: unknown key", id="name"),
        pytest.param(f"{HEAD}  seeds: many\n", "spec.seeds: ", id="seeds"),
        pytest.param(f"{HEAD}  failOn: never\n", "spec.failOn: ", id="failOn"),
        pytest.param(f"{HEAD}  ordeals: [nod-crash]\n", "spec.ordeals[0]: no ordeal is called", id="ordeal"),
        pytest.param(f"{HEAD}  ordeals: node-crash\n", "spec.ordeals: ", id="no list"),
        pytest.param(f"{HEAD}  workloads: [a]\n", "spec.workloads: ", id="workloads"),
        pytest.param(
            f"{HEAD}  workloads: {{Deployment/a/b: {{nothing-bad: {{}}}}}}\n",
            "spec.workloads[Deployment/a/b].nothing-bad: unknown key",
            id="claim",
        ),
        pytest.param(f"{HEAD}  accept: [{{id: a}}]\n", "spec.accept[0].reason: say why", id="no reason"),
        pytest.param(f"{HEAD}  accept: [{{reason: a}}]\n", "spec.accept[0]: says of no finding", id="all"),
        pytest.param("a: [", "not YAML", id="no YAML"),
        pytest.param("- a\n", "CheckConfiguration: ", id="a list"),
    ],
)
def test_mistakes_say_where_they_are(read, text, problem):
    with pytest.raises(ManifestError) as caught:
        read(text)
    assert problem in "\n".join(map(str, caught.value.problems))


LIMITED = "  workloads: {Deployment/a/b: {whole-again: {within: 5m, severity: none}}}\n"


@pytest.mark.parametrize(
    "spec, is_right",
    [
        pytest.param(WHOLE, True, id="all of it"),
        pytest.param(LIMITED, True, id="limits of one workload"),
        pytest.param("  claims: {no-hard-kill: {atMost: 2}, whole-again: null}\n", True, id="a number"),
        pytest.param("  seeds: null\n", True, id="null is absent"),
        pytest.param("  accept: [{id: 1c33f0a2b1d4, reason: it is so}]\n", True, id="accepted by its id"),
        pytest.param("  seed: 1\n", False, id="no such field"),
        pytest.param("  seeds: 0\n", False, id="no seed"),
        pytest.param("  seeds: many\n", False, id="seeds in words"),
        pytest.param("  failOn: never\n", False, id="no such severity"),
        pytest.param("  ordeals: node-crash\n", False, id="no list"),
        pytest.param("  ordeals: []\n", False, id="an empty list"),
        pytest.param("  claims: {no-fun: {}}\n", False, id="no such claim"),
        pytest.param("  claims: {no-hard-kill: {atMost: 2s}}\n", False, id="a time for a number"),
        pytest.param("  claims: {no-request-lost: {atMost: 2}}\n", False, id="a number for a time"),
        pytest.param("  claims: {no-request-lost: {atMost: soon}}\n", False, id="no duration"),
        pytest.param("  claims: {drain-ends: {atMost: 2s}}\n", False, id="nothing to be at most"),
        pytest.param("  claims: {budget-kept: {within: 2s}}\n", False, id="nothing to be within"),
        pytest.param("  workloads: [a]\n", False, id="workloads as a list"),
        pytest.param("  accept: [{id: a}]\n", False, id="no reason"),
        pytest.param("  accept: [{reason: a}]\n", False, id="any finding"),
    ],
)
def test_the_schema_takes_what_is_read_and_nothing_else(read, spec, is_right):
    validator = jsonschema.Draft7Validator(make_configuration_schema())
    assert validator.is_valid(yaml.safe_load(HEAD + spec)) == is_right
    with nullcontext() if is_right else pytest.raises(ManifestError):
        read(HEAD + spec)


def test_the_command_prints_the_schema_and_lists_it(capsys):
    assert schemas.main(["CheckConfiguration"], "podline schema") == 0
    printed = json.loads(capsys.readouterr().out)
    jsonschema.Draft7Validator.check_schema(printed)
    assert printed == make_configuration_schema()
    assert schemas.main(["--list"], "podline schema") == 0
    assert "CheckConfiguration" in capsys.readouterr().out.split()


@pytest.mark.parametrize(
    "accept, is_of",
    [
        ("{id: ID, reason: a}", True),
        ("{ordeal: rollout-healthy, claim: no-hard-kill, reason: a}", True),
        ("{ordeal: rollout-healthy, claim: whole-again, reason: a}", False),
        ("{object: Deployment/shop/web, reason: a}", True),
        ("{object: Deployment/shop/other, reason: a}", False),
    ],
)
def test_what_is_accepted_is_matched_by_all_that_is_said(read, report, accept, is_of):
    finding = report.findings[0]
    (found,) = read(f"{HEAD}  accept: [{accept.replace('ID', finding.id)}]\n").accepts
    assert found.is_of(finding) == is_of


def test_a_baseline_accepts_what_was_found_and_keeps_reasons(read, report):
    first, _second = report.findings
    found = read(write_baseline(report.findings, {first.id: "so it is"})).accepts
    assert [one.is_of(first) for one in found] == [True, False]
    assert [one.reason for one in found] == ["so it is", "known when this file was written"]
    assert read(write_baseline([], {})).accepts == ()


def test_it_stands_beside_what_is_checked(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "web.yaml").write_text("")
    assert find_file([str(tmp_path / "a")], None) is None
    beside = tmp_path / "a" / "podline.yaml"
    beside.write_text("")
    for given in (tmp_path / "a", tmp_path / "a" / "web.yaml"):
        assert find_file([str(given), "-"], None) == beside
    (tmp_path / "b" / "podline.yaml").write_text("")
    with pytest.raises(ManifestError, match="--config"):
        find_file([str(tmp_path / "a"), str(tmp_path / "b")], None)


ANNOTATED = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {podline.dev/claims: "TEXT"}}
"""


def test_a_workload_says_its_own_limits():
    text = ANNOTATED.replace("TEXT", "no-hard-kill: {atMost: 2}")
    assert read_annotations(read_documents(text)) == {
        "Deployment/default/web": {"no-hard-kill": Limit(at_most=2)}
    }


@pytest.mark.parametrize("text", ["a: [", "no-hard-kill: {atMost: few}", "never: {}", "[]"])
def test_a_mistake_in_an_annotation_names_the_workload(text):
    with pytest.raises(ManifestError) as caught:
        read_annotations(read_documents(ANNOTATED.replace("TEXT", text), "web.yaml"))
    (problem,) = caught.value.problems
    assert (problem.subject, problem.source, problem.line) == ("Deployment web", "web.yaml", 4)
    assert problem.path.startswith("metadata.annotations[podline.dev/claims]")
