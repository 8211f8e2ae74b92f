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
LATER = {
    "lifecycle.engine.upgrades",
    "lifecycle.input.scenario_steps",
    "lifecycle.input.sequences",
    "lifecycle.engine.rules.custom_resources.validation",
    "lifecycle.engine.api.patching.json_patch",
    "lifecycle.engine.api.patching.three_way_patch",
    "lifecycle.engine.controllers.cron_job.decide",
    "lifecycle.engine.controllers.daemon_set.decide",
    "lifecycle.engine.controllers.horizontal_pod_autoscaler.decide",
    "lifecycle.engine.controllers.job.decide",
    "lifecycle.engine.controllers.stateful_set.decide",
    "lifecycle.engine.kubelet.starting.claims",
    "lifecycle.engine.rules.validation.workloads.jobs",
    "lifecycle.simulation.logs",
    "lifecycle.simulation.readiness",
}
"""What no Deployment meets."""
FOREIGN = set(
    "asyncio concurrent.futures dataclasses difflib email http importlib.resources inspect locale"
    " logging multiprocessing orjson platform re2 rich shlex shutil socket sqlite3 ssl statistics subprocess"
    " tempfile threading tree_sitter typing_extensions unittest uuid xml zipfile zoneinfo".split()
)
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


DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: "nginx:1.27", ports: [{containerPort: 80}]}]}
"""
MOST_MODULES = 600
"""Each takes a part of a millisecond: what a Deployment does without is imported where it is used."""
DEFINED_WITHOUT_COMPILER = """
import dataclasses, re, sys, typing
told = []
for maker, name in ((dataclasses, "dataclass"), (typing.NamedTupleMeta, "__new__"), (re, "compile")):
    def watch(*arguments, real=getattr(maker, name), name=name, **named):
        caller = sys._getframe(1).f_globals["__name__"]
        if caller.startswith("lifecycle") and sys._getframe(1).f_code.co_name == "<module>":
            told.append(f"{caller}: {name}")
        return real(*arguments, **named)
    setattr(maker, name, watch)
import lifecycle.simulation.command_line
print("\\n".join(told))
"""


def run_deployment() -> set[str]:
    """The modules that a whole process has loaded for two replicas."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "simulate", "-"],
        cwd=TOP, env=clean_environment(), input=DEPLOYMENT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert '"why":"idle"' in done.stdout
    return set(done.stderr.splitlines()[-1].split())


def test_a_small_deployment_loads_few_modules_and_none_that_it_does_not_meet():
    modules = run_deployment()
    own = {name for name in modules if name.startswith(("lifecycle", "podline"))}
    assert modules & (SERVER | PAGES | JUDGE | REPORTS | SHELL | LATER | FOREIGN) == set()
    assert len(own) <= MOST_MODULES, f"{len(own)} modules: {' '.join(sorted(own))}"


def test_what_is_loaded_is_defined_without_the_compiler():
    done = subprocess.run(
        [sys.executable, "-c", DEFINED_WITHOUT_COMPILER],
        cwd=TOP, env=clean_environment(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == ("", ""), (
        "take lean_dataclasses, lean_tuples and late_patterns instead"
    )
