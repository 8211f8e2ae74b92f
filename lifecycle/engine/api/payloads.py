"""Checks the payload of each kind of command: its fields, their types, and which are required.

This is done before anything else, so the code that carries out a command can rely on it. Objects and
patches in the payload are checked where they are decoded. A null field counts as missing, as does an empty
text that is optional; unknown fields are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from lifecycle.lean_dataclasses import dataclass

from ..heart.errors import BadRequest
from ..objects.shortened import shorten
from ..releases.known import DEFAULT_RELEASE
from ..releases.release import Release
from ..rules.limits.json_bounds import MOST_LEVELS
from ..schema.go_errors import find_decode_error
from .patching.patches import PATCH_TYPES
from .requests import SUBRESOURCES

Payload = dict[str, Any]
Place: TypeAlias = tuple["Place | None", str]
"""Where a value stands: the place of what it is in, and the step from there."""
_MOST = 2**31 - 1
"""As large as a whole number of a payload may be: one of 32 bits."""
_MOST_BITS = 1024
"""Of a whole number within an object: more cannot be written as a decimal one."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: what it is (as in "use …"), and whether a value is that."""

    wanted: str
    fits: Callable[[Any], bool]
    is_required: bool = False


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_full_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_map(value: Any) -> bool:
    return isinstance(value, dict)


def _is_list_of_maps(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_map, value))


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _is_list_of_names(value: Any) -> bool:
    is_list = isinstance(value, list) and all(map(_is_full_text, value))
    return is_list and bool(value) and len(set(value)) == len(value)


def _is_preconditions(value: Any) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {"uid", "resourceVersion"}:
        return False
    return all(isinstance(one, str) for one in value.values())


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_any(value: Any) -> bool:
    return True


def _text(wanted: str, is_required: bool = False) -> Field:
    return Field(wanted, _is_full_text if is_required else _is_text, is_required)


def _choice(*choices: str, is_required: bool = False) -> Field:
    some = choices if is_required else (*choices, "")
    return Field(f"one of {', '.join(choices)}", lambda value: value in some, is_required)


def _whole(wanted: str, low: int = -_MOST, is_required: bool = False) -> Field:
    return Field(wanted, lambda value: _is_whole(value) and low <= value <= _MOST, is_required)


_KIND = {
    "kind": _text("the object's kind, such as Deployment", True),
    # Of kinds of one name these say which is meant.
    "apiVersion": _text("the version of its API, such as apps/v1"),
    "group": _text("the group of its API, such as apps"),
}


def _one_object(kind: bool = True) -> dict[str, Field]:
    """The fields that name an object."""
    fields = {"namespace": _text("the name of a namespace"), "name": _text("the object's name", True)}
    return {**_KIND, **fields} if kind else fields


_OBJECT = Field(
    "an object's JSON, such as {apiVersion: v1, kind: Pod, metadata: {…}, spec: {…}}", _is_map, True
)
_HEADER = {
    "apiVersion": _text("the version of an API, such as apps/v1", True),
    "kind": _text("the kind of an object, such as Deployment", True),
    "metadata": Field("a map such as {name: web}", _is_map),
}
_NAMES = {name: _text("text") for name in ("name", "generateName", "namespace")}
_REQUEST_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    "fieldManager": _is_text,
    "userAgent": _is_text,
    "apiVersion": _is_text,
    "verb": _is_text,
    "fieldValidation": _is_text,
    "force": lambda value: isinstance(value, bool),
    "dryRun": _is_list_of_texts,
    "problems": _is_list_of_texts,
    "userInfo": _is_map,
    "patches": lambda value: isinstance(value, list),
}


def _is_request(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return all(one is None or _REQUEST_FIELDS.get(name, _is_any)(one) for name, one in value.items())


_REQUEST = Field(f"a map of what a client's request says, of {', '.join(_REQUEST_FIELDS)}", _is_request)
_SUBRESOURCE = _choice(*SUBRESOURCES)
_FIELD_VALIDATION = _choice("Strict", "Warn", "Ignore")
_GRACE = _whole("a whole number of seconds")
_YES_OR_NO = Field("true or false", lambda value: isinstance(value, bool))
_PRECONDITIONS = Field("a map of uid and resourceVersion, both texts", _is_preconditions)
_NODE = _text("the name of a node, such as node-1")
_NODE_NEEDED = _text("the name of a node, such as node-1", True)

PAYLOADS: Mapping[str, Mapping[str, Field]] = {
    "create": {"object": _OBJECT, "fieldValidation": _FIELD_VALIDATION, "request": _REQUEST},
    "apply": {"object": _OBJECT, "fieldValidation": _FIELD_VALIDATION},
    "replace": {
        "object": _OBJECT,
        "subresource": _SUBRESOURCE,
        "fieldValidation": _FIELD_VALIDATION,
        "request": _REQUEST,
    },
    "patch": {
        **_one_object(),
        "type": _choice(*PATCH_TYPES),
        # Of which form depends on its type.
        "patch": Field("a map, or for the type json a list", _is_any),
        "subresource": _SUBRESOURCE,
        "request": _REQUEST,
    },
    "delete": {
        **_one_object(),
        "gracePeriodSeconds": _GRACE,
        "propagationPolicy": _choice("Background", "Foreground", "Orphan"),
        "force": _YES_OR_NO,
        "preconditions": _PRECONDITIONS,
        "options": Field(
            "false for a request without options, {} for one of the API: what they say stands beside them",
            lambda value: isinstance(value, bool) or value == {},
        ),
        "request": _REQUEST,
    },
    "scale": {**_one_object(), "replicas": _whole("a whole number, 0 or more", 0, True)},
    "setImage": {
        **_one_object(),
        "container": _text("the name of a container, or * for all"),
        "image": _text("the new image, such as nginx:1.27", True),
    },
    "rollout": {
        **_one_object(),
        "action": _choice("restart", "pause", "resume", "undo", is_required=True),
        "toRevision": _whole("the number of a revision, or 0 for the one before", 0),
    },
    "evict": {
        **_one_object(kind=False),
        "gracePeriodSeconds": _GRACE,
        "force": _YES_OR_NO,
        "preconditions": _PRECONDITIONS,
        "dryRun": _YES_OR_NO,
        "request": _REQUEST,
    },
    "bind": {**_one_object(kind=False), "node": _NODE_NEEDED, "request": _REQUEST},
    "drain": {
        "node": _NODE,
        "nodes": Field("a list of names of nodes, each once", _is_list_of_names),
        "ignoreDaemonSets": _YES_OR_NO,
        "deleteEmptyDirData": _YES_OR_NO,
        "force": _YES_OR_NO,
        "disableEviction": _YES_OR_NO,
        "gracePeriodSeconds": _GRACE,
        "podSelector": _text("a label selector such as app=web"),
        # Durations are read where their units are known.
        "timeout": Field("a duration such as 10m", _is_any),
        "uncordonAfter": Field("a duration such as 30s", _is_any),
        "upgrade": _text("a release such as v1.36"),
        "cancel": _YES_OR_NO,
    },
    "cordon": {"node": _NODE, "name": _NODE},
    "uncordon": {"node": _NODE, "name": _NODE},
    "taint": {
        "node": _NODE,
        "name": _NODE,
        "taints": Field("a list of {key, value, effect}", _is_list_of_maps, True),
    },
    "remove": {"node": _text("the name of a node, such as node-1", True)},
    "upgrade": {
        "controlPlane": _text("a release such as v1.36"),
        "node": _NODE,
        "kubernetes": _text("a release such as v1.36"),
    },
    "chance": {"seed": Field("a whole number", _is_whole, True)},
    "staticPod": {
        "node": _NODE_NEEDED,
        "manifest": Field("the manifest of a Pod", _is_map),
        "remove": _text("the name of a static pod"),
        "namespace": _text("the name of a namespace"),
    },
    "exec": {
        "namespace": _text("the name of a namespace"),
        "pod": _text("the name of a pod", True),
        "container": _text("the name of a container"),
        "command": Field("a list of words, such as [ls, /tmp]", _is_words, True),
        "stdin": _text("text for the command to read"),
        "session": _text("a name for the command, when its input stays open"),
        "isFirst": _YES_OR_NO,
        "isEnd": _YES_OR_NO,
        "isInterrupt": _YES_OR_NO,
        "isTerminal": _YES_OR_NO,
        "isAttached": _YES_OR_NO,
    },
    "connect": {
        "namespace": _text("the name of a namespace"),
        "pod": _text("the name of a pod", True),
        "port": _whole("a port such as 80", 1, is_required=True),
        "path": _text("the path of an HTTP request, such as /"),
    },
    "fault": {
        "node": _NODE,
        "component": _text("the name of a component, such as kube-apiserver"),
        "pod": _text("the name of a pod"),
        "namespace": _text("the name of a namespace"),
        "container": _text("the name of a container"),
        "kind": _text("the kind of a fault, such as crash or exit", True),
        "code": _whole("an exit code from 0 to 255"),
        "reason": _text("a word such as OOMKilled"),
        "resource": _choice("memory", "disk", "pid"),
        # Amounts and durations are read, and refused, where their units are known.
        "available": Field("an amount such as 100Mi", _is_any),
        "for": Field("a duration such as 30s", _is_any),
    },
}


def check_payload(kind: str, payload: Any, release: Release = DEFAULT_RELEASE) -> None:
    """Raise BadRequest for an unknown kind, or naming the first field that is not what it has to be."""
    fields = PAYLOADS.get(kind)
    if fields is None:
        raise BadRequest(f"unknown command {shorten(kind)}; use one of {', '.join(sorted(PAYLOADS))}")
    if not isinstance(payload, dict):
        raise BadRequest(f"{kind}: the payload must be a map of {', '.join(fields)}")
    problem = find_unreadable(payload, kind)
    if problem:
        raise BadRequest(problem)
    _check_fields(fields, payload, kind)
    if fields.get("object") is _OBJECT:
        _check_header(payload["object"], f"{kind}.object")
        if payload.get("fieldValidation") == "Strict":
            _require_readable(payload["object"], release)


def _check_fields(fields: Mapping[str, Field], values: Payload, path: str) -> None:
    for name, field in fields.items():
        value = values.get(name)
        if value is None:
            if field.is_required:
                raise BadRequest(f"{path}.{name}: is required: use {field.wanted}")
        elif not field.fits(value):
            raise BadRequest(f"{path}.{name} {shorten(value)}: use {field.wanted}")


def _check_header(data: Payload, path: str) -> None:
    """What an object is found by, and its fields are known by, can be read."""
    _check_fields(_HEADER, data, path)
    _check_fields(_NAMES, data.get("metadata") or {}, f"{path}.metadata")


def _require_readable(data: Payload, release: Release) -> None:
    """Raise BadRequest, in the API server's words, for unknown fields and such of a wrong type."""
    problem = find_decode_error(data, release)
    if problem:
        kind, version = data["kind"], data["apiVersion"].rpartition("/")[2]
        raise BadRequest(f'{kind} in version "{version}" cannot be handled as a {kind}: {problem}')


def find_unreadable(value: Any, path: str) -> str:
    """What in a value no JSON can say, or nobody could work with: the first such place, or ""."""
    return _find_unreadable(value, (None, path), 0)


def _find_unreadable(value: Any, place: Place, level: int) -> str:
    if isinstance(value, dict | list):
        if level >= MOST_LEVELS:
            return f"{_format(place)}: nested more than {MOST_LEVELS} levels deep; write it flatter"
        if isinstance(value, list):
            return _find_in_list(value, place, level + 1)
        return _find_in_mapping(value, place, level + 1)
    why = _find_odd(value)
    return f"{_format(place)}{why}" if why else ""


def _find_in_list(values: list[Any], place: Place, level: int) -> str:
    for at, one in enumerate(values):
        if found := _find_unreadable(one, (place, f"[{at}]"), level):
            return found
    return ""


def _find_in_mapping(values: dict[Any, Any], place: Place, level: int) -> str:
    for name, one in values.items():
        if not isinstance(name, str) or not _is_unicode(name):
            return f"{_format(place)}: the name {shorten(name)} of a field must be text"
        if found := _find_unreadable(one, (place, f".{name}"), level):
            return found
    return ""


def _format(place: Place) -> str:
    """A path, written only where it is told."""
    above, step = place
    return step if above is None else f"{_format(above)}{step}"


def _find_odd(value: Any) -> str:
    if isinstance(value, str):
        return "" if _is_unicode(value) else ": half of a surrogate pair is no character"
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, int):
        return "" if value.bit_length() < _MOST_BITS else ": a number of so many digits is not read"
    if isinstance(value, float):
        return "" if math.isfinite(value) else f" {value}: use a number that is one"
    return f": JSON has no {type(value).__name__}"


def _is_unicode(text: str) -> bool:
    # Of valid text only the halves of surrogate pairs cannot be written as UTF-8.
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)
