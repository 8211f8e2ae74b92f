"""What the metrics APIs say, as an autoscaler reads them, in the words of its client when there is nothing.

All values are in thousandths of their unit: CPU in milli, memory in thousandths of a byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ....objects.selector import Selector

Json = Mapping[str, Any]

_CUSTOM_API = "unable to fetch metrics from custom metrics API"
_NOT_SERVED = f"{_CUSTOM_API}: no custom metrics API (custom.metrics.k8s.io) registered"


MOST_USE = (1 << 63) - 1
"""The largest sum of an external metric, in thousandths: it stops there."""


class UnreadableMetric(Exception):
    """A metric that no replica count can be worked out from; the message says why.

    `failed` says what that made fail: only the longer text has it, not what the autoscaler is told.
    """

    def __init__(self, message: str, failed: str = "") -> None:
        super().__init__(message)
        self.failed = failed


@dataclass(slots=True)
class Sample:
    """One pod's value; `at_ms` and `window_ms` say when, and over how long before that, it was gathered."""

    value: int
    at_ms: int = 0
    window_ms: int = 60_000


@dataclass(slots=True)
class PodMetrics:
    """What is known of a pod's use of resources, by container and resource."""

    at_ms: int
    window_ms: int
    containers: Mapping[str, Mapping[str, int]]


@dataclass(slots=True)
class Series:
    """One value of a custom or external metric; labels tell several of one name apart."""

    name: str
    value: int
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Readings:
    """All that one look at an autoscaler can read: of pods by name, of objects by kind and name.

    `has_custom`, `has_external`: whether somebody serves such metrics at all, as an adapter has to.
    """

    pods: Mapping[str, PodMetrics] = field(default_factory=dict)
    of_pods: Mapping[str, Sequence[Series]] = field(default_factory=dict)
    of_objects: Mapping[tuple[str, str], Sequence[Series]] = field(default_factory=dict)
    external: Sequence[Series] = ()
    has_custom: bool = True
    has_external: bool = True


def read_resource(readings: Readings, resource: str, container: str) -> dict[str, Sample]:
    """Use of a resource by pod: of one container, or of all together. Raises UnreadableMetric."""
    if not readings.pods:
        raise UnreadableMetric("no metrics returned from resource metrics API")
    found = {}
    for name, pod in readings.pods.items():
        uses = [*pod.containers.values()] if not container else [pod.containers.get(container, {})]
        if uses and all(resource in use for use in uses):
            value = sum(use[resource] for use in uses)
            found[name] = Sample(value, pod.at_ms, pod.window_ms)
    return found


def read_pods_metric(readings: Readings, metric: Json) -> dict[str, Sample]:
    """A custom metric by pod. Raises UnreadableMetric."""
    found = {}
    for name, series in readings.of_pods.items():
        values = _values_of(series, metric)
        if values:
            found[name] = Sample(values[0])
    if not found:
        raise UnreadableMetric(
            "no metrics returned from custom metrics API" if readings.has_custom else _NOT_SERVED
        )
    return found


def read_object_metric(readings: Readings, described: Json, metric: Json) -> int:
    """A custom metric of one object. Raises UnreadableMetric."""
    key = (str(described.get("kind") or ""), str(described.get("name") or ""))
    values = _values_of(readings.of_objects.get(key, ()), metric)
    if not values and not readings.has_custom:
        raise UnreadableMetric(_NOT_SERVED)
    if not values:
        raise UnreadableMetric(
            f"{_CUSTOM_API}: the server could not find the metric {metric.get('name')} for {key[0]} {key[1]}"
        )
    return values[0]


def read_external_metric(readings: Readings, metric: Json) -> int:
    """The sum of an external metric's values that its selector selects. Raises UnreadableMetric."""
    values = _values_of(readings.external, metric)
    if not values and not readings.has_external:
        raise UnreadableMetric(
            "unable to fetch metrics from external metrics API: the server could not find the requested"
            f" resource (get {metric.get('name')}.external.metrics.k8s.io)"
        )
    if not values:
        raise UnreadableMetric("no metrics returned from external metrics API")
    return min(sum(values), MOST_USE)


def _values_of(series: Sequence[Series], metric: Json) -> list[int]:
    selector = Selector(metric.get("selector") or {})
    return [one.value for one in series if one.name == metric.get("name") and selector.matches(one.labels)]


def selector_words(selector: Json | None) -> str:
    """A metric's selector as Kubernetes prints it in a message."""
    if selector is None:
        return "nil"
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items()))
    wanted = "".join(
        f"LabelSelectorRequirement{{Key:{one.get('key')},Operator:{one.get('operator')},"
        f"Values:[{' '.join(one.get('values') or ())}],}},"
        for one in selector.get("matchExpressions") or ()
    )
    inside = (
        f"MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{wanted}}}"
    )
    return f"&LabelSelector{{{inside},}}"
