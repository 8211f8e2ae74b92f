"""Objects as a Table: what `kubectl get` prints. Ages count from virtual now."""

from collections.abc import Iterable
from typing import Any

from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.releases.release import Release
from lifecycle.engine.rules.columns.ages import UNKNOWN_AGE as UNKNOWN
from lifecycle.engine.rules.columns.ages import Ages
from lifecycle.kube_api.describing.conversions import to_stored
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.printing.cells import CELLS
from lifecycle.kube_api.printing.columns import Column, columns_of
from lifecycle.kube_api.printing.json_paths import find_value

Json = dict[str, Any]
METADATA, OBJECT, NOTHING = "Metadata", "Object", "None"


def make_table(
    resource: Resource,
    objects: Iterable[Json],
    now_ms: int,
    epoch_ms: int,
    version: str,
    shown: str,
    release: Release,
) -> Json:
    """A table of objects as a release serves them. `shown`: what stands beside the cells of a row."""
    columns = columns_of(resource, release)
    rows = []
    for data in objects:
        rows.append(
            {
                "cells": make_cells(resource, columns, data, now_ms, epoch_ms),
                "object": _beside(resource, data, version, shown),
            }
        )
    head = {"kind": "Table", "apiVersion": f"meta.k8s.io/{version}", "metadata": {}}
    return {**head, "columnDefinitions": [column.to_json() for column in columns], "rows": rows}


def _beside(resource: Resource, data: Json, version: str, shown: str) -> Json | None:
    if shown == NOTHING:
        return None
    if shown == OBJECT:
        return {"kind": resource.kind, "apiVersion": resource.api_version, **data}
    return partial(data, f"meta.k8s.io/{version}")


def partial(data: Json, api_version: str = "meta.k8s.io/v1") -> Json:
    """The metadata of an object alone."""
    return {"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": data["metadata"]}


def make_cells(
    resource: Resource, columns: list[Column], data: Json, now_ms: int, epoch_ms: int
) -> list[Any]:
    """The cells of one object as it is served."""
    ages, meta = Ages(now_ms, epoch_ms), data["metadata"]
    if resource.custom:
        return [_custom_cell(column, data, ages) for column in columns]
    stored = {"kind": resource.kind, **to_stored(resource, data)}
    make = CELLS.get(("" if resource.name == "events" else resource.group, resource.name))
    found = make(stored, ages) if make is not None else _by_engine(stored, now_ms, epoch_ms)
    always = {
        # A default class is marked beside its name.
        "NAME": found.get("NAME", meta["name"]),
        "AGE": ages.age_of(meta.get("creationTimestamp")) or UNKNOWN,
        "CREATED AT": meta.get("creationTimestamp"),
    }
    cells = {**found, **always}
    shown = [cells.get(column.name.upper(), "") for column in columns]
    # The API server prints an age that it has no column for.
    return [*shown, cells["AGE"]] if resource.name == "ipaddresses" else shown


def _by_engine(data: Json, now_ms: int, epoch_ms: int) -> Json:
    columns = decide_columns(data, now_ms, epoch_ms=epoch_ms, wide=True)
    return {name.upper(): value for name, value in columns.items()}


def _custom_cell(column: Column, data: Json, ages: Ages) -> Any:
    if column.format == "name" and not column.path:
        return data["metadata"]["name"]
    found = find_value(data, column.path)
    if found is None:
        return None
    match column.type:
        case "date":
            return ages.age_of(found) if isinstance(found, str) else "<invalid>"
        case "integer" if isinstance(found, int | float) and not isinstance(found, bool):
            return int(found)
        case "number" if isinstance(found, int | float) and not isinstance(found, bool):
            return found
        case "boolean" if isinstance(found, bool):
            return found
        case "string":
            return found if isinstance(found, str) else _as_text(found)
    return None


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + " ".join(_as_text(one) for one in value) + "]"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{name}:{_as_text(one)}" for name, one in sorted(value.items())) + "]"
    return "<nil>" if value is None else str(value)
