"""What a v1.35.6 server answered to objects of kinds that are stored and shown, and to definitions.

Each line of `answered.jsonl` is one of these: an `object`, and the errors with which it was `refused`, one
for each cause, or what was `stored` of it beside its metadata.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_manifest, validate_update
from lifecycle.engine.rules.validation.nodes import validate_node_status

HEAD = ("apiVersion", "kind", "metadata")
ROWS = [json.loads(line) for line in Path(__file__).with_name("answered.jsonl").read_text().splitlines()]


@pytest.mark.spec("CEL-07")
@pytest.mark.parametrize("row", ROWS)
def test_an_object_is_refused_or_filled_in_as_by_a_server(row: dict[str, Any]) -> None:
    data = apply_defaults(row["object"])
    said = [str(error) for error in validate_manifest(data)]
    assert said == row.get("refused", [])
    if "stored" in row:
        assert {name: data[name] for name in data if name not in HEAD} == row["stored"]


@pytest.mark.parametrize(
    "before, after, said",
    [
        pytest.param(
            {"podCIDR": "10.9.0.0/24"},
            {"podCIDR": "10.8.0.0/24"},
            ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
            id="the network of its pods",
        ),
        pytest.param(
            {"providerID": "a"},
            {"providerID": "b"},
            ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
            id="its provider",
        ),
        pytest.param({}, {"podCIDR": "10.8.0.0/24", "providerID": "a"}, [], id="for the first time"),
        pytest.param(
            {},
            {"taints": [{"key": "k", "effect": "Odd"}]},
            [
                'metadata.taints[0].effect: Unsupported value: "Odd": supported values: "NoSchedule",'
                ' "PreferNoSchedule", "NoExecute"'
            ]
            * 2,
            id="a taint of no effect",
        ),
        pytest.param(
            {},
            {
                "taints": [
                    {"key": "k", "effect": "NoSchedule"},
                    {"key": "k", "effect": "NoSchedule", "value": "x"},
                ]
            },
            [
                'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"x","Effect":"NoSchedule",'
                '"TimeAdded":null}: taints must be unique by key and effect pair'
            ]
            * 2,
            id="a taint twice",
        ),
    ],
)
def test_a_node_keeps_what_it_has_for_life(before: Any, after: Any, said: list[str]) -> None:
    """Its taints are looked at twice: by ValidateNode and by ValidateNodeUpdate (node/strategy.go)."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "resourceVersion": "1"}}
    found = validate_update({**node, "spec": before}, {**node, "spec": after})
    assert [str(error) for error in found] == said


def test_resources_of_somebodys_own_are_whole() -> None:
    assert [
        str(error) for error in validate_node_status({"capacity": {"cpu": "1.5", "example.org/x": "1.5"}})
    ] == [
        'status.capacity.example.org/x: Invalid value: "1500m": must be an integer',
        'status.allocatable.example.org/x: Invalid value: "1500m": must be an integer',
    ]
