"""What mutating webhooks answered, put into an object: JSON patches that came with the command.

The object is then read, pruned and given defaults as one that was sent. What it is and which it is stays.
"""

from __future__ import annotations

from typing import Any

from ...heart.errors import BadRequest
from ...kinds.defaults import apply_defaults
from ..context import Context
from ..patching.json_patch import json_patch
from ..requests import decode

Json = dict[str, Any]
_KEPT = ("apiVersion", "kind")
_KEPT_OF_METADATA = (
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
)


def apply_patches(context: Context, data: Json, patches: list[Any], subresource: str) -> Json:
    """The object with all patches on it. Raises ApiError where one does not fit or leaves no object.

    Of a subresource only the status can be changed.
    """
    if subresource not in ("", "status"):
        return data
    changed: Any = data
    for patch in patches:
        changed = json_patch(changed, patch)
    meta = changed.get("metadata") if isinstance(changed, dict) else None
    if not isinstance(meta, dict):
        raise BadRequest(f"the patch of a webhook leaves no {data['kind']}: keep metadata a map")
    kept = data["metadata"]
    meta = {name: value for name, value in meta.items() if name not in _KEPT_OF_METADATA}
    meta |= {name: kept[name] for name in _KEPT_OF_METADATA if name in kept}
    changed = {**changed, **{name: data[name] for name in _KEPT}, "metadata": meta}
    decoded, _dropped = context.definitions.complete(decode(changed, context.release))
    if subresource:
        return {**data, "status": decoded.get("status")}
    return apply_defaults(decoded, context.features)
