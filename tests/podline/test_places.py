"""Where people work: the GitHub Action, the GitLab template, the hooks of pre-commit, the man page."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from lifecycle.simulation.run import EXIT_STATUSES
from podline import command
from podline.command import COMMANDS, main
from podline.completion import make_bash
from podline.manual import make_page
from tests.check.conftest import WEB
from tests.podline.conftest import TOP, clean_environment, run
from tests.simulate.test_reports import BAD, SCENARIO, SOUND

pytestmark = pytest.mark.together("wheel")

ACTION = yaml.safe_load((TOP / "action.yml").read_text())
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"] if "id" in step}


@pytest.fixture
def workflow(tmp_path):
    """Runs the action's step as a runner does: with these inputs; (exit status, log, outputs, summary)."""
    shim = tmp_path / "bin" / "podline"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nPYTHONPATH={TOP} exec {sys.executable} -m podline "$@"\n')
    shim.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()

    def call(**given: str) -> tuple[int, str, str, str]:
        inputs = {name: one["default"] for name, one in ACTION["inputs"].items()} | given
        step = STEPS[inputs["command"]]
        environment = {
            name: inputs[text.removeprefix("${{ inputs.").removesuffix(" }}")]
            for name, text in step["env"].items()
        }
        files = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        done = subprocess.run(
            # As GitHub calls it for `shell: bash`.
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=work,
            env=clean_environment(**environment, **files, PATH=f"{shim.parent}:/usr/bin:/bin"),
            capture_output=True,
            text=True,
            timeout=120,
        )
        written = [Path(path).read_text() for path in files.values()]
        return done.returncode, done.stdout, *written

    return work, call


@pytest.mark.slow
def test_the_action_annotates_files_and_says_how_it_ended(workflow):
    work, call = workflow
    (work / "my manifests").mkdir()
    (work / "my manifests" / "a.yaml").write_text(SOUND + SCENARIO)
    status, log, outputs, summary = call(paths="my manifests\n", until="2m\n", sarif="out.sarif")
    assert (status, outputs) == (1, "exit-status=1\n")
    assert "::error file=my manifests/a.yaml,line=13,title=podline expectation-failed::always " in log
    assert "Deployment default/web" in summary
    assert '"version": "2.1.0"' in (work / "out.sarif").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    "text, given, status",
    [
        pytest.param(SOUND, {"paths": "a.yaml"}, 0, id="done"),
        pytest.param(BAD, {"paths": "a.yaml"}, 2, id="bad input", marks=pytest.mark.deep),
        pytest.param(SOUND, {"paths": "--help"}, 2, id="a path is no option", marks=pytest.mark.deep),
        pytest.param(SOUND, {"paths": "$(touch hacked)"}, 2, id="a path is no command"),
        pytest.param(
            *(SOUND, {"paths": "a.yaml", "arguments": "--seed\n7", "namespace": "shop"}, 0),
            id="arguments",
            marks=pytest.mark.deep,
        ),
    ],
)
def test_the_action_ends_as_the_command_does(workflow, text, given, status):
    work, call = workflow
    (work / "a.yaml").write_text(text)
    assert call(**given)[0] == status
    assert not (work / "hacked").exists()


@pytest.mark.slow
def test_the_action_checks_every_future_and_says_so_in_the_summary(workflow):
    work, call = workflow
    (work / "a.yaml").write_text(WEB)
    words = "--ordeals\nrollout-healthy"
    status, log, outputs, summary = call(
        command="check", paths="a.yaml", arguments=words, sarif="out.sarif", html="out.html"
    )
    assert (status, outputs) == (1, "exit-status=1\n")
    assert "::error file=a.yaml,line=" in log
    assert summary.startswith("### podline check: 1 finding: 1 serious\n")
    assert '"version": "2.1.0"' in (work / "out.sarif").read_text()
    assert (work / "out.html").read_text().startswith("<!doctype html>")


@pytest.mark.deep
def test_the_action_says_in_the_summary_what_is_refused(workflow):
    work, call = workflow
    (work / "a.yaml").write_text(BAD)
    status, log, _, summary = call(command="check", paths="a.yaml")
    assert status == 2
    assert "::error" in log
    assert "unknown field" in summary


# It asks a registry for a validator, and makes an environment for it.
@pytest.mark.deep
@pytest.mark.parametrize(
    "schema, file", [("vendor.github-actions", "action.yml"), ("vendor.gitlab-ci", "docs/ci/gitlab.yml")]
)
def test_what_we_ship_is_as_its_users_schema_says(validators, tmp_path, schema, file):
    done = run([validators / "check-jsonschema", "--builtin-schema", schema, TOP / file], tmp_path)
    assert done.returncode == 0, done.stdout


def test_the_hook_names_a_command_that_there_is():
    for hook in yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text()):
        program, command, *_ = hook["entry"].split()
        assert (program, hook["language"], hook["id"]) == ("podline", "python", f"podline-{command}")
        assert command in COMMANDS


def test_the_man_page_says_every_command_and_exit_status():
    page = make_page()
    for name in (*COMMANDS, *map(str, EXIT_STATUSES)):
        assert f".B {name}\n" in page
    assert ".B \\-\\-until WHEN" in page
    assert ".B \\-o, \\-\\-output yaml|table" in page


@pytest.mark.parametrize(
    "words, offered",
    [
        (["cal"], "calibrate"),
        (["calibrate", "-"], "-o --output"),
        (["calibrate", "-o", ""], "yaml table"),
        (["simulate", "--output", "s"], "summary sarif"),
        (["check", "--output", "m"], "markdown"),
        (["check", "--fail-on", ""], "critical serious minor"),
        (["completion", ""], "bash zsh fish"),
    ],
)
def test_bash_completes_the_options_of_each_command(words, offered):
    ask = 'COMP_WORDS=(podline "$@"); COMP_CWORD=$#; _podline; echo "${COMPREPLY[*]}"'
    done = subprocess.run(
        ["bash", "-c", f"{make_bash()}\n{ask}", "bash", *words], capture_output=True, text=True, timeout=30
    )
    assert (done.stdout.strip(), done.stderr) == (offered, "")


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_the_man_page_is_set_without_a_warning():
    done = subprocess.run(
        ["groff", "-man", "-ww", "-z"], input=make_page(), capture_output=True, text=True, timeout=30
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "words, status, said",
    [
        pytest.param([], 2, "usage: podline COMMAND", id="nothing"),
        pytest.param(["help"], 0, "usage: podline COMMAND", id="help"),
        pytest.param(["--version"], 0, "podline ", id="version"),
        pytest.param(["frobnicate"], 2, "there is no command 'frobnicate'; there are simulate", id="unknown"),
        pytest.param(["version", "-o", "json"], 0, '"kubernetes": "v1.36', id="version as JSON"),
        pytest.param(["schema", "--list"], 0, "Scenario\nContainerProfile\n", id="schemas"),
        pytest.param(["schema", "Scenario"], 0, '"$schema"', id="a schema"),
    ],
)
def test_the_command_says_what_there_is(capsys, monkeypatch, words, status, said):
    monkeypatch.setattr(sys, "argv", ["/usr/bin/podline", *words])
    assert main() == status
    assert said in "".join(capsys.readouterr())


@pytest.mark.parametrize("words", [["schema"], ["schema", "Nothing"], ["completion"], ["completion", "tcsh"]])
def test_bad_words_are_status_2(capsys, words):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2


@pytest.mark.parametrize("name", [name for name, one in COMMANDS.items() if not one.module])
def test_a_command_of_the_server_says_what_to_install(monkeypatch, capsys, name):
    monkeypatch.setattr(command, "find_spec", lambda package: None)
    assert main([name]) == 2
    said = capsys.readouterr().err
    assert "django, channels, celery, redis, uvicorn missing" in said
    assert "run pip install 'podline[server]'" in said


BASH = """
source /dev/stdin <<<"$1"
COMP_WORDS=({words}); COMP_CWORD={at}; _podline; echo "${{COMPREPLY[*]}}"
"""


@pytest.mark.parametrize(
    "words, found",
    [
        (["podline", "si"], "simulate signin"),
        (["podline", "simulate", "--unt"], "--until"),
        (["podline", "simulate", "--output", "s"], "summary sarif"),
        (["podline", "simulate", "--timing", ""], "realistic instant"),
        (["podline", "completion", "z"], "zsh"),
    ],
)
def test_bash_completes_commands_options_and_values(capsys, words, found):
    main(["completion", "bash"])
    script = BASH.format(words=" ".join(repr(word) for word in words), at=len(words) - 1)
    command = ["bash", "--norc", "-c", script, "bash", capsys.readouterr().out]
    assert subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.strip() == found


@pytest.mark.parametrize("shell, check", [("zsh", "-n"), ("fish", "--no-execute")])
def test_other_shells_take_their_completions(capsys, tmp_path, shell, check):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    main(["completion", shell])
    script = tmp_path / "completion"
    script.write_text(capsys.readouterr().out)
    done = subprocess.run([shell, check, script], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
