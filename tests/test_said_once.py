"""What many modules speak of has one home: its text stands nowhere else."""

import ast
from functools import cache
from pathlib import Path

import pytest

from lifecycle.engine.objects import names

ROOT = Path(__file__).parents[1]
# Made from Kubernetes' sources, and the list of those.
MADE = ("lifecycle/engine/releases/tables", "lifecycle/engine/upstream", "lifecycle/migrations")
HOME = Path(names.__file__)


@cache
def list_sources() -> dict[Path, str]:
    found = [path for room in ("lifecycle", "dashboard") for path in (ROOT / room).rglob("*.py")]
    ours = [one for one in found if one != HOME and not one.relative_to(ROOT).as_posix().startswith(MADE)]
    return {path: path.read_text() for path in ours}


def has_text(source: str, text: str) -> bool:
    """Whether a module writes the text itself, as a whole."""
    if text not in source:
        return False
    return any(isinstance(node, ast.Constant) and node.value == text for node in ast.walk(ast.parse(source)))


@pytest.mark.parametrize("name", [one for one in vars(names) if one.isupper()])
def test_a_name_is_written_once(name: str) -> None:
    text = getattr(names, name)
    assert [path.name for path, source in list_sources().items() if has_text(source, text)] == []
