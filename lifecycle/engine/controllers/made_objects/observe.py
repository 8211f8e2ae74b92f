"""Seeing those who make Secrets and ConfigMaps, and acting for them after a moment."""

from __future__ import annotations

from ...api.context import Context
from ...heart.errors import ApiError
from ...kinds.defaults import apply_defaults
from ...kinds.makers import DEPLOYMENT_ID, JOB_ID, find_made, tell_made
from ...kinds.namespace import NAMESPACE
from ...kinds.references import list_keys, name_subject
from ...kinds.registry import list_entries, read_object
from ...objects.meta import StoredObject, controller_reference
from ...objects.workloads.deployment import Deployment
from ...objects.workloads.job import Job
from ...rules.actions import Create, RecordEvent, Update
from ...rules.makers.custom import CUSTOM_MAKERS
from ...rules.makers.made import EVERYWHERE, Made
from ...rules.makers.programs import ISTIO_KINDS
from ..act import Act
from ..loop_controller import LoopController

_KINDS = (*CUSTOM_MAKERS, *ISTIO_KINDS, DEPLOYMENT_ID, JOB_ID)
_BETWEEN = "/"


class MadeObjectsController(LoopController):
    """Keys are makers: their kind's id and their name."""

    name, source = "madeObjects", "assumed-maker"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        for kind in _KINDS:
            context.store.listen(kind, self._on_maker)
        context.store.listen(NAMESPACE.kind.id, self._on_namespace)

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The maker that a key names."""
        kind_id, _, maker = name.partition(_BETWEEN)
        return self._store.get(kind_id, namespace, maker)

    def _on_maker(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None or (old is not None and not _has_changed(old, new)):
            return
        if _has_begun(new) and find_made(new.to_json()):
            self._wait(new)

    def _on_namespace(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is None and new is not None:
            for maker in self._list_global():
                self._wait(maker)

    def _list_global(self) -> list[StoredObject]:
        """The first of those whose work shows in every namespace."""
        makers = (one for kind in (*ISTIO_KINDS, DEPLOYMENT_ID) for one in self._store.list(kind))
        found = (
            one for one in makers if any(made.namespace == EVERYWHERE for made in find_made(one.to_json()))
        )
        return list(found)[:1]

    def _wait(self, maker: StoredObject) -> None:
        # A Job has made what it makes by its end: it may be deleted at once.
        is_ended = isinstance(maker, Job)
        delay_ms = 0 if is_ended else self._context.draw_ms("made_object", maker.meta.uid)
        name = f"{maker.kind.id}{_BETWEEN}{maker.meta.name}"
        due_ms = self._context.now_ms + delay_ms
        self._context.loop.enqueue_at(self.name, maker.meta.namespace or "", name, due_ms)

    def sync(self, namespace: str, name: str) -> None:
        """Make what one maker makes, where it is not there."""
        maker = self.find(namespace, name)
        if maker is None or maker.meta.deletion_ms is not None or not _has_begun(maker):
            return
        for made in find_made(maker.to_json()):
            for place in self._list_places(made):
                self._provide(maker, made, place)

    def _list_places(self, made: Made) -> list[str]:
        if made.namespace != EVERYWHERE:
            return [made.namespace]
        return [one.meta.name for one in self._store.list(NAMESPACE.kind.id) if one.meta.deletion_ms is None]

    def _provide(self, maker: StoredObject, made: Made, namespace: str) -> None:
        from .decide import decide_data, decide_missing, make_object

        there = self._store.get(made.kind, namespace, made.name)
        data = decide_data(made, self._list_wanted(made, namespace) if made.has_other_keys else ())
        try:
            if there is not None:
                held = (there.extra or {}).get("data") or {}
                missing = decide_missing(made, held, data)
                if missing:
                    self._act(
                        Update(there.replace(extra={**(there.extra or {}), "data": {**held, **missing}}))
                    )
                return
            if not made.creates:
                return
            owner = controller_reference(maker) if made.is_owned else None
            new = apply_defaults(make_object(made, namespace, data, owner), self._context.features)
            self._act(Create(read_object(new, self._context.clock.epoch_ms)))
        except ApiError:
            # A namespace that goes, or a quota that is full.
            return
        said = f"assumed: {tell_made(name_subject(maker.to_json()), made)}"
        self._act(RecordEvent(maker, "Normal", "AssumedMade", said, self.source))

    def _list_wanted(self, made: Made, namespace: str) -> tuple[str, ...]:
        """The keys that workloads and pods of the namespace ask for."""
        kinds = [entry.kind.id for entry in list_entries() if entry.pod_spec_path]
        asking = (one for kind in kinds for one in self._store.list(kind, namespace))
        asked = (ask for one in asking for ask in list_keys(one.to_json()))
        return tuple(sorted({key for _, kind, name, key in asked if (kind, name) == (made.kind, made.name)}))


def _has_begun(maker: StoredObject) -> bool:
    """Whether it makes anything yet: a Job once it is complete, a Deployment's program once it runs."""
    if isinstance(maker, Job):
        return maker.has_succeeded
    return not isinstance(maker, Deployment) or maker.status.available_replicas > 0


def _has_changed(old: StoredObject, new: StoredObject) -> bool:
    """Whether a write may have changed what is made."""
    return old.spec is not new.spec or _has_begun(old) != _has_begun(new)
