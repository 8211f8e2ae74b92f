"""`podline check` as people call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lifecycle.check import checking
from lifecycle.check.command_line import main
from lifecycle.check.ordeal_files import ORDER
from lifecycle.simulation.command_line import main as simulate
from tests.check.conftest import WEB

QUICK = ("--ordeals", "rollout-healthy", "--jobs", "1")
HEAD = "apiVersion: podline.dev/v1alpha1\nkind: CheckConfiguration\nspec: "


@pytest.fixture
def check(tmp_path, capsys, monkeypatch):
    """(exit status, standard output, standard error) of a check of web.yaml."""
    monkeypatch.chdir(tmp_path)
    Path("web.yaml").write_text(WEB)

    def call(*arguments: str) -> tuple[int, str, str]:
        status = main(["web.yaml", *QUICK, *arguments])
        return status, *capsys.readouterr()

    return call


@pytest.mark.slow
@pytest.mark.usefixtures("uncured")
@pytest.mark.parametrize(
    "arguments, configuration, status",
    [
        pytest.param([], "", 1, id="serious fails"),
        pytest.param(["--fail-on", "critical"], "", 0, id="only critical fails"),
        pytest.param([], "{failOn: critical}", 0, id="the file says so"),
        pytest.param(["--fail-on", "minor"], "{failOn: critical}", 1, id="flags beat the file"),
        pytest.param([], "{claims: {no-hard-kill: {atMost: 2}}}", 0, id="allowed"),
        pytest.param([], "{accept: [{claim: no-hard-kill, reason: a}]}", 0, id="accepted"),
        pytest.param([], "{claims: {no-hard-kill: 2}}", 2, id="a mistake in the file"),
        pytest.param(["--config", "gone.yaml"], "", 2, id="no such file"),
        pytest.param(["--against", "gone"], "", 2, id="nothing to compare with"),
        pytest.param(["--against", "web.yaml"], "", 0, id="nothing new"),
        pytest.param(["--scenario", "gone"], "", 2, id="no such finding"),
        pytest.param(["--write", "html=gone/a.html"], "", 2, id="nowhere to write"),
    ],
)
def test_the_exit_status_says_what_came_of_it(check, arguments, configuration, status):
    if configuration:
        Path("podline.yaml").write_text(HEAD + configuration)
    assert check(*arguments)[0] == status


KILLED = WEB.partition("---")[0]
ENDS = KILLED.replace("app: {onTerm: {ignore: true}}", "app: {onTerm: {takes: 1s}}")


@pytest.mark.usefixtures("uncured")
@pytest.mark.parametrize(
    "before, now, status, words",
    [
        pytest.param(KILLED, KILLED, 0, "0 new, 0 worse, 0 better, 1 same, 0 fixed", id="as it was"),
        pytest.param(ENDS, KILLED, 1, "1 new", id="it is new"),
        pytest.param(KILLED, ENDS, 0, "1 fixed", id="mended"),
    ],
)
def test_beside_an_earlier_state_only_what_is_worse_fails(check, before, now, status, words):
    Path("before.yaml").write_text(before)
    Path("web.yaml").write_text(now)
    arguments = ("--against", "before.yaml", "--fail-on", "serious", "-o", "json")
    found, text, said = check(*arguments)
    assert found == status
    assert words in said
    assert list(json.loads(text)) == ["schema_version", "kubernetes", "seeds", "ordeals", "findings"]


def test_no_remedies_are_looked_for_of_what_is_only_compared_with(check, monkeypatch):
    asked = []
    monkeypatch.setattr(checking, "cure", lambda *given: asked.append(given) or [])
    check("--against", "web.yaml")
    assert len(asked) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("uncured")
def test_a_baseline_accepts_what_is_there(check):
    assert check("--write-baseline", "known.yaml")[0] == 0
    assert check("--baseline", "known.yaml")[0] == 0
    assert check("--baseline", "known.yaml", "--against", "web.yaml")[0] == 0


@pytest.mark.usefixtures("uncured")
def test_a_configuration_may_be_named_among_the_manifests(check):
    Path("podline.yaml").write_text(f"{HEAD}{{failOn: critical}}")
    assert main(["web.yaml", "podline.yaml", *QUICK]) == 0


@pytest.mark.slow
def test_several_reports_are_of_one_check(check):
    status, text, _ = check("-o", "json", "--write", "html=a.html", "--write", "json=a.json")
    assert status == 1
    assert Path("a.json").read_text() == text
    assert Path("a.html").read_text().startswith("<!doctype html>")


@pytest.mark.slow
def test_the_same_input_is_reported_byte_for_byte(check):
    every = ("json", "sarif", "junit", "github", "markdown", "html")
    words = [word for one in every for word in ("--write", f"{one}=OUT.{one}")]
    texts = []
    for jobs in ("1", "2"):
        check("--jobs", jobs, "--seeds", "2", *(word.replace("OUT", jobs) for word in words))
        texts.append([Path(f"{jobs}.{one}").read_text() for one in every])
    assert texts[0] == texts[1]


@pytest.mark.usefixtures("uncured")
def test_a_counter_example_is_run_as_it_was_found(check, capsys):
    found = json.loads(check("-o", "json", "--seeds", "2")[1])["findings"][0]
    _, text, _ = check("--seeds", "2", "--scenario", found["id"])
    Path("again.yaml").write_text(text)
    simulate(["again.yaml", "-o", "ndjson"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    killed = [one["at_ms"] for one in rows if one.get("field") == "signal.app" and one["new"] == "SIGKILL"]
    assert killed[0] == found["counterexample"]["at_ms"]


def test_the_list_of_ordeals_says_what_each_does(capsys):
    assert main(["--ordeals", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [one.split()[0] for one in lines]
    assert names == [one for one in ORDER if one in names]
    assert all(len(one.split()) > 2 for one in lines)


def test_bad_input_is_reported_in_the_form_that_was_asked_for(check):
    Path("web.yaml").write_text(WEB.replace("replicas", "replica"))
    status, text, said = check("-o", "json")
    assert (status, json.loads(text)["exit_status"]) == (2, 2)
    assert 'unknown field "replica"' in said
