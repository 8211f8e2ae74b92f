"""Scripts of the pages that need no browser, in Node.js, with what Python says where both must agree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dashboard.plots.patches import make_patch
from dashboard.plots.stories import Stories
from dashboard.plots.timeline import make_timeline
from lifecycle.engine.heart.series import tell_at
from tests.dashboard.plots.test_patches import apply
from tests.dashboard.rows import pod_life, transition

HERE = Path(__file__).parent
TOP = HERE.parents[1]
FILES = sorted(HERE.glob("*.test.mjs"))
LINTER = TOP / "node_modules" / ".bin" / "biome"

Case = dict[str, Any]
SERIES = {
    "closed": {"period_ms": 5000},
    "alone": {"period_ms": 5000, "paid_ms": 300_007},
    "slow": {"period_ms": 450_000, "paid_ms": 7_600_000},
    "owing": {"period_ms": 7000, "paid_ms": 7_400_000},
    "beside": {"period_ms": 2000, "paid_ms": 600_000, "beside": [[9, 2000], [3, 7000]], "turn": 1},
}


def make_series_cases() -> list[Case]:
    """Series at several instants, and what the engine counts."""
    cases = []
    for detail in SERIES.values():
        row = {"count": 3, "last_ms": 7, "detail": detail}
        for now_ms in (7, 35_000, 3_600_000, 10**10):
            count, last_ms = tell_at(3, 7, detail, now_ms)
            cases.append({"row": row, "nowMs": now_ms, "told": {"count": count, "lastMs": last_ms}})
    return cases


def make_patch_cases() -> list[Case]:
    """Figures of two pods' lives, change by change, each with the patch to the next."""
    stories, figures = Stories(), []
    for row in [*pod_life("a"), *pod_life("b", 100), transition(9000, "exists", "deleted", "a")]:
        stories.feed(row)
        figures.append(json.loads(json.dumps(make_timeline(stories, row["at_ms"]))))
    patches = [(before, make_patch(before, after)) for before, after in pairwise(figures)]
    return [
        {"before": before, "patch": patch, "expected": apply(deepcopy(before), patch)}
        for before, patch in patches
        if patch is not None
    ]


CASES: dict[str, Callable[[], list[Case]]] = {"series": make_series_cases, "patches": make_patch_cases}


def find_program(program: str | Path, cure: str) -> str:
    """Where a program is; without it the test is skipped, and the run says so loudly."""
    found = shutil.which(program)
    if found is None:
        message = f"NO {Path(program).name}: scripts of the pages are not checked by it; {cure}"
        warnings.warn(message, stacklevel=2)
        pytest.skip(message)
    return found


def run(command: list[str], **environment: str) -> None:
    done = subprocess.run(
        command, cwd=TOP, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.partition(".")[0])
def test_a_script_does_what_its_tests_say(file: Path, tmp_path: Path):
    node = find_program("node", "install Debian's nodejs")
    environment = {}
    if make_cases := CASES.get(file.name.partition(".")[0]):
        (tmp_path / "cases.json").write_text(json.dumps(make_cases()))
        environment["PODLINE_CASES"] = str(tmp_path / "cases.json")
    # A file of tests runs them by itself; `--test` would start one process more for it.
    run([node, str(file)], **environment)


def test_the_vendored_editor_is_what_its_packages_give(tmp_path: Path):
    made = tmp_path / "made.js"
    command = json.loads((TOP / "package.json").read_text())["scripts"]["vendor"].split()
    find_program(TOP / "node_modules" / ".bin" / command[0], "run `npm ci`")
    run(["npm", "exec", "--offline", "--", *command[:-1], f"--outfile={made}"])
    assert made.read_bytes() == (TOP / "static" / "vendor" / "codemirror.min.js").read_bytes()


def test_the_scripts_are_clean():
    run([find_program(LINTER, "run `npm ci`"), "lint", "--error-on-warnings", "static/js", "tests/scripts"])
