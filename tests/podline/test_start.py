"""`podline simulate` starts soon: what a run does not need is not loaded for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.podline.conftest import TOP, clean_environment

pytestmark = pytest.mark.slow

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: app, image: "nginx:1.27"%s}]}
"""
SCRIPT = ', command: [sh, -c, "sleep 5"]'
LOADED = """
import sys
from podline.command import main
status = main(sys.argv[1:])
sys.stderr.write(" ".join(sys.modules))
sys.exit(status)
"""
SERVER = {"django", "channels", "celery", "kombu", "redis", "uvicorn", "rest_framework", "dashboard"}
PAGES = {"plotly", "pandas", "jinja2", "IPython", "pytest"}
JUDGE = {"lifecycle.judge", "lifecycle.remedies", "lifecycle.simulation.summaries"}
REPORTS = {"lifecycle.simulation.reports.report", "xml.etree", "podline.library"}
SHELL = {"lifecycle.userland.shell.machine", "lifecycle.userland.tools.all_tools", "tree_sitter"}


@pytest.mark.parametrize(
    "output, command, loaded, not_loaded",
    [
        pytest.param("ndjson", "", set(), SERVER | PAGES | JUDGE | REPORTS | SHELL, id="rows"),
        pytest.param("table", SCRIPT, SHELL, SERVER | PAGES | JUDGE | REPORTS, id="a script"),
        pytest.param("summary", "", JUDGE, SERVER | PAGES | REPORTS | SHELL, id="a summary"),
        pytest.param("json", "", {"lifecycle.judge"}, SERVER | PAGES | SHELL | {"xml.etree"}, id="a report"),
    ],
)
def test_only_what_a_run_needs_is_loaded(output, command, loaded, not_loaded):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "simulate", "-", "-o", output],
        cwd=TOP, env=clean_environment(), input=POD % command, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    modules = set(done.stderr.splitlines()[-1].split())
    assert loaded <= modules
    assert not not_loaded & modules


@pytest.mark.parametrize(
    "words, status, said",
    [
        (["simulate", "-", "-o", "ndjson"], 0, '"type":"end"'),
        (["simulate", "missing.yaml"], 2, "missing.yaml: cannot be read"),
        (["frobnicate"], 2, "there is no command"),
    ],
)
def test_a_process_says_all_it_has_to_say_and_how_it_ended(words, status, said):
    done = subprocess.run(
        [sys.executable, "-m", "podline", *words],
        cwd=TOP, env=clean_environment(), input=POD % "", capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == status
    assert said in done.stdout + done.stderr
