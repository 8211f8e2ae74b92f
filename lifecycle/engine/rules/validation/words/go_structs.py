"""How the API server shows a struct as a refused value: every field by its name in Go, in Go's order.

Kubernetes checks objects in a form of its own, whose fields have no JSON names. What all kinds share
(metadata, selectors) does have them, and leaves out what is absent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_tuples import NamedTuple

from ....objects.canonical_json import escape_json
from ....releases.known import DEFAULT_RELEASE
from ....releases.release import Release

# The fields of structs with JSON names, in their order; absent ones are left out but for those with a `!`.
TAGGED = {
    "LabelSelector": "matchLabels matchExpressions",
    "OwnerReference": "apiVersion! kind! name! uid! controller blockOwnerDeletion",
    "ObjectMeta": (
        "name generateName namespace selfLink uid resourceVersion generation creationTimestamp"
        " deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences finalizers"
        " managedFields"
    ),
}
_ZEROS: dict[str, Any] = {"": "", "?": None, "=0": 0, "=no": False, "=zero": "0"}
_FIELD = late_pattern(r"(\+?)(\w+)(?:@(\w+))?(:\??\[?|[=?]\w*)?(\w*)$")
_FIRST_WORD = late_pattern(r"[A-Z]+(?=[A-Z][a-z]|$)|[A-Z]")
# What a pod shares with its node stands in its security context there.
_HOST_FIELDS = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")


class GoText(str):
    """A value as it is written in a refusal already."""


class GoStruct(GoText):
    """A struct as the default release shows it."""

    name: str
    data: Mapping[str, Any]

    def show_as(self, release: Release) -> GoText:
        """The same as another release shows it: rules are not handed the release, who answers knows it."""
        return self if release is DEFAULT_RELEASE else _show(self.name, self.data, release)


class Field(NamedTuple):
    """One field: `within` is how it holds `struct` (`:`, `:?`, `:[` or `+`), "" where it holds none."""

    name: str
    json_name: str
    within: str
    struct: str
    zero: Any


def show_struct(name: str, data: Mapping[str, Any]) -> GoStruct:
    """A struct, given as JSON has it, as the API server writes it in a refusal."""
    shown = GoStruct(_show(name, data, DEFAULT_RELEASE))
    shown.name, shown.data = name, data
    return shown


def _show(name: str, data: Mapping[str, Any], release: Release) -> GoText:
    filled = _fill(name, data, release)
    return GoText(escape_json(json.dumps(filled, ensure_ascii=False, separators=(",", ":"))))


def show_texts(texts: list[str]) -> str:
    """A list of texts as Go writes it with its type."""
    names = ", ".join(json.dumps(text, ensure_ascii=False) for text in texts)
    return f"[]string{{{names}}}"


def tell_json_name(name: str) -> str:
    """What JSON calls a field of Go, where nobody said otherwise: `podIP` of `PodIP`, `wwids` it is not."""
    return _FIRST_WORD.sub(lambda word: word[0].lower(), name, count=1)


@lru_cache(maxsize=4)
def _read_table(release: Release) -> dict[str, str]:
    rows = re.sub(r"\n +", " ", release.tables.structs.strip()).splitlines()
    return dict(row.split(" = ") for row in rows)


@lru_cache(maxsize=256)
def _fields_of(struct: str, release: Release) -> tuple[Field, ...]:
    return tuple(_read_field(text) for text in _read_table(release)[struct].split())


def _read_field(text: str) -> Field:
    found = _FIELD.match(text)
    assert found is not None, text
    plus, name, json_name, mark, struct = found.groups()
    if plus:
        return Field("", "", plus, name, None)
    json_name = json_name or tell_json_name(name)
    if struct:
        return Field(name, json_name, mark, struct, None)
    return Field(name, json_name, "", "", _ZEROS[mark or ""])


def _fill(struct: str, data: Mapping[str, Any], release: Release) -> dict[str, Any]:
    if struct in TAGGED:
        return _fill_tagged(TAGGED[struct], data)
    if struct == "PodSpec":
        data = _with_host_fields(data)
    filled: dict[str, Any] = {}
    for field in _fields_of(struct, release):
        if field.within == "+":
            filled.update(_fill(field.struct, _embedded(field.struct, data), release))
        else:
            filled[field.name] = _value_of(field, data.get(field.json_name), release)
    return filled


def _embedded(struct: str, data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Metadata has a name in JSON that it does not have among the fields of a struct."""
    metadata: Mapping[str, Any] = (data.get("metadata") or {}) if struct == "ObjectMeta" else data
    return metadata


def _with_host_fields(spec: Mapping[str, Any]) -> dict[str, Any]:
    own = {name: spec[name] for name in _HOST_FIELDS if name in spec}
    return {
        **spec,
        "securityContext": {**(spec.get("securityContext") or {}), **own},
        "serviceAccountName": spec.get("serviceAccountName") or spec.get("serviceAccount"),
    }


def _fill_tagged(fields: str, data: Mapping[str, Any]) -> dict[str, Any]:
    shown = [
        field.rstrip("!") for field in fields.split() if field.endswith("!") or data.get(field.rstrip("!"))
    ]
    return {field: _in_order(field, data.get(field) or "") for field in shown}


def _in_order(field: str, value: Any) -> Any:
    if field == "matchExpressions":
        return [{"key": "", "operator": "", **_without_empty(_sorted(entry))} for entry in value]
    return _sorted(value)


def _without_empty(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if value}


def _value_of(field: Field, value: Any, release: Release) -> Any:
    if field.within == ":":
        return _fill(field.struct, value or {}, release)
    if value is None:
        return field.zero
    if field.within == ":?":
        return _fill(field.struct, value, release)
    if field.within == ":[":
        return [_fill(field.struct, entry, release) for entry in value]
    return _sorted(value)


def _sorted(value: Any) -> Any:
    """Maps by their keys, as Go writes them."""
    if isinstance(value, Mapping):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
