"""What each metric of an autoscaler asks for, and what it says of it in its status."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ....objects.pods.pod import Pod
from ....objects.quantity import canonical_sum
from .calculator import (
    Asked,
    Clock,
    Question,
    Tolerances,
    ask_by_share,
    ask_by_total,
    ask_by_utilization,
    ask_by_value,
    milli_of,
)
from .readings import (
    Readings,
    UnreadableMetric,
    read_external_metric,
    read_object_metric,
    read_pods_metric,
    read_resource,
    selector_words,
)

Json = Mapping[str, Any]


@dataclass(slots=True)
class Look:
    """What all metrics of one look have in common."""

    namespace: str
    spec_replicas: int
    status_replicas: int
    pods: Sequence[Pod]
    readings: Readings
    tolerances: Tolerances
    clock: Clock


@dataclass(slots=True)
class Proposal:
    """What one metric asks for: replicas, its name for people, its status."""

    replicas: int
    name: str
    status: Json


@dataclass(slots=True)
class Unusable:
    """A metric that nothing can be worked out from: the reason, what is wrong, and that in a longer text."""

    reason: str
    message: str
    text: str


def propose(metric: Json, look: Look) -> Proposal | Unusable:
    """What one entry of `spec.metrics` asks for (HPA-03, HPA-04)."""
    kind = str(metric.get("type") or "")
    ask = _ASK.get(kind)
    if ask is None:
        message = f'unknown metric source type "{kind}"'
        return Unusable("InvalidMetricSourceType", message, message)
    field, what, ask_for = ask
    source: Json = metric.get(field) or {}
    try:
        asked, name, current = ask_for(source, look)
    except UnreadableMetric as problem:
        names = (source.get("name"), source.get("container"), (source.get("metric") or {}).get("name"))
        text = f"failed to get {what.format(*names)} metric value: {problem.failed}{problem}"
        return Unusable(f"FailedGet{kind}Metric", str(problem), text)
    kept = {name: source[name] for name in _KEPT if name in source}
    return Proposal(asked.replicas, name, {"type": kind, field: {**kept, "current": current}})


_KEPT = ("container", "describedObject", "metric", "name")
Answer = tuple[Asked, str, Json]


def _ask_resource(source: Json, look: Look) -> Answer:
    return _ask_of_resource(source, look, "")


def _ask_container(source: Json, look: Look) -> Answer:
    return _ask_of_resource(source, look, str(source.get("container") or ""))


def _ask_of_resource(source: Json, look: Look, container: str) -> Answer:
    resource, target = str(source.get("name") or ""), source.get("target") or {}
    is_raw = target.get("averageValue") is not None
    goal = milli_of(target["averageValue"]) if is_raw else target["averageUtilization"]
    try:
        try:
            samples = read_resource(look.readings, resource, container)
        except UnreadableMetric as problem:
            raise UnreadableMetric(f"unable to get metrics for resource {resource}: {problem}") from None
        question = Question(
            look.spec_replicas, goal, samples, look.pods, look.tolerances, look.clock, resource, container
        )
        asked = (ask_by_value if is_raw else ask_by_utilization)(question)
    except UnreadableMetric as problem:
        what = "usage" if is_raw else "utilization"
        raise UnreadableMetric(f"failed to get {resource} {what}: {problem}") from None
    # Memory is told as the metrics server does.
    value = canonical_sum(Fraction(asked.usage, 1000), "1Ki" if resource == "memory" else "1")
    if is_raw:
        return asked, f"{resource} resource", {"averageValue": value}
    name = f"{resource} {'container ' if container else ''}resource utilization (percentage of request)"
    return asked, name, {"averageUtilization": asked.utilization, "averageValue": value}


def _ask_pods(source: Json, look: Look) -> Answer:
    metric, target = source.get("metric") or {}, source.get("target") or {}
    try:
        samples = read_pods_metric(look.readings, metric)
    except UnreadableMetric as problem:
        raise UnreadableMetric(f"unable to get metric {metric.get('name')}: {problem}") from None
    goal = milli_of(target["averageValue"])
    question = Question(look.spec_replicas, goal, samples, look.pods, look.tolerances, look.clock)
    asked = ask_by_value(question)
    return asked, f"pods metric {metric.get('name')}", {"averageValue": _show(asked.usage)}


def _ask_object(source: Json, look: Look) -> Answer:
    metric, target = source.get("metric") or {}, source.get("target") or {}
    described, name = source.get("describedObject") or {}, metric.get("name")
    is_total = target.get("type") == "Value" and target.get("value") is not None
    if not is_total and not (target.get("type") == "AverageValue" and target.get("averageValue") is not None):
        raise UnreadableMetric(
            "invalid object metric source: neither a value target nor an average value target was set"
        )
    try:
        usage = read_object_metric(look.readings, described, metric)
    except UnreadableMetric as problem:
        # In this order: Kubernetes fills "what on kind namespace/name" with the kind first.
        text = f"{described.get('kind')} on {look.namespace} {described.get('name')}/{problem}"
        failed = "" if is_total else f"failed to get {name} object metric: "
        raise UnreadableMetric(f"unable to get metric {name}: {text}", failed) from None
    if is_total:
        asked = ask_by_total(look.spec_replicas, milli_of(target["value"]), usage, look.pods, look.tolerances)
        return asked, f"{described.get('kind')} metric {name}", {"value": _show(asked.usage)}
    goal = milli_of(target["averageValue"])
    asked = ask_by_share(look.status_replicas, goal, usage, look.tolerances, is_external=False)
    return asked, _external_name(metric), {"averageValue": _show(asked.usage)}


def _ask_external(source: Json, look: Look) -> Answer:
    metric, target = source.get("metric") or {}, source.get("target") or {}
    name, is_share = metric.get("name"), target.get("averageValue") is not None
    try:
        usage = read_external_metric(look.readings, metric)
    except UnreadableMetric as problem:
        where = f"{look.namespace}/{name}/{selector_words(metric.get('selector'))}"
        what = f"{name} external metric" if is_share else f"external metric {name}"
        raise UnreadableMetric(
            f"unable to get external metric {where}: {problem}", f"failed to get {what}: "
        ) from None
    if is_share:
        asked = ask_by_share(look.status_replicas, milli_of(target["averageValue"]), usage, look.tolerances)
        return asked, _external_name(metric), {"averageValue": _show(asked.usage)}
    goal = milli_of(target["value"])
    asked = ask_by_total(look.spec_replicas, goal, usage, look.pods, look.tolerances)
    return asked, _external_name(metric), {"value": _show(asked.usage)}


def _external_name(metric: Json) -> str:
    return f"external metric {metric.get('name')}({selector_words(metric.get('selector'))})"


def _show(milli: int) -> str:
    return canonical_sum(Fraction(milli, 1000), "1")


_ASK: dict[str, tuple[str, str, Callable[[Json, Look], Answer]]] = {
    "Resource": ("resource", "{0} resource", _ask_resource),
    "ContainerResource": ("containerResource", "{1} container", _ask_container),
    "Pods": ("pods", "pods", _ask_pods),
    "Object": ("object", "object", _ask_object),
    "External": ("external", "{2} external", _ask_external),
}
"""Type -> the field that describes it, what a failure calls it, and who works it out."""
