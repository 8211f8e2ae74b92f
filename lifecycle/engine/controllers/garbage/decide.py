"""What becomes of dependents whose owners go, and of owners that wait for their dependents."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lifecycle.lean_dataclasses import dataclass

from ...objects.meta import OwnerReference, StoredObject
from ...objects.pods.pod import Pod
from ...objects.propagation import BACKGROUND, FOREGROUND, FOREGROUND_FINALIZER, ORPHAN, ORPHAN_FINALIZER
from ...rules.actions import Action, Delete, DeletePod, RecordEvent, Update


def is_waiting_for_dependents(owner: StoredObject) -> bool:
    """Whether it is being deleted in the foreground."""
    return owner.meta.deletion_ms is not None and FOREGROUND_FINALIZER in owner.meta.finalizers


def is_orphaning(owner: StoredObject) -> bool:
    """Whether its dependents are to be let go before it disappears."""
    return owner.meta.deletion_ms is not None and ORPHAN_FINALIZER in owner.meta.finalizers


@dataclass(slots=True)
class SeenDependent:
    """An object with owners: uids of those that are absent, and of those that wait for it to go.

    `is_unclear`: an owner of it is of a kind that nobody knows, or one that it cannot have.
    `is_cyclic`: an object that it owns waits for its own dependents.
    """

    dependent: StoredObject
    absent: Collection[str] = ()
    waiting: Collection[str] = ()
    has_dependents: bool = False
    is_unclear: bool = False
    is_cyclic: bool = False


def decide_dependent(seen: SeenDependent) -> list[Action]:
    """What becomes of an object some of whose owners are absent or wait for it to go.

    As long as one owner stays, only the references to the others are dropped.
    """
    dependent, meta = seen.dependent, seen.dependent.meta
    doomed = [one for one in meta.owner_references if one.uid in seen.absent or one.uid in seen.waiting]
    if not doomed or meta.deletion_ms is not None or seen.is_unclear:
        return []
    if len(doomed) < len(meta.owner_references):
        return [_with_owners(dependent, tuple(one for one in meta.owner_references if one not in doomed))]
    if seen.waiting and seen.has_dependents:
        # An owner in the foreground waits for the whole tree below it, unless they wait for each other.
        freed = _unblocking(dependent) if seen.is_cyclic else dependent
        return [*([Update(freed)] if freed is not dependent else ()), Delete(freed, FOREGROUND)]
    if isinstance(dependent, Pod):
        return [DeletePod(dependent)]
    return [Delete(dependent, _own_policy(dependent))]


def decide_orphaning(owner: StoredObject, dependents: Sequence[StoredObject]) -> list[Action]:
    """Let all dependents of an owner go that leaves them behind, then the owner itself."""
    uid = owner.meta.uid
    actions: list[Action] = []
    for dependent in dependents:
        references = dependent.meta.owner_references
        kept = tuple(entry for entry in references if entry.uid != uid)
        if len(kept) < len(references):
            actions.append(_with_owners(dependent, kept))
    return [*actions, _without_finalizer(owner, ORPHAN_FINALIZER)]


def decide_waiting(owner: StoredObject, dependents: Sequence[StoredObject]) -> list[Action]:
    """An owner in the foreground goes once no dependent blocks it any more."""
    if not is_waiting_for_dependents(owner) or any(is_blocking(one, owner.meta.uid) for one in dependents):
        return []
    return [_without_finalizer(owner, FOREGROUND_FINALIZER)]


def _unblocking(dependent: StoredObject) -> StoredObject:
    references = tuple(one.replace(block_owner_deletion=False) for one in dependent.meta.owner_references)
    return dependent.replace(meta=dependent.meta.replace(owner_references=references))


def fits(reference: OwnerReference, owner: StoredObject, dependent: StoredObject) -> bool:
    """Whether a reference names the owner whose uid it has, in a namespace where it can be the owner."""
    meta, kind = owner.meta, owner.kind
    return (
        reference.name == meta.name
        and reference.kind == kind.name
        and meta.namespace in (None, dependent.meta.namespace)
        and reference.api_version == kind.api_version
    )


def decide_event(reference: OwnerReference, dependent: StoredObject, source: str) -> Action:
    """An owner in another namespace is none."""
    kind, namespace = f"{reference.api_version}/{reference.kind}", dependent.meta.namespace or ""
    which = f"[{kind}, namespace: {namespace}, name: {reference.name}, uid: {reference.uid}]"
    message = f'ownerRef {which} does not exist in namespace "{namespace}"'
    return RecordEvent(dependent, "Warning", "OwnerRefInvalidNamespace", message, source)


def _own_policy(dependent: StoredObject) -> str:
    if ORPHAN_FINALIZER in dependent.meta.finalizers:
        return ORPHAN
    return FOREGROUND if FOREGROUND_FINALIZER in dependent.meta.finalizers else BACKGROUND


def _with_owners(dependent: StoredObject, references: tuple[OwnerReference, ...]) -> Action:
    return Update(dependent.replace(meta=dependent.meta.replace(owner_references=references)))


def is_blocking(dependent: StoredObject, owner_uid: str) -> bool:
    """Whether a dependent keeps its owner from disappearing in the foreground."""
    return any(
        entry.uid == owner_uid and entry.block_owner_deletion for entry in dependent.meta.owner_references
    )


def _without_finalizer(owner: StoredObject, finalizer: str) -> Action:
    kept = tuple(entry for entry in owner.meta.finalizers if entry != finalizer)
    return Update(owner.replace(meta=owner.meta.replace(finalizers=kept)))
