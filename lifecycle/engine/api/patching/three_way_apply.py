"""Client-side apply: the three-way merge of the live object, the last applied and the new configuration.

Fields of the new configuration are set, fields only in the last applied one are removed, and all others
stay; also in the entries of merged lists. Kinds without merge keys are merged as JSON, with whole lists.
"""

from __future__ import annotations

import json
from typing import Any

from ...heart.errors import BadRequest, Unknown
from ...objects.names import LAST_APPLIED
from ...releases.known import DEFAULT_RELEASE
from ...releases.release import Release
from ...rules.limits.json_bounds import read_json
from ...rules.validation.words.metadata import ANNOTATIONS_MOST_BYTES, do_annotations_fit
from ...schema.tables import find_fields, is_known_kind
from .patches import merge_patch

Json = dict[str, Any]
NOT_REMEMBERED = (
    f"too large for plain `kubectl apply`, which keeps the manifest in an annotation (at most"
    f" {ANNOTATIONS_MOST_BYTES:,} bytes); taken as by `kubectl create` or `kubectl apply --server-side`"
)


def with_last_applied(manifest: Json, is_by_kubectl: bool = True) -> Json:
    """The manifest with the annotation in which apply remembers it; without it where it would not fit.

    An annotation of null is an empty one, as kubectl reads them (NestedNullCoercingStringMap). Of none
    kubectl remembers an empty map, and the API server nothing.
    """
    meta = dict(manifest.get("metadata") or {})
    given = meta.get("annotations") or {}
    annotations = {name: "" if value is None else value for name, value in given.items()}
    annotations.pop(LAST_APPLIED, None)
    plain = {**manifest, "metadata": {**meta, "annotations": annotations}}
    if not is_by_kubectl and meta.get("annotations") is None:
        del plain["metadata"]["annotations"]
    remembering = {**annotations, LAST_APPLIED: _encode(plain)}
    annotations = remembering if do_annotations_fit(remembering) else annotations
    return {**manifest, "metadata": {**meta, "annotations": annotations}}


def _encode(data: Json) -> str:
    """As Go writes it into the annotation: keys sorted, and what HTML would read escaped (encoding/json)."""
    text = json.dumps(data, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text + "\n"


def is_remembered(data: Json) -> bool:
    """Whether an object says what was applied last."""
    return LAST_APPLIED in _annotations_of(data)


def _annotations_of(data: Json) -> Json:
    return (data.get("metadata") or {}).get("annotations") or {}


def apply_patch(live: Json, manifest: Json, release: Release = DEFAULT_RELEASE) -> Json:
    """The live object with the manifest applied. Raises BadRequest for an entry that nothing tells apart."""
    from .strategic_merge import strategic_merge_patch
    from .three_way_json import make_three_way_json_patch
    from .three_way_patch import make_three_way_patch

    former, wanted = _read_last_applied(live), with_last_applied(manifest)
    if not is_remembered(wanted):
        # What was applied before is not what the next one is to be held against.
        live = _without_annotation(live, LAST_APPLIED)
    if not is_known_kind(manifest["apiVersion"], manifest["kind"], release):
        return dict(merge_patch(live, make_three_way_json_patch(former, wanted, live)))
    fields = find_fields(manifest, release)
    try:
        return strategic_merge_patch(live, make_three_way_patch(former, wanted, live, fields), fields)
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
