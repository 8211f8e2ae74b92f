"""What two clusters' manifests have otherwise, field by field."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.objects.names import LAST_APPLIED
from lifecycle.input.exports import clean
from lifecycle.input.manifests import Document
from lifecycle.lean_dataclasses import dataclass

MOST_LETTERS = 200
MADE_BY_PARTS = ("Lease", "Endpoints", "EndpointSlice", "Event", "ControllerRevision")
"""What nobody writes by hand, whoever owns it."""
Json = Mapping[str, Any]
Key = tuple[str, str, str]
"""(kind, namespace, name)"""
MISSING = object()


@dataclass(frozen=True, slots=True)
class Field:
    """One field: where it stands, and what it is in each of the two; "" where it is not there."""

    path: str
    left: str
    right: str


def map_manifests(objects: Iterable[Json]) -> dict[Key, Json]:
    """What would be applied to make these objects again."""
    found: dict[Key, Json] = {}
    for document in clean([Document(dict(data)) for data in objects])[0]:
        data = {name: value for name, value in document.data.items() if name != "status"}
        metadata = dict(data["metadata"])
        annotations = dict(metadata.pop("annotations", None) or {})
        annotations.pop(LAST_APPLIED, None)
        data["metadata"] = metadata | ({"annotations": annotations} if annotations else {})
        key = kind_of_json(data).id, metadata.get("namespace") or "", metadata["name"]
        found[key] = data
    return found


def name_key(key: Key) -> str:
    """`Deployment shop/web`"""
    kind, namespace, name = key
    return f"{kind.partition('.')[0]} {f'{namespace}/' if namespace else ''}{name}"


def list_fields(one: Any, other: Any, path: str = "") -> Iterator[Field]:
    """Where two values differ: `spec.template.spec.containers[app].image`."""
    if one == other:
        return
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for name in sorted({**one, **other}):
            below = f"{path}.{name}" if path else str(name)
            yield from list_fields(one.get(name, MISSING), other.get(name, MISSING), below)
    elif isinstance(one, list) and isinstance(other, list):
        here, there = name_items(one, other)
        for name in {**here, **there}:
            yield from list_fields(here.get(name, MISSING), there.get(name, MISSING), f"{path}[{name}]")
    else:
        yield Field(path, _write(one), _write(other))


def name_items(*lists: list[Any]) -> list[dict[str, Any]]:
    """By their names where all have one of their own, as containers have, else by their places."""
    names: list[list[Any]] = [
        [item.get("name") if isinstance(item, Mapping) else None for item in items] for items in lists
    ]
    is_named = all(all(isinstance(one, str) for one in each) and len({*each}) == len(each) for each in names)
    if not is_named:
        names = [[str(place) for place in range(len(items))] for items in lists]
    return [dict(zip(each, items, strict=True)) for each, items in zip(names, lists, strict=True)]


def _write(value: Any) -> str:
    if value is MISSING:
        return ""
    if isinstance(value, Mapping | list) and value:
        import yaml

        text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=sys.maxsize).strip()
    else:
        import orjson

        text = value if isinstance(value, str) and value else orjson.dumps(value).decode()
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"
