"""The objects of add-ons that scale, held to the schemas of their definitions as far as they act."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.quantity import parse_quantity
from .words.field_error import FieldError, invalid, not_supported, required

Json = Mapping[str, Any]
_TYPES: dict[type, str] = {int: "integer", str: "string", dict: "object", list: "array"}
_NEEDED = "!"
_REFERENCE = {"apiVersion": str, "kind": str, f"name{_NEEDED}": str}
QUANTITY = "quantity"
_AMOUNTS = {"": QUANTITY}
_RULES = {
    "stabilizationWindowSeconds": int,
    "selectPolicy": str,
    "policies": [{"type": str, "value": int, "periodSeconds": int}],
    "tolerance": QUANTITY,
}
MODES = ("Off", "Initial", "Recreate", "Auto")

SCALED_OBJECT = {
    f"scaleTargetRef{_NEEDED}": _REFERENCE,
    "pollingInterval": int,
    "cooldownPeriod": int,
    "minReplicaCount": int,
    "maxReplicaCount": int,
    "advanced": {
        "horizontalPodAutoscalerConfig": {"name": str, "behavior": {"scaleUp": _RULES, "scaleDown": _RULES}}
    },
    f"triggers{_NEEDED}": [{f"type{_NEEDED}": str, "name": str, "metadata": {"": str}}],
}
VERTICAL_POD_AUTOSCALER = {
    f"targetRef{_NEEDED}": _REFERENCE,
    "updatePolicy": {"updateMode": MODES, "minReplicas": int},
    "resourcePolicy": {
        "containerPolicies": [
            {
                "containerName": str,
                "mode": ("Auto", "Off"),
                "minAllowed": _AMOUNTS,
                "maxAllowed": _AMOUNTS,
                "controlledResources": [str],
                "controlledValues": ("RequestsAndLimits", "RequestsOnly"),
            }
        ]
    },
}


_CONDITIONS = [
    {f"type{_NEEDED}": str, "status": str, "reason": str, "message": str, "lastTransitionTime": str}
]
SCALED_OBJECT_STATUS = {"conditions": _CONDITIONS, "lastActiveTime": str, "hpaName": str}
VERTICAL_POD_AUTOSCALER_STATUS = {
    "conditions": _CONDITIONS,
    "recommendation": {
        "containerRecommendations": [
            {
                f"containerName{_NEEDED}": str,
                **dict.fromkeys(("target", "lowerBound", "upperBound", "uncappedTarget"), _AMOUNTS),
            }
        ]
    },
}


def check_shape(value: Any, shape: Any, path: str = "spec") -> list[FieldError]:
    """What of a value is not of its shape.

    A shape is a type, QUANTITY, a tuple of texts (one of these), a list with the shape of its entries, or a
    map of the shapes of fields: `!` ends the name of one that is needed, "" stands for every name there is.
    """
    if shape == QUANTITY:
        return _check_quantity(value, path)
    if isinstance(shape, tuple) and all(isinstance(one, str) for one in shape):
        return [] if value in shape else [not_supported(path, value, shape)]
    if isinstance(shape, type | tuple):
        is_right = isinstance(value, shape) and not isinstance(value, bool)
        wanted = _TYPES.get(shape if isinstance(shape, type) else str, "string")
        return [] if is_right else [_refuse(path, value, wanted)]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [_refuse(path, value, "array")]
        found = enumerate(value)
        return [error for place, one in found for error in check_shape(one, shape[0], f"{path}[{place}]")]
    if not isinstance(value, Mapping):
        return [_refuse(path, value, "object")]
    return _check_fields(value, shape, path)


def _check_quantity(value: Any, path: str) -> list[FieldError]:
    try:
        is_right = parse_quantity(value) >= 0
    except ValueError:
        is_right = False
    return [] if is_right else [invalid(path, value, "must be a quantity from 0 on, such as 100m or 64Mi")]


def _check_fields(value: Json, shape: Json, path: str) -> list[FieldError]:
    if "" in shape:
        return [error for name in value for error in check_shape(value[name], shape[""], f"{path}.{name}")]
    errors = []
    for field, inner in shape.items():
        name = field.removesuffix(_NEEDED)
        if value.get(name) is not None:
            errors += check_shape(value[name], inner, f"{path}.{name}")
        elif field != name:
            errors.append(required(f"{path}.{name}", ""))
    return errors


def _refuse(path: str, value: Any, wanted: str) -> FieldError:
    given = _TYPES.get(type(value), "number" if isinstance(value, float) else "boolean")
    return invalid(path, given, f'{path} in body must be of type {wanted}: "{given}"')
