"""The ControllerRevisions of one kind of owners: whose they are, and the free ones that may be adopted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...objects.meta import StoredObject
from ...objects.selector import Selector
from ...objects.workloads.controller_revision import CONTROLLER_REVISION_KIND, ControllerRevision
from ...rules.workloads.revisions import sort_revisions
from ...store.store import Store
from .orphans import Free, Orphans

Notify = Callable[[str, str], None]
"""Called with the namespace and name of an owner whose history somebody changed."""
_KIND = CONTROLLER_REVISION_KIND.id


class Revisions:
    """Kept write by write, so that no look at an owner walks its pods to find its history.

    `notify`: whom to tell of changes (a DaemonSet looks at once, a StatefulSet the next time).
    `lets_go`: whether revisions that match the owner's selector no more are released.
    """

    __slots__ = (
        "_by_owner",
        "_epoch_ms",
        "_free",
        "_kind",
        "_lets_go",
        "_notify",
        "_orphans",
        "_sorted",
        "_store",
    )

    def __init__(
        self, store: Store, kind: str, epoch_ms: int, notify: Notify | None = None, lets_go: bool = False
    ) -> None:
        self._store = store
        self._epoch_ms = epoch_ms
        self._kind = kind
        self._notify = notify
        self._lets_go = lets_go
        self._free = Free()
        self._orphans = Orphans(store.find, self._free.list)
        self._by_owner: dict[str, dict[str, None]] = {}
        # What was found for an owner's selector, until something changes.
        self._sorted: dict[str, tuple[Selector, list[ControllerRevision]]] = {}
        store.listen(_KIND, self._on_revision)

    def restore(self) -> None:
        """Take in all that are there, after a cluster was loaded."""
        for revision in self._store.list(_KIND):
            self._follow(None, revision)

    def file(self, owner: StoredObject, selector: Selector) -> None:
        """A new owner, or another selector of its."""
        self._orphans.file(owner, selector)

    def forget(self, uid: str) -> None:
        """An owner that is gone."""
        self._orphans.forget(uid)
        self._sorted.pop(uid, None)

    def take_free(self, owner: StoredObject) -> list[StoredObject]:
        """Those to look at for adoption; once only."""
        return self._orphans.take(owner.meta.uid)

    def has_free(self, owner: StoredObject, selector: Selector) -> bool:
        """Whether there are some that match and that nobody controls."""
        free = map(self._store.find, self._free.list(owner.meta.namespace or ""))
        return any(one is not None and selector.matches(one.meta.labels) for one in free)

    def list_strays(self, owner: StoredObject) -> Sequence[StoredObject]:
        """The owner's, where they are to be let go when they match no more."""
        return self._list_controlled(owner.meta.uid) if self._lets_go else ()

    def list_of(self, owner: StoredObject, selector: Selector) -> list[ControllerRevision]:
        """The owner's history, earliest first: what it controls and selects."""
        uid = owner.meta.uid
        known = self._sorted.get(uid)
        if known is not None and known[0] is selector:
            return known[1]
        controlled = self._list_controlled(uid)
        selected = [one for one in controlled if selector.matches(one.meta.labels)]
        found = sort_revisions(selected, self._epoch_ms)
        self._sorted[uid] = (selector, found)
        return found

    def _list_controlled(self, uid: str) -> list[ControllerRevision]:
        found = map(self._store.find, self._by_owner.get(uid, ()))
        return [one for one in found if isinstance(one, ControllerRevision)]

    def _on_revision(self, old: StoredObject | None, new: StoredObject | None) -> None:
        self._follow(old, new)
        owner = next((one.meta.controller for one in (new, old) if one is not None), None)
        namespace = next(one.meta.namespace or "" for one in (new, old) if one is not None)
        if owner is not None and owner.kind_id == self._kind:
            self._tell(namespace, owner.name)
        elif owner is None and new is not None and (old is None or old.meta is not new.meta):
            for name in self._orphans.note(new):
                self._tell(namespace, name)

    def _tell(self, namespace: str, name: str) -> None:
        if self._notify is not None:
            self._notify(namespace, name)

    def _follow(self, old: StoredObject | None, new: StoredObject | None) -> None:
        self._free.follow(old, new)
        for one in (old, new):
            if one is not None and one.meta.controller is not None:
                self._sorted.pop(one.meta.controller.uid, None)
        if old is not None and new is not None and old.meta is new.meta:
            return
        for one, is_there in ((old, False), (new, True)):
            controller = one.meta.controller if one is not None else None
            if one is None or controller is None or controller.kind_id != self._kind:
                continue
            uids = self._by_owner.setdefault(controller.uid, {})
            if is_there:
                uids[one.meta.uid] = None
                continue
            uids.pop(one.meta.uid, None)
            if not uids:
                del self._by_owner[controller.uid]
