"""Applies a patch of any type to an object. Pure: it returns a new object."""

from __future__ import annotations

import json
from typing import Any

from ...heart.errors import BadRequest, Invalid, Unprocessable, UnsupportedMediaType
from ...objects.shortened import shorten
from ...releases.known import DEFAULT_RELEASE
from ...releases.release import Release
from ...rules.limits.json_bounds import MOST_LEVELS
from ...rules.validation.words.field_error import invalid
from ...rules.validation.words.refusal import make_invalid
from ...schema.decode import decode
from ...schema.go_errors import find_unrestorable, find_wrong_type, say_unconverted
from ...schema.scalars import name_go_kind
from ...schema.tables import find_fields, is_known_kind
from ..options import PLAIN, WriteOptions

Json = dict[str, Any]
MOST_SHOWN = 10_000
"""So many letters of a patch are shown in its refusal."""
JSON, MERGE, STRATEGIC, APPLY = "json", "merge", "strategic", "apply"
PATCH_TYPES = (MERGE, STRATEGIC, JSON, APPLY)
_NO_STRATEGY = (
    "the body of the request was in an unknown format - accepted media types include:"
    " application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
)


def patch_object(
    current: Json, patch: Any, how: str, options: WriteOptions = PLAIN, release: Release = DEFAULT_RELEASE
) -> Json:
    """The object as a patch of this type leaves it.

    Raises BadRequest for what is no such patch, Invalid for what does not fit or leaves a field of a wrong
    type, UnsupportedMediaType for a strategic merge of a custom resource, Unknown for one that contradicts
    itself.
    """
    from .json_patch import json_patch
    from .strategic_merge import strategic_merge_patch

    if how not in PATCH_TYPES:
        raise BadRequest(f"patch type {shorten(how)}: use one of {', '.join(PATCH_TYPES)}")
    if _is_too_deep(patch):
        raise BadRequest(f"patch: nested more than {MOST_LEVELS} levels deep; write it flatter")
    is_known = is_known_kind(current["apiVersion"], current["kind"], release)
    if how == STRATEGIC and not is_known:
        raise UnsupportedMediaType(_NO_STRATEGY)
    if how == JSON:
        return _decode(json_patch(current, patch), current, patch, how, options, release)
    if not isinstance(patch, dict):
        cannot = (
            f"json: cannot unmarshal {name_go_kind(patch)} into Go value of type map[string]interface {{}}"
        )
        raise BadRequest(cannot if how == STRATEGIC else f"error decoding patch: {cannot}")
    if how == MERGE or not is_known:
        return _decode(merge_patch(current, patch), current, patch, how, options, release)
    merged = strategic_merge_patch(current, patch, find_fields(current, release))
    return _decode(merged, current, patch, how, options, release)


def _decode(
    patched: Any, current: Json, patch: Any, how: str, options: WriteOptions, release: Release
) -> Json:
    """Read the patched object by the fields of its kind, which is as it was where none is left."""
    if not isinstance(patched, dict) or _is_too_deep(patched):
        raise Unprocessable()
    head = {name: current[name] for name in ("apiVersion", "kind")}
    typed, wrong = {**patched, **head}, _find_wrong_head(patched)
    if options.is_request and not wrong:
        if how == STRATEGIC:
            # A struct is filled, which is of its kind whatever the patch says.
            patched, wrong = typed, find_unrestorable(typed, release)
        else:
            if is_known_kind(head["apiVersion"], head["kind"], release):
                patched = {**patched, **{name: patched.get(name) or head[name] for name in head}}
            wrong = _find_misread(patched, head, release) or find_wrong_type(typed, release)
    if wrong:
        raise refuse_patch(how, patch, patched, wrong)
    try:
        decoded = decode(typed, release)
    except ValueError as problem:
        kind, name = current["kind"], current["metadata"]["name"]
        raise Invalid(f'{kind} "{name}": {problem}', kind, name) from problem
    return {**decoded, **{name: patched.get(name) for name in head}}


def _find_misread(patched: Json, head: Json, release: Release) -> str:
    """What is wrong with an object that a patch has made one of another kind or version; "" for nothing.

    It is read as what it says that it is, and is then no such object as was patched.
    """
    version, kind = (str(patched.get(name) or "") for name in ("apiVersion", "kind"))
    if not is_known_kind(head["apiVersion"], head["kind"], release):
        return ""
    is_known = is_known_kind(version, kind, release)
    if is_known and kind == head["kind"]:
        return ""
    wrong = find_wrong_type(patched, release) if is_known else ""
    return wrong or say_unconverted(version, kind, head, release)


def _find_wrong_head(patched: Json) -> str:
    """How Go complains of an apiVersion or a kind that is no text; "" where both are, or are not there."""
    for name in ("apiVersion", "kind"):
        value = patched.get(name)
        if value is not None and not isinstance(value, str):
            said = f"cannot unmarshal {name_go_kind(value)} into Go struct field .{name} of type string"
            return f"couldn't get version/kind; json parse error: json: {said}"
    return ""


def refuse_patch(how: str, patch: Any, patched: Json, why: str) -> Invalid:
    """The refusal of a patch whose outcome cannot be read: it shows the outcome, or a strategic patch itself.

    Neither kind nor name is told, as recorded.
    """
    from .strategic_merge import write_go

    as_json = json.dumps(patched, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    shown = write_go(patch) if how == STRATEGIC else as_json
    return make_invalid("", "", [invalid("patch", shown[:MOST_SHOWN], why)])


def _is_too_deep(value: Any) -> bool:
    """Whether mappings and lists go on within each other, level by level, beyond the limit."""
    level = [value]
    for _ in range(MOST_LEVELS):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


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
