"""What fills the holes of an ordeal: `${name}`, `${node}`, `${newImage}`, and lists to repeat a step for.

A text that is one hole becomes its value, of whatever type; within a text a hole becomes text. With
`forEach: nodes` a step is repeated for each item of a list, whose holes it knows besides. A value that costs
something to find is a function: it is asked only where somebody wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lifecycle.late_patterns import late_pattern

Json = Mapping[str, Any]
Holes = Mapping[str, Any]
_HOLE = late_pattern(r"\$\{([A-Za-z]+)\}")
FOR_EACH = "forEach"


class HoleError(ValueError):
    """A hole that nothing fills."""


def fill(value: Any, holes: Holes) -> Any:
    """The value with every hole filled. Raises HoleError."""
    if isinstance(value, str):
        return _fill_text(value, holes)
    if isinstance(value, Mapping):
        return {name: fill(item, holes) for name, item in value.items()}
    if isinstance(value, list):
        return [fill(item, holes) for item in value]
    return value


def _fill_text(text: str, holes: Holes) -> Any:
    whole = _HOLE.fullmatch(text)
    if whole:
        return find(whole[1], holes)
    return _HOLE.sub(lambda found: str(find(found[1], holes)), text)


def find(name: str, holes: Holes) -> Any:
    """What fills a hole. Raises HoleError."""
    if name not in holes:
        raise HoleError(f"nothing fills ${{{name}}} here; there are {_name_all(holes, lists=False)}")
    value = holes[name]
    return value() if isinstance(value, Callable) else value  # type: ignore[arg-type]


def find_list(name: str, holes: Holes) -> list[dict[str, Any]]:
    """What a step is repeated for. Raises HoleError."""
    if name not in LISTS or name not in holes:
        raise HoleError(f"there is no list {name} here; there are {_name_all(holes, lists=True)}")
    found: list[dict[str, Any]] = find(name, holes)
    return found


def _name_all(holes: Holes, lists: bool) -> str:
    names = sorted(one for one in holes if (one in LISTS) == lists)
    return ", ".join(one if lists else f"${{{one}}}" for one in names) or "none"


LISTS: Mapping[str, str] = {
    "workloads": "what can be rolled out: holes as of `each: workload`",
    "nodes": "all nodes: `${node}`",
    "zones": "all zones, where there are at least two: `${zone}`",
    "zoneNodes": "with `each: zone` the nodes of the zone: `${node}`",
    "podNodes": "with `each: workload` the nodes that its pods are on: `${node}`",
    "soonRuns": "of a CronJob the next five runs, where they come within six hours: `${run}`, in ms",
    "reruns": "of a Job, or one of a CronJob's, that is run again: `${rerun}`, `${rerunPod}`, `${rerunLost}`",
    "nextReleases": "the minor release after the cluster's own, where it is modelled: `${nextRelease}`",
    "fillers": "a pod for each node that asks for all that is free there: `${filler}`",
    "intruders": "with `each: workload` pods of a higher class that take the place of its own: `${intruder}`",
}
"""The lists that steps can be repeated for, and ordeals can need, and what is in them."""


def fill_steps(steps: tuple[Json, ...], holes: Holes) -> Iterator[dict[str, Any]]:
    """Every step, those that are repeated once for each item. Raises HoleError."""
    for step in steps:
        if FOR_EACH not in step:
            yield fill(dict(step), holes)
            continue
        rest = {key: value for key, value in step.items() if key != FOR_EACH}
        for item in find_list(str(step[FOR_EACH]), holes):
            yield fill(rest, {**holes, **item})
