"""What kubectl prints of the objects of add-ons that scale, as their definitions say."""

from __future__ import annotations

from typing import Any

from .column import AGE, Column, Fill, Json, Row


def _condition(type: str) -> Fill:
    """What a condition says, "" where there is none."""

    def fill(row: Row) -> str:
        for one in row.status.get("conditions") or ():
            if one.get("type") == type:
                return str(one.get("status") or "")
        return ""

    return fill


def _target_name(row: Row) -> str:
    return str((row.spec.get("scaleTargetRef") or {}).get("name") or "")


def _triggers(row: Row) -> str:
    return ",".join(str(one.get("type") or "") for one in row.spec.get("triggers") or ())


SCALED_OBJECT_COLUMNS = (
    Column("ScaleTargetKind", lambda row: str(row.status.get("scaleTargetKind") or "")),
    Column("ScaleTargetName", _target_name),
    Column("Min", lambda row: str(row.spec.get("minReplicaCount", ""))),
    Column("Max", lambda row: str(row.spec.get("maxReplicaCount", ""))),
    Column("Ready", _condition("Ready")),
    Column("Active", _condition("Active")),
    Column("Triggers", _triggers),
    AGE,
)


def _recommended(resource: str) -> Fill:
    """What is recommended of a resource for the first container."""

    def fill(row: Row) -> str:
        told: Json = row.status.get("recommendation") or {}
        containers: list[Any] = told.get("containerRecommendations") or [{}]
        return str((containers[0].get("target") or {}).get(resource) or "")

    return fill


VERTICAL_COLUMNS = (
    Column("Mode", lambda row: str((row.spec.get("updatePolicy") or {}).get("updateMode") or "")),
    Column("CPU", _recommended("cpu")),
    Column("Mem", _recommended("memory")),
    Column("Provided", _condition("RecommendationProvided")),
    AGE,
)
