"""Seeing whose owners have gone, and who waits for its dependents."""

from __future__ import annotations

from ...api.context import Context
from ...heart.timing import WRITES_A_LOOK
from ...kinds.registry import entry_of
from ...objects.kinds import kind_for
from ...objects.meta import OwnerReference, StoredObject
from ...store.audience import Useless
from ..act import Act
from ..loop_controller import LoopController
from ..owner.orphans import list_by_age
from .decide import (
    SeenDependent,
    decide_dependent,
    decide_event,
    decide_orphaning,
    decide_waiting,
    fits,
    is_orphaning,
    is_waiting_for_dependents,
)


class GarbageCollector(LoopController):
    """Keys are uids: of owners that go or have gone, and of objects that name an owner that never was."""

    name, source = "garbage", "garbage-collector-controller"
    gathers = "garbage"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._known: tuple[OwnerReference, StoredObject | None] | None = None
        context.store.listen_to_shape("", self._on_change, Useless.READINESS | Useless.BINDING)

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and new is not None and old.meta is new.meta:
            return
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self._on_end(old)
            return
        if new.meta.finalizers and (is_waiting_for_dependents(new) or is_orphaning(new)):
            self._enqueue(new.meta.uid)
        if old is None or old.meta.owner_references is not new.meta.owner_references:
            for entry in new.meta.owner_references:
                if not self._is_at_home(entry, new):
                    self._enqueue(new.meta.uid)
            if old is not None:
                self._on_left(old)

    def _is_at_home(self, entry: OwnerReference, new: StoredObject) -> bool:
        """Whether an owner is there, and can be the owner: pods of one come one after the other."""
        owner, known = self._store.find(entry.uid), self._known
        if known is not None and known[0] is entry and known[1] is owner:
            return True
        is_at_home = owner is not None and fits(entry, owner, new)
        # An entry that is shared is of objects of one namespace.
        self._known = (entry, owner) if is_at_home else None
        return is_at_home

    def _on_end(self, gone: StoredObject) -> None:
        if self._store.index.children.get(gone.meta.uid):
            self._enqueue(gone.meta.uid)
        self._on_left(gone)

    def _on_left(self, old: StoredObject) -> None:
        """An owner that waits for its dependents looks again when one has left it."""
        for entry in old.meta.owner_references:
            owner = self._store.find(entry.uid)
            if owner is not None and owner.meta.deletion_ms is not None:
                self._enqueue(entry.uid)

    def _enqueue(self, uid: str) -> None:
        self._context.loop.enqueue(self.name, "", uid)

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The object whose uid a key is, if it is there."""
        return self._store.find(name)

    def sync(self, namespace: str, uid: str) -> None:
        """Look at one uid: as an owner, present or gone, and as a dependent."""
        owner = self._store.find(uid)
        if owner is not None and is_orphaning(owner):
            actions = decide_orphaning(owner, self._children(uid))
            self._do(actions[:WRITES_A_LOOK])
            if len(actions) > WRITES_A_LOOK:
                self._enqueue(uid)
            return
        if (owner is None or is_waiting_for_dependents(owner)) and not self._follow(uid):
            self._enqueue(uid)
        elif owner is not None:
            self._tell_of_strangers(owner)
            self._do(decide_dependent(self._see(owner)))
            self._do(decide_waiting(owner, self._children(uid)))

    def _follow(self, uid: str) -> bool:
        """See to the dependents of an owner, as many as one look may; whether these were all."""
        done = 0
        for dependent in self._children(uid):
            if dependent.meta.deletion_ms is not None:
                continue
            if done >= WRITES_A_LOOK:
                return False
            # Each is seen as the one before has left the store: siblings may own each other.
            actions = decide_dependent(self._see(dependent, uid))
            self._do(actions)
            done += len(actions)
        return True

    def _tell_of_strangers(self, dependent: StoredObject) -> None:
        for entry in dependent.meta.owner_references:
            owner = self._store.find(entry.uid)
            if owner is not None and owner.meta.namespace not in (None, dependent.meta.namespace):
                self._act(decide_event(entry, dependent, self.source))

    def _see(self, dependent: StoredObject, gone: str = "") -> SeenDependent:
        """What a dependent's references lead to: by kind, namespace and name, whatever uid is there.

        `gone`: the uid of an owner that is known to be no more, unless it is there.
        """
        seen = SeenDependent(dependent)
        absent, waiting = [], []
        for entry in dependent.meta.owner_references:
            kind = kind_for(entry.api_version, entry.kind)
            is_known = not entry_of(kind).is_custom or kind.id in self._store.kinds()
            is_misplaced = kind.namespaced and dependent.meta.namespace is None
            seen.is_unclear |= is_misplaced if is_known else entry.uid != gone
            owner = self._store.get(kind.id, dependent.meta.namespace if kind.namespaced else "", entry.name)
            if owner is None or owner.meta.uid != entry.uid:
                absent.append(entry.uid)
            elif is_waiting_for_dependents(owner):
                waiting.append(entry.uid)
        below = [self._store.find(uid) for uid in self._store.index.children.get(dependent.meta.uid, ())]
        seen.absent, seen.waiting, seen.has_dependents = absent, waiting, bool(below)
        seen.is_cyclic = any(one is not None and is_waiting_for_dependents(one) for one in below)
        return seen

    def _children(self, uid: str) -> list[StoredObject]:
        """Dependents of an owner, oldest first."""
        return list_by_age(self._store.find, self._store.index.children.get(uid, ()))
