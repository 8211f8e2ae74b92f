"""JSON Schemas for editors, of every kind that has a field table, and of the behaviour annotation.

They say what may stand where. What depends on other fields is said when manifests are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lifecycle.engine.programs.reading import MOST_OBJECTS, PARTS, RESULTS
from lifecycle.engine.releases.known import DEFAULT_RELEASE, list_releases
from lifecycle.engine.releases.release import Release
from lifecycle.engine.schema.fields import ANY_TYPE, LIST, Field
from lifecycle.engine.schema.tables import ANY_FIELD, Tables, load_tables
from lifecycle.input.scenario import CLAIMS
from lifecycle.input.scenario_steps import READERS

Json = dict[str, Any]
DIALECT = "http://json-schema.org/draft-07/schema#"
BEHAVIOR = "behavior"
_SCALARS: dict[str, Json] = {
    "string": {"type": "string"},
    "bytes": {"type": "string"},
    "time": {"type": "string", "format": "date-time"},
    "microTime": {"type": "string", "format": "date-time"},
    "int32": {"type": "integer"},
    "int64": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "intOrString": {"type": ["integer", "string"]},
    "quantity": {"type": ["integer", "number", "string"]},
    ANY_TYPE: {},
}


def list_schemas() -> list[str]:
    """What there is a schema of: Podline's own kinds first."""
    own = ["Scenario", "ContainerProfile", "KubeletConfiguration"]
    others = sorted({kind for _version, kind in load_tables().kinds} - {*own})
    return [*own, BEHAVIOR, *others]


def make_json_schema(name: str, api_version: str = "", release: Release = DEFAULT_RELEASE) -> Json:
    """The schema of a kind by its name, or of a behaviour. Raises ValueError for what nobody knows.

    `api_version`: `apps/v1`; "" for the newest that the release has.
    """
    if name == BEHAVIOR:
        title = "Podline: the annotation podline.dev/behavior, container names to behaviours"
        return {
            "$schema": DIALECT,
            "title": title,
            "type": "object",
            "additionalProperties": _BEHAVIOR,
            "definitions": _SPANS,
        }
    tables = load_tables(release)
    versions = tables.versions_of(name)
    if not versions or api_version not in ("", *versions):
        of = f"{name!r} in {api_version!r}" if versions else repr(name)
        raise ValueError(
            f"there is no schema of {of}; there are {', '.join(list_schemas()[:4])}, Deployment …"
        )
    # Of kinds with several versions the newest stands last.
    version = api_version or versions[-1]
    definitions: dict[str, Json] = {}
    body = _make_type(tables.kinds[version, name], tables, definitions)
    body["properties"] |= {"apiVersion": {"const": version}, "kind": {"const": name}}
    _sharpen(name, body, definitions)
    head = {"$schema": DIALECT, "title": f"{name} ({version}, Kubernetes {release.name})"}
    return {**head, **body, "required": ["apiVersion", "kind"], "definitions": definitions}


def _make_type(type_name: str, tables: Tables, definitions: dict[str, Json]) -> Json:
    fields = tables.types[type_name]
    properties = {
        name: _make_field(field, tables, definitions) for name, field in fields.items() if name != ANY_FIELD
    }
    required = [name for name, field in fields.items() if field.is_required]
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": ANY_FIELD in fields,
        **({"required": required} if required else {}),
    }


def _make_field(field: Field, tables: Tables, definitions: dict[str, Json]) -> Json:
    """A value may always be null: Kubernetes reads that as absent."""
    if field.inner is not None:
        inner = _make_field(field.inner, tables, definitions)
        if field.choices:
            inner = {**inner, "enum": [*field.choices]}
        if field.shape == LIST:
            return {"type": ["array", "null"], "items": inner}
        return {"type": ["object", "null"], "additionalProperties": inner}
    if field.choices:
        return {"enum": [*field.choices]}
    if field.type_name in _SCALARS:
        return dict(_SCALARS[field.type_name])
    if field.type_name not in tables.types:
        return {}
    if field.type_name not in definitions:
        # Known before it is made: types refer to themselves.
        definitions[field.type_name] = {}
        definitions[field.type_name] |= _make_type(field.type_name, tables, definitions)
    return {"$ref": f"#/definitions/{field.type_name}"}


def _sharpen(name: str, body: Json, definitions: dict[str, Json]) -> None:
    """What the field tables leave open of our own kinds."""
    if name == "ContainerProfile":
        definitions |= _SPANS
        definitions["ContainerProfileSpec"]["properties"]["behavior"] = _BEHAVIOR
    if name == "Scenario":
        definitions |= _SPANS
        texts = {"type": ["string", "array", "null"], "items": {"type": "string"}}
        spec = definitions["ScenarioSpec"]["properties"]
        spec["until"] = {**texts, "description": "10m, idle, or an expression; several must hold together"}
        timing = [{"enum": ["realistic", "instant"]}, {"type": "object"}]
        spec["timing"] = {"oneOf": timing}
        spec["kubernetes"] = {"type": "string", "description": f"one of {list_releases()}"}
        spec["steps"] = {
            "type": ["array", "null"],
            "items": _one_of(READERS, at=_DURATION, refused={"type": "string"}),
        }
        spec["expect"] = {"type": ["array", "null"], "items": _one_of(CLAIMS, **_WINDOWS)}


def _one_of(names: Any, **beside: Json) -> Json:
    """A mapping with exactly one of these names, and what may stand beside it."""
    return {
        "type": "object",
        "properties": {**{name: {} for name in names}, **beside},
        "additionalProperties": False,
        "oneOf": [{"required": [name]} for name in names],
    }


def _iter_windows() -> Iterator[tuple[str, Json]]:
    yield from ((name, _DURATION) for name in ("from", "to", "within", "at"))
    yield "is", {"type": "array", "items": {"type": "string"}}


_DURATION: Json = {"$ref": "#/definitions/duration"}
_SPAN: Json = {"$ref": "#/definitions/span"}
_SPANS: Json = {
    "duration": {"type": ["string", "integer"], "description": "90s, 2m30s"},
    "span": {
        "description": "3s, a range 2s..6s, or a normal distribution",
        "oneOf": [
            {"type": ["string", "integer"]},
            {"type": "object", "properties": {"normal": {"type": "array"}}, "required": ["normal"]},
        ],
    },
}
_WINDOWS = dict(_iter_windows())
_EXIT: Json = {"type": "integer", "minimum": 0, "maximum": 255}
_AMOUNT: Json = {"type": ["string", "number"]}


def _mapping(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _list(inner: Json) -> Json:
    return {"type": "array", "items": inner, "minItems": 1}


_FAULT = _mapping(takes=_SPAN, error={"type": "string"}, times={"type": "integer", "minimum": 0})
_HOOK = _mapping(takes=_SPAN, exit=_EXIT)
_POINTS = _list(
    {**_mapping(at=_SPAN, result={"enum": [*RESULTS]}, message={"type": "string"}), "required": ["result"]}
)
_PARTS: Json = {
    "pull": _FAULT,
    "start": _FAULT,
    "runs": _list(
        _mapping(
            **{"for": _SPAN}, forever={"type": "boolean"}, exit=_EXIT, reason={"type": "string"}
        )
    ),
    "onTerm": _mapping(takes=_SPAN, exit=_EXIT, ignore={"type": "boolean"}),
    "probes": _mapping(readiness=_POINTS, liveness=_POINTS, startup=_POINTS),
    "creates": {**_list({"type": ["string", "object"]}), "maxItems": MOST_OBJECTS},
    "preStop": _HOOK,
    "postStart": _HOOK,
    "usage": _list(_mapping(at=_SPAN, cpu=_AMOUNT, memory=_AMOUNT)),
}  # fmt: skip
_BEHAVIOR: Json = _mapping(**{name: _PARTS.get(name, {}) for name in PARTS})
