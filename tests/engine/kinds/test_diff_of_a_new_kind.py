"""What a new kind changes in the product: its own files, and a line in the lists that it joins."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.kinds.toy_kind import make_toy

pytestmark = pytest.mark.slow

TOP = Path(__file__).resolve().parents[3]
HERE = Path(__file__).parent
REGISTRY = "lifecycle/engine/kinds/registry.py"
CONTROLLERS = "lifecycle/engine/controllers/__init__.py"
OWN = {
    "lifecycle/engine/kinds/toy.py": "toy_kind.py",
    "lifecycle/engine/controllers/toy.py": "toy_controller.py",
}
# File -> the lines that join it, each after the line it stands behind.
JOINED = {
    REGISTRY: {
        "from .stateful_set import STATEFUL_SET": "from .toy import TOY",
        "    CRON_JOB,": "    TOY,",
    },
    CONTROLLERS: {
        "from .replica_set import ReplicaSetController": "from .toy import ToyController",
        "        ReplicaSetController(context, act, pods),": "        ToyController(context, act),",
    },
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The product with Toys in it."""
    for name in ("lifecycle", "dashboard"):
        shutil.copytree(TOP / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(TOP / "manage.py", tmp_path)
    for path, source in OWN.items():
        text = (HERE / source).read_text()
        (tmp_path / path).write_text(
            text.replace("tests.engine.kinds.toy_kind", "lifecycle.engine.kinds.toy")
        )
    for path, lines in JOINED.items():
        text = (tmp_path / path).read_text()
        for before, line in lines.items():
            assert text.count(f"{before}\n") == 1, (path, before)
            text = text.replace(f"{before}\n", f"{before}\n{line}\n")
        (tmp_path / path).write_text(text)
    return tmp_path


def list_changes(tree: Path) -> dict[str, list[str]]:
    """By file what the tree's diff adds and takes away; of a new file nothing."""
    found: dict[str, list[str]] = {}
    for path in sorted(one for one in tree.rglob("*") if one.suffix in {".py", ".html", ".js", ".css"}):
        name = str(path.relative_to(tree))
        before = TOP / name
        if not before.exists():
            found[name] = []
        elif before.read_bytes() != path.read_bytes():
            diff = difflib.unified_diff(before.read_text().splitlines(), path.read_text().splitlines(), n=0)
            found[name] = [line for line in diff if line[:3] not in ("---", "+++") and line[0] != "@"]
    return found


def test_a_new_kind_touches_two_files_beside_its_own(tree: Path) -> None:
    assert list_changes(tree) == {
        "lifecycle/engine/controllers/toy.py": [],
        "lifecycle/engine/kinds/toy.py": [],
        CONTROLLERS: ["+from .toy import ToyController", "+        ToyController(context, act),"],
        REGISTRY: ["+from .toy import TOY", "+    TOY,"],
    }


def test_with_that_diff_alone_it_is_simulated_as_any_other(tree: Path) -> None:
    (tree / "toy.json").write_text(json.dumps(make_toy(size=2)))
    command = [sys.executable, "manage.py", "simulate", "toy.json", "--until", "1m", "--output", "summary"]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PODLINE_DATA": str(tree / "var")}
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Toy default/bear" in done.stdout
    assert done.stdout.count("Pod default/bear-") == 2
