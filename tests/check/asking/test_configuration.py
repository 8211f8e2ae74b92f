"""`podline.yaml`: what is checked, how strictly, what is accepted."""

from __future__ import annotations

import pytest

from lifecycle.check.asking.configuration import (
    Configuration,
    find_file,
    read_annotations,
    read_configuration,
    write_baseline,
)
from lifecycle.check.limits import Limit
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.input.manifests import read_documents
from lifecycle.input.problems import ManifestError

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
