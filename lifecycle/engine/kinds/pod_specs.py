"""Where in an object its containers are written, by its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .registry import entry_of_json

_NOTHING: Mapping[str, Any] = {}


def find_pod_spec(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The spec of a pod, or that of a workload's pod template; empty where there is none."""
    return _dig(data, entry_of_json(data).pod_spec_path)


def find_pod_metadata(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata beside that spec."""
    path = entry_of_json(data).pod_spec_path
    return _dig(data, (*path[:-1], "metadata")) if path else _NOTHING


def _dig(data: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
    found: Any = data if path else _NOTHING
    for step in path:
        found = found.get(step)
        if not isinstance(found, Mapping):
            return _NOTHING
    return found  # type: ignore[no-any-return]
