"""A release's tables are written as what differs from another one's, and read as a whole again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from lifecycle.engine.releases.differences import Differences, apply_differences
from lifecycle.engine.releases.release import FieldTable, Tables
from lifecycle.management import table_files
from lifecycle.management.commands.generate_differences import find_differences
from lifecycle.management.commands.generate_lifecycles import find_lifecycles

TABLES = table_files.FOLDER
OLD = {
    "fields.py": (
        'KINDS = {"v1": ["Pod"]}\nTYPES = {"Pod": {"a": "string", "b": "int32"}, "Gone": {"x": "any"}}\n'
    ),
    "others.py": 'KINDS = {"x/v1": ["Other"]}\nTYPES = {"Other": {"c": "string"}}\n',
    "named_texts.py": 'NAMED_TEXTS = {"Pod": {"a": "Name"}}\n',
    "go_structs.py": 'STRUCTS = """\nGone = X\nPod = A\n    B=0\n"""\n',
    "protobuf.json": json.dumps({"core/v1.Pod": "1 a string", "core/v1.Gone": "1 x string"}),
}
NEW = {
    "fields.py": (
        'KINDS = {"v1": ["Pod", "New"]}\n'
        'TYPES = {"Pod": {"a": "bytes", "d": "any"}, "New": {"n": "string"}}\n'
    ),
    "others.py": OLD["others.py"],
    "named_texts.py": OLD["named_texts.py"],
    "go_structs.py": 'STRUCTS = """\nPod = A\n"""\n',
    "protobuf.json": json.dumps({"core/v1.Pod": "1 a bytes", "late/v1.Beside": "1 x string"}),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(table_files, "FOLDER", tmp_path)
    for release, tables in (("v1_1", OLD), ("v1_2", NEW)):
        (tmp_path / release).mkdir()
        for name, text in tables.items():
            (tmp_path / release / name).write_text(text)
    return tmp_path


def read_differences(folder: Path) -> Differences:
    text = (folder / "v1_2" / "differences.py").read_text()
    made: dict[str, Any] = {"Differences": Differences}
    exec(text.replace("from ...differences import Differences\n", ""), made)
    found: Differences = made["DIFFERENCES"]
    return found


def test_what_differs_is_written_and_the_whole_tables_go(folder: Path) -> None:
    call_command("generate_differences", "v1.2", "v1.1", verbosity=0)
    assert {path.name for path in (folder / "v1_2").iterdir()} == {"__init__.py", "differences.py"}
    found = read_differences(folder)
    assert found.kinds == {"v1": ("Pod", "New")}
    assert found.types == {"Pod": {"a": "bytes", "b": None, "d": "any"}, "New": {"n": "string"}, "Gone": None}
    assert (found.named_texts, found.structs) == ({}, {"Gone": None, "Pod": "A"})
    # A package that the other release's table does not have is not of those that are kept.
    assert found.protobuf == {"core/v1.Pod": "1 a bytes", "core/v1.Gone": None}


def test_the_package_of_a_release_puts_the_differences_on_the_tables_of_the_other(folder: Path) -> None:
    call_command("generate_differences", "v1.2", "v1.1", verbosity=0)
    written = (folder / "v1_2" / "__init__.py").read_text()
    assert written == ((TABLES / "v1_36" / "__init__.py").read_text()).replace("v1.36", "v1.2").replace(
        "v1_35", "v1_1"
    )


def test_the_tables_of_both_are_those_of_the_newer(folder: Path) -> None:
    call_command("generate_differences", "v1.2", "v1.1", verbosity=0)
    base = Tables(
        fields=(
            FieldTable({"v1": ["Pod"]}, {"Pod": {"a": "string", "b": "int32"}, "Gone": {"x": "any"}}),
            FieldTable({"x/v1": ["Other"]}, {"Other": {"c": "string"}}),
        ),
        named_texts={"Pod": {"a": "Name"}},
        structs="\nGone = X\nPod = A\n    B=0\n",
        protobuf=folder / "v1_1" / "protobuf.json",
    )
    tables = apply_differences(base, read_differences(folder))
    (fields,) = tables.fields
    assert fields.kinds == {"v1": ("Pod", "New"), "x/v1": ["Other"]}
    assert fields.types == {
        "Pod": {"a": "bytes", "d": "any"},
        "Other": {"c": "string"},
        "New": {"n": "string"},
    }
    assert (tables.named_texts, tables.structs) == ({"Pod": {"a": "Name"}}, "Pod = A")


def test_a_release_whose_tables_are_not_there_is_refused(folder: Path) -> None:
    (folder / "v1_2" / "fields.py").unlink()
    with pytest.raises(CommandError, match=r"v1\.2 has no fields\.py: generate them first"):
        call_command("generate_differences", "v1.2", "v1.1", verbosity=0)


@pytest.mark.parametrize(
    "old, new, found",
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": {"b": 1}}, {"a": {"b": 1}}, {}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, {"a": {"c": 3}}),
        ({}, {"a": {}}, {"a": {}}),
    ],
)
def test_only_what_is_otherwise_differs(old: Any, new: Any, found: Any) -> None:
    assert find_differences(old, new) == found


def test_the_life_of_a_version_is_read_from_its_source() -> None:
    text = """
func (in *Ingress) APILifecycleIntroduced() (major, minor int) {
\treturn 1, 14
}
func (in *Ingress) APILifecycleDeprecated() (major, minor int) {
\treturn 1, 19
}
func (in *Ingress) APILifecycleReplacement() schema.GroupVersionKind {
\treturn schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"}
}
func (in *Ingress) APILifecycleRemoved() (major, minor int) {
\treturn 1, 22
}
func (in *IngressList) APILifecycleDeprecated() (major, minor int) {
\treturn 1, 19
}
"""
    assert dict(find_lifecycles(text)) == {"Ingress": "v1.19 v1.22 networking.k8s.io/v1/Ingress"}
