"""What a patch changes, in words: `main image nginx:1.28, replicas 3`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from lifecycle.engine.objects.names import LAST_APPLIED, RESTARTED_AT

RESTART = "restart of the rollout"
# Above what a patch is about: to name them says nothing.
_LEADS = frozenset({"spec", "metadata", "template", "jobTemplate"})
_ONE_OF = {"labels": "label", "annotations": "annotation"}
# Lists whose entries are known by their names alone.
_CONTAINERS = frozenset({"containers", "initContainers", "ephemeralContainers"})
# What tells an entry of a list from the others, the first that it has.
_KEYS = ("name", "mountPath", "containerPort", "port", "type", "key", "topologyKey")
MOST_TOLD = 20
MOST_DEEP = 16


def tell_patch(patch: Any) -> Iterator[str]:
    """Each change on its own, the first so many; a patch is kept as it came, so that it may be anything."""
    if isinstance(patch, list):
        yield from (_tell_operation(one) for one in patch[:MOST_TOLD] if isinstance(one, dict))
    elif isinstance(patch, dict):
        yield from islice(_tell_fields(patch, "", 1), MOST_TOLD)


def _tell_operation(operation: dict[str, Any]) -> str:
    """One step of a JSON Patch; what a whole part is replaced with is too much to say."""
    steps = [step for step in str(operation.get("path") or "").split("/") if step and step not in _LEADS]
    place = ".".join(steps) or str(operation.get("path") or "").rpartition("/")[2]
    value = operation.get("value")
    said = "" if value is None or isinstance(value, (dict, list)) else f" {_tell_value(value)}"
    return f"{operation.get('op') or ''} {place}{said}".strip()


def _tell_fields(fields: dict[str, Any], place: str, depth: int) -> Iterator[str]:
    """`place` ends in what parts it from the next word: a space, or a point."""
    if depth > MOST_DEEP:
        return
    for key, value in fields.items():
        name = str(key)
        if name == RESTARTED_AT:
            yield RESTART
        elif name == LAST_APPLIED or name.startswith(("$setElementOrder/", "$retainKeys", "$patch")):
            continue
        elif name.startswith("$deleteFromPrimitiveList/"):
            yield f"{place}{name.partition('/')[2]} without {_tell_value(value)}"
        elif isinstance(value, dict) and value:
            yield from _tell_fields(value, _deeper(place, name), depth + 1)
        elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
            yield from _tell_entries(value, place, name, depth + 1)
        else:
            yield f"{place}{name} {_tell_value(value)}"


def _deeper(place: str, name: str) -> str:
    if not place and name in _LEADS:
        return ""
    return f"{place}{_ONE_OF[name]} " if name in _ONE_OF else f"{place}{name}."


def _tell_entries(entries: list[Any], place: str, name: str, depth: int) -> Iterator[str]:
    """Of a list of objects: each entry by its key."""
    list_name = "" if name in _CONTAINERS else f"{name} "
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        key = next((one for one in _KEYS if entry.get(one) is not None), "")
        label = f"{place}{list_name}{entry.get(key, '')}".rstrip()
        if entry.get("$patch") == "delete":
            yield f"{label} removed"
            continue
        others = {one: value for one, value in entry.items() if one != key}
        if set(others) == {"value"}:
            yield f"{label} {_tell_value(others['value'])}"
        else:
            yield from _tell_fields(others, f"{label} ".lstrip(), depth)


def _tell_value(value: Any) -> str:
    if value is None:
        return "removed"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return " ".join(map(str, value[:MOST_TOLD]))
    return str(value)
