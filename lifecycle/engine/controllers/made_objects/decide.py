"""What a maker leaves behind, seen what is there already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.meta import OwnerReference
from ...objects.names import ASSUMED
from ...rules.makers.made import SECRET, Made

_VALUE = {SECRET: "YXNzdW1lZA=="}


def decide_data(made: Made, wanted: tuple[str, ...]) -> dict[str, str]:
    """Its keys, each with the value "assumed", as nobody knows the true one; `wanted`: what pods ask for."""
    keys = dict.fromkeys([*made.keys, *(wanted if made.has_other_keys else ())])
    return {key: _VALUE.get(made.kind, "assumed") for key in keys}


def decide_missing(made: Made, there: Mapping[str, Any] | None, data: Mapping[str, str]) -> dict[str, str]:
    """What is to be added to an object of that name which is there; nothing where it is somebody else's."""
    if not made.joins:
        return {}
    return {key: value for key, value in data.items() if key not in (there or {})}


def make_object(
    made: Made, namespace: str, data: Mapping[str, str], owner: OwnerReference | None
) -> dict[str, Any]:
    """The object as a manifest."""
    metadata: dict[str, Any] = {
        "name": made.name,
        "namespace": namespace,
        "annotations": {ASSUMED: made.maker},
    }
    if owner is not None:
        metadata["ownerReferences"] = [owner.to_json()]
    body: dict[str, Any] = {"apiVersion": "v1", "kind": made.kind, "metadata": metadata, "data": dict(data)}
    return body | ({"type": made.secret_type} if made.kind == SECRET else {})
