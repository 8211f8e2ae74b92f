"""Graceful deletion: a mark and a period for pods, finalizers for all (POD-TERM-02 to 04, FORCE-02)."""

from __future__ import annotations

from ..heart.errors import BadRequest
from ..objects.meta import StoredObject
from ..objects.pod import Pod
from ..objects.propagation import FINALIZERS, PROPAGATIONS
from ..rules.grace import decide_deletion_grace_seconds, decide_shortened_grace_seconds
from .context import Context


def delete_object(context: Context, old: StoredObject, propagation: str | None) -> StoredObject:
    """Delete what is no pod: at once, or marked for as long as finalizers keep it.

    Returns the object as it is now, or as it last was.
    """
    meta = old.meta
    finalizers = meta.finalizers
    added = FINALIZERS.get(propagation or "")
    if added is not None and added not in finalizers and meta.deletion_ms is None:
        finalizers = (*finalizers, added)
    if not finalizers:
        context.store.remove(old)
        return old
    if meta.deletion_ms is not None:
        return old
    new = old.replace(
        meta=meta.replace(
            finalizers=finalizers,
            deletion_ms=context.clock.now_ms,
            deletion_grace_seconds=0,
            generation=meta.generation + 1,
        )
    )
    context.store.update(old, new)
    return new


def delete_pod(context: Context, pod: Pod, requested: int | None, has_options: bool) -> Pod:
    """Delete a pod: part A of the grace arithmetic, then the mark or the end.

    `requested`: the seconds that were asked for, None for the pod's own.
    """
    if pod.meta.deletion_ms is not None:
        return _delete_again(context, pod, requested)
    seconds = decide_deletion_grace_seconds(
        requested,
        pod.spec.termination_grace_seconds,
        is_bound=bool(pod.node_name),
        phase=pod.status.phase,
        has_options=has_options,
    )
    if not seconds and not pod.meta.finalizers:
        # The mark is never stored, but the history tells that the deletion was asked for.
        context.store.set_deletion_stage(pod, "requested")
        context.store.remove(pod)
        return pod
    return _mark(context, pod, seconds or 0)


def _delete_again(context: Context, pod: Pod, requested: int | None) -> Pod:
    # A period that runs is shortened or stays; it never grows.
    seconds = decide_shortened_grace_seconds(pod.meta.deletion_grace_seconds, requested)
    if seconds is None:
        return pod
    if seconds == 0 and not pod.meta.finalizers:
        context.store.remove(pod)
        return pod
    return _mark(context, pod, seconds)


def _mark(context: Context, pod: Pod, grace_seconds: int) -> Pod:
    new = pod.replace(
        meta=pod.meta.replace(
            deletion_ms=context.clock.now_ms + grace_seconds * 1000,
            deletion_grace_seconds=grace_seconds,
            generation=pod.meta.generation + 1,
        )
    )
    context.store.update(pod, new)
    return new


def finish_deletion(context: Context, new: StoredObject) -> StoredObject:
    """After a write: the last finalizer of a deleted object takes it along; a pod's grace must be over."""
    meta = new.meta
    is_over = not isinstance(new, Pod) or not meta.deletion_grace_seconds
    if meta.deletion_ms is not None and not meta.finalizers and is_over:
        context.store.remove(new)
    return new


def check_propagation(propagation: str | None) -> None:
    """Raise BadRequest for a propagation policy that Kubernetes has not."""
    if propagation is not None and propagation not in PROPAGATIONS:
        raise BadRequest(f"propagationPolicy {propagation!r}: use Background, Foreground or Orphan")
