"""One document against the tables: unknown fields, wrong types, unknown kinds."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from lifecycle.input.manifests import Document, describe
from lifecycle.input.problems import Path, Problem, format_path
from lifecycle.input.schema.tables import ANY_FIELD, Tables, load_tables

QUANTITY = re.compile(
    r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]+)?"
)
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
MOST_PROBLEMS = 50
LIST_OF, MAP_OF = "list of ", "map of "
METADATA_FIELDS = {"apiVersion": "string", "kind": "string"}
CUSTOM_FIELDS = {"metadata": "ObjectMeta", ANY_FIELD: "any"}


def check_document(document: Document) -> list[Problem]:
    """What is structurally wrong with one object, at most MOST_PROBLEMS; empty when it is sound."""
    problems = _check_type(document)
    if problems:
        return problems
    checker = _Checker(document)
    checker.check_object(document.data, find_fields(document.data), ())
    return checker.problems


def find_wrong_types(document: Document) -> list[Problem]:
    """The fields of one object that are not of their type. Fields nobody knows are let be."""
    checker = _Checker(document, is_strict=False)
    checker.check_object(document.data, find_fields(document.data), ())
    return checker.problems


def find_fields(data: Mapping[str, Any]) -> Mapping[str, str]:
    """The fields of an object by its kind; of a custom resource, whose table nobody has, the metadata."""
    tables = load_tables()
    type_name = tables.kinds.get((data["apiVersion"], data["kind"]))
    return {**METADATA_FIELDS, **(CUSTOM_FIELDS if type_name is None else tables.types[type_name])}


def is_modelled_kind(api_version: str, kind: str) -> bool:
    """Has this kind a table? Others are stored with their metadata checked only."""
    return (api_version, kind) in load_tables().kinds


def _check_type(document: Document) -> list[Problem]:
    """Is there such a kind at all?"""
    for name in ("apiVersion", "kind"):
        value = document.data.get(name)
        if value is None:
            return [document.problem((name,), f"{name} not set", f"every manifest needs {name}")]
        if not isinstance(value, str):
            return [document.problem((name,), f"must be text, not {describe(value)}")]
    api_version, kind = document.data["apiVersion"], document.data["kind"]
    tables = load_tables()
    if (api_version, kind) in tables.kinds or _is_custom(api_version, tables):
        return []
    message = f'no matches for kind "{kind}" in version "{api_version}"'
    return [document.problem(("kind",), message, _suggest_kind(api_version, kind, tables))]


def _is_custom(api_version: str, tables: Tables) -> bool:
    """Groups of Kubernetes' own have no dot or end in .k8s.io; all other groups are somebody's resources.

    A group under .k8s.io without a table here (snapshot.storage.k8s.io) is somebody's too.
    """
    group, slash, _ = api_version.rpartition("/")
    if not slash or "." not in group:
        return False
    return not any(version.startswith(f"{group}/") for version in tables.versions)


def _suggest_kind(api_version: str, kind: str, tables: Tables) -> str:
    versions = tables.versions_of(kind)
    if versions:
        return f"{kind} is in {' and '.join(versions)}"
    names = {name.lower(): name for _, name in tables.kinds}
    close = get_close_matches(kind.lower(), names, 1, 0.6)
    return f"did you mean {names[close[0]]}?" if close else "Kubernetes v1.35 has no such kind"


class _Checker:
    """Walks one object along its type."""

    def __init__(self, document: Document, is_strict: bool = True) -> None:
        self.document = document
        self.is_strict = is_strict
        self.types = load_tables().types
        self.problems: list[Problem] = []

    def check(self, value: Any, type_name: str, path: Path) -> None:
        if len(self.problems) >= MOST_PROBLEMS or type_name == "any":
            return
        if type_name.startswith(LIST_OF):
            self._check_list(value, type_name.removeprefix(LIST_OF), path)
        elif type_name.startswith(MAP_OF):
            self._check_map(value, type_name.removeprefix(MAP_OF), path)
        elif type_name in SCALARS:
            wanted, fits = SCALARS[type_name]
            if not fits(value):
                self._wrong(value, wanted, path)
        elif isinstance(value, dict):
            self.check_object(value, self.types[type_name], path)
        else:
            self._wrong(value, "a mapping", path)

    def check_object(self, value: dict[str, Any], fields: Mapping[str, str], path: Path) -> None:
        for name, item in value.items():
            type_name = fields.get(name) or fields.get(ANY_FIELD)
            if type_name is None:
                if self.is_strict:
                    self._unknown(name, fields, path)
            # A field set to null is a field left out.
            elif item is not None:
                self.check(item, type_name, (*path, name))

    def _check_list(self, value: Any, item_type: str, path: Path) -> None:
        if not isinstance(value, list):
            self._wrong(value, "a list", path)
            return
        for index, item in enumerate(value):
            self.check(item, item_type, (*path, index))

    def _check_map(self, value: Any, item_type: str, path: Path) -> None:
        if not isinstance(value, dict):
            self._wrong(value, "a mapping", path)
            return
        for name, item in value.items():
            if item is not None:
                self.check(item, item_type, (*path, name))

    def _unknown(self, name: str, fields: Mapping[str, str], path: Path) -> None:
        remedy = _suggest_field(name, fields, self.types, path)
        self.problems.append(self.document.problem((*path, name), f'unknown field "{name}"', remedy))

    def _wrong(self, value: Any, wanted: str, path: Path) -> None:
        remedy = ""
        written = self.document.text_at(path)
        if wanted == "text" and written is not None and isinstance(value, bool | int | float):
            remedy = f'write it in quotes: "{written}"'
        message = f"must be {wanted}, not {describe(value)}"
        self.problems.append(self.document.problem(path, message, remedy))


def _suggest_field(
    name: str, fields: Mapping[str, str], types: Mapping[str, Mapping[str, str]], path: Path
) -> str:
    """The nearest name at this place, else the place below where such a field belongs."""
    by_lower = {known.lower(): known for known in fields}
    close = get_close_matches(name.lower(), by_lower, 1, 0.75)
    if close:
        return f'did you mean "{by_lower[close[0]]}"?'
    home = next((path for path in _paths_below(fields, types) if path.endswith(f".{name}")), None)
    if home:
        return f"it belongs to {format_path(path)}.{home}".replace("to .", "to ")
    return f"fields here are: {', '.join(sorted(fields))}" if len(fields) <= 12 else ""


def _paths_below(fields: Mapping[str, str], types: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Field paths up to three levels down, nearest first."""
    level = [("", fields)]
    for _ in range(3):
        below = []
        for prefix, names in level:
            for name, type_name in names.items():
                inner = types.get(type_name)
                if inner and name != "status":
                    below.append((f"{prefix}{name}.", inner))
        yield from (prefix + name for prefix, names in below for name in names)
        level = below


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_quantity(value: Any) -> bool:
    return _is_number(value) or (isinstance(value, str) and bool(QUANTITY.fullmatch(value)))


def _is_time(value: Any) -> bool:
    if not (isinstance(value, str) and RFC_3339.fullmatch(value)):
        return False
    try:
        datetime.fromisoformat(value.upper().replace("Z", "+00:00"))
    except ValueError:
        return False
    return True


def _is_base64(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


SCALARS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("text", lambda value: isinstance(value, str)),
    "integer": ("a whole number", _is_whole),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "number": ("a number", _is_number),
    "intOrString": ("a whole number or text", lambda value: _is_whole(value) or isinstance(value, str)),
    "quantity": ('a quantity such as "500m" or "64Mi"', _is_quantity),
    "time": ('a time such as "2026-01-01T00:00:00Z"', _is_time),
    "bytes": ("base64", _is_base64),
}
