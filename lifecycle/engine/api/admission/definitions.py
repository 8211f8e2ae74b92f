"""Deletion of a CustomResourceDefinition: its finalizer stays until the objects of its kind are deleted."""

from __future__ import annotations

from ...objects.meta import StoredObject
from ...objects.times import format_time
from ...rules.custom_resources.conditions import PENDING, with_condition
from ...rules.custom_resources.definition import CLEANUP_FINALIZER, TERMINATING
from ..context import Context


def delete_definition(context: Context, old: StoredObject) -> StoredObject:
    """Mark a definition; one that is marked already stays as it is."""
    meta, clock = old.meta, context.clock
    if meta.deletion_ms is not None:
        return old
    finalizers = tuple(dict.fromkeys((*meta.finalizers, CLEANUP_FINALIZER)))
    now = format_time(clock.now_ms, clock.epoch_ms)
    new = old.replace(
        meta=meta.replace(deletion_ms=clock.now_ms, finalizers=finalizers),
        status=with_condition(old.status, TERMINATING, "True", *PENDING, now),
    )
    context.store.update(old, new)
    return new
