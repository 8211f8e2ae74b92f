"""What is asked of a Service, so many times as much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import yaml

from lifecycle.engine.objects.quantity import parse_quantity
from lifecycle.engine.programs.demand import LOAD, read_load
from lifecycle.engine.programs.request_plan import REQUESTS, read_requests

Json = Mapping[str, Any]
_PER_SECOND = "perSecond"


def has_load(service: Json) -> bool:
    """Whether it is told how much is asked of a Service: CPU of its pods, or requests a second."""
    told = _read(service, REQUESTS)
    return bool(_read(service, LOAD)) or _PER_SECOND in told


def make_load(service: Json, factor: int) -> dict[str, Any]:
    """A patch of the Service that asks so many times as much of it; once as much is what it was."""
    annotations = (service["metadata"].get("annotations") or {}).copy()
    load, told = _read(service, LOAD), _read(service, REQUESTS)
    found = {}
    if load:
        found[LOAD] = annotations[LOAD] if factor == 1 else _write(_multiply(load, factor))
    if _PER_SECOND in told:
        more = {**told, _PER_SECOND: told[_PER_SECOND] * factor}
        found[REQUESTS] = annotations[REQUESTS] if factor == 1 else _write(more)
    return {"metadata": {"annotations": found}}


def _read(service: Json, annotation: str) -> dict[str, Any]:
    text = (service["metadata"].get("annotations") or {}).get(annotation)
    if not text or _PROBLEMS[annotation](text)[1]:
        # What is wrong with it is said where it stands, and it is acted on as if it were not there.
        return {}
    found: dict[str, Any] = yaml.safe_load(text)
    return found


_PROBLEMS: Mapping[str, Callable[[str], tuple[Any, tuple[Any, ...]]]] = {
    LOAD: read_load,
    REQUESTS: read_requests,
}


def _write(value: Json) -> str:
    return yaml.safe_dump(value, sort_keys=False)


def _multiply(load: Json, factor: int) -> dict[str, Any]:
    return {name: [_more(one, factor) for one in points] for name, points in load.items()}


def _more(point: Json, factor: int) -> dict[str, Any]:
    return {**point, "cpu": f"{int(parse_quantity(point['cpu']) * 1000) * factor}m"}
