"""Client-side apply: the three-way merge of the live object, the last applied and the new configuration.

Fields of the new configuration are set, fields only in the last applied one are removed, and all others
stay; also in the entries of merged lists. Kinds without merge keys are merged as JSON, with whole lists.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ...heart.errors import BadRequest, Unknown
from ...objects.names import LAST_APPLIED
from ...rules.limits.json_bounds import read_json
from ...rules.validation.words.metadata import ANNOTATIONS_MOST_BYTES, do_annotations_fit
from ...schema.fields import Field
from ...schema.tables import Fields, fields_within, find_fields, is_known_kind
from .patches import merge_patch
from .strategic_merge import ELEMENT_ORDER, REPLACE, RETAIN_KEYS, field_of, key_of, strategic_merge_patch

Json = dict[str, Any]
RETAINS = "retainKeys"
NOT_REMEMBERED = (
    f"too large for plain `kubectl apply`, which keeps the manifest in an annotation (at most"
    f" {ANNOTATIONS_MOST_BYTES:,} bytes); taken as by `kubectl create` or `kubectl apply --server-side`"
)


def with_last_applied(manifest: Json) -> Json:
    """The manifest with the annotation in which apply remembers it; without it where it would not fit."""
    meta = dict(manifest.get("metadata") or {})
    annotations = dict(meta.get("annotations") or {})
    annotations.pop(LAST_APPLIED, None)
    plain = {**manifest, "metadata": {**meta, "annotations": annotations}}
    remembering = {**annotations, LAST_APPLIED: json.dumps(plain, separators=(",", ":")) + "\n"}
    annotations = remembering if do_annotations_fit(remembering) else annotations
    return {**manifest, "metadata": {**meta, "annotations": annotations}}


def is_remembered(data: Json) -> bool:
    """Whether an object says what was applied last."""
    return LAST_APPLIED in _annotations_of(data)


def _annotations_of(data: Json) -> Json:
    return (data.get("metadata") or {}).get("annotations") or {}


def apply_patch(live: Json, manifest: Json) -> Json:
    """The live object with the manifest applied. Raises BadRequest for an entry that nothing tells apart."""
    former, wanted = _read_last_applied(live), with_last_applied(manifest)
    if not is_remembered(wanted):
        # What was applied before is not what the next one is to be held against.
        live = _without_annotation(live, LAST_APPLIED)
    if not is_known_kind(manifest["apiVersion"], manifest["kind"]):
        return dict(merge_patch(_without_dropped(live, former, wanted, {}), wanted))
    fields = find_fields(manifest)
    try:
        kept = _without_dropped(live, former, wanted, fields)
        return strategic_merge_patch(kept, _make_patch(kept, wanted, fields), fields)
    except Unknown as problem:
        raise BadRequest(problem.message, manifest["kind"]) from problem


def _read_last_applied(live: Json) -> Json:
    try:
        former = read_json(_annotations_of(live).get(LAST_APPLIED, "{}"))
    except ValueError:
        former = {}
    return former if isinstance(former, dict) else {}


def _without_annotation(live: Json, name: str) -> Json:
    annotations = {key: value for key, value in _annotations_of(live).items() if key != name}
    return {**live, "metadata": {**live["metadata"], "annotations": annotations}}


def _without_dropped(live: Any, former: Any, wanted: Any, fields: Fields) -> Any:
    """A live mapping without what was applied once and is no more."""
    if not (isinstance(live, dict) and isinstance(former, dict) and isinstance(wanted, dict)):
        return live
    return {
        name: _drop_within(value, former.get(name), wanted.get(name), field_of(fields, name))
        for name, value in live.items()
        if name not in former or name in wanted
    }


def _drop_within(live: Any, former: Any, wanted: Any, field: Field) -> Any:
    if isinstance(live, dict):
        return _without_dropped(live, former, wanted, fields_within(field))
    if not (field.is_merged and all(isinstance(one, list) for one in (live, former, wanted))):
        return live
    before = {key_of(entry, field): entry for entry in former}
    now = {key_of(entry, field): entry for entry in wanted}
    fields = fields_within(field.inner) if field.inner is not None else {}
    return [
        _without_dropped(entry, before.get(key), now.get(key), fields)
        for key, entry in ((key_of(entry, field), entry) for entry in live)
        if key not in before or key in now
    ]


def _make_patch(live: Any, wanted: Json, fields: Fields, is_retaining: bool = False) -> Json:
    """The patch that sets what is wanted, with its lists in the order of the manifest."""
    patch: Json = {}
    for name, value in wanted.items():
        field = field_of(fields, name)
        found = live.get(name) if isinstance(live, dict) else None
        if isinstance(value, dict) and REPLACE not in field.strategies:
            patch[name] = _make_patch(found, value, fields_within(field), RETAINS in field.strategies)
        elif not (isinstance(value, list) and field.is_merged):
            patch[name] = value
        # Two ports may have one number: what is as it should be is not looked at entry by entry.
        elif not _holds(found, value, field):
            patch[name], patch[ELEMENT_ORDER + name] = _make_list_patch(found, value, field)
    return {**patch, RETAIN_KEYS: sorted(wanted)} if is_retaining else patch


def _make_list_patch(live: Any, wanted: Sequence[Any], field: Field) -> tuple[list[Any], list[Any]]:
    """The entries, and the order they are to have."""
    if not field.merge_key or field.inner is None:
        return list(wanted), list(wanted)
    found = {key_of(entry, field): entry for entry in live} if isinstance(live, list) else {}
    fields, is_retaining = fields_within(field.inner), RETAINS in field.strategies
    entries = [_make_patch(found.get(key_of(one, field)), one, fields, is_retaining) for one in wanted]
    return entries, [{field.merge_key: key_of(one, field)} for one in wanted]


def _holds(live: Any, wanted: Any, field: Field) -> bool:
    """Whether a live value has all that is wanted; what it has besides does not matter."""
    if isinstance(live, dict) and isinstance(wanted, dict) and REPLACE not in field.strategies:
        fields = fields_within(field)
        return all(
            name in live and _holds(live[name], wanted[name], field_of(fields, name)) for name in wanted
        )
    if isinstance(live, list) and isinstance(wanted, list) and field.is_merged and field.inner is not None:
        is_exact = RETAINS in field.strategies
        return len(live) == len(wanted) and all(
            _holds(one, other, field.inner) and not (is_exact and one.keys() != other.keys())
            for one, other in zip(live, wanted, strict=True)
        )
    return bool(live == wanted)
