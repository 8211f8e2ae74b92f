"""Validators that are not ours take what we write, and what we ship for the places where people work."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from jsonschema import Draft7Validator

from lifecycle.check.command_line import main as check
from lifecycle.input.json_schemas import list_schemas, make_json_schema
from lifecycle.simulation.command_line import main
from lifecycle.simulation.stories import list_stories
from tests.check.conftest import WEB
from tests.podline.conftest import TOP, run
from tests.simulate.test_reports import BAD, SCENARIO, SOUND, WANTING

pytestmark = pytest.mark.together("wheel")


def write(text: str, output: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Path:
    (tmp_path / "a b.yaml").write_text(text)
    main([str(tmp_path / "a b.yaml"), "-o", output])
    made = tmp_path / f"made.{output}"
    made.write_bytes(capfdbinary.readouterr().out)
    return made


CASES = pytest.mark.parametrize(
    "text", [SOUND, BAD, SOUND + WANTING + SCENARIO], ids=["sound", "refused", "all kinds of findings"]
)


@pytest.mark.slow
@CASES
def test_sarif_is_as_its_published_schema_says(text, tmp_path, capfdbinary, sarif_schema):
    data = json.loads(write(text, "sarif", tmp_path, capfdbinary).read_text())
    validator = Draft7Validator(json.loads(sarif_schema.read_text()))
    assert not [error.message for error in validator.iter_errors(data)]
    # It is no schema that takes anything.
    assert list(validator.iter_errors({**data, "version": "2.0"}))


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        ["--against", "web.yaml"],
        ["--write-baseline", "known.yaml"],
        pytest.param(["--ordeals", "rollout-healthy,drain-each"], marks=pytest.mark.deep),
    ],
)
def test_sarif_of_a_check_is_as_its_published_schema_says(more, tmp_path, monkeypatch, capsys, sarif_schema):
    monkeypatch.chdir(tmp_path)
    Path("web.yaml").write_text(WEB)
    check(["web.yaml", "--ordeals", "rollout-healthy", "-o", "sarif", *more])
    data = json.loads(capsys.readouterr().out)
    assert data["runs"][0]["results"]
    validator = Draft7Validator(json.loads(sarif_schema.read_text()))
    assert not [error.message for error in validator.iter_errors(data)]


@pytest.mark.slow
@CASES
def test_counts_of_junit_are_those_of_its_cases(text, tmp_path, capfdbinary):
    root = ElementTree.fromstring(write(text, "junit", tmp_path, capfdbinary).read_bytes())
    suites = [*root.iter("testsuite")]
    for one in suites:
        cases = [*one.iter("testcase")]
        failed = [case for case in cases if {part.tag for part in case} & {"failure", "error"}]
        said = int(one.get("failures", 0)) + int(one.get("errors", 0))
        assert (int(one.get("tests", -1)), said) == (len(cases), len(failed))
    assert suites and sum(int(one.get("tests", -1)) for one in suites) == int(root.get("tests", -1))


@pytest.mark.deep
@CASES
def test_a_reader_of_junit_reads_our_counts(text, tmp_path, capfdbinary, validators):
    tests, cases, failures, failed = read_junit(write(text, "junit", tmp_path, capfdbinary), validators)
    assert (tests, failures) == (cases, failed)


@pytest.mark.deep
@pytest.mark.parametrize("fail_on", ["serious", "critical"])
def test_a_reader_of_junit_reads_our_counts_of_a_check(fail_on, tmp_path, validators):
    (tmp_path / "web.yaml").write_text(WEB)
    made = tmp_path / "made.xml"
    ordeals = ["--ordeals", "rollout-healthy,drain-each,node-crash"]
    check([str(tmp_path / "web.yaml"), *ordeals, "--fail-on", fail_on, "--write", f"junit={made}"])
    tests, cases, failures, failed = read_junit(made, validators)
    assert (tests, failures) == (cases, failed) == ("3", {"serious": "2", "critical": "0"}[fail_on])


def read_junit(made: Path, validators: Path) -> list[str]:
    """How many tests it says and has, how many failures it says and has."""
    code = (
        "import sys; from junitparser import JUnitXml; x = JUnitXml.fromfile(sys.argv[1]); s = next(iter(x));"
        "print(x.tests, len(list(s)), x.failures, sum(bool(case.result) for case in s))"
    )
    return run([validators / "python", "-c", code, made], made.parent).stdout.split()


@pytest.mark.slow
def test_schemas_take_all_of_the_gallery():
    validators = {kind: Draft7Validator(make_json_schema(kind)) for kind in ("Scenario", "ContainerProfile")}
    seen = set()
    for path in list_stories().values():
        for document in yaml.load_all(path.read_text(), Loader=yaml.CSafeLoader):
            if document and document["kind"] in validators:
                seen.add(document["kind"])
                data = json.loads(json.dumps(document, default=str))
                wrong = [error.message for error in validators[document["kind"]].iter_errors(data)]
                assert not wrong, path
    assert seen == {*validators}


@pytest.mark.slow
def test_every_schema_is_one():
    for name in list_schemas():
        Draft7Validator.check_schema(make_json_schema(name))


BASE = {"apiVersion": "podline.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "a"}}


@pytest.mark.parametrize(
    "name, data",
    [
        pytest.param("Scenario", BASE | {"spec": {"seeds": 1}}, id="unknown field"),
        pytest.param("Scenario", BASE | {"spec": {"seed": "one"}}, id="wrong type"),
        pytest.param("Scenario", BASE | {"spec": {"steps": [{"at": "1s"}]}}, id="a step that does nothing"),
        pytest.param("Scenario", BASE | {"spec": {"steps": [{"at": "1s", "scales": {}}]}}, id="unknown step"),
        pytest.param("Scenario", BASE | {"spec": {"expect": [{"never": "a"}]}}, id="unknown claim"),
        pytest.param("behavior", {"app": {"pull": {"take": "3s"}}}, id="unknown key of a behaviour"),
        pytest.param("behavior", {"app": {"runs": [{"exit": 256}]}}, id="exit status out of range"),
        pytest.param("behavior", {"app": {"runs": []}}, id="no run"),
        pytest.param(
            "Deployment", {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replica": 1}}, id="any"
        ),
    ],
)
def test_schemas_refuse_what_the_reader_refuses(name, data):
    assert list(Draft7Validator(make_json_schema(name)).iter_errors(data))


def test_the_behaviour_of_the_formats_page_is_taken():
    page = (TOP / "docs" / "formats.md").read_text()
    block = next(one for one in page.split("```yaml\n") if one.startswith("app:"))
    data = yaml.safe_load(block.split("```")[0])
    assert not [error.message for error in Draft7Validator(make_json_schema("behavior")).iter_errors(data)]
