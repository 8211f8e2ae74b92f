"""Lanes: all values that one field of one object takes in a run, in order and with their instants.

    sequence: pod/web phase
    is: [0s Pending, 3s Running]

A name that ends in `*` stands for the objects whose names begin so: those that a workload has named.
The field is one of the trace's, or `starts.<container>` (each start) or `events` (their reasons).
A container's state is written `Waiting/reason`, `Running` or `Terminated/reason/exit code`, a condition that
is not True `False/reason`, true and false as in JSON, and what is no more `none`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lifecycle.engine.heart.timing import read_duration_ms
from lifecycle.engine.heart.trace import EventRow, Row, Transition
from lifecycle.engine.kinds.registry import find_kind
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.input.expressions import ExpressionError
from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

EVENTS, STARTS = "events", "starts."
FORM = 'write "pod/web phase", "pod/web container.app.state" or "pod/web -n shop condition.Ready"'
_SUBJECT = late_pattern(
    r"(?P<kind>[A-Za-z][\w.-]*)/(?P<name>\S+)(\s+-n\s+(?P<namespace>\S+))?\s+(?P<field>\S+)"
)

_NEVER_RAN = ("StartError", "ContainerStatusUnknown", "RestartingAllContainers")

Entry = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Lane:
    """Of one object, by (id of the kind, namespace, name), one field."""

    key: tuple[str, str, str]
    field: str

    def read(self, row: Row) -> Entry | None:
        """The instant and value that a row adds; None for a row of something else."""
        subject = row.subject
        kind, namespace, name = self.key
        if kind_id(subject.group, subject.kind) != kind or (subject.namespace or "") != namespace:
            return None
        is_named = subject.name.startswith(name[:-1]) if name.endswith("*") else subject.name == name
        if not is_named:
            return None
        if isinstance(row, EventRow):
            return (row.at_ms, row.reason) if self.field == EVENTS else None
        if self.field.startswith(STARTS):
            is_state = row.field == f"container.{self.field.removeprefix(STARTS)}.state"
            return (row.at_ms, "") if is_state and _tells_start(row) else None
        return (row.at_ms, show(row)) if row.field == self.field else None


def _tells_start(row: Transition) -> bool:
    """Whether a container's state tells that it has begun to run, or that it has, and is over already."""
    if row.new == "Running":
        return True
    return row.new == "Terminated" and row.old != "Running" and row.reason not in _NEVER_RAN


def show(row: Transition) -> str:
    """A row's value with what belongs to it."""
    new = row.new
    parts = ["none" if new is None else str(new).lower() if isinstance(new, bool) else str(new)]
    is_state = row.field.startswith("container.") and row.field.endswith(".state")
    if row.reason and (is_state or row.field.startswith("condition.")) and new != "True":
        parts.append(row.reason)
    if is_state and new == "Terminated":
        parts.append(str((row.detail or {}).get("exitCode")))
    return "/".join(parts)


def read_lane(text: Any) -> Lane:
    """`pod/web phase`. Raises ExpressionError."""
    found = _SUBJECT.fullmatch(text.strip()) if isinstance(text, str) else None
    kind = find_kind(found["kind"]) if found else None
    if found is None or kind is None:
        raise ExpressionError(f'"{text}" is not the lane of an object; {FORM}')
    namespace = (found["namespace"] or "default") if kind.namespaced else ""
    return Lane((kind.id, namespace, found["name"]), found["field"])


def read_entry(text: Any) -> Entry:
    """`3s Running`, or `3s` of a start. Raises ExpressionError."""
    words = str(text).split(maxsplit=1)
    at_ms = read_duration_ms(words[0]) if words and not words[0].isdigit() else None
    if at_ms is None:
        raise ExpressionError(f'"{text}" is not an instant and a value, such as "3s Running"')
    return at_ms, words[1].strip() if len(words) > 1 else ""


def find_difference(wanted: Sequence[Entry], seen: Sequence[Entry], has_times: bool = True) -> str | None:
    """Where a lane departs from what it must be; None when it does not.

    Without `has_times` latencies have moved every instant. Then the values must come in their order: all of
    them, with others that have become visible between them, or as many as there was time for, the first at
    least.
    """
    if not has_times and _is_in_order([value for _, value in wanted], [value for _, value in seen]):
        return None
    for number in range(max(len(wanted), len(seen))):
        one = wanted[number] if number < len(wanted) else None
        other = seen[number] if number < len(seen) else None
        is_same = one is not None and other is not None and one[1] == other[1]
        if not is_same or (has_times and one != other):
            return f"entry {number + 1} must be {_write(one)}, but is {_write(other)}"
    return None


def _is_in_order(wanted: list[str], seen: list[str]) -> bool:
    rest = iter(seen)
    return (bool(seen) and seen == wanted[: len(seen)]) or all(value in rest for value in wanted)


def _write(entry: Entry | None) -> str:
    if entry is None:
        return "absent"
    at_ms, value = entry
    time = f"{at_ms // 1000}s" if at_ms % 1000 == 0 else f"{at_ms}ms"
    return f'"{time} {value}"' if value else f'"{time}"'


def take_rows(rows: Iterable[Row], lanes: dict[Lane, list[Entry]]) -> None:
    """Add rows to the lanes they belong to."""
    for row in rows:
        for lane, entries in lanes.items():
            entry = lane.read(row)
            if entry is not None:
                entries.append(entry)
