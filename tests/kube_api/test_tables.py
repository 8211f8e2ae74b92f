"""Cells and columns of tables, against what a real API server printed of the same objects."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lifecycle.engine.releases.known import find_release
from lifecycle.engine.rules.columns.column import Columns, add_name
from lifecycle.kube_api.describing.built_in import SCALE, list_built_in
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.printing.custom_columns import read_columns
from lifecycle.kube_api.printing.tables import define_columns, make_cells
from tests.kube_api.replay.answers import Mask

RECORDED_RELEASE = find_release("v1.35")
RECORDED = json.loads((Path(__file__).parent / "replay" / "tables.json").read_text())
# A custom resource of the recorded cluster, as its definition had it.
WIDGETS = Resource(
    "api-tables.example.org",
    "v1",
    "widgets",
    "Widget",
    True,
    custom=True,
    columns=read_columns(
        (
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
            {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
        )
    ),
)


def columns_of(resource: Resource) -> Columns:
    return add_name(resource.columns)


def find_resource(group: str, version: str, name: str) -> Resource:
    return WIDGETS if name == "widgets" else list_built_in(RECORDED_RELEASE)[group, version, name]


@pytest.mark.parametrize("path", RECORDED["columns"])
def test_columns_are_the_recorded_ones(path: str) -> None:
    group, version, name = ["", *path.split("/")][-3:]
    shown = define_columns(columns_of(find_resource(group, version, name)))
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


AT = "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "annotations, shown",
    [
        pytest.param({}, "fast", id="one of many"),
        pytest.param({"storageclass.kubernetes.io/is-default-class": "true"}, "fast (default)", id="default"),
    ],
)
def test_a_default_class_is_marked_beside_its_name(annotations: dict[str, str], shown: str) -> None:
    resource = list_built_in()["storage.k8s.io", "v1", "storageclasses"]
    meta = {"name": "fast", "annotations": annotations, "creationTimestamp": AT}
    data = {"metadata": meta, "provisioner": "example.com/disk", "allowVolumeExpansion": True}
    cells = make_cells(resource, columns_of(resource), data, read_ms(AT) + 60_000, 0)
    assert cells == [shown, "example.com/disk", "Delete", "Immediate", True, "60s"]


@pytest.mark.parametrize(
    "group, name, spec, status, cells",
    [
        pytest.param(
            "autoscaling", "scales", {"replicas": 3}, {"replicas": 2}, [3, 2, "60s"], id="an object's size"
        ),
        pytest.param(
            "flowcontrol.apiserver.k8s.io",
            "flowschemas",
            {"priorityLevelConfiguration": {"name": "low"}, "matchingPrecedence": 500},
            {"conditions": [{"type": "Dangling", "status": "False"}]},
            ["low", 500, "<none>", "60s", "False"],
            id="a flow",
        ),
        pytest.param(
            "flowcontrol.apiserver.k8s.io",
            "prioritylevelconfigurations",
            {
                "type": "Limited",
                "limited": {
                    "nominalConcurrencyShares": 5,
                    "limitResponse": {
                        "queuing": {"queues": 64, "handSize": 6, "queueLengthLimit": 50},
                    },
                },
            },
            {},
            ["Limited", 5, 64, 6, 50, "60s"],
            id="a level with queues",
        ),
        pytest.param(
            "flowcontrol.apiserver.k8s.io",
            "prioritylevelconfigurations",
            {"type": "Exempt", "exempt": {}},
            {},
            ["Exempt", "<none>", "<none>", "<none>", "<none>", "60s"],
            id="a level without limits",
        ),
        pytest.param(
            "resource.k8s.io", "resourceclaims", {}, {}, ["pending", "60s"], id="a claim that waits"
        ),
        pytest.param(
            "resource.k8s.io",
            "resourceclaims",
            {},
            {"allocation": {"devices": {}}, "reservedFor": [{"name": "p"}]},
            ["allocated,reserved", "60s"],
            id="a claim in use",
        ),
        pytest.param(
            "networking.k8s.io",
            "ingresses",
            {"rules": [{}, {"host": "a"}, {"host": "b"}, {"host": "c"}, {}]},
            {},
            ["<none>", "a,b,c + 2 more...", "", "80", "60s"],
            id="three hosts and rules without one",
        ),
        pytest.param(
            "networking.k8s.io",
            "ingresses",
            {"rules": [{}, {}, {"host": "a"}, {"host": "b"}, {"host": "c"}]},
            {},
            ["<none>", "a,b,c", "", "80", "60s"],
            id="the last of three hosts is the last rule's",
        ),
        pytest.param(
            "resource.k8s.io",
            "resourceslices",
            {"nodeName": "n", "driver": "d", "pool": {"name": "p"}},
            {},
            ["n", "d", "p", "60s"],
            id="a node's devices",
        ),
    ],
)
def test_cells_of_what_was_not_recorded(group, name, spec, status, cells):
    resource = SCALE if name == "scales" else list_built_in()[group, "v1", name]
    data = {
        "apiVersion": f"{group}/v1",
        "kind": resource.kind,
        "metadata": {"name": "one", "creationTimestamp": AT},
        "spec": spec,
        "status": status,
    }
    found = make_cells(resource, columns_of(resource), data, read_ms(AT) + 60_000, 0)
    assert found == ["one", *cells]
