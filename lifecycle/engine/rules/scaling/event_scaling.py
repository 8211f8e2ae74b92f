"""What KEDA's triggers say: the metric each stands for, its value, and whether it is active.

A queue's length is told by the annotation `podline.dev/metrics` of the ScaledObject: a series that is called
as the trigger is (its `name`, else its `type`). A cron trigger is worked out from its schedules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.quantity import parse_quantity
from ..jobs.schedules import read_schedule

Json = Mapping[str, Any]
NAME_LABEL = "scaledobject.keda.sh/name"
CRON, OF_RESOURCES = "cron", ("cpu", "memory")
_TARGETS = ("value", "targetValue", "threshold", "lagThreshold", "queueLength", "listLength", "messageCount")
_WHICH = ("queueName", "topic", "listName", "streamName", "metricName", "subscriptionName")
_DEFAULT_TARGET = "5"


@dataclass(frozen=True, slots=True)
class Trigger:
    """One entry of `spec.triggers`: what it is called, its metric's name, its target in thousandths."""

    kind: str
    name: str
    metric: str
    target: int
    activates_above: int
    metadata: Json


def read_triggers(spec: Json) -> list[Trigger]:
    """The triggers of a ScaledObject. Raises ValueError for quantities and schedules that are none."""
    triggers = [_read(number, one) for number, one in enumerate(spec.get("triggers") or ())]
    for trigger in triggers:
        if trigger.kind == CRON:
            _edges(trigger, 0)
            _milli(trigger.metadata.get("desiredReplicas") or 1)
    return triggers


def _read(number: int, given: Json) -> Trigger:
    kind, metadata = str(given.get("type") or ""), given.get("metadata") or {}
    target = next((metadata[name] for name in _TARGETS if metadata.get(name)), _DEFAULT_TARGET)
    above = metadata.get("activationValue") or metadata.get("activationThreshold") or 0
    which = next((str(metadata[name]) for name in _WHICH if metadata.get(name)), "")
    if kind == CRON:
        parts = [metadata.get("timezone", ""), *(_shorten(metadata.get(end, "")) for end in ("start", "end"))]
        which, target = "-".join(parts), "1"
    metric = re.sub(r"[^A-Za-z0-9-]", "-", f"s{number}-{kind}" + (f"-{which}" if which else ""))
    name = str(given.get("name") or kind)
    return Trigger(kind, name, metric, _milli(target), _milli(above), metadata)


def _shorten(schedule: Any) -> str:
    return str(schedule).replace(" ", "").replace("*", "x").replace("/", "Sl").replace("?", "Qm")


def _milli(value: Any) -> int:
    return ceil(parse_quantity(value) * 1000)


def value_of(trigger: Trigger, series: Mapping[str, int], utc_ms: int) -> int | None:
    """The value of its metric, in thousandths; None: nobody tells one. Raises ValueError for a bad one."""
    if trigger.kind == CRON:
        return _milli(trigger.metadata.get("desiredReplicas") or 1) if _is_on(trigger, utc_ms) else 1000
    return series.get(trigger.name)


def is_active(trigger: Trigger, series: Mapping[str, int], utc_ms: int) -> bool:
    """Whether there is something to do, so that one replica at least is wanted (KEDA-02, KEDA-03)."""
    if trigger.kind == CRON:
        return _is_on(trigger, utc_ms)
    return (series.get(trigger.name) or 0) > trigger.activates_above


def next_turn_ms(trigger: Trigger, utc_ms: int) -> int | None:
    """When a cron trigger begins or ends next, in ms since 1970; None for any other."""
    if trigger.kind != CRON:
        return None
    return min((one for one in _edges(trigger, utc_ms) if one is not None), default=None)


def _is_on(trigger: Trigger, utc_ms: int) -> bool:
    start_ms, end_ms = _edges(trigger, utc_ms)
    return end_ms is not None and (start_ms is None or end_ms < start_ms)


def _edges(trigger: Trigger, utc_ms: int) -> Sequence[int | None]:
    zone = str(trigger.metadata.get("timezone") or "UTC")
    texts = (str(trigger.metadata.get(edge) or "") for edge in ("start", "end"))
    return [read_schedule(text, zone).next_after(utc_ms) for text in texts]


def make_metrics(name: str, triggers: Sequence[Trigger]) -> list[dict[str, Any]]:
    """The metrics of the autoscaler that KEDA makes for a ScaledObject."""
    found: list[dict[str, Any]] = []
    for trigger in triggers:
        if trigger.kind in OF_RESOURCES:
            target = {"type": "Utilization", "averageUtilization": trigger.target // 1000}
            found.append({"type": "Resource", "resource": {"name": trigger.kind, "target": target}})
            continue
        metric = {"name": trigger.metric, "selector": {"matchLabels": {NAME_LABEL: name}}}
        value = str(trigger.target // 1000) if trigger.target % 1000 == 0 else f"{trigger.target}m"
        target = {"type": "AverageValue", "averageValue": value}
        found.append({"type": "External", "external": {"metric": metric, "target": target}})
    return found
