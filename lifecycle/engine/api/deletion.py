"""Deletion: deletion timestamp and grace period of pods, finalizers of all (POD-TERM-02 to 04, FORCE-02)."""

from __future__ import annotations

from collections.abc import Mapping

from ..heart.errors import BadRequest, Conflict
from ..kinds.namespace import NAMESPACE
from ..kinds.plain import PRIORITY_CLASS
from ..kinds.registry import entry_of
from ..objects.meta import StoredObject
from ..objects.pods.pod import Pod
from ..objects.propagation import FINALIZERS, PROPAGATIONS
from ..objects.shortened import shorten
from ..rules.pods.grace import decide_deletion_grace_seconds, decide_shortened_grace_seconds
from ..rules.validation.classes import SYSTEM_CLASSES
from .admission.plugins import forbid
from .context import Context


def delete_object(context: Context, old: StoredObject, propagation: str | None) -> StoredObject:
    """Delete what is no pod: at once, or marked for as long as finalizers keep it.

    Where no `propagation` is asked for, the kind has its own.
    Returns the object as it is now, or as it last was.
    """
    meta = old.meta
    finalizers = _decide_finalizers(old, propagation)
    if not finalizers:
        context.store.remove(old)
        return old
    if meta.deletion_ms is not None and finalizers == meta.finalizers:
        return old
    marked = meta.replace(finalizers=finalizers)
    if meta.deletion_ms is None:
        generation = meta.generation and meta.generation + 1
        marked = marked.replace(
            deletion_ms=context.clock.now_ms, deletion_grace_seconds=0, generation=generation
        )
    new = old.replace(meta=marked)
    context.store.update(old, new)
    return new


def _decide_finalizers(old: StoredObject, propagation: str | None) -> tuple[str, ...]:
    """The finalizers of an object that is to be deleted, or is asked again to go.

    What it waits by is as the latest policy asks; where none is asked for, as it was, or as its kind has it.
    """
    before = old.meta.finalizers
    if propagation is None and any(one in FINALIZERS.values() for one in before):
        return before
    added = FINALIZERS.get(propagation or entry_of(old.kind).propagation or "")
    if not (before or added):
        return before
    kept = tuple(one for one in before if one not in FINALIZERS.values())
    wanted = (*kept, added) if added else kept
    return before if set(wanted) == set(before) else wanted


def delete_pod(
    context: Context, pod: Pod, requested: int | None, has_options: bool, propagation: str | None = None
) -> Pod:
    """Delete a pod: part A of the grace arithmetic, then the mark or the end.

    `requested`: the seconds that were asked for, None for the pod's own.
    """
    if pod.meta.deletion_ms is not None:
        return _delete_again(context, pod, requested, propagation)
    seconds = decide_deletion_grace_seconds(
        requested,
        pod.spec.termination_grace_seconds,
        is_bound=bool(pod.node_name),
        phase=pod.status.phase,
        has_options=has_options,
    )
    end_ms, generation = context.clock.now_ms + (seconds or 0) * 1000, pod.meta.generation + 1
    return _mark(context, pod, end_ms, seconds or 0, _decide_finalizers(pod, propagation), generation)


def _delete_again(context: Context, pod: Pod, requested: int | None, propagation: str | None) -> Pod:
    # A period that runs is shortened or stays; it never grows.
    meta, now_ms = pod.meta, context.clock.now_ms
    if not meta.deletion_grace_seconds:
        # Only finalizers hold it: what it waits by may change as that of any object.
        again = delete_object(context, pod, propagation)
        assert isinstance(again, Pod), pod.meta.name
        return again
    seconds = decide_shortened_grace_seconds(meta.deletion_grace_seconds, requested)
    if seconds is None:
        return pod
    # The new period counts from the first request. Asked for 30 s at 0:00 and for 5 s at 0:10, its end
    # would lie in the past: it is now then, and one second is left.
    end_ms = (meta.deletion_ms or now_ms) + (seconds - (meta.deletion_grace_seconds or 0)) * 1000
    if end_ms < now_ms:
        end_ms, seconds = now_ms, min(seconds, 1)
    return _mark(context, pod, end_ms, seconds, _decide_finalizers(pod, propagation), meta.generation)


def _mark(
    context: Context, pod: Pod, end_ms: int, grace_seconds: int, finalizers: tuple[str, ...], generation: int
) -> Pod:
    """Have a pod end. One with no time left and no finalizers goes at once, but its last version says so."""
    new = pod.with_meta(pod.meta.with_deletion(end_ms, grace_seconds, finalizers, generation))
    context.store.update(pod, new)
    finish_deletion(context, new)
    return new


def finish_deletion(context: Context, new: StoredObject) -> StoredObject:
    """After a write: the last finalizer of a deleted object takes it along.

    A pod's grace must be over, and of a namespace the finalizers in its spec gone.
    """
    meta = new.meta
    is_over = not meta.deletion_grace_seconds if isinstance(new, Pod) else not _is_held(new)
    if meta.deletion_ms is not None and not meta.finalizers and is_over:
        context.store.remove(new)
    return new


def _is_held(new: StoredObject) -> bool:
    return new.kind.id == NAMESPACE.kind.id and bool((new.spec or {}).get("finalizers"))


def check_propagation(propagation: str | None) -> None:
    """Raise BadRequest for a propagation policy that Kubernetes has not."""
    if propagation is not None and propagation not in PROPAGATIONS:
        raise BadRequest(f"propagationPolicy {shorten(propagation)}: use Background, Foreground or Orphan")


def check_mortal(old: StoredObject) -> None:
    """Raise Forbidden for a class that the system needs."""
    if old.kind.id == PRIORITY_CLASS.id and old.meta.name in SYSTEM_CLASSES:
        why = "this is a system priority class and cannot be deleted"
        forbid(why, old.kind, old.meta.name)


def check_preconditions(old: StoredObject, preconditions: Mapping[str, str]) -> None:
    """Raise Conflict when the object is not the one, or not the version, that is to be deleted."""
    wanted = preconditions.get("uid")
    if wanted is not None and wanted != old.meta.uid:
        raise _make_conflict(old, "UID", wanted, old.meta.uid, "deleted and then recreated")
    wanted, version = preconditions.get("resourceVersion"), str(old.resource_version)
    if wanted is not None and wanted != version:
        raise _make_conflict(old, "ResourceVersion", wanted, version, "modified")


def _make_conflict(old: StoredObject, what: str, wanted: str, found: str, cause: str) -> Conflict:
    # Kubernetes names the kind here, and not the resource.
    kind = old.kind
    resource = f"{kind.name}.{kind.group}" if kind.group else kind.name
    return Conflict(
        f'Operation cannot be fulfilled on {resource} "{old.meta.name}": the {what} in the precondition'
        f" ({wanted}) does not match the {what} in record ({found}). The object might have been {cause}",
        kind.name,
        old.meta.name,
        group=kind.group,
    )
