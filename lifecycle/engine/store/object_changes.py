"""From a write to an object that is no pod to its rows: conditions, numbers of the status, and so on.

A changed message alone is no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import compress
from operator import ne
from typing import Any

from ..heart.trace import Change
from ..kinds.presentation import read_revision
from ..kinds.registry import entry_of
from ..objects.condition import Condition
from ..objects.meta import StoredObject
from ..objects.node import Node
from ..objects.record import content_of
from ..objects.workloads.workload import Workload, WorkloadStatus
from .transitions import CONDITION_ORDER

Readings = dict[str, tuple[Any, str | None, str | None]]
"""What an object's rows are made of, by field: value, reason, message."""
Fields = tuple[tuple[str, bool], ...]
"""Names of fields, and whether each is told when it is 0."""


def object_changes(old: StoredObject | None, new: StoredObject) -> list[Change]:
    """What any other write changed: existence, conditions, integers of the status, revision, and so on."""
    if old is None:
        return [("exists", None, "created", None, None, None), *_compare({}, _readings(new))]
    if old.status is new.status:
        return _compare(_read_spec_fields(old), _read_spec_fields(new))
    if old.spec is not new.spec or old.meta is not new.meta:
        return _compare(_readings(old), _readings(new))
    # Mostly a status alone has changed.
    if isinstance(old, Workload) and isinstance(new, Workload) and old.status.extra == new.status.extra:
        return _typed_changes(old.status, new.status)
    return _compare(*_status_readings(old, new))


def _compare(before: Readings, after: Readings) -> list[Change]:
    found: list[Change] = []
    changed = [field for field in before.keys() | after.keys() if before.get(field) != after.get(field)]
    for field in sorted(changed, key=_field_rank):
        was, is_now = before.get(field), after.get(field)
        value, reason, message = is_now or (None, None, None)
        default = 0 if field != "revision" and _is_integer_field(was, is_now) else None
        if was is None and value == default and reason is None:
            continue
        old_value = was[0] if was else default
        new_value = default if is_now is None else value
        found.append((field, old_value, new_value, reason, message, None))
    return found


def _is_integer_field(was: Any, is_now: Any) -> bool:
    value = (is_now or was)[0]
    return isinstance(value, int) and not isinstance(value, bool)


def _field_rank(field: str) -> tuple[int, int, str]:
    if field.startswith("condition."):
        return (0, CONDITION_ORDER.get(field[10:], 9), field)
    return (1, 0, field)


def _status_readings(old: StoredObject, new: StoredObject) -> tuple[Readings, Readings]:
    """What rows are made of before and after a write to the status alone, as far as that has changed it."""
    was, now = old.status_json(), new.status_json()
    if not isinstance(was, dict) or not isinstance(now, dict):
        return _read_status(was, old), _read_status(now, new)
    changed = [name for name in now if name not in was or was[name] != now[name]]
    changed += [name for name in was if name not in now]
    before = {name: was[name] for name in changed if name in was}
    after = {name: now[name] for name in changed if name in now}
    return _read_status(before, old), _read_status(after, new)


def _typed_changes(old: WorkloadStatus, new: WorkloadStatus) -> list[Change]:
    """The same of typed statuses, which are compared field by field."""
    found: list[Change] = []
    if old.conditions is not new.conditions:
        found = _compare(_read_conditions(old.conditions), _read_conditions(new.conditions))
    fields, read = _fields_of(type(new))  # type: ignore[arg-type]
    before, after = read(old), read(new)
    # Of a dozen fields two or three have changed.
    for place in compress(range(len(fields)), map(ne, before, after)):
        (name, is_told_at_zero), was, is_now = fields[place], before[place], after[place]
        was_told = was or (was is not None and is_told_at_zero)
        is_told = is_now or (is_now is not None and is_told_at_zero)
        default = 0 if isinstance(is_now if is_told else was, int) else None
        if was_told or (is_told and is_now != default):
            told = is_now if is_told else default
            found.append((name, was if was_told else default, told, None, None, None))
    return found


@cache
def _fields_of(status: type[Any]) -> tuple[Fields, Callable[[WorkloadStatus], tuple[Any, ...]]]:
    """What rows tell of statuses of a class, in their order, and what reads all of it at once."""
    followed = sorted(status.FOLLOWED)
    fields = tuple((name, slot in status.TOLD_AT_ZERO) for name, slot in followed)
    return fields, content_of(tuple(slot for _name, slot in followed))


def _read_conditions(conditions: Iterable[Condition]) -> Readings:
    return {
        "condition." + one.type: (one.status, one.reason or None, _Message(one.message)) for one in conditions
    }


def _readings(obj: StoredObject | None) -> Readings:
    """What rows are made of, by field: (value, reason, message)."""
    if obj is None:
        return {}
    if isinstance(obj, Node):
        found = _read_status(obj.status.raw, obj) | _read_conditions(obj.status.conditions)
    else:
        found = _read_status(obj.status_json(), obj)
    return found | _read_spec_fields(obj)


def _read_status(status: Any, obj: StoredObject) -> Readings:
    found: Readings = {}
    if isinstance(status, dict):
        for name, value in status.items():
            if isinstance(value, int) and not isinstance(value, bool) and name != "observedGeneration":
                found[name] = (value, None, None)
        conditions = status.get("conditions")
        for entry in conditions if isinstance(conditions, list) else ():
            if isinstance(entry, dict):
                found["condition." + str(entry.get("type"))] = (
                    entry.get("status"),
                    entry.get("reason") or None,
                    _Message(entry.get("message") or ""),
                )
        for name in entry_of(obj.kind).status_rows:
            if name in status:
                found[name] = (status[name], None, None)
    return found


class _Message(str):
    """Text that does not count when two readings are compared."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str)

    def __hash__(self) -> int:
        return 0


def _read_spec_fields(obj: StoredObject) -> Readings:
    spec = obj.spec_json()
    rows = entry_of(obj.kind).list_rows(spec if isinstance(spec, dict) else {})
    found: Readings = {field: (value, None, None) for field, value in rows.items()}
    revision = read_revision(obj)
    if revision is not None:
        found["revision"] = (revision, None, None)
    return found
