"""One poll of a ScaledObject: to none or back by KEDA itself, all else by an autoscaler that it makes.

Left out: fallbacks, pausing, idle replicas, ScaledJobs, and what authenticates triggers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.meta import StoredObject, controller_reference
from ...objects.times import format_time, parse_time_or_none
from ...rules.scaling.event_scaling import (
    NAME_LABEL,
    Trigger,
    is_active,
    make_metrics,
    next_turn_ms,
    read_triggers,
)

Json = Mapping[str, Any]
SOURCE = "keda-operator"
POLLING_SECONDS, COOLDOWN_SECONDS, LEAST, MOST = 30, 300, 0, 100
READY = ("ScaledObjectReady", "ScaledObject is defined correctly and is ready for scaling")
ACTIVE = ("ScalerActive", "Scaling is performed because triggers are active")
NOT_ACTIVE = ("ScalerNotActive", "Scaling is not performed because triggers are not active")


@dataclass(slots=True)
class Seen:
    """A ScaledObject, the replicas wanted of its target (None: there is none), and its series."""

    scaled: StoredObject
    replicas: int | None
    target: str
    series: Mapping[str, int]
    now_ms: int
    epoch_ms: int

    @property
    def utc_ms(self) -> int:
        """Now, in ms since 1970."""
        return self.epoch_ms + self.now_ms


@dataclass(slots=True)
class Verdict:
    """`size`: to be scaled to (None: left). `autoscaler`: its JSON as it is to be.

    `next_ms`: when a poll may next come to something else by itself.
    """

    status: dict[str, Any]
    size: int | None = None
    event: tuple[str, str, str] | None = None
    autoscaler: dict[str, Any] | None = None
    next_ms: int | None = None


def decide(seen: Seen) -> Verdict:
    """What the operator does at this poll (KEDA-01 to KEDA-04)."""
    spec, old = seen.scaled.spec or {}, seen.scaled.status or {}
    verdict = Verdict(dict(old))
    try:
        triggers = read_triggers(spec)
        active = [one for one in triggers if is_active(one, seen.series, seen.utc_ms)]
        turns = [turn for one in triggers if (turn := next_turn_ms(one, seen.utc_ms)) is not None]
    except ValueError as problem:
        return _fail(seen, verdict, "ScaledObjectCheckFailed", str(problem))
    if seen.replicas is None:
        return _fail(seen, verdict, "ScaledObjectCheckFailed", f"{seen.target}: there is no such target")
    verdict.autoscaler = make_autoscaler(seen.scaled, triggers)
    _set(seen, verdict, "Ready", True, READY)
    was_active = {"type": "Active", "status": "True"}.items() <= _find(old, "Active").items()
    if active or was_active:
        # Of the polls between two that were made each found what the one before it had found.
        at_ms = seen.now_ms if active else seen.now_ms - polling_ms(spec)
        if bool(active) != was_active:
            verdict.status["lastActiveTime"] = format_time(at_ms, seen.epoch_ms)
    _set(seen, verdict, "Active", bool(active), ACTIVE if active else NOT_ACTIVE)
    verdict.status["hpaName"] = verdict.autoscaler["metadata"]["name"]
    verdict.status["scaleTargetKind"] = seen.target.rpartition(" ")[0]
    cools_ms = _scale(seen, verdict, active)
    ends = [turn - seen.epoch_ms for turn in turns] + ([] if cools_ms is None else [cools_ms])
    verdict.next_ms = min(ends, default=None)
    return verdict


def _scale(seen: Seen, verdict: Verdict, active: list[Trigger]) -> int | None:
    """To one or to none; when a cool-down is over that has begun, None where none has."""
    spec, replicas = seen.scaled.spec or {}, seen.replicas or 0
    least = spec.get("minReplicaCount", LEAST)
    if active and replicas == 0:
        verdict.size = max(least, 1)
        text = f"Scaled {seen.target} from 0 to {verdict.size}, triggered by {active[0].kind}Scaler"
        verdict.event = ("Normal", "KEDAScaleTargetActivated", text)
    elif not active and replicas > 0 and least == 0:
        since_ms = _read_time(verdict.status.get("lastActiveTime"), seen.epoch_ms)
        cooldown_ms = spec.get("cooldownPeriod", COOLDOWN_SECONDS) * 1000
        if since_ms is not None and since_ms + cooldown_ms > seen.now_ms:
            return int(since_ms + cooldown_ms)
        verdict.size = 0
        text = f"Deactivated {seen.target} from {replicas} to 0"
        verdict.event = ("Normal", "KEDAScaleTargetDeactivated", text)
    elif replicas < least:
        verdict.size = least
    return None


def _read_time(text: Any, epoch_ms: int) -> int | None:
    try:
        return parse_time_or_none(text, epoch_ms)
    except ValueError:
        return None


def _find(status: Json, type: str) -> Json:
    return next((one for one in status.get("conditions") or () if one.get("type") == type), {})


def _fail(seen: Seen, verdict: Verdict, reason: str, message: str) -> Verdict:
    _set(seen, verdict, "Ready", False, (reason, message))
    verdict.event = ("Warning", reason, message)
    return verdict


def _set(seen: Seen, verdict: Verdict, type: str, is_true: bool, reason: tuple[str, str]) -> None:
    new = {"type": type, "status": "True" if is_true else "False", "reason": reason[0], "message": reason[1]}
    known = list(verdict.status.get("conditions") or ())
    places = [place for place, one in enumerate(known) if one.get("type") == type]
    if places:
        known[places[0]] = new
    verdict.status["conditions"] = known if places else [*known, new]


def polling_ms(spec: Json) -> int:
    """How often a ScaledObject's triggers are asked."""
    seconds = spec.get("pollingInterval", POLLING_SECONDS)
    return max(seconds, 1) * 1000 if isinstance(seconds, int) else POLLING_SECONDS * 1000


def make_autoscaler(scaled: StoredObject, triggers: list[Trigger]) -> dict[str, Any]:
    """The autoscaler that takes a ScaledObject's target from 1 to n."""
    spec, meta = scaled.spec or {}, scaled.meta
    target = spec.get("scaleTargetRef") or {}
    more = ((spec.get("advanced") or {}).get("horizontalPodAutoscalerConfig")) or {}
    wanted: dict[str, Any] = {
        "scaleTargetRef": {
            "apiVersion": target.get("apiVersion") or "apps/v1",
            "kind": target.get("kind") or "Deployment",
            "name": target.get("name"),
        },
        "minReplicas": max(spec.get("minReplicaCount", LEAST), 1),
        "maxReplicas": spec.get("maxReplicaCount", MOST),
        "metrics": make_metrics(meta.name, triggers),
    }
    if more.get("behavior") is not None:
        wanted["behavior"] = more["behavior"]
    labels = {"app.kubernetes.io/managed-by": "keda-operator", NAME_LABEL: meta.name}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {
            "name": more.get("name") or f"keda-hpa-{meta.name}",
            "namespace": meta.namespace,
            "labels": labels,
            "ownerReferences": [controller_reference(scaled).to_json()],
        },
        "spec": wanted,
    }
