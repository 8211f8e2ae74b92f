"""Cells and columns of tables, against what a real API server printed of the same objects."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lifecycle.kube_api.built_in import list_built_in
from lifecycle.kube_api.resource import Resource
from lifecycle.kube_api.table_columns import columns_of
from lifecycle.kube_api.tables import make_cells
from tests.kube_api.replay.answers import Mask

RECORDED = json.loads((Path(__file__).parent / "replay" / "tables.json").read_text())
# Groups of which the model has nothing.
UNKNOWN_GROUPS = ("resource.k8s.io", "flowcontrol.apiserver.k8s.io")
COLUMNS = [name for name in RECORDED["columns"] if not name.startswith(UNKNOWN_GROUPS)]
# A custom resource of the recorded cluster, as its definition had it.
WIDGETS = Resource(
    "api-tables.example.org",
    "v1",
    "widgets",
    "Widget",
    True,
    custom=True,
    columns=(
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
    ),
)


def find_resource(group: str, version: str, name: str) -> Resource:
    return WIDGETS if name == "widgets" else list_built_in()[group, version, name]


@pytest.mark.parametrize("path", COLUMNS)
def test_columns_are_the_recorded_ones(path: str) -> None:
    group, version, name = ["", *path.split("/")][-3:]
    shown = [column.to_json() for column in columns_of(find_resource(group, version, name))]
    for column in shown:
        del column["description"]
    wanted = [
        {key: value for key, value in column.items() if key != "description"}
        for column in RECORDED["columns"][path]
    ]
    assert shown == wanted


def read_ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.parametrize("name", RECORDED["pairs"])
def test_cells_are_the_recorded_ones(name: str) -> None:
    mask = Mask({})
    wrong: list[Any] = []
    for pair in RECORDED["pairs"][name]:
        data = pair["object"]
        group, _, version = data["apiVersion"].rpartition("/")
        resource = find_resource(group, version, name.partition(".")[0])
        cells = make_cells(resource, columns_of(resource), data, read_ms(pair["now"]), 0)
        if [mask.cell(cell) for cell in cells] != [mask.cell(cell) for cell in pair["cells"]]:
            wrong.append((data["metadata"]["name"], cells, pair["cells"]))
    assert not wrong
