"""Patches as the API server takes them, by their type. Pure: an object comes in, a new one goes out."""

from __future__ import annotations

from typing import Any

from ..heart.errors import BadRequest, Invalid, Unprocessable, UnsupportedMediaType
from ..objects.shortened import shorten
from ..schema.decode import decode
from ..schema.scalars import name_go_kind
from ..schema.tables import find_fields, is_known_kind
from .json_patch import json_patch
from .strategic_merge import strategic_merge_patch

Json = dict[str, Any]
DEPTH_LIMIT = 100
"""As deep as a manifest may be."""
JSON, MERGE, STRATEGIC, APPLY = "json", "merge", "strategic", "apply"
PATCH_TYPES = (MERGE, STRATEGIC, JSON, APPLY)
_NO_STRATEGY = (
    "the body of the request was in an unknown format - accepted media types include:"
    " application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
)


def patch_object(current: Json, patch: Any, how: str) -> Json:
    """The object as a patch of this type leaves it.

    Raises BadRequest for what is no such patch, Invalid for what does not fit or leaves a field of a wrong
    type, UnsupportedMediaType for a strategic merge of a custom resource, Unknown for one that contradicts
    itself.
    """
    if how not in PATCH_TYPES:
        raise BadRequest(f"patch type {shorten(how)}: use one of {', '.join(PATCH_TYPES)}")
    if _is_too_deep(patch):
        raise BadRequest(f"patch: nested more than {DEPTH_LIMIT} levels deep; write it flatter")
    is_known = is_known_kind(current["apiVersion"], current["kind"])
    if how == STRATEGIC and not is_known:
        raise UnsupportedMediaType(_NO_STRATEGY)
    if how == JSON:
        return _decode(json_patch(current, patch), current)
    if not isinstance(patch, dict):
        cannot = (
            f"json: cannot unmarshal {name_go_kind(patch)} into Go value of type map[string]interface {{}}"
        )
        raise BadRequest(cannot if how == STRATEGIC else f"error decoding patch: {cannot}")
    if how == MERGE or not is_known:
        return _decode(merge_patch(current, patch), current)
    return _decode(strategic_merge_patch(current, patch, find_fields(current)), current)


def _decode(patched: Any, current: Json) -> Json:
    """Read the patched object by the fields of its kind; a patch may not make another kind of it."""
    if not isinstance(patched, dict) or _is_too_deep(patched):
        raise Unprocessable()
    head = {name: current[name] for name in ("apiVersion", "kind")}
    try:
        decoded = decode({**patched, **head})
    except ValueError as problem:
        kind, name = current["kind"], current["metadata"]["name"]
        raise Invalid(f'{kind} "{name}": {problem}', kind, name) from problem
    return {**decoded, **{name: patched.get(name) for name in head}}


def _is_too_deep(value: Any) -> bool:
    """Whether mappings and lists go on within each other, level by level, beyond the limit."""
    level = [value]
    for _ in range(DEPTH_LIMIT):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return bool(level)


def merge_patch(target: Any, patch: Any) -> Any:
    """JSON merge patch (RFC 7386): null removes, mappings merge, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge_patch(result.get(name), value)
    return result
