"""What people see of any object: kubectl's columns, the row that lists show, and what its writes tell."""

from __future__ import annotations

from typing import Any

from ..objects.meta import StoredObject
from ..objects.workloads.controller_revision import ControllerRevision
from ..objects.workloads.deployment import REVISION
from ..rules.columns.ages import Ages
from ..rules.columns.column import Row, add_name
from .entry import Json
from .registry import entry_of, entry_of_json


def decide_columns(data: Json, now_ms: int, *, epoch_ms: int = 0, wide: bool = False) -> dict[str, Any]:
    """The columns of one object by their headings, in kubectl's order. Counts are integers, all else is text.

    `data` is the API form with its `kind`; without `apiVersion` it is a registered kind.
    """
    row = Row(data, Ages(now_ms, epoch_ms), wide)
    shown = [column for column in add_name(entry_of_json(data).columns) if wide or not column.priority]
    return {column.name.upper(): _as_text(column.fill(row)) for column in shown}


def _as_text(cell: Any) -> Any:
    """A cell as kubectl prints it: a bool is `true` or `false`."""
    return str(cell).lower() if isinstance(cell, bool) else cell


def summarize(obj: StoredObject) -> dict[str, Any]:
    """The row kept of every object, also after its end. Instants in ms; `deleted_ms` is the caller's to set.

    `owner`: `ReplicaSet/web-…` or None. What a kind does not have is None.
    """
    subject = obj.subject
    summary: dict[str, Any] = {
        "uid": subject.uid,
        "kind": subject.kind,
        "namespace": subject.namespace,
        "name": subject.name,
        "owner": subject.owner,
        "node": None,
        "state": None,
        "phase": None,
        "status": None,
        "ready": None,
        "restarts": None,
        "revision": read_revision(obj),
        "created_ms": obj.meta.creation_ms,
        "deleted_ms": None,
        "rv": obj.resource_version,
        "group": subject.group,
    }
    summary.update(entry_of(obj.kind).summarize(obj))
    return summary


def read_revision(obj: StoredObject) -> int | None:
    """The revision of a rollout that an object is of; None where it says none."""
    if isinstance(obj, ControllerRevision):
        return obj.revision
    text = obj.meta.annotations.get(REVISION, "")
    return int(text) if text.isdigit() else None
