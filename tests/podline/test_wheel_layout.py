"""Names of our packages follow them below `podline`; all else stays as it was written."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from lifecycle.simulation.command_line import main
from tests.podline.conftest import run
from wheel_layout import _list_files, place, rewrite

# The whole of it is placed once.
pytestmark = pytest.mark.together("wheel")

MODULES = frozenset(("lifecycle", "lifecycle.engine", "lifecycle.fields", "dashboard", "dashboard.settings"))
TOP = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "source, wanted",
    [
        ("from lifecycle.engine import A", "from podline.lifecycle.engine import A"),
        ("from lifecycle import engine", "from podline.lifecycle import engine"),
        ("from manage import main", "from podline.manage import main"),
        ("from  lifecycle.engine import (\n    A,\n)", "from podline.lifecycle.engine import (\n    A,\n)"),
        ("import lifecycle", "import podline.lifecycle; from podline import lifecycle"),
        ("import lifecycle.fields", "import podline.lifecycle.fields; from podline import lifecycle"),
        ("import lifecycle.fields as f", "import podline.lifecycle.fields as f"),
        ("import os, lifecycle.fields as f", "import os; import podline.lifecycle.fields as f"),
        ("a = 'dashboard.settings'", "a = 'podline.dashboard.settings'"),
        ('a = "lifecycle.engine:App"', "a = 'podline.lifecycle.engine:App'"),
        ('ä = f("é"); b = "dashboard.settings.X"', "ä = f(\"é\"); b = 'podline.dashboard.settings.X'"),
        (
            "if x:\n    from lifecycle.engine import A  # why",
            "if x:\n    from podline.lifecycle.engine import A  # why",
        ),
    ],
)
def test_names_of_modules_follow(source, wanted):
    assert rewrite(source, MODULES) == wanted


@pytest.mark.parametrize(
    "source",
    [
        "from .engine import A",
        "from . import lifecycle",
        "from lifecycles import A",
        "import lifecycle_tools",
        "from podline import Cluster",
        'a = container["lifecycle"]',
        'key = models.ForeignKey("lifecycle.Cluster")',
        'a = "lifecycle.postStart"',
        'a = f"lifecycle.engine.{name}"',
        '"""Text about lifecycle.engine and dashboard.settings."""',
        'a = "see lifecycle.engine"',
    ],
)
def test_all_else_stays(source):
    assert rewrite(source, MODULES) == source


MAY_NAME = re.compile(r"\b(from|import)\s.*(?<![.\w])(lifecycle|dashboard|manage)\b")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the wheel's package is placed as it is built."""
    made = tmp_path_factory.mktemp("placed")
    place(TOP, made / "podline")
    return made


@pytest.mark.slow
def test_the_whole_of_it_is_placed_and_names_no_other_package_of_ours(folder):
    placed = {
        path.relative_to(folder / "podline").as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert placed == {name for _, name in _list_files(TOP)}
    assert {"__init__.py", "manage.py", "lifecycle/models/__init__.py", "templates/base.html"} <= placed
    # To parse all of them takes ten seconds.
    asking = [path for path in folder.rglob("*.py") if MAY_NAME.search(path.read_text())]
    for path in asking:
        for node in ast.walk(ast.parse(path.read_text())):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert not {name.partition(".")[0] for name in named} & {"lifecycle", "dashboard", "manage"}, path


WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "nginx:1.27"}]}
"""


@pytest.mark.slow
def test_what_is_placed_simulates_as_the_checkout_beside_a_users_package_of_the_same_name(
    folder, tmp_path, monkeypatch, capfdbinary
):
    (tmp_path / "lifecycle").mkdir()
    (tmp_path / "lifecycle" / "__init__.py").write_text("raise SystemExit('the user's own')\n")
    (tmp_path / "web.yaml").write_text(WEB)
    monkeypatch.chdir(tmp_path)
    code = "import podline.command as c; import sys; sys.exit(c.main(['simulate', 'web.yaml']))"
    done = run([sys.executable, "-c", code], tmp_path, PYTHONPATH=f"{folder}:{tmp_path}")
    assert (done.returncode, done.stderr) == (0, "")
    assert main(["web.yaml"]) == 0
    assert done.stdout == capfdbinary.readouterr().out.decode()


def test_the_wheel_requires_what_the_checkout_pins():
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["server"]]
    ranges = {one.name.lower(): one for one in map(Requirement, lines)}
    texts = [line.partition("#")[0] for line in (TOP / "requirements.txt").read_text().splitlines()]
    pins = [Requirement(text) for text in texts if text.strip() and text[0] != "-"]
    assert {one.name.lower() for one in pins} == {*ranges}
    for pin in pins:
        (exact,) = pin.specifier
        assert ranges[pin.name.lower()].specifier.contains(exact.version), pin
        assert ranges[pin.name.lower()].extras == pin.extras
