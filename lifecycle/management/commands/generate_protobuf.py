"""`manage.py generate_protobuf RELEASE DIR`: how a release's types are numbered on the wire, from their Go.

DIR holds a checkout of Kubernetes, or of `k8s.io/…` as others vendor it. Writes
`lifecycle/engine/releases/tables/<release>/protobuf.json`: by type its fields, each as `number name type
flags`. A name `.` is a field whose own fields stand in its place; flags: `r` repeated, `m` a map, `p` a
pointer (what is sent is set), `o` left out when empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from lifecycle.management.go_source import FIELD, META, NAMED, PACKAGES, STRUCT, TAG, read_packages
from lifecycle.management.table_files import find_table_file

SCALARS = {"string", "bool", "int32", "int64", "float64", "bytes", "uint32", "uint64"}
# Types with a form of their own, by their package and name.
SPECIAL = {
    "resource.Quantity": "quantity",
    "intstr.IntOrString": "intOrString",
    "runtime.RawExtension": "raw",
    "types.UID": "string",
    "types.NodeName": "string",
    f"{META}.Time": "time",
    f"{META}.MicroTime": "microTime",
    f"{META}.Duration": "duration",
    f"{META}.FieldsV1": "fieldsV1",
}


class Command(BaseCommand):
    """Writes the table anew."""

    help = "Write how Kubernetes' types are numbered on the wire, from their Go declarations."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("release", metavar="RELEASE", help="such as v1.35")
        parser.add_argument("folder", type=Path, metavar="DIR", help="where its source is")

    def handle(self, *args: Any, **options: Any) -> None:
        packages = dict(read_packages(options["folder"]))
        if META not in packages:
            raise CommandError(f"{options['folder']}: no k8s.io/apimachinery/pkg/apis/meta/v1/types.go below")
        table = {
            f"{package}.{name}": fields
            for package, text in sorted(packages.items())
            for name, fields in sorted(_write_types(package, text, packages))
        }
        lines = ",\n".join(f"{json.dumps(name)}:{json.dumps(fields)}" for name, fields in table.items())
        target = find_table_file(options["release"], "protobuf.json")
        target.write_text(f"{{\n{lines}\n}}\n")
        self.stdout.write(f"{target} written: {len(table)} types")


def _write_types(package: str, text: str, packages: dict[str, str]) -> Iterator[tuple[str, str]]:
    named = {name: dict(NAMED.findall(other)) for name, other in packages.items()}
    for struct in STRUCT.finditer(text):
        fields = [_write_field(package, go_type, tags, named) for go_type, tags in FIELD.findall(struct[2])]
        written = [field for field in fields if field]
        if written:
            yield struct[1], "; ".join(written)


def _write_field(package: str, go_type: str, tags: str, named: dict[str, dict[str, str]]) -> str:
    found = dict(TAG.findall(tags))
    if "protobuf" not in found:
        return ""
    number = found["protobuf"].split(",")[1]
    name, *options = found["json"].split(",")
    flags = "o" if "omitempty" in options or "omitzero" in options else ""
    inner, more = _resolve(package, go_type, named)
    return f"{number} {name or '.'} {inner} {more}{flags}".rstrip()


def _resolve(package: str, go_type: str, named: dict[str, dict[str, str]]) -> tuple[str, str]:
    """The type on the wire, and what of it: repeated, a map, a pointer."""
    if go_type.startswith("*"):
        inner, flags = _resolve(package, go_type[1:], named)
        return inner, flags + "p"
    if go_type == "[]byte":
        return "bytes", ""
    if go_type.startswith("[]"):
        return _resolve(package, go_type[2:], named)[0], "r"
    if go_type.startswith("map["):
        return _resolve(package, go_type.partition("]")[2], named)[0], "m"
    if go_type in SCALARS:
        return go_type, ""
    where, _, name = go_type.rpartition(".")
    where = PACKAGES.get(where, where) if where else package
    full = f"{where}.{name}"
    if full in SPECIAL:
        return SPECIAL[full], ""
    base = named.get(where, {}).get(name)
    # A named list is a message with one field.
    if base is not None and base.startswith("[]") and base != "[]byte":
        return f"list-of-{_resolve(where, base[2:], named)[0]}", ""
    return _resolve(where, base, named) if base is not None else (full, "")
