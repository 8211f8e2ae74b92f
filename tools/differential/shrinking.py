"""Makes a scenario as small as it gets while it still shows what it was found for."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from tests.recordings.scenario_files import read_seconds
from tools.differential.case import Case

FindShowing = Callable[[Sequence[Case]], Case | None]
"""Of some scenarios the first that shows it; they may be run beside each other."""
Path = tuple[Any, ...]
NEEDED = frozenset("apiVersion kind metadata name selector template containers labels matchLabels at".split())
"""What no manifest goes without."""
SHORTER_SECONDS = 5
LEAST_SECONDS = 10


def shrink(case: Case, find_showing: FindShowing, at_once: int = 1, most_tries: int = 200) -> Case:
    """The smallest scenario that was found to show it too; whole parts are tried before small ones."""
    tries = 0
    candidates = list_smaller(case)
    while tries < most_tries and (some := [*islice(candidates, at_once)]):
        tries += len(some)
        smaller = find_showing(some)
        if smaller is not None:
            case, candidates = smaller, list_smaller(smaller)
    return case


def list_smaller(case: Case) -> Iterator[Case]:
    """Each scenario that is one part smaller, the largest parts first."""
    for at in reversed(range(len(case.steps))):
        yield replace(case, steps=_without(case.steps, at))
    if len(case.manifests) > 1:
        for at in reversed(range(len(case.manifests))):
            yield replace(case, manifests=_without(case.manifests, at))
    for at, manifest in enumerate(case.manifests):
        for smaller in _list_smaller_objects(manifest):
            yield replace(case, manifests=_with(case.manifests, at, smaller))
    for at, step in enumerate(case.steps):
        for smaller in _list_smaller_objects(step):
            yield replace(case, steps=_with(case.steps, at, smaller))
    if case.until_seconds - SHORTER_SECONDS >= max(LEAST_SECONDS, _find_last_step_seconds(case)):
        yield replace(case, until_seconds=case.until_seconds - SHORTER_SECONDS)


def _without(parts: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    return parts[:at] + parts[at + 1 :]


def _with(parts: tuple[Any, ...], at: int, part: Any) -> tuple[Any, ...]:
    return (*parts[:at], part, *parts[at + 1 :])


def _find_last_step_seconds(case: Case) -> float:
    return max([read_seconds(step["at"]) for step in case.steps], default=0)


def _list_smaller_objects(thing: Any) -> Iterator[Any]:
    """Without one field, or with one number less."""
    for path, value in _walk(thing):
        if path[-1] in NEEDED:
            continue
        # A step without what it does is no step.
        if isinstance(path[-1], str) and not (len(path) == 1 and "at" in thing):
            yield _change(thing, path, _Gone)
        if type(value) is int and value > 1:
            yield _change(thing, path, 1)
            yield _change(thing, path, value - 1)


class _Gone:
    """Stands for no value."""


def _walk(thing: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """All that is within, what holds before what is held."""
    inside = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ()
    for key, value in inside:
        yield (*path, key), value
        yield from _walk(value, (*path, key))


def _change(thing: Any, path: Path, value: Any) -> Any:
    found = copy.deepcopy(thing)
    place = found
    for key in path[:-1]:
        place = place[key]
    if value is _Gone:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return found
