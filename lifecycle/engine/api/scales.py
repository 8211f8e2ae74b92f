"""The subresource /scale: the Scale of an object, and a write of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]
SCALE_VERSION = "autoscaling/v1"
_SHOWN = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def make_scale(current: Json, path: Sequence[str]) -> Json:
    """The Scale of an object that has its size at `path`, as far as it can be written."""
    size: Any = current
    for name in path:
        size = size.get(name) if isinstance(size, dict) else None
    meta = {name: current["metadata"][name] for name in _SHOWN if name in current["metadata"]}
    return {"apiVersion": SCALE_VERSION, "kind": "Scale", "metadata": meta, "spec": {"replicas": size or 0}}


def with_scale(current: Json, scale: Json) -> Json:
    """What is sent to /scale, as a change of the object: its size, and the version it was made from."""
    meta = {name: value for name, value in current["metadata"].items() if name != "resourceVersion"}
    version = (scale.get("metadata") or {}).get("resourceVersion")
    if version is not None:
        meta["resourceVersion"] = version
    return {**current, "metadata": meta, "spec": scale.get("spec")}
