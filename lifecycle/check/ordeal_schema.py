"""The JSON Schema of an ordeal, for editors, from the fields that are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.check.holes.filling import FOR_EACH, LISTS
from lifecycle.check.ordeal_files import FIELDS, KIND, VARIANT_FIELDS, Field
from lifecycle.input.json_schemas import BEHAVIOR, DIALECT, make_json_schema
from lifecycle.input.scenario import API_VERSION

Json = dict[str, Any]
_TYPES = {str: "string", bool: "boolean", list: "array", Mapping: "object"}


def make_ordeal_schema() -> Json:
    """What may stand in an object of this kind."""
    scenario = make_json_schema("Scenario")
    own = scenario["definitions"]["ScenarioSpec"]["properties"]
    steps = {**own["steps"], "items": _make_step(own["steps"]["items"])}
    spec = {name: _make_field(field) for name, field in FIELDS.items()}
    spec |= {"steps": steps, "expect": own["expect"], "image": _make_image()}
    variant = {"type": "object", "additionalProperties": False}
    properties = {name: spec[name] for name in VARIANT_FIELDS if name in spec}
    properties |= {"name": {"type": "string"}, "holes": {"type": "object"}}
    spec["variants"]["items"] = {**variant, "properties": properties}
    head = {"apiVersion": {"const": API_VERSION}, "kind": {"const": KIND}, "metadata": {"type": "object"}}
    return {
        "$schema": DIALECT,
        "title": f"{KIND} ({API_VERSION})",
        "type": "object",
        "properties": {
            **head,
            "spec": {"type": "object", "additionalProperties": False, "properties": spec},
        },
        "additionalProperties": False,
        "required": ["apiVersion", "kind", "metadata", "spec"],
        "definitions": scenario["definitions"],
    }


def _make_field(field: Field) -> Json:
    found: Json = {"type": _TYPES[field.type], "description": field.text}
    if field.type is list and field.choices:
        found["items"] = {"enum": list(field.choices)}
    elif field.choices:
        found["enum"] = list(field.choices)
    return found


def _make_step(step: Json) -> Json:
    lists = {"enum": list(LISTS), "description": "once for each of this list"}
    return {**step, "properties": {**step["properties"], FOR_EACH: lists}}


def _make_image() -> Json:
    """A behaviour of one container, with words of its own for when it listens and gets ready."""
    parts = make_json_schema(BEHAVIOR)["additionalProperties"]["properties"]
    return {
        "type": "object",
        "description": FIELDS["image"].text,
        "properties": {**{name: {} for name in parts}, "ready": {"const": "never"}},
        "additionalProperties": False,
    }
