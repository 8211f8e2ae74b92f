"""What the API server says of an object that it cannot read, as its JSON reader words it.

Who sends an object with `fieldValidation: Strict`, as kubectl does, is told of unknown fields too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import getitem
from typing import Any

from lifecycle.late_patterns import late_pattern

from ..objects.kinds import group_of
from ..releases.known import DEFAULT_RELEASE
from ..releases.release import Release
from .check import FieldProblem, find_problems, find_wrong_types
from .fields import ANY_TYPE, LIST, MAP, Field
from .paths import Path, format_path
from .scalars import RANGES, name_go_kind
from .tables import ANY_FIELD, Fields, find_fields, is_known_kind, load_tables

_BASE64 = late_pattern("[A-Za-z0-9+/]*={0,2}")
_GO_TYPES = {
    "string": "string",
    "int32": "int32",
    "int64": "int64",
    "boolean": "bool",
    "number": "float64",
    "bytes": "[]uint8",
    "intOrString": "int32",
    ANY_TYPE: "interface {}",
}
_EMBEDDED: dict[str, tuple[str, frozenset[str]]] = {
    "Probe": ("ProbeHandler", frozenset(("exec", "grpc", "httpGet", "tcpSocket"))),
    **dict.fromkeys(
        (
            "ConfigMapEnvSource",
            "ConfigMapKeySelector",
            "ConfigMapProjection",
            "ConfigMapVolumeSource",
            "SecretEnvSource",
            "SecretKeySelector",
            "SecretProjection",
        ),
        ("LocalObjectReference", frozenset(("name",))),
    ),
}
"""Structs that hold some of their fields in another one, whose name JSON does not have and errors do."""
_WITHOUT_EMBEDDED: dict[str, tuple[str, frozenset[str]]] = {
    "EphemeralContainer": ("EphemeralContainerCommon", frozenset(("targetContainerName",))),
    "Volume": ("VolumeSource", frozenset(("name",))),
    "PersistentVolumeSpec": (
        "PersistentVolumeSource",
        frozenset(
            (
                "accessModes",
                "capacity",
                "claimRef",
                "mountOptions",
                "nodeAffinity",
                "persistentVolumeReclaimPolicy",
                "storageClassName",
                "volumeAttributesClassName",
                "volumeMode",
            )
        ),
    ),
}
"""The same, by the few fields that are their own."""
_RESTORED = {"string": "string", "boolean": "bool", "int32": "int32", "int64": "int64", "number": "float64"}
_SCHEME = 'in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"'
_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def find_decode_error(data: Mapping[str, Any], release: Release = DEFAULT_RELEASE) -> str:
    """Why the API server cannot read an object; "" when it can.

    The first field of a wrong type, else all that are unknown.
    """
    wrong = find_wrong_type(data, release)
    if wrong:
        return wrong
    unknown = find_unknown_fields(data, release)
    return f"strict decoding error: {', '.join(unknown)}" if unknown else ""


def find_wrong_type(data: Mapping[str, Any], release: Release = DEFAULT_RELEASE) -> str:
    """The first field of a wrong type; "" when there is none."""
    wrong = find_wrong_types(data, release)
    return _say_wrong_type(data, wrong[0], release) if wrong else ""


def find_unrestorable(data: Mapping[str, Any], release: Release = DEFAULT_RELEASE) -> str:
    """The first field of a wrong type, as one complains who fills structs from what a patch left; or ""."""
    wrong = find_wrong_types(data, release)
    if not wrong:
        return ""
    value: Any = reduce(getitem, wrong[0].path, data)  # type: ignore[arg-type]
    struct, names, field = _walk(data, wrong[0].path, release)
    kind = _name_kind(value)
    if field.shape in (LIST, MAP):
        return f"cannot restore {'slice' if field.shape == LIST else 'map'} from {kind}"
    scalar = _RESTORED.get(field.type_name)
    if scalar is not None:
        return _say_not_restored(kind, scalar, data, _find_named(release, struct, names[-1]))
    if field.type_name in load_tables(release).types and kind != "map":
        return f"cannot restore struct from: {kind}"
    return _say_wrong_type(data, wrong[0], release)


def say_unconverted(version: str, kind: str, head: Mapping[str, Any], release: Release) -> str:
    """Why an object that says these is none of the version and kind in `head`, as Go says it."""
    if is_known_kind(version, kind.removesuffix("List"), release) or (version, kind) == ("v1", "List"):
        package = group_of(head["apiVersion"]).partition(".")[0] or "core"
        given = f"{version.rpartition('/')[2]}.{kind}"
        return f"converting ({given}) to ({package}.{head['kind']}): unknown conversion"
    return f'no kind "{kind}" is registered for version "{version}" {_SCHEME}'


def _name_kind(value: Any) -> str:
    """What a value of JSON is in Go."""
    if isinstance(value, dict | list):
        return "map" if isinstance(value, dict) else "slice"
    if isinstance(value, str | bool):
        return "string" if isinstance(value, str) else "bool"
    return "int64" if isinstance(value, int) else "float64"


def _say_not_restored(kind: str, scalar: str, data: Mapping[str, Any], named: str | None) -> str:
    """Go could make a text of a whole number and cut a fraction off, and is not let; else it has no way."""
    if (kind, scalar) == ("int64", "string") or (kind == "float64" and scalar in ("int32", "int64")):
        version = str(data["apiVersion"]).rpartition("/")[2]
        return f"cannot convert {kind} to {_name_text(version, named) if named else scalar}"
    return f"unrecognized type: {scalar}"


def find_unknown_fields(data: Mapping[str, Any], release: Release = DEFAULT_RELEASE) -> list[str]:
    """Every field that nobody knows, of an object that can be read otherwise."""
    return [f'unknown field "{format_path(problem.path)}"' for problem in find_problems(data, release)]


def _find_named(release: Release, struct: str, field: str) -> str | None:
    """The type of its own that a text has."""
    return release.tables.named_texts.get(struct, {}).get(field)


def _say_wrong_type(data: Mapping[str, Any], problem: FieldProblem, release: Release) -> str:
    value: Any = reduce(getitem, problem.path, data)  # type: ignore[arg-type]
    struct, names, field = _walk(data, problem.path, release)
    if field.type_name == "quantity":
        return _QUANTITY
    if field.type_name in ("time", "microTime") and isinstance(value, str):
        layout = "2006-01-02T15:04:05Z07:00"
        return f'parsing time "{value}" as "{layout}": cannot parse "{value}" as "2006"'
    if field.type_name == "bytes" and isinstance(value, str):
        return f"illegal base64 data at input byte {_find_wrong_byte(value)}"
    kind = name_go_kind(value)
    if kind == "number" and field.type_name in (*RANGES, "intOrString"):
        # It is a number, but a fraction or too large.
        kind = f"number {value}"
    version = str(data["apiVersion"]).rpartition("/")[2]
    go_type = _name_type(field, version, _find_named(release, struct, names[-1]))
    if not is_known_kind(data["apiVersion"], data["kind"], release):
        # Of a custom resource the metadata is read by itself.
        names = names[1:]
    return f"json: cannot unmarshal {kind} into Go struct field {struct}.{'.'.join(names)} of type {go_type}"


def _find_wrong_byte(text: str) -> int:
    """Where a text stops being base64."""
    found = _BASE64.match(text)
    end = found.end() if found else 0
    return end if end < len(text) else len(text) // 4 * 4


def _walk(data: Mapping[str, Any], path: Path, release: Release) -> tuple[str, list[str], Field]:
    """The struct that the last field on a path belongs to, the fields' names, and the wrong value's type.

    Places in lists and keys of maps have no names in Go.
    """
    tables = load_tables(release)
    struct = tables.kinds.get((data["apiVersion"], data["kind"]), str(data["kind"]))
    fields: Fields = find_fields(data, release)
    names: list[str] = []
    field = Field(struct)
    for part in path:
        if field.shape in (LIST, MAP):
            assert field.inner is not None, "a list is a list of something"
            field = field.inner
            continue
        if field.type_name in tables.types:
            struct, fields = field.type_name, tables.types[field.type_name]
        names += [*_list_embedded(struct.rpartition(".")[2], str(part)), str(part)]
        field = fields.get(str(part)) or fields[ANY_FIELD]
    return struct.rpartition(".")[2], names, field


def _list_embedded(struct: str, field: str) -> list[str]:
    """The struct within a struct that holds a field, if there is one."""
    within, fields = _EMBEDDED.get(struct, ("", frozenset()))
    without, own = _WITHOUT_EMBEDDED.get(struct, ("", frozenset()))
    return [
        name for name, holds in ((within, field in fields), (without, field not in own)) if name and holds
    ]


def _name_text(version: str, named: str) -> str:
    """A type of the struct's own package is of its version, one of another says which."""
    return named if "." in named else f"{version}.{named}"


def _name_type(field: Field, version: str, named: str | None) -> str:
    if named:
        return f"{'[]' if field.shape == LIST else ''}{_name_text(version, named)}"
    if field.inner is not None:
        inner = _name_type(field.inner, version, None)
        if field.shape == LIST:
            return f"[]{inner}"
        return f"{version}.ResourceList" if field.inner.type_name == "quantity" else f"map[string]{inner}"
    return _GO_TYPES.get(field.type_name) or f"{version}.{field.type_name.rpartition('.')[2]}"
