"""What is asked of a cluster from outside: the load on a Service, and metrics that no container makes.

    metadata:
      annotations:
        podline.dev/load: |              # on a Service: CPU that its ready pods use together
          web: [{at: 0s, cpu: 610m}, {at: 5m, cpu: 0}]
        podline.dev/requests: |          # the same of a Service that says how many requests it gets
          {perSecond: 100, cpuPerRequest: {web: 5m}}
        podline.dev/metrics: |           # custom and external metrics
          - {name: requests-per-second, values: [{at: 0s, value: 100}, {at: 2m, value: 1k}]}
          - {name: queue-length, labels: {queue: work}, values: [{at: 0s, value: 23}]}

A load names containers, as a behaviour does, and its points like those of `usage`: from an instant on so much
CPU, which the Service's ready pods share evenly, on top of what they use anyway, each up to its CPU limit.
Requests that cost CPU are such a load all the time: of 100 a second that cost 5 ms each, 500m. A Service has
one of both.
Metrics of a pod (or of its template) are what a Pods metric of an autoscaler reads; those of any other object
are Object metrics of it, and those of a Namespace the External metrics there. What a Service has is shared by
its ready pods too, where a Pods metric asks for it. `at` counts from the object's creation; before the first
point there is nothing, neither use nor metric.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import ceil
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ..objects.quantity import parse_quantity
from ..schema.yaml_nodes import read_text
from .durations import read_duration
from .reading import Problem, Reader
from .request_plan import CPU_PER_REQUEST, REQUESTS, list_request_problems, read_requests

LOAD, METRICS = "podline.dev/load", "podline.dev/metrics"
DEMANDS = (LOAD, METRICS, REQUESTS)
_MOST_SERIES, _MOST_POINTS, _MOST_NAME = 100, 1000, 253


@dataclass(frozen=True, slots=True)
class Curve:
    """Values in thousandths, each from an instant on, in ms since the object's creation."""

    points: tuple[tuple[int, int], ...]

    def value_at(self, at_ms: int) -> int | None:
        """The value then; None before the first point."""
        found = None
        for since_ms, value in self.points:
            if since_ms <= at_ms:
                found = value
        return found

    def next_ms(self, at_ms: int) -> int | None:
        """The instant of the next point; None when there is none."""
        return min((since_ms for since_ms, _ in self.points if since_ms > at_ms), default=None)


@dataclass(frozen=True, slots=True)
class MetricCurve:
    """A metric, told apart from others of its name by labels."""

    name: str
    curve: Curve
    labels: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=1024)
def read_load(text: str) -> tuple[Mapping[str, Curve], tuple[Problem, ...]]:
    """The CPU curves of a load by container, in milli, and every mistake that was found."""
    reader, path = Reader(), f"metadata.annotations[{LOAD}]"
    given = _parse(reader, text, path)
    if not isinstance(given, dict):
        reader.note(path, "must be a mapping from container names to lists of {at, cpu}")
        given = {}
    found = {}
    for container, points in list(given.items())[:_MOST_SERIES]:
        found[str(container)] = _read_curve(reader, points, f"{path}.{container}", "cpu")
    return found, tuple(reader.problems)


@lru_cache(maxsize=1024)
def read_metrics(text: str) -> tuple[tuple[MetricCurve, ...], tuple[Problem, ...]]:
    """The metrics of an object, and every mistake that was found."""
    reader, path = Reader(), f"metadata.annotations[{METRICS}]"
    given = _parse(reader, text, path)
    if isinstance(given, list) and len(given) > _MOST_SERIES:
        reader.note(path, f"{len(given)} metrics are more than an object may have, {_MOST_SERIES}")
        given = given[:_MOST_SERIES]
    found = reader.entries(given, path, lambda one, where: _read_metric(reader, one, where))
    return found, tuple(reader.problems)


def list_cpu_curves(annotations: Mapping[str, str]) -> Mapping[str, Curve]:
    """The CPU, in milli, that the ready pods of a Service use together, by container."""
    if load := annotations.get(LOAD):
        return read_load(load)[0]
    plan = read_requests(annotations[REQUESTS])[0] if annotations.get(REQUESTS) else None
    if plan is None or plan.per_second is None:
        return {}
    costs = plan.cpu_per_request.items()
    return {name: Curve(((0, ceil(cost * plan.per_second * 1000)),)) for name, cost in costs}


def list_demand_problems(annotations: Mapping[str, str | None], is_service: bool) -> tuple[Problem, ...]:
    """What is wrong with the demand that an object's annotations tell of."""
    problems = list_request_problems(annotations, is_service)
    load, metrics, requests = (annotations.get(name) for name in (LOAD, METRICS, REQUESTS))
    if load:
        own = "only a Service has a load; a container's own use is told by the `usage` of its behaviour"
        path = f"metadata.annotations[{LOAD}]"
        problems += read_load(load)[1] if is_service else (Problem(path, own),)
    if load and requests and is_service and read_requests(requests)[0].cpu_per_request:
        path = f"metadata.annotations[{REQUESTS}].{CPU_PER_REQUEST}"
        both = (
            f"metadata.annotations[{LOAD}] says what CPU is used as well: give one of both; the load counts"
        )
        problems += (Problem(path, both),)
    if metrics:
        problems += read_metrics(metrics)[1]
    return problems


def list_demand_warnings(data: Mapping[str, Any]) -> list[str]:
    """What is wrong with the demand that an object, given as JSON, tells of: it is accepted, and left out."""
    annotations = (data.get("metadata") or {}).get("annotations") or {}
    if not any(name in annotations for name in DEMANDS):
        return []
    return [str(problem) for problem in list_demand_problems(annotations, data.get("kind") == "Service")]


def _parse(reader: Reader, text: str, path: str) -> Any:
    try:
        return read_text(text)
    except ValueError as error:
        reader.note(path, str(error))
        return None


def _read_metric(reader: Reader, value: Any, path: str) -> MetricCurve | None:
    given = reader.mapping(value, path, ("name", "labels", "values"))
    name, labels = reader.text(given, "name", path), given.get("labels") or {}
    if not name or len(name) > _MOST_NAME:
        reader.note(f"{path}.name", "is required: the name that an autoscaler asks for")
        return None
    texts = isinstance(labels, dict) and all(isinstance(one, str) for pair in labels.items() for one in pair)
    if not texts:
        reader.note(f"{path}.labels", "must be a mapping of texts; put numbers in quotes")
    return MetricCurve(
        name, _read_curve(reader, given.get("values"), f"{path}.values", "value"), labels if texts else {}
    )


def _read_curve(reader: Reader, value: Any, path: str, what: str) -> Curve:
    if isinstance(value, list) and len(value) > _MOST_POINTS:
        reader.note(path, f"{len(value)} points are more than there may be, {_MOST_POINTS}")
        value = value[:_MOST_POINTS]
    points = reader.entries(value, path, lambda one, where: _read_point(reader, one, where, what))
    return Curve(tuple(sorted(points, key=lambda point: point[0])))


def _read_point(reader: Reader, value: Any, path: str, what: str) -> tuple[int, int] | None:
    given = reader.mapping(value, path, ("at", what))
    if what not in given:
        reader.note(f"{path}.{what}", "is required: a quantity such as 100m or 2")
        return None
    try:
        at = read_duration(given.get("at", 0))
        amount = parse_quantity(given[what])
    except ValueError as error:
        reader.note(path, str(error))
        return None
    if not at.is_fixed or amount < 0:
        reader.note(path, "`at` must be one instant, such as 90s, and the amount 0 or more")
        return None
    return at.low_ms, ceil(amount * 1000)
