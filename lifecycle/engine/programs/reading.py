"""Reads behaviours and profiles from parsed YAML (contract, "Behaviour").

Nothing is raised for what a user wrote: every mistake becomes a `Problem` with its field path, and the part
that holds it is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from lifecycle.lean_dataclasses import dataclass

from ..objects.quantity import cpu_milli, whole
from ..objects.shortened import MOST_LETTERS, NOTE_LIMIT, cut_note, shorten
from ..rules.reasons import CRASHING, ERR_IMAGE_PULL, RUN_CONTAINER_ERROR, STUCK, find_meaning
from ..schema.yaml_nodes import read_text
from .behavior import (
    PROBE_TYPES,
    Declared,
    HookPlan,
    ProbePoint,
    PullPlan,
    RunPlan,
    StartPlan,
    TermPlan,
    UsagePoint,
)
from .durations import NOTHING, Duration, read_duration

MOST_PROBLEMS = 50
MOST_OBJECTS = 20
_OBJECT = "{apiVersion: v1, kind: Secret, metadata: {name: made}}"
RESULTS = ("success", "failure", "unknown")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: where it is, what is wrong and what would be right."""

    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}"


@dataclass(frozen=True, slots=True)
class Reading:
    """Behaviours by container name, and every mistake that was found on the way."""

    behaviors: Mapping[str, Declared]
    problems: tuple[Problem, ...]


class Reader:
    """Collects problems while it takes a parsed document apart. One reader per document."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def note(self, path: str, text: str) -> None:
        """Keep a mistake, with the path of the field it is in; of many the first ones."""
        if len(self.problems) < MOST_PROBLEMS:
            # Each container of a pod tells them all.
            self.problems.append(Problem(cut_note(path, MOST_LETTERS), cut_note(text, 2 * MOST_LETTERS)))

    def mapping(self, value: Any, path: str, known: tuple[str, ...]) -> dict[str, Any]:
        """The value as a mapping with known keys only; anything else is noted and left out."""
        if not isinstance(value, dict):
            self.note(path, f"{shorten(value)} must be a mapping with keys out of {', '.join(known)}")
            return {}
        for key in value:
            if key not in known:
                self.note(f"{path}.{key}", f"unknown key; known are {', '.join(known)}")
        return {key: value[key] for key in known if value.get(key) is not None}

    def entries(self, value: Any, path: str, read: Callable[[Any, str], _T | None]) -> tuple[_T, ...]:
        """A list, each entry read on its own; an empty list is a mistake."""
        if not isinstance(value, list) or not value:
            self.note(path, f"{shorten(value)} must be a list with at least one entry")
            return ()
        read_entries = (read(entry, f"{path}[{index}]") for index, entry in enumerate(value))
        return tuple(entry for entry in read_entries if entry is not None)

    def duration(self, values: Mapping[str, Any], key: str, path: str) -> Duration | None:
        """Read a span of time; None, noted, for what is none."""
        if key not in values:
            return None
        try:
            return read_duration(values[key])
        except ValueError as error:
            self.note(f"{path}.{key}", str(error))
            return None

    def number(self, values: Mapping[str, Any], key: str, path: str, low: int, high: int) -> int | None:
        """Read a whole number within bounds; None, noted, for anything else."""
        value = values.get(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.note(f"{path}.{key}", f"{shorten(value)} must be a whole number from {low} to {high}")
        return None

    def truth(self, values: Mapping[str, Any], key: str, path: str) -> bool | None:
        """Read true or false; None, noted, for anything else."""
        value = values.get(key)
        if value is None or isinstance(value, bool):
            return value
        self.note(f"{path}.{key}", f"{shorten(value)} must be true or false")
        return None

    def text(self, values: Mapping[str, Any], key: str, path: str) -> str | None:
        """Read a text; None, noted, for anything else."""
        value = values.get(key)
        if value is None or (isinstance(value, str) and len(value) <= NOTE_LIMIT):
            return value
        if isinstance(value, str):
            self.note(f"{path}.{key}", f"{len(value):,} letters are more than a message has, {NOTE_LIMIT:,}")
            return None
        self.note(f"{path}.{key}", f"{shorten(value)} must be text; put it in quotes")
        return None

    def amount(
        self, values: Mapping[str, Any], key: str, path: str, convert: Callable[[Any], int]
    ) -> int | None:
        """Read a quantity by `convert`; None, noted, where that raises ValueError."""
        if key not in values:
            return None
        try:
            return convert(values[key])
        except (ValueError, TypeError):
            self.note(
                f"{path}.{key}", f"{shorten(values[key])} is not a quantity; write for example 100m or 64Mi"
            )
            return None


def read_behavior(parsed: Any, path: str) -> Reading:
    """Read the annotation's value: container names to behaviours."""
    reader = Reader()
    if not isinstance(parsed, dict):
        reader.note(path, f"{shorten(parsed)} must map container names to behaviours")
        return Reading({}, tuple(reader.problems))
    behaviors = {str(name): read_declared(reader, value, f"{path}.{name}") for name, value in parsed.items()}
    return Reading(behaviors, tuple(reader.problems))


PARTS = ("pull", "start", "runs", "listens", "onTerm", "creates", "probes", "preStop", "postStart", "usage")
"""What may be said of a container's behaviour."""


def read_declared(reader: Reader, value: Any, path: str) -> Declared:
    """Read the behaviour of one container."""
    given = reader.mapping(value, path, PARTS)

    def part(key: str, read: Callable[[Reader, Any, str], _T]) -> _T | None:
        return read(reader, given[key], f"{path}.{key}") if key in given else None

    return Declared(
        pull=part("pull", _read_pull),
        start=part("start", _read_start),
        runs=part("runs", _read_runs) or None,
        on_term=part("onTerm", _read_term),
        probes=part("probes", _read_probes),
        pre_stop=part("preStop", _read_hook),
        post_start=part("postStart", _read_hook),
        usage=part("usage", _read_usage) or None,
        listens_after=part("listens", _read_listens),
        creates=part("creates", _read_created),
    )


def _read_created(reader: Reader, value: Any, path: str) -> tuple[str, ...]:
    """The objects that a program makes, each as JSON: a manifest's text, or the object itself.

    What is wrong with one beyond its head is for the API server to say when it is made.
    """
    if isinstance(value, list) and len(value) > MOST_OBJECTS:
        reader.note(path, f"{len(value)} objects are too many: {MOST_OBJECTS} at most")
        return ()
    return reader.entries(value, path, lambda entry, where: _read_object(reader, entry, where))


def _read_object(reader: Reader, value: Any, path: str) -> str | None:
    if isinstance(value, str):
        try:
            value = read_text(value)
        except ValueError as error:
            reader.note(path, str(error))
            return None
    if not isinstance(value, dict):
        reader.note(path, f"{shorten(value)} must be a manifest, for example {_OBJECT}")
        return None
    return json.dumps(value) if _has_head(reader, value, path) else None


def _has_head(reader: Reader, data: dict[str, Any], path: str) -> bool:
    metadata = data.get("metadata")
    if not isinstance(metadata, dict | None):
        reader.note(f"{path}.metadata", f"{shorten(metadata)} must be a mapping with a name")
        return False
    named = metadata or {}
    head = {
        "apiVersion": data.get("apiVersion"),
        "kind": data.get("kind"),
        "metadata.name": named.get("name"),
    }
    # Only where it is said.
    head |= {"metadata.namespace": named["namespace"]} if named.get("namespace") is not None else {}
    wrong = {field: one for field, one in head.items() if not isinstance(one, str) or not one}
    for field, one in wrong.items():
        said = "required" if one is None else f"{shorten(one)} must be text"
        reader.note(f"{path}.{field}", f"{said}; write for example {_OBJECT}")
    return not wrong


def _read_tries(
    reader: Reader, value: Any, path: str, meant: tuple[str, ...], example: str
) -> tuple[Duration | None, str | None, int | None]:
    """`meant`: what the error may mean for its pod. A word for something else would be shown in turns with
    what the kubelet says of the pause after it."""
    given = reader.mapping(value, path, ("takes", "error", "times"))
    if "times" in given and "error" not in given:
        reader.note(f"{path}.times", "counts errors; give error as well")
    error = given.get("error")
    if isinstance(error, str) and error and find_meaning(error).state not in meant:
        reader.note(f"{path}.error", f"{error} is no reason of this step; write for example {example}")
    return (
        reader.duration(given, "takes", path),
        reader.text(given, "error", path),
        reader.number(given, "times", path, 0, 1_000_000),
    )


def _read_pull(reader: Reader, value: Any, path: str) -> PullPlan:
    return PullPlan(*_read_tries(reader, value, path, (STUCK,), ERR_IMAGE_PULL))


def _read_start(reader: Reader, value: Any, path: str) -> StartPlan:
    return StartPlan(*_read_tries(reader, value, path, (STUCK, CRASHING), RUN_CONTAINER_ERROR))


def _read_runs(reader: Reader, value: Any, path: str) -> tuple[RunPlan, ...]:
    return reader.entries(value, path, lambda entry, where: _read_run(reader, entry, where))


def _read_run(reader: Reader, value: Any, path: str) -> RunPlan | None:
    given = reader.mapping(value, path, ("for", "forever", "exit", "reason"))
    code = reader.number(given, "exit", path, 0, 255)
    reason = reader.text(given, "reason", path)
    if given.get("forever") is True:
        if len(given) > 1:
            reader.note(path, "a run that lasts forever has no for, exit or reason")
        return RunPlan()
    if "forever" in given and given["forever"] is not False:
        reader.note(f"{path}.forever", f"{shorten(given['forever'])} must be true or false")
    if "for" not in given and "exit" not in given:
        reader.note(path, "say how the run ends, for example {for: 20s, exit: 1}, or {forever: true}")
        return None
    return RunPlan(reader.duration(given, "for", path) or NOTHING, code or 0, reason)


def _read_term(reader: Reader, value: Any, path: str) -> TermPlan:
    given = reader.mapping(value, path, ("takes", "exit", "ignore", "accepts", "finishes"))
    if given.get("ignore") is True:
        if len(given) > 1:
            reader.note(path, "a process that ignores TERM has no takes, exit, accepts or finishes")
        return TermPlan(ignore=True)
    reader.truth(given, "ignore", path)
    return TermPlan(
        reader.duration(given, "takes", path) or NOTHING,
        reader.number(given, "exit", path, 0, 255) or 0,
        accepts=bool(reader.truth(given, "accepts", path)),
        finishes=reader.truth(given, "finishes", path) is not False,
    )


def _read_listens(reader: Reader, value: Any, path: str) -> Duration | None:
    given = reader.mapping(value, path, ("after",))
    if "after" not in given:
        reader.note(path, "say when it takes connections, for example {after: 8s}")
    return reader.duration(given, "after", path)


def _read_hook(reader: Reader, value: Any, path: str) -> HookPlan:
    given = reader.mapping(value, path, ("takes", "exit"))
    takes = reader.duration(given, "takes", path) or NOTHING
    return HookPlan(takes, reader.number(given, "exit", path, 0, 255) or 0)


def _read_probes(reader: Reader, value: Any, path: str) -> dict[str, tuple[ProbePoint, ...]]:
    given = reader.mapping(value, path, PROBE_TYPES)
    points = {
        probe_type: reader.entries(
            entries, f"{path}.{probe_type}", lambda entry, where: _read_point(reader, entry, where)
        )
        for probe_type, entries in given.items()
    }
    return {probe_type: found for probe_type, found in points.items() if found}


def _read_point(reader: Reader, value: Any, path: str) -> ProbePoint | None:
    given = reader.mapping(value, path, ("at", "result", "message"))
    at = reader.duration(given, "at", path) or NOTHING
    if given.get("result") not in RESULTS:
        reader.note(f"{path}.result", f"{shorten(given.get('result'))} must be one of {', '.join(RESULTS)}")
        return None
    return ProbePoint(at, given["result"], reader.text(given, "message", path))


def _read_usage(reader: Reader, value: Any, path: str) -> tuple[UsagePoint, ...]:
    return reader.entries(value, path, lambda entry, where: _read_usage_point(reader, entry, where))


def _read_usage_point(reader: Reader, value: Any, path: str) -> UsagePoint:
    given = reader.mapping(value, path, ("at", "cpu", "memory"))
    return UsagePoint(
        reader.duration(given, "at", path) or NOTHING,
        reader.amount(given, "cpu", path, cpu_milli),
        reader.amount(given, "memory", path, whole),
    )
