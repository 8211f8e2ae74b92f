"""What becomes of a definition: its names, whether it is established, and its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.meta import StoredObject
from ...rules.actions import Action, Delete, Update
from ...rules.custom_resources.conditions import find_condition, is_true, with_condition
from ...rules.custom_resources.definition import (
    CLEANUP_FINALIZER,
    ESTABLISHED,
    NAMES_ACCEPTED,
    TERMINATING,
)

Json = dict[str, Any]
_ACCEPTED = "the initial names have been accepted"


@dataclass(frozen=True, slots=True)
class Taken:
    """Names that other definitions of the group have: of resources, and of kinds."""

    resources: frozenset[str]
    kinds: frozenset[str]


def list_taken(others: Iterable[StoredObject]) -> Taken:
    """What other definitions of a group were granted."""
    resources: set[str] = set()
    kinds: set[str] = set()
    for one in others:
        names = (one.status or {}).get("acceptedNames") or {}
        resources |= {
            names.get("plural") or "",
            names.get("singular") or "",
            *(names.get("shortNames") or ()),
        }
        kinds |= {names.get("kind") or "", names.get("listKind") or ""}
    return Taken(frozenset(resources - {""}), frozenset(kinds - {""}))


def decide_names(definition: StoredObject, taken: Taken, now: str) -> list[Action]:
    """Grant the names nobody else has, and say so; the first conflict that is found last is told."""
    wanted, status = definition.spec["names"], definition.status or {}
    granted = status.get("acceptedNames") or {}
    if wanted == granted:
        return []
    names, problem = _grant(wanted, granted, taken)
    reason, message = problem or ("NoConflicts", "no conflicts found")
    state = "False" if problem else "True"
    before = find_condition(status, NAMES_ACCEPTED) or {}
    is_told = (before.get("status"), before.get("reason"), before.get("message")) == (state, reason, message)
    if names == granted and is_told:
        return []
    told = with_condition({**status, "acceptedNames": names}, NAMES_ACCEPTED, state, reason, message, now)
    if not is_true(told, ESTABLISHED):
        why = ("NotAccepted", "not all names are accepted") if problem else ("Installing", _ACCEPTED)
        told = with_condition(told, ESTABLISHED, "False", *why, now)
    return [Update(definition.replace(status=told))]


def _grant(wanted: Json, granted: Json, taken: Taken) -> tuple[Json, tuple[str, str] | None]:
    names, problem = dict(granted), None
    for field, reason, others in (
        ("plural", "PluralConflict", taken.resources),
        ("singular", "SingularConflict", taken.resources),
        ("shortNames", "ShortNamesConflict", taken.resources),
        ("kind", "KindConflict", taken.kinds),
        ("listKind", "ListKindConflict", taken.kinds),
    ):
        asked, had = _as_list(wanted.get(field)), _as_list(granted.get(field))
        refused = [name for name in asked if name not in had and name in others]
        if refused:
            texts = [f'"{name}" is already in use' for name in refused]
            problem = reason, texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        elif field in wanted:
            names[field] = wanted[field]
    if wanted.get("categories"):
        names["categories"] = wanted["categories"]
    return names, problem


def _as_list(value: Any) -> list[str]:
    return list(value) if isinstance(value, list) else [value] if value else []


def decide_established(definition: StoredObject, now: str) -> list[Action]:
    """Have a definition whose names are granted be served."""
    status = definition.status
    if not is_true(status, NAMES_ACCEPTED) or is_true(status, ESTABLISHED):
        return []
    told = with_condition(status, ESTABLISHED, "True", "InitialNamesAccepted", _ACCEPTED, now)
    return [Update(definition.replace(status=told))]


def is_ending(definition: StoredObject) -> bool:
    """Whether its objects still have to be deleted."""
    return definition.meta.deletion_ms is not None and CLEANUP_FINALIZER in definition.meta.finalizers


def decide_deletions(definition: StoredObject, objects: Sequence[StoredObject], now: str) -> list[Action]:
    """Say that its objects are being deleted, and delete them."""
    words = ("InstanceDeletionInProgress", "CustomResource deletion is in progress")
    before = find_condition(definition.status, TERMINATING) or {}
    told: list[Action] = []
    if before.get("reason") != words[0]:
        status = with_condition(definition.status, TERMINATING, "True", *words, now)
        told.append(Update(definition.replace(status=status)))
    return told + [Delete(one) for one in objects if one.meta.deletion_ms is None]


def decide_end(definition: StoredObject, now: str) -> Action:
    """Let it go: nothing is left of its kind."""
    words = ("InstanceDeletionCompleted", "removed all instances")
    if not is_true(definition.status, ESTABLISHED):
        words = ("NeverEstablished", "resource was never established")
    status = with_condition(definition.status, TERMINATING, "False", *words, now)
    finalizers = tuple(one for one in definition.meta.finalizers if one != CLEANUP_FINALIZER)
    return Update(definition.replace(meta=definition.meta.replace(finalizers=finalizers), status=status))
