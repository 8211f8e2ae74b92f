"""The JSON Schema of `podline.yaml`, for editors, from what is read of it."""

from __future__ import annotations

from typing import Any

from lifecycle.check.asking.configuration import FIELDS, KIND, MATCHED, MOST_SEEDS
from lifecycle.check.claims import CLAIMS
from lifecycle.check.limits import AT_MOST, MOST, NONE, SEVERITY, is_counted, list_fields
from lifecycle.check.ordeal_files import ORDER
from lifecycle.check.scene import SEVERITIES
from lifecycle.engine.heart.timing import DURATION_PATTERN
from lifecycle.input.json_schemas import DIALECT
from lifecycle.input.scenario import API_VERSION

Json = dict[str, Any]
_DURATION: Json = {"type": "string", "pattern": DURATION_PATTERN, "description": "500ms, 5m"}
_NAMES = f"names or patterns, such as rollout-*; there are {', '.join(ORDER)}, and your own"
_LIMITS: Json = {"$ref": "#/definitions/limits"}
_TYPES: Json = {
    "ordeals": {"description": f"only these: {_NAMES}"},
    "withoutOrdeals": {"description": f"and of those not these: {_NAMES}"},
    "seeds": {
        "type": "integer",
        "minimum": 1,
        "maximum": MOST_SEEDS,
        "description": "futures of each ordeal",
    },
    "failOn": {"enum": list(SEVERITIES), "description": "exit status 1 from this severity on"},
    "claims": {**_LIMITS, "description": "how much may fail, of every workload"},
    "workloads": {
        "type": "object",
        "additionalProperties": _LIMITS,
        "description": "the same of one: Deployment/shop/web",
    },
}


def make_configuration_schema() -> Json:
    """What may stand in the file."""
    texts = {"type": "array", "minItems": 1, "items": {"type": "string"}}
    spec = {**_TYPES, "accept": _make_accept()}
    for name in ("ordeals", "withoutOrdeals"):
        spec[name] = {**texts, **_TYPES[name]}
    assert set(spec) == set(FIELDS), set(spec) ^ set(FIELDS)
    head: Json = {"apiVersion": {"const": API_VERSION}, "kind": {"const": KIND}}
    limits = {claim: _make_limit(claim) for claim in CLAIMS}
    return {
        "$schema": DIALECT,
        "title": f"{KIND} ({API_VERSION})",
        **_make_object({**head, "spec": _make_object(spec)}),
        "required": list(head),
        "definitions": {"limits": _make_object(limits)},
    }


def _make_object(properties: Json) -> Json:
    """Nothing else may stand in it; what is null counts as absent."""
    return {
        "type": ["object", "null"],
        "properties": {name: {"anyOf": [one, {"type": "null"}]} for name, one in properties.items()},
        "additionalProperties": False,
    }


def _make_limit(claim: str) -> Json:
    number = {"type": "integer", "minimum": 0, "maximum": MOST}
    fields = dict.fromkeys(list_fields(claim), _DURATION)
    if is_counted(claim):
        fields[AT_MOST] = number
    return _make_object({**fields, SEVERITY: {"enum": [*SEVERITIES, NONE]}})


def _make_accept() -> Json:
    """At least one of what a finding is known by, and why it is accepted."""
    texts = {name: {"type": "string", "minLength": 1} for name in (*MATCHED, "reason")}
    one = {
        "type": "object",
        "properties": texts,
        "additionalProperties": False,
        "required": ["reason"],
        "anyOf": [{"required": [name]} for name in MATCHED],
    }
    return {"type": "array", "minItems": 1, "items": one, "description": "findings that are known"}
