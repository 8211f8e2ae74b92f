"""Schemas of custom resources, as OpenAPI tells them: their definition's, with what every object has.

OpenAPI v2 cannot say all that a structural schema says: what readers of v2 would take wrongly is left out,
as in the apiextensions API server (controller/openapi/builder, controller/openapi/v2).
"""

from collections.abc import Mapping
from typing import Any

from lifecycle.engine.objects.names import EMBEDS, PRESERVES
from lifecycle.kube_api.describing.descriptions import OF_OBJECTS
from lifecycle.kube_api.describing.openapi_schemas import OBJECT_META, Refer
from lifecycle.kube_api.describing.resource import Resource

Json = dict[str, Any]
_JUNCTORS = ("allOf", "anyOf", "oneOf", "not")


def make_custom(resource: Resource, refer: Refer) -> Json:
    """A custom resource's own schema; one without is of any fields."""
    given = resource.schema
    # Readers of v2 would refuse all fields beside those that are named.
    if not isinstance(given, dict) or (refer.is_v2 and given.get(PRESERVES)):
        return {"type": "object"}
    schema = _tell(given, refer)
    return {**schema, "type": "object", "properties": {**schema.get("properties", {}), **make_head(refer)}}


def make_head(refer: Refer) -> Json:
    """What every object has."""
    parts = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": refer(OBJECT_META)}
    return {name: refer.mark(one, {"description": OF_OBJECTS[name]}) for name, one in parts.items()}


def _tell(schema: Json, refer: Refer) -> Json:
    """A schema and all within it, embedded objects with what every object has."""
    told = _as_v2(schema) if refer.is_v2 else dict(schema)
    for name in ("items", "additionalProperties"):
        if isinstance(told.get(name), dict):
            told[name] = _tell(told[name], refer)
    if isinstance(told.get("properties"), dict):
        told["properties"] = {name: _tell(one, refer) for name, one in told["properties"].items()}
    if schema.get(EMBEDS) and not (refer.is_v2 and schema.get(PRESERVES)):
        told["properties"] = {**told.get("properties", {}), **make_head(refer)}
        told["required"] = list(dict.fromkeys((*(told.get("required") or ()), "kind", "apiVersion")))
    return told


def _as_v2(schema: Json) -> Json:
    told = {name: one for name, one in schema.items() if name not in (*_JUNCTORS, "nullable")}
    if schema.get("nullable") or schema.get(PRESERVES):
        told = {name: one for name, one in told.items() if name not in ("items", "properties")}
    is_open = schema.get(PRESERVES) and schema.get("type") == "object"
    if schema.get("nullable") or is_open or (told.get("type") == "array" and "items" not in told):
        told.pop("type", None)
    return _with_required(told, schema)


def _with_required(told: Json, schema: Mapping[str, Any]) -> Json:
    """Nobody may ask v2's readers for a field that may be null."""
    known, further = schema.get("properties") or {}, schema.get("additionalProperties")
    is_null = {name for name, one in known.items() if one.get("nullable")}
    if isinstance(further, dict) and further.get("nullable"):
        is_null |= set(schema.get("required") or ())
    kept = [name for name in schema.get("required") or () if name not in is_null]
    told.pop("required", None)
    return told | ({"required": kept} if kept else {})
