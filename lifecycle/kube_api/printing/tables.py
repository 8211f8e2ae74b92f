"""Objects as a Table: what `kubectl get` prints. Ages count from virtual now."""

from collections.abc import Iterable
from typing import Any

from lifecycle.engine.rules.columns.ages import Ages
from lifecycle.engine.rules.columns.column import Columns, Row, add_name
from lifecycle.kube_api.describing.conversions import to_stored
from lifecycle.kube_api.describing.resource import Resource

Json = dict[str, Any]
METADATA, OBJECT, NOTHING = "Metadata", "Object", "None"


def make_table(
    resource: Resource,
    objects: Iterable[Json],
    now_ms: int,
    epoch_ms: int,
    version: str,
    shown: str,
) -> Json:
    """A table of objects. `shown`: what stands beside the cells of a row."""
    columns = add_name(resource.columns)
    rows = []
    for data in objects:
        rows.append(
            {
                "cells": make_cells(resource, columns, data, now_ms, epoch_ms),
                "object": _beside(resource, data, version, shown),
            }
        )
    head = {"kind": "Table", "apiVersion": f"meta.k8s.io/{version}", "metadata": {}}
    return {**head, "columnDefinitions": define_columns(columns), "rows": rows}


def _beside(resource: Resource, data: Json, version: str, shown: str) -> Json | None:
    if shown == NOTHING:
        return None
    if shown == OBJECT:
        return {"kind": resource.kind, "apiVersion": resource.api_version, **data}
    return partial(data, f"meta.k8s.io/{version}")


def partial(data: Json, api_version: str = "meta.k8s.io/v1") -> Json:
    """The metadata of an object alone."""
    return {"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": data["metadata"]}


def make_cells(resource: Resource, columns: Columns, data: Json, now_ms: int, epoch_ms: int) -> list[Any]:
    """The cells of one object as it is served."""
    row = Row(to_stored(resource, data), Ages(now_ms, epoch_ms))
    return [column.fill(row) for column in columns]


def define_columns(columns: Columns) -> list[Json]:
    """The headings of a table."""
    return [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description,
            "priority": column.priority,
        }
        for column in columns
        if column.is_headed
    ]
