"""Objects by kind and name; every write is a version with its own number, rows, and notice to listeners.

Kinds go by their ids. One counter numbers the versions of all. Writes at the same instant are not merged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from ..heart.errors import AlreadyExists, NotFound
from ..heart.trace import Change, Trace, Version
from ..objects.kinds import kind_of_id
from ..objects.meta import Key, StoredObject
from ..objects.pods.pod import POD_KIND, Pod
from ..objects.shown import Shown
from ..rules.columns.pods import decide_shown
from .audience import (
    ALL,
    BINDING,
    DETAIL,
    END,
    FRESH,
    OF_NOTE,
    SIMPLE,
    SIMPLE_END,
    Audience,
    Listener,
    Shape,
    Useless,
    make_audience,
)
from .index import Index
from .object_changes import object_changes
from .transitions import find_lead, first_changes, pod_changes

_POD = POD_KIND.id
_make = tuple.__new__
ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"


class Store:
    """The truth of one cluster. Objects handed out are never written to."""

    def __init__(self, trace: Trace, last_end_is_status: bool = False) -> None:
        self.trace = trace
        # How the release has the switch of that name: it is told what STATUS pods have.
        self.last_end_is_status = last_end_is_status
        self.resource_version = 0
        # uids by kind, then by namespace and name; the objects themselves are in `pods` and `_others`.
        self._names: dict[str, dict[tuple[str, str], str]] = {}
        self._listeners: dict[str, list[Listener]] = {}
        self._shape_listeners: dict[str, list[Shape]] = {}
        # Those who have nothing to do with anything yet: each has its turn among the others, and is not told.
        self._asleep: list[Listener] = []
        self._audience: dict[str, Audience] = {}
        self._others: dict[str, StoredObject] = {}
        self.pods: dict[str, Pod] = {}
        """By uid, to be read."""
        self.index = Index()
        self.versions: list[Version] = []
        # Told (old, new) of a change of an object that has metadata nobody here reads, before it is kept:
        # there stands who owns its fields.
        self.on_tracked: Listener = lambda _old, _new: None
        # How far the deletion of an object has come, by uid.
        self.deletion_stage: dict[str, str] = {}
        # How many objects an owner has made so far, by its uid: the key of the next one's uid and name.
        self.creations: dict[str, int] = {}
        self.is_rehearsal = False
        """Whether writes are only looked at: what could be refused is, and nothing is stored."""

    @contextmanager
    def rehearse(self) -> Iterator[None]:
        """Within this, nothing is stored: what a dry run does."""
        creations, self.is_rehearsal = self.creations, True
        # Numbers that a rehearsal takes are given again.
        self.creations = dict(creations)
        try:
            yield
        finally:
            self.creations, self.is_rehearsal = creations, False

    def listen(self, kind: str, listener: Listener, is_asleep: bool = False) -> None:
        """Have a function told of every write to a kind: (old, new), None for absent.

        One that `is_asleep` is told of nothing before it is woken.
        """
        self._listeners.setdefault(kind, []).append(listener)
        if is_asleep:
            self._asleep.append(listener)
        self._audience.clear()

    def listen_to_shape(
        self,
        kind: str,
        listener: Listener,
        useless: Useless = Useless.NOTHING,
        is_asleep: bool = False,
        on_binding: Listener | None = None,
    ) -> None:
        """As `listen` ("" for all kinds), but not of writes to a pod that only detail its status.

        Told are changed metadata, specs, nodes (promised ones too), phases and readiness, that a pod is to be
        disrupted, and any condition of one with readiness gates, but for what is `useless`. Most writes to
        pods are none of these. One that `is_asleep` is told of nothing before it is woken. That a pod was
        bound may have a listener of its own.
        """
        shape = Shape(listener, useless, on_binding or listener)
        self._shape_listeners.setdefault(kind, []).append(shape)
        if is_asleep:
            self._asleep.append(listener)
        self._audience.clear()

    def wake(self, listener: Listener) -> None:
        """From the next write on tell somebody who was asleep."""
        if listener in self._asleep:
            self._asleep.remove(listener)
            self._audience.clear()

    def lull(self, listener: Listener) -> None:
        """From the next write on tell somebody of nothing, until woken."""
        if listener not in self._asleep:
            self._asleep.append(listener)
            self._audience.clear()

    def _audience_of(self, kind: str) -> Audience:
        always = tuple(one for one in self._listeners.get(kind, ()) if one not in self._asleep)
        shapes = [*self._shape_listeners.get(kind, ()), *self._shape_listeners.get("", ())]
        found = self._audience[kind] = make_audience(always, shapes, self._asleep)
        return found

    def get(self, kind: str, namespace: str | None, name: str) -> StoredObject | None:
        """The object of that name, if it exists."""
        bucket = self._names.get(kind)
        uid = bucket.get((namespace or "", name)) if bucket is not None else None
        if uid is None:
            return None
        return self.pods[uid] if kind == _POD else self._others[uid]

    def find(self, uid: str) -> StoredObject | None:
        """The object with that uid, of whatever kind, if it exists."""
        return self.pods.get(uid) or self._others.get(uid)

    def require(self, kind: str, namespace: str | None, name: str) -> StoredObject:
        """The object of that name. Raises NotFound."""
        found = self.get(kind, namespace, name)
        if found is None:
            missing = kind_of_id(kind)
            raise NotFound(f'{missing.resource} "{name}" not found', missing.plural, name)
        return found

    def list(self, kind: str, namespace: str | None = None) -> Iterator[StoredObject]:
        """Objects of a kind in order of creation, of one namespace or of all."""
        objects: Mapping[str, StoredObject] = self.pods if kind == POD_KIND.id else self._others
        for (space, _name), uid in self._names.get(kind, {}).items():
            if namespace is None or space == namespace:
                yield objects[uid]

    def kinds(self) -> Sequence[str]:
        """Kinds with objects, in order of first use."""
        return [kind for kind, bucket in self._names.items() if bucket]

    def count(self, kind: str) -> int:
        """How many objects of a kind there are."""
        return len(self._names.get(kind, ()))

    def create(self, new: StoredObject) -> StoredObject:
        """Add an object whose metadata is complete. Raises AlreadyExists."""
        kind, namespace, name = new.key
        bucket = self._names.setdefault(kind, {})
        taken = bucket.get((namespace, name))
        if taken is not None:
            going = self.find(taken)
            is_going = going is not None and going.meta.deletion_ms is not None
            why = "object is being deleted: " if is_going else ""
            said = f'{why}{new.kind.resource} "{name}" already exists'
            raise AlreadyExists(said, new.kind.plural, name, group=new.kind.group)
        if self.is_rehearsal:
            return new
        bucket[namespace, name] = new.meta.uid
        self.index.add(new)
        if isinstance(new, Pod):
            self.pods[new.meta.uid] = new
            is_fresh = new.status is new.spec.notes.new_status and not new.node_name and not new.spec.volumes
            changes = first_changes(new, self.last_end_is_status)
            self._record(ADDED, None, new, changes, FRESH if is_fresh else note_of(new), 0)
        else:
            self._others[new.meta.uid] = new
            changes = object_changes(None, new)
            self._record(ADDED, None, new, changes, ALL, find_lead(changes))
        return new

    def update(self, old: StoredObject, new: StoredObject) -> None:
        """Put `new` in the place of `old`, which must be what is stored."""
        uid = new.meta.uid
        if self.is_rehearsal:
            new.resource_version = old.resource_version
            return
        assert self.find(uid) is old, ("stale write", old.key)
        if isinstance(new, Pod) and isinstance(old, Pod):
            self.pods[uid] = new
            changes, has_turned = pod_changes(old, new, self.last_end_is_status)
            is_elsewhere = (old.node_name, old.status.nominated_node_name) != (
                new.node_name,
                new.status.nominated_node_name,
            )
            is_of_note = old.spec is not new.spec or is_elsewhere or has_turned
            concern = note_of(new) if is_of_note or old.meta is not new.meta else DETAIL
        else:
            self._others[uid] = new
            changes, concern = object_changes(old, new), ALL
        if new.meta.extra is not None:
            self.on_tracked(old, new)
        self._record(MODIFIED, old, new, changes, concern, find_lead(changes))

    def update_as_known(
        self, old: Pod, new: Pod, changes: Sequence[Change], shown: Shown, concern: int, lead: int = 0
    ) -> None:
        """As `update`, of a pod's status or node, when it is known what that tells, and how it is shown then.

        `concern`: whom it may concern (ALL, READINESS, DETAIL, SIMPLE or BINDING). `lead`: see `find_lead`.
        """
        meta, pods = new.meta, self.pods
        uid = meta.uid
        assert pods[uid] is old, ("stale write", old.key)
        pods[uid], new.shown = new, shown
        if meta.extra is not None:
            self.on_tracked(old, new)
        if concern == BINDING:
            self.index.bind(uid, new.node_name)
        self._record(MODIFIED, old, new, changes, concern, lead)

    def _record(
        self,
        type: str,
        old: StoredObject | None,
        new: StoredObject,
        changes: Sequence[Change],
        concern: int,
        lead: int,
    ) -> None:
        """A version, its rows, and notice to those whom it may concern, who go on from one of these."""
        rv = new.resource_version = self.resource_version = self.resource_version + 1
        trace = self.trace
        led = outer = trace.cause
        seq = trace.seq
        is_to_end = False
        if old is not None and concern in OF_NOTE:
            self._follow(old, new)
            is_to_end, seq = trace.seq > seq, trace.seq
        version = _make(Version, (rv, trace.at_ms, type, old, new, seq + 1, outer, changes))
        self.versions.append(version)
        if changes:
            trace.entries.append(version)
            trace.seq = seq + len(changes)
            led = seq + 1 + lead
        if is_to_end:
            # That its deletion was asked for is the row before, and comes before all else.
            led = seq
        kind = new.kind.id
        listeners = (self._audience.get(kind) or self._audience_of(kind))[concern]
        if listeners:
            trace.cause = led
            for listener in listeners:
                listener(old, new)
            trace.cause = outer
        trace.led = led

    def _follow(self, old: StoredObject, new: StoredObject) -> None:
        self.index.change(old, new)
        if old.meta.deletion_ms is None and new.meta.deletion_ms is not None:
            self.set_deletion_stage(new, "requested")

    def remove(self, old: StoredObject) -> None:
        """Take an object away for good."""
        if self.is_rehearsal:
            return
        kind, namespace, name = old.key
        del self._names[kind][namespace, name]
        uid = old.meta.uid
        last = _repeat(old)
        rv = last.resource_version = self.resource_version = self.resource_version + 1
        trace, outer = self.trace, self.trace.cause
        self.versions.append(Version(rv, trace.at_ms, DELETED, old, last, trace.seq + 1, outer, ()))
        first = trace.transition(old.subject, "exists", "created", "deleted")
        stage = self.deletion_stage.pop(uid, None)
        if stage is not None or isinstance(old, Pod):
            trace.transition(old.subject, "deletion", stage, "removed")
        del (self.pods if isinstance(old, Pod) else self._others)[uid]
        self.creations.pop(uid, None)
        trace.correlator.forget(uid)
        self.index.remove(old)
        trace.cause = first
        concern = SIMPLE_END if isinstance(old, Pod) and not old.spec.volumes else END
        for listener in (self._audience.get(kind) or self._audience_of(kind))[concern]:
            listener(old, None)
        trace.cause = outer

    def set_deletion_stage(self, obj: StoredObject, stage: str) -> None:
        """Record how far a deletion has come: `requested`, then for pods `preStop`, a signal, `SIGKILL`."""
        uid = obj.meta.uid
        self.trace.transition(obj.subject, "deletion", self.deletion_stage.get(uid), stage)
        self.deletion_stage[uid] = stage

    def restore(self, obj: StoredObject) -> None:
        """Put back an object of a checkpoint: no version, no rows, no notice."""
        kind, namespace, name = obj.key
        self._names.setdefault(kind, {})[namespace, name] = obj.meta.uid
        self.index.add(obj)
        if isinstance(obj, Pod):
            self.pods[obj.meta.uid] = obj
            # Told after every write, so what was told last is what holds now.
            obj.shown = decide_shown(obj, self.last_end_is_status)
        else:
            self._others[obj.meta.uid] = obj


def _repeat(old: StoredObject) -> StoredObject:
    """The same once more, for a version of its own."""
    if not isinstance(old, Pod):
        return old.replace()
    last = old.with_status(old.status)
    last.shown = old.shown
    return last


def note_of(pod: Pod) -> int:
    """Whom a write of note to a pod concerns."""
    return ALL if pod.spec.volumes else SIMPLE


__all__ = ["ADDED", "DELETED", "MODIFIED", "Key", "Listener", "Store"]
