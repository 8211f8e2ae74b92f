"""`kubectl apply`: what was given now is set, what was given last time and not now is removed."""

from __future__ import annotations

from typing import Any

from ..api.patching.three_way_apply import apply_patch, with_last_applied
from ..kinds.registry import convert
from .client import Answer, Client, Payload


def apply(client: Client, payload: Payload) -> Answer:
    """Create an object, or merge its manifest with the live one and the one applied last. Raises ApiError."""
    manifest = _read_manifest(client, payload["object"])
    live = client.find_stored(manifest)
    if live is None:
        made = client.api.decode(_without_nulls(with_last_applied(manifest)))
        return 201, client.api.create_json(made, client.options)
    merged = client.api.decode(apply_patch(client.to_json(live), manifest, client.release))
    merged["metadata"].pop("resourceVersion", None)
    return 200, client.api.update_json(live, merged, options=client.options)


def _read_manifest(client: Client, given: Payload) -> dict[str, Any]:
    """A manifest that is held to its fields, as it was written: kubectl does not read it as the server does.

    One of a version that is not stored is read as one that is, with what it has as null.
    """
    read = client.api.read(given, client.options)
    stored = convert(read)
    return dict(given) if stored is read else _with_nulls(dict(stored), given)


def _without_nulls(value: Any) -> Any:
    """Fields that are given as null are not given, as in the patch of what is there (kubectl: pruneNulls)."""
    if isinstance(value, dict):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def _with_nulls(read: Any, given: Any) -> Any:
    """What was read, with the fields that were given as null."""
    if isinstance(read, dict) and isinstance(given, dict):
        nulls = dict.fromkeys(name for name, value in given.items() if value is None)
        return {name: _with_nulls(value, given.get(name)) for name, value in read.items()} | nulls
    if isinstance(read, list) and isinstance(given, list) and len(read) == len(given):
        return [_with_nulls(one, other) for one, other in zip(read, given, strict=True)]
    return read
