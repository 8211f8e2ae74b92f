"""Fields of manifests that two clusters have otherwise, object by object."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import yaml

from dashboard.addresses import find_page
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.objects.names import LAST_APPLIED
from lifecycle.input.exports import clean
from lifecycle.input.manifests import Document
from lifecycle.models import Cluster, StoredObject

MOST_OBJECTS, MOST_CHANGED, MOST_FIELDS = 500, 20, 20
MOST_LETTERS = 200
MADE_BY_PARTS = ("Lease", "Endpoints", "EndpointSlice", "Event", "ControllerRevision")
"""What nobody writes by hand, whoever owns it."""
OF_ENDINGS = ("lifecycle", "terminationGracePeriodSeconds")
OLD_TEMPLATE = (
    "Pods that were there before end by their old template: what is new of how a pod ends counts from the"
    " next rollout on."
)
Json = Mapping[str, Any]
Key = tuple[str, str, str]
MISSING = object()


@dataclass(frozen=True, slots=True)
class Field:
    """One field: where it stands, and what it is in each of the two; "" where it is not there."""

    path: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Changed:
    """An object that the two do not have alike. `more`: so many further fields."""

    name: str
    page: str
    fields: Sequence[Field]
    more: int = 0
    only: str = ""

    @property
    def note(self) -> str:
        """What people are to know of such a change."""
        of_template = (one.path for one in self.fields if ".template.spec" in one.path)
        is_ending = any(
            name in path.rpartition("template.spec")[2] for path in of_template for name in OF_ENDINGS
        )
        return OLD_TEMPLATE if is_ending else ""


def list_changed(left: Cluster, right: Cluster) -> tuple[list[Changed], int]:
    """The first of them, by kind and name, and how many there are besides."""
    ours, theirs = _read_manifests(left), _read_manifests(right)
    changed = [
        _compare_objects(key, ours.get(key), theirs.get(key), (left, right))
        for key in sorted({**ours, **theirs})
        if ours.get(key) != theirs.get(key)
    ]
    return changed[:MOST_CHANGED], max(0, len(changed) - MOST_CHANGED)


def _read_manifests(cluster: Cluster) -> dict[Key, Json]:
    """What would be applied to make its objects again, by kind, namespace and name."""
    rows = StoredObject.objects.filter(cluster=cluster, owner__isnull=True, deleted_ms__isnull=True)
    rows = rows.exclude(kind__in=MADE_BY_PARTS).order_by("kind", "namespace", "name")
    documents = [Document(data) for data in rows.values_list("data", flat=True)[:MOST_OBJECTS] if data]
    found: dict[Key, Json] = {}
    for document in clean(documents)[0]:
        data = {name: value for name, value in document.data.items() if name != "status"}
        metadata = dict(data["metadata"])
        annotations = dict(metadata.pop("annotations", None) or {})
        annotations.pop(LAST_APPLIED, None)
        data["metadata"] = metadata | ({"annotations": annotations} if annotations else {})
        key = kind_of_json(data).id, metadata.get("namespace") or "", metadata["name"]
        found[key] = data
    return found


def _compare_objects(
    key: Key, one: Json | None, other: Json | None, sides: tuple[Cluster, Cluster]
) -> Changed:
    kind, namespace, name = key
    title = f"{kind.partition('.')[0]} {f'{namespace}/' if namespace else ''}{name}"
    if one is None or other is None:
        only = sides[0 if other is None else 1].address
        return Changed(title, find_page(*key), (), only=only)
    fields = list(list_fields(one, other))
    return Changed(title, find_page(*key), fields[:MOST_FIELDS], max(0, len(fields) - MOST_FIELDS))


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
        text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=sys.maxsize).strip()
    else:
        text = value if isinstance(value, str) and value else orjson.dumps(value).decode()
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"
