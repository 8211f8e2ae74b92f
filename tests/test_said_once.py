"""What many modules speak of has one home: its text stands nowhere else."""

import ast
from pathlib import Path

import pytest

from lifecycle.engine.objects import names

ROOT = Path(__file__).parents[1]
# Made from Kubernetes' sources, and the list of those.
MADE = ("lifecycle/engine/releases/tables", "lifecycle/engine/upstream", "lifecycle/migrations")
HOME = Path(names.__file__)


def list_sources() -> list[Path]:
    found = [path for room in ("lifecycle", "dashboard") for path in (ROOT / room).rglob("*.py")]
    return [one for one in found if one != HOME and not one.relative_to(ROOT).as_posix().startswith(MADE)]


def has_text(path: Path, text: str) -> bool:
    """Whether a module writes the text itself, as a whole."""
    source = path.read_text()
    if text not in source:
        return False
    return any(isinstance(node, ast.Constant) and node.value == text for node in ast.walk(ast.parse(source)))


@pytest.mark.parametrize("name", [one for one in vars(names) if one.isupper()])
def test_a_name_is_written_once(name: str) -> None:
    text = getattr(names, name)
    assert [path.name for path in list_sources() if has_text(path, text)] == []
