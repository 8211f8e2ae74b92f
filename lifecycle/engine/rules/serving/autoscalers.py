"""HorizontalPodAutoscalers as autoscaling/v1 has them: what it has no fields for stands in annotations."""

from __future__ import annotations

import json
from typing import Any

from ..limits.json_bounds import read_json
from .conversions import with_status

Json = dict[str, Any]
V1, V2 = "autoscaling/v1", "autoscaling/v2"
_PREFIX = "autoscaling.alpha.kubernetes.io/"
METRICS, CURRENT = f"{_PREFIX}metrics", f"{_PREFIX}current-metrics"
CONDITIONS, BEHAVIOR = f"{_PREFIX}conditions", f"{_PREFIX}behavior"
_ANNOTATIONS = (METRICS, CURRENT, CONDITIONS, BEHAVIOR)
_CPU = "targetCPUUtilizationPercentage"


def show_first(data: Json) -> Json:
    """The same with its sizes, though nobody has looked at it yet."""
    return with_status(to_first(data), currentReplicas=0, desiredReplicas=0)


def show_second(data: Json) -> Json:
    """The same of autoscaling/v2."""
    return with_status(to_second(data), desiredReplicas=0, currentMetrics=None)


def to_first(data: Json) -> Json:
    """An autoscaler as autoscaling/v1 shows it."""
    if data.get("apiVersion") == V1:
        return data
    spec, status = dict(data.get("spec") or {}), dict(data.get("status") or {})
    notes = _without_notes(data)
    metrics = spec.pop("metrics", None) or []
    cpu = next((one for one in metrics if _is_cpu(one)), None)
    if cpu is not None:
        spec[_CPU] = cpu["resource"]["target"]["averageUtilization"]
    others = [_flatten(one, "target") for one in metrics if not _is_cpu(one)]
    behavior = spec.pop("behavior", None)
    current = status.pop("currentMetrics", None)
    conditions = status.pop("conditions", None)
    for one in current or ():
        used = ((one.get("resource") or {}).get("current") or {}).get("averageUtilization")
        if (one.get("resource") or {}).get("name") == "cpu" and used is not None:
            status["currentCPUUtilizationPercentage"] = used
    for name, value in ((METRICS, others), (CONDITIONS, conditions), (BEHAVIOR, behavior)):
        if value:
            notes[name] = json.dumps(value, separators=(",", ":"))
    if current:
        notes[CURRENT] = json.dumps([_flatten(one, "current") for one in current], separators=(",", ":"))
    return _made(data, V1, spec, status, notes)


def to_second(data: Json) -> Json:
    """An autoscaler as autoscaling/v2 has it."""
    if data.get("apiVersion") == V2:
        return data
    meta = data.get("metadata") or {}
    given = meta.get("annotations") or {}
    spec, status = dict(data.get("spec") or {}), dict(data.get("status") or {})
    cpu = spec.pop(_CPU, None)
    metrics = [_unfold(one, "target") for one in _read(given, METRICS, list)]
    if cpu is not None:
        target = {"type": "Utilization", "averageUtilization": cpu}
        metrics.insert(0, {"type": "Resource", "resource": {"name": "cpu", "target": target}})
    if metrics and "metrics" not in spec:
        spec["metrics"] = metrics
    behavior = _read(given, BEHAVIOR, dict)
    if behavior:
        spec["behavior"] = behavior
    status.pop("currentCPUUtilizationPercentage", None)
    current = [_unfold(one, "current") for one in _read(given, CURRENT, list)]
    conditions = _read(given, CONDITIONS, list)
    status |= ({"currentMetrics": current} if current else {}) | (
        {"conditions": conditions} if conditions else {}
    )
    return _made(data, V2, spec, status, _without_notes(data))


def _without_notes(data: Json) -> Json:
    notes = (data.get("metadata") or {}).get("annotations") or {}
    return {name: value for name, value in notes.items() if name not in _ANNOTATIONS}


def _made(data: Json, version: str, spec: Json, status: Json, notes: Json) -> Json:
    meta = {name: value for name, value in (data.get("metadata") or {}).items() if name != "annotations"}
    if notes:
        meta["annotations"] = notes
    made = {**data, "apiVersion": version, "metadata": meta, "spec": spec}
    if "status" in data:
        made["status"] = status
    return made


def _read(notes: Json, name: str, wanted: type) -> Any:
    """What an annotation holds; nothing where that is not what it should be."""
    try:
        found = read_json(notes.get(name) or "null")
    except (ValueError, TypeError):
        found = None
    if wanted is list:
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return found if isinstance(found, dict) else {}


def _is_cpu(metric: Json) -> bool:
    resource = metric.get("resource") or {}
    target = resource.get("target") or {}
    return resource.get("name") == "cpu" and target.get("averageUtilization") is not None


_SOURCES = ("resource", "containerResource", "pods", "object", "external")
_VALUES = ("averageUtilization", "averageValue", "value")


def _flatten(metric: Json, word: str) -> Json:
    """A metric as v1 spells it: the fields of its `target` or `current` stand in the source itself."""
    found = {"type": metric.get("type")}
    for source in _SOURCES:
        if source not in metric:
            continue
        inner = dict(metric[source])
        values = inner.pop(word, None) or {}
        identifier = inner.pop("metric", None) or {}
        described = inner.pop("describedObject", None)
        for name in _VALUES:
            if name in values:
                inner[_spell(source, word, name)] = values[name]
        if identifier.get("name"):
            inner["metricName"] = identifier["name"]
        if identifier.get("selector"):
            inner["metricSelector" if source == "external" else "selector"] = identifier["selector"]
        if described:
            inner["target"] = described
        found[source] = inner
    return found


def _spell(source: str, word: str, name: str) -> str:
    if source == "object" and name == "averageValue":
        return name
    return f"{word}{name[0].upper()}{name[1:]}"


def _unfold(metric: Json, word: str) -> Json:
    """The reverse of `_flatten`."""
    found = {"type": metric.get("type")}
    for source in _SOURCES:
        inner = metric.get(source)
        if not isinstance(inner, dict):
            continue
        inner = dict(inner)
        values = {
            name: inner.pop(_spell(source, word, name))
            for name in _VALUES
            if _spell(source, word, name) in inner
        }
        made: Json = {}
        if "metricName" in inner:
            selector = inner.pop("metricSelector", None) or inner.pop("selector", None)
            made["metric"] = {"name": inner.pop("metricName")} | ({"selector": selector} if selector else {})
        if source == "object" and "target" in inner:
            made["describedObject"] = inner.pop("target")
        if word == "target":
            values["type"] = _type_of(values)
        found[source] = {**inner, **made, word: values}
    return found


def _type_of(values: Json) -> str:
    if "averageUtilization" in values:
        return "Utilization"
    return "AverageValue" if "averageValue" in values else "Value"
