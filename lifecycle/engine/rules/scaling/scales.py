"""What /scale tells of an object: the size that is wanted, the one that is, and whom it selects. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.meta import StoredObject
from ...objects.selector import Selector
from ..columns.workloads import labels_text, selector_text
from ..custom_resources.definition import ScalePaths

BUILT_IN = ScalePaths(("spec", "replicas"), ("status", "replicas"))
"""Where kinds of Kubernetes' own have it; their selector is an object, that of a custom kind a text."""


class UnreadableScaleError(Exception):
    """What stands where a definition has the size is none; the message is the API server's."""


@dataclass(slots=True)
class Scale:
    """What /scale tells of a target: the size that is wanted, the one that is, and its selector.

    `selector` is the selector as text ("": it has none); `problem`: why it cannot be read.
    """

    replicas: int
    status_replicas: int
    selector: str = ""
    problem: str = ""


def size_of(obj: StoredObject, path: Sequence[str]) -> int:
    """The size that is wanted of an object, 0 where nobody says one."""
    # Asked at every change of a pod: of most kinds no more than the spec is read.
    size: Any = obj.spec_json() if path[0] == "spec" else obj.to_json()
    size = _find(size, path[1:] if path[0] == "spec" else path)
    return size if isinstance(size, int) else 0


def read_scale(obj: StoredObject, paths: ScalePaths) -> tuple[Scale, Selector | None]:
    """An object's /scale, and the selector it tells of; None for none. Raises UnreadableScaleError."""
    from ...objects.selector_text import read_selector

    if paths == BUILT_IN and not isinstance(obj.spec, Mapping):
        own: Any = obj.spec.selector
        selector = own if isinstance(own, Selector) else Selector.of_labels(own)
        return Scale(obj.spec.replicas, obj.status.replicas, selector_text(selector.raw)), selector
    scale = read_custom_scale(obj.to_json(), paths)
    if not scale.selector:
        return scale, None
    try:
        return scale, read_selector(scale.selector)
    except ValueError as problem:
        scale.problem = str(problem)
        return scale, None


def read_custom_scale(data: Mapping[str, Any], paths: ScalePaths) -> Scale:
    """The /scale of a custom resource, its selector unread. Raises UnreadableScaleError."""
    wanted = _require(data, paths.spec, int, "int64")
    if wanted is None:
        where = f".{'.'.join(paths.spec)}"
        raise UnreadableScaleError(
            f'Internal error occurred: the spec replicas field "{where}" does not exist'
        )
    status_replicas = _require(data, paths.status, int, "int64") or 0
    return Scale(wanted, status_replicas, _require(data, paths.selector, str, "string") or "")


def read_own_scale(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Scale:
    """The /scale of one of Kubernetes' own kinds; a ReplicationController's selector is a map of labels."""
    raw = spec.get("selector") or {}
    is_plain = all(isinstance(value, str) for value in raw.values())
    selector = labels_text(raw) if is_plain else selector_text(raw)
    return Scale(spec.get("replicas") or 0, status.get("replicas") or 0, selector)


def _find(data: Any, path: Sequence[str]) -> Any:
    for name in path:
        data = data.get(name) if isinstance(data, Mapping) else None
    return data


def _require(data: Mapping[str, Any], path: Sequence[str], kind: type[Any], word: str) -> Any:
    """What stands at a path, None for nothing. Raises UnreadableScaleError for what is of another type."""
    found = _find(data, path) if path else None
    if found is None or (isinstance(found, kind) and not isinstance(found, bool)):
        return found
    problem = (
        f".{'.'.join(path)} accessor error: {found} is of the type {type(found).__name__}, expected {word}"
    )
    raise UnreadableScaleError(f"Internal error occurred: {problem}")
