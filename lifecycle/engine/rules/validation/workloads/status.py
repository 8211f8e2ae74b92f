"""What a status says of a workload's pods: counts that can be, no part greater than the whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words.field_error import FieldError
from ..words.part import Part, gathers

Json = Mapping[str, Any]
Gates = Mapping[str, bool]
_DEPLOYMENT_PARTS = ("updatedReplicas", "readyReplicas", "availableReplicas")
_REPLICA_SET_PARTS = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
_STATEFUL_SET_PARTS = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
_SCHEDULED = (
    "currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady",
    "observedGeneration", "updatedNumberScheduled", "numberAvailable", "numberUnavailable", "collisionCount",
)  # fmt: skip


def validate_deployment_status(old: Json, new: Json, gates: Gates) -> list[FieldError]:
    """Of a Deployment, whose collisions are not forgotten."""
    return _validate_deployment(new.get("status") or {}, old.get("status") or {})


@gathers("status")
def _validate_deployment(status: Part, before: Json) -> None:
    status.counts("observedGeneration", "replicas", *_DEPLOYMENT_PARTS, "unavailableReplicas")
    status.counts("terminatingReplicas", "collisionCount")
    _validate_parts(status, _DEPLOYMENT_PARTS, "readyReplicas")
    _keep_collisions(status, before)


def validate_replica_set_status(old: Json, new: Json, gates: Gates) -> list[FieldError]:
    """Of a ReplicaSet or of what came before it."""
    return _validate_replica_set(new.get("status") or {})


@gathers("status")
def _validate_replica_set(status: Part) -> None:
    status.counts("replicas", *_REPLICA_SET_PARTS, "observedGeneration", "terminatingReplicas")
    _validate_parts(status, _REPLICA_SET_PARTS, "readyReplicas")


def validate_stateful_set_status(old: Json, new: Json, gates: Gates) -> list[FieldError]:
    """Of a StatefulSet, whose collisions are not forgotten."""
    return _validate_stateful_set(new.get("status") or {}, old.get("status") or {})


@gathers("status")
def _validate_stateful_set(status: Part, before: Json) -> None:
    status.counts("replicas", *_STATEFUL_SET_PARTS, "observedGeneration", "collisionCount")
    _validate_parts(status, _STATEFUL_SET_PARTS, "status.readyReplicas")
    _keep_collisions(status, before)


def validate_daemon_set_status(old: Json, new: Json, gates: Gates) -> list[FieldError]:
    """Of a DaemonSet, which counts nodes."""
    return _validate_daemon_set(new.get("status") or {}, old.get("status") or {})


@gathers("status")
def _validate_daemon_set(status: Part, before: Json) -> None:
    status.counts(*_SCHEDULED)
    _keep_collisions(status, before)


def _validate_parts(status: Part, parts: tuple[str, ...], ready: str) -> None:
    """`ready`: what the API server calls the pods that are ready, of which the available ones are some."""
    for field in parts:
        if (status[field] or 0) > (status["replicas"] or 0):
            status.refuse(field, "cannot be greater than status.replicas", status[field] or 0)
    available = status["availableReplicas"] or 0
    if available > (status["readyReplicas"] or 0):
        status.refuse("availableReplicas", f"cannot be greater than {ready}", available)


def _keep_collisions(status: Part, before: Json) -> None:
    """How often a name was taken already is only counted up, once it is counted."""
    was = before.get("collisionCount")
    if was is not None and (status["collisionCount"] is None or status["collisionCount"] < was):
        status.refuse("collisionCount", "cannot be decremented", status["collisionCount"] or 0)
