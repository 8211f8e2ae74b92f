"""Why a namespace that is to go does not: the finalizers of what is in it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...objects.condition import Condition, find_condition
from .verdicts import quote, tell_instant

Json = Mapping[str, Any]
FINALIZERS_REMAIN = "NamespaceFinalizersRemaining"
_MOST_HOLDERS = 3
_LASTING_MS = 10_000
"""What ends in time takes its finalizers away sooner."""


def find_holders(objects: Iterable[Json]) -> list[str]:
    """`ConfigMap keep (example.com/stay)` of each object that finalizers keep."""
    return [
        f"{one['kind']} {one['metadata']['name']} ({', '.join(one['metadata']['finalizers'])})"
        for one in objects
        if one["metadata"].get("deletionTimestamp") and one["metadata"].get("finalizers")
    ]


def tell_stuck(namespace: Json, now_ms: int, epoch_ms: int, holders: Sequence[str] = ()) -> str:
    """`cannot go since 00:02:15 (Some content …): held by ConfigMap keep (example.com/stay)`

    "" of one that is well. `holders`: what `find_holders` says of the objects in it.
    """
    if not namespace["metadata"].get("deletionTimestamp"):
        return ""
    told = (namespace.get("status") or {}).get("conditions") or ()
    found = find_condition([Condition.from_json(one, epoch_ms) for one in told], FINALIZERS_REMAIN)
    since_ms = found.last_transition_ms if found is not None and found.status == "True" else None
    if found is None or since_ms is None or now_ms < since_ms + _LASTING_MS:
        return ""
    more = f" and {len(holders) - _MOST_HOLDERS} more" if len(holders) > _MOST_HOLDERS else ""
    held = f": held by {', '.join(holders[:_MOST_HOLDERS])}{more}" if holders else ""
    return f"cannot go since {tell_instant(since_ms)}{quote(found.message or '')}{held}"
