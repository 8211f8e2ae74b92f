"""What the API server fills in before it stores an object.

Pure: a new object comes out, the one that went in is never touched. Parts that need no default are shared.
Addresses, uids and times are given by the store, not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..heart.settings import FEATURE_DEFAULTS
from .registry import convert, entry_of_json

DEFAULT_NAMESPACE = "default"


def apply_defaults(data: Mapping[str, Any], gates: Mapping[str, bool] = FEATURE_DEFAULTS) -> dict[str, Any]:
    """The object with every default of Kubernetes v1.35 filled in. `gates`: the cluster's feature gates."""
    entry = entry_of_json(data)
    found = dict(convert(data))
    metadata = dict(found.get("metadata") or {})
    if not entry.kind.namespaced:
        # Whoever writes it is sent to where such objects are.
        metadata.pop("namespace", None)
    elif not metadata.get("namespace"):
        metadata["namespace"] = DEFAULT_NAMESPACE
    found["metadata"] = metadata
    if entry.default_spec is not None:
        # A spec that is left out is an empty one.
        found["spec"] = entry.default_spec(found.get("spec") or {}, gates)
    if entry.default is not None:
        found = entry.default(found)
    return found
