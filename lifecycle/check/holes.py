"""What fills the holes of an ordeal: `${name}`, `${node}`, `${newImage}`, and lists to repeat a step for.

A text that is one hole becomes its value, of whatever type; within a text a hole becomes text. With
`forEach: nodes` a step is repeated for each item of a list, whose holes it knows besides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lifecycle.late_patterns import late_pattern

Json = Mapping[str, Any]
Holes = Mapping[str, Any]
Lists = Mapping[str, list[dict[str, Any]]]
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
        return _find(whole[1], holes)
    return _HOLE.sub(lambda found: str(_find(found[1], holes)), text)


def _find(name: str, holes: Holes) -> Any:
    if name not in holes:
        known = ", ".join(f"${{{one}}}" for one in sorted(holes))
        raise HoleError(f"nothing fills ${{{name}}} here; there are {known}")
    value = holes[name]
    return value() if isinstance(value, Callable) else value  # type: ignore[arg-type]


def fill_steps(steps: tuple[Json, ...], holes: Holes, lists: Lists) -> Iterator[dict[str, Any]]:
    """Every step, those that are repeated once for each item. Raises HoleError."""
    for step in steps:
        if FOR_EACH not in step:
            yield fill(dict(step), holes)
            continue
        name = step[FOR_EACH]
        if name not in lists:
            raise HoleError(f"there is no list {name}; there are {', '.join(sorted(lists))}")
        rest = {key: value for key, value in step.items() if key != FOR_EACH}
        for item in lists[name]:
            yield fill(rest, {**holes, **item})
