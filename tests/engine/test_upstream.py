"""Every rule says where it comes from, or why it comes from nowhere."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from lifecycle.engine import upstream
from lifecycle.engine.upstream import (
    FUNCTIONS,
    MODELS,
    OURS,
    WHY_OURS,
    controllers,
    nodes,
    requests,
    rules,
    traffic,
    validation,
)

ENGINE = Path(upstream.__file__).parents[1]
ROOMS = ("api", "clients", "controllers", "kubelet", "rules", "scheduler", "traffic")
PARTS = (rules, validation, controllers, nodes, requests, traffic)
TOPS = ("cmd/", "pkg/", "plugin/", "staging/src/k8s.io/")


def list_modules() -> list[str]:
    """Modules of these rooms; a package is one where it has code of its own, and is more than a title."""
    return [
        path.relative_to(ENGINE).with_suffix("").as_posix().removesuffix("/__init__")
        for room in ROOMS
        for path in sorted((ENGINE / room).rglob("*.py"))
        if path.name != "__init__.py" or has_code(path)
    ]


def has_code(path: Path) -> bool:
    body = ast.parse(path.read_text()).body
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in body)


def test_every_module_has_one_entry_and_every_entry_a_module():
    said = [name for part in PARTS for name in (*part.MODELS, *part.OURS)]
    modules = list_modules()
    assert sorted(set(modules) - set(said)) == [], "say in engine/upstream/ which files these model"
    assert sorted(set(said) - set(modules)) == [], "there is no such module any more"
    assert len(said) == len(set(said))


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__.rpartition(".")[2])
def test_entries_and_their_files_are_sorted(part):
    assert list(part.MODELS) == sorted(part.MODELS)
    assert list(part.OURS) == sorted(part.OURS)
    assert [name for name, paths in part.MODELS.items() if list(paths) != sorted(set(paths))] == []


def test_files_are_named_as_in_kubernetes():
    odd = {path for paths in MODELS.values() for path in paths if not path.startswith(TOPS)}
    assert odd == set()
    assert {path for paths in MODELS.values() for path in paths if not path.endswith(".go")} == set()
    assert [name for name, paths in MODELS.items() if not paths] == []


def test_what_is_ours_says_why():
    for name, why in OURS.items():
        word, _, text = why.partition(": ")
        assert word in WHY_OURS and text, name


def test_of_a_file_whose_functions_are_told_all_who_model_it_name_theirs():
    for path, words_by_module in FUNCTIONS.items():
        assert list(words_by_module) == sorted(name for name, paths in MODELS.items() if path in paths), path
        for name, words in words_by_module.items():
            assert words.split() == sorted(set(words.split())) != [], name
    assert list(FUNCTIONS) == sorted(FUNCTIONS)
