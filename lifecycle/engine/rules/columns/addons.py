"""What kubectl prints of the objects of add-ons that scale, as their definitions say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .ages import Ages

Json = Mapping[str, Any]


def decide_scaled_object_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> dict[str, Any]:
    """What is scaled, how far, by what, and whether it is at it."""
    target = spec.get("scaleTargetRef") or {}
    return {
        "SCALETARGETKIND": str(status.get("scaleTargetKind") or ""),
        "SCALETARGETNAME": str(target.get("name") or ""),
        "MIN": str(spec.get("minReplicaCount", "")),
        "MAX": str(spec.get("maxReplicaCount", "")),
        "READY": _condition(status, "Ready"),
        "ACTIVE": _condition(status, "Active"),
        "TRIGGERS": ",".join(str(one.get("type") or "") for one in spec.get("triggers") or ()),
    }


def decide_vertical_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> dict[str, Any]:
    """Its mode, and what it recommends for the first container."""
    containers = (status.get("recommendation") or {}).get("containerRecommendations") or [{}]
    target = containers[0].get("target") or {}
    return {
        "MODE": str((spec.get("updatePolicy") or {}).get("updateMode") or ""),
        "CPU": str(target.get("cpu") or ""),
        "MEM": str(target.get("memory") or ""),
        "PROVIDED": _condition(status, "RecommendationProvided"),
    }


def _condition(status: Json, type: str) -> str:
    for one in status.get("conditions") or ():
        if one.get("type") == type:
            return str(one.get("status") or "")
    return ""
