"""Schemas of what is answered when somebody asks and stored nowhere: reviews, use, verdicts, the clock.

A type is written short: a scalar by its name, a list as [type], a map as ("map", type), an object as a dict
of its fields; a field whose name ends in `!` is required.
"""

from __future__ import annotations

from typing import Any

from lifecycle.engine.objects.names import PRESERVES
from lifecycle.engine.schema.fields import ANY_TYPE, read_field
from lifecycle.kube_api.access.review_fields import REVIEW_SPECS
from lifecycle.kube_api.describing.descriptions import tell_value

Json = dict[str, Any]
_AMOUNTS = ("map", "string")
_SAMPLE: Json = {"timestamp!": "time", "window!": "string"}
_USER: Json = {
    "username": "string",
    "uid": "string",
    "groups": ["string"],
    "extra": ("map", ["string"]),
}
_ALLOWED: Json = {"allowed!": "boolean", "denied": "boolean", "reason": "string", "evaluationError": "string"}
_RULES: Json = {
    "resourceRules!": [
        {"verbs!": ["string"], "apiGroups": ["string"], "resources": ["string"], "resourceNames": ["string"]}
    ],
    "nonResourceRules!": [{"verbs!": ["string"], "nonResourceURLs": ["string"]}],
    "incomplete!": "boolean",
    "evaluationError": "string",
}
_STATUSES: dict[str, Json] = {
    **dict.fromkeys(("SelfSubjectAccessReview", "SubjectAccessReview", "LocalSubjectAccessReview"), _ALLOWED),
    "SelfSubjectRulesReview": _RULES,
    "SelfSubjectReview": {"userInfo": _USER},
    "TokenReview": {"authenticated": "boolean", "user": _USER, "audiences": ["string"], "error": "string"},
}
FIELDS: dict[str, Json] = {
    **{kind: {"spec!": REVIEW_SPECS[kind], "status": status} for kind, status in _STATUSES.items()},
    "SelfSubjectReview": {"status": _STATUSES["SelfSubjectReview"]},
    "NodeMetrics": {**_SAMPLE, "usage!": _AMOUNTS},
    "PodMetrics": {**_SAMPLE, "containers!": [{"name!": "string", "usage!": _AMOUNTS}]},
    "ComponentStatus": {
        "conditions": [{"type!": "string", "status!": "string", "message": "string", "error": "string"}]
    },
    "Clock": {
        "spec": {"speed": "any", "paused": "boolean", "runUntil": "string"},
        "status": {
            "now": "time",
            "atMs": "int64",
            "speed": "any",
            "paused": "boolean",
            "idle": "boolean",
            "reached": "boolean",
        },
    },
    "Verdict": {"status": {"well": "boolean", "why": "string"}},
}
"""What each has beside what every object has, by kind."""
_SCALARS: dict[str, Json] = {
    "time": {"type": "string", "format": "date-time"},
    "int64": {"type": "integer", "format": "int64"},
    "any": {},
    "map": {"type": "object", PRESERVES: True},
    "[]string": {"type": "array", "items": {"type": "string"}},
}


def make_fields(fields: Json) -> Json:
    """The schema of an object with these fields."""
    needed = sorted(name[:-1] for name in fields if name.endswith("!"))
    properties = {
        name.removesuffix("!"): {**_make(type), "description": f"{tell_value(read_field(_write(type)))}."}
        for name, type in fields.items()
    }
    return {"type": "object", "properties": properties} | ({"required": needed} if needed else {})


def _write(type: Any) -> str:
    """A type as the field tables write it."""
    match type:
        case dict():
            return "object"
        case [one]:
            return f"list of {_write(one)}"
        case ("map", one):
            return f"map of {_write(one)}"
        case "[]string":
            return "list of string"
        case "map":
            return ANY_TYPE
        case _:
            return str(type)


def _make(type: Any) -> Json:
    match type:
        case dict():
            return make_fields(type)
        case [one]:
            return {"type": "array", "items": _make(one)}
        case ("map", one):
            return {"type": "object", "additionalProperties": _make(one)}
        case _:
            return _SCALARS.get(type, {"type": type})
