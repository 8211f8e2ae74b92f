"""The garbage collector: dependents follow their owners.

Background: the owner is gone, its dependents are deleted. Foreground: the owner waits, with a finalizer,
until the dependents that block it are gone. Orphan: the owner waits until its dependents have let go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..api.context import Context
from ..objects.meta import OwnerReference, StoredObject
from ..objects.pod import Pod
from ..rules.actions import Action, Delete, DeletePod, Update

FOREGROUND_FINALIZER = "foregroundDeletion"
ORPHAN_FINALIZER = "orphan"
BACKGROUND, FOREGROUND, ORPHAN = "Background", "Foreground", "Orphan"

Act = Callable[[Action], None]


# --- deciding ---------------------------------------------------------------------------------------------


def is_waiting_for_dependents(owner: StoredObject) -> bool:
    """Whether it is being deleted in the foreground."""
    return owner.meta.deletion_ms is not None and FOREGROUND_FINALIZER in owner.meta.finalizers


def is_orphaning(owner: StoredObject) -> bool:
    """Whether its dependents are to be let go before it disappears."""
    return owner.meta.deletion_ms is not None and ORPHAN_FINALIZER in owner.meta.finalizers


def decide_dependent(
    dependent: StoredObject, absent: Collection[str], waiting: Collection[str], has_dependents: bool
) -> Action | None:
    """What becomes of an object some of whose owners, by uid, are absent or wait for it to go.

    As long as one owner stays, only the references to the others are dropped.
    """
    meta = dependent.meta
    doomed = [entry for entry in meta.owner_references if entry.uid in absent or entry.uid in waiting]
    if not doomed or meta.deletion_ms is not None:
        return None
    if len(doomed) < len(meta.owner_references):
        kept = tuple(entry for entry in meta.owner_references if entry not in doomed)
        return _with_owners(dependent, kept)
    if isinstance(dependent, Pod):
        return DeletePod(dependent)
    if waiting and has_dependents:
        # An owner in the foreground waits for the whole tree below it.
        return Delete(dependent, FOREGROUND)
    return Delete(dependent, _own_policy(dependent))


def _own_policy(dependent: StoredObject) -> str:
    if ORPHAN_FINALIZER in dependent.meta.finalizers:
        return ORPHAN
    return FOREGROUND if FOREGROUND_FINALIZER in dependent.meta.finalizers else BACKGROUND


def decide_release(dependent: StoredObject, owner_uid: str) -> Action | None:
    """Let a dependent go from an owner that leaves it behind."""
    kept = tuple(entry for entry in dependent.meta.owner_references if entry.uid != owner_uid)
    return _with_owners(dependent, kept) if len(kept) < len(dependent.meta.owner_references) else None


def _with_owners(dependent: StoredObject, references: tuple[OwnerReference, ...]) -> Action:
    return Update(dependent.replace(meta=dependent.meta.replace(owner_references=references)))


def is_blocking(dependent: StoredObject, owner_uid: str) -> bool:
    """Whether a dependent keeps its owner from disappearing in the foreground."""
    return any(
        entry.uid == owner_uid and entry.block_owner_deletion for entry in dependent.meta.owner_references
    )


def decide_finish(owner: StoredObject, finalizer: str) -> Action:
    """Take off the finalizer: nothing holds the owner any more."""
    kept = tuple(entry for entry in owner.meta.finalizers if entry != finalizer)
    return Update(owner.replace(meta=owner.meta.replace(finalizers=kept)))


# --- observing and acting ---------------------------------------------------------------------------------


class GarbageCollector:
    """Keys are uids: of owners that go or have gone, and of objects that name an owner that never was."""

    name = "garbage"

    def __init__(self, context: Context, act: Act) -> None:
        self._context = context
        self._store = context.store
        self._act = act
        context.loop.register(self.name, self.sync, "garbage")
        context.store.listen_to_shape("", self._on_change, is_told_of_readiness=False)

    def restore(self) -> None:
        """Nothing is derived."""

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and new is not None and old.meta is new.meta:
            return
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self._on_end(old)
            return
        if is_waiting_for_dependents(new) or is_orphaning(new):
            self._enqueue(new.meta.uid)
        if old is None or old.meta.owner_references is not new.meta.owner_references:
            for entry in new.meta.owner_references:
                if self._store.find(entry.uid) is None:
                    self._enqueue(new.meta.uid)
            self._on_owners_change(old, new)

    def _on_end(self, gone: StoredObject) -> None:
        if self._store.index.children.get(gone.meta.uid):
            self._enqueue(gone.meta.uid)
        self._on_owners_change(gone, None)

    def _on_owners_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """An owner that waits for its dependents looks again when one has left it."""
        for entry in old.meta.owner_references if old is not None else ():
            owner = self._store.find(entry.uid)
            if owner is not None and owner.meta.deletion_ms is not None:
                self._enqueue(entry.uid)

    def _enqueue(self, uid: str) -> None:
        self._context.loop.enqueue(self.name, "", uid)

    def sync(self, namespace: str, uid: str) -> None:
        """Look at one uid: as an owner, present or gone, and as a dependent."""
        owner = self._store.find(uid)
        if owner is not None and is_orphaning(owner):
            self._orphan(owner)
            return
        if owner is None or is_waiting_for_dependents(owner):
            for dependent in self._children(uid):
                self._judge(dependent)
        if owner is None:
            return
        self._judge(owner)
        if is_waiting_for_dependents(owner):
            left = [entry for entry in self._children(uid) if is_blocking(entry, uid)]
            if not left:
                self._act(decide_finish(owner, FOREGROUND_FINALIZER))

    def _orphan(self, owner: StoredObject) -> None:
        for dependent in self._children(owner.meta.uid):
            action = decide_release(dependent, owner.meta.uid)
            if action is not None:
                self._act(action)
        self._act(decide_finish(owner, ORPHAN_FINALIZER))

    def _judge(self, dependent: StoredObject) -> None:
        absent, waiting = [], []
        for entry in dependent.meta.owner_references:
            owner = self._store.find(entry.uid)
            if owner is None:
                absent.append(entry.uid)
            elif is_waiting_for_dependents(owner) and entry.block_owner_deletion:
                waiting.append(entry.uid)
        has_dependents = bool(self._store.index.children.get(dependent.meta.uid))
        action = decide_dependent(dependent, absent, waiting, has_dependents)
        if action is not None:
            self._act(action)

    def _children(self, uid: str) -> list[StoredObject]:
        """Dependents of an owner, oldest first whatever order they came to it in."""
        children = self._store.index.children.get(uid, ())
        found = [entry for entry in map(self._store.find, children) if entry is not None]
        return sorted(found, key=lambda entry: (entry.meta.creation_ms or 0, entry.meta.name))
