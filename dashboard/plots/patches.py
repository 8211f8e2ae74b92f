"""What changed between two figures of the same kind, small enough to send many times a second."""

from __future__ import annotations

from typing import Any

Patch = dict[str, Any]
# The browser computes these itself as the clock moves.
_GROWN: dict[str, tuple[str, ...]] = {"bars": ("x",), "layout": ("xaxis",)}


def make_patch(old: dict[str, Any], new: dict[str, Any]) -> Patch | None:
    """Point by point changes, or None when only the whole figure says it (traces came, went or shrank)."""
    if [_shape(trace) for trace in old["data"]] != [_shape(trace) for trace in new["data"]]:
        return None
    traces: dict[str, Patch] = {}
    for number, (before, after) in enumerate(zip(old["data"], new["data"], strict=True)):
        if len(after.get("x", ())) < len(before.get("x", ())):
            return None
        if fields := _fields(before, after):
            traces[str(number)] = fields
    layout = {
        key: value
        for key, value in new["layout"].items()
        if key not in _GROWN["layout"] and old["layout"].get(key) != value
    }
    return {"traces": traces, "layout": layout}


def is_empty(patch: Patch | None) -> bool:
    """Whether applying it would change nothing."""
    return patch is not None and not patch["traces"] and not patch["layout"]


def _shape(trace: dict[str, Any]) -> tuple[Any, ...]:
    return trace["type"], trace.get("name"), sorted(trace)


def _fields(old: dict[str, Any], new: dict[str, Any]) -> Patch:
    """Lists change by point (`points`: index to value), everything else as a whole (`whole`)."""
    derived = _GROWN.get(new.get("meta", {}).get("grows"), ())
    points: dict[str, dict[str, Any]] = {}
    whole: dict[str, Any] = {}
    for field, after in new.items():
        before = old[field]
        if before == after or field in derived:
            continue
        if isinstance(after, list):
            points[field] = _points(before, after)
        else:
            whole[field] = after
    return {"points": points, "whole": whole} if points or whole else {}


def _points(old: list[Any], new: list[Any]) -> dict[str, Any]:
    length = len(old)
    return {str(index): value for index, value in enumerate(new) if index >= length or old[index] != value}
