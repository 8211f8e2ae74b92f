"""Seeing that an object which every namespace has was deleted or changed."""

from __future__ import annotations

from ...api.context import Context
from ...api.kind_hooks import list_companions
from ...kinds.registry import read_object
from ...objects.meta import StoredObject
from ...objects.names import ROOT_CA
from ..act import Act
from ..loop_controller import LoopController

OWN = {"ServiceAccount": "default", "ConfigMap": ROOT_CA}


class OwnObjectsController(LoopController):
    """Keys are names of namespaces."""

    name, kind, source = "ownObjects", "Namespace", "serviceaccount-controller"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        for kind in OWN:
            context.store.listen(kind, self._on_object)

    def _on_object(self, old: StoredObject | None, new: StoredObject | None) -> None:
        # What is new is made with its namespace.
        if old is not None and old.meta.name == OWN[old.kind.id]:
            self._context.loop.enqueue(self.name, "", old.meta.namespace or "")

    def sync(self, _namespace: str, name: str) -> None:
        """Look at what one namespace has."""
        from .decide import decide_own

        namespace = self.find("", name)
        if namespace is None or namespace.meta.deletion_ms is not None:
            return
        epoch_ms, store = self._context.clock.epoch_ms, self._store
        wanted = [read_object(data, epoch_ms) for data in list_companions(namespace)]
        pairs = [(one, store.get(one.kind.id, name, one.meta.name)) for one in wanted]
        self._do(decide_own(pairs))
