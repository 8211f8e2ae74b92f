"""Pods that were said to be about to be disrupted, and were not."""

from __future__ import annotations

from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.pods.pod import POD_KIND, Pod
from ...store.audience import Useless
from ..act import Act
from .decide import SOURCE, decide_stale, find_stale_due_ms


class StaleDisruptionController:
    """Keys are pods."""

    name, kind, source = "staleDisruption", POD_KIND.id, SOURCE

    def __init__(self, context: Context, act: Act) -> None:
        self._context = context
        self._act = act
        context.loop.register(self.name, self.sync)
        context.store.listen_to_shape(
            self.kind,
            self._on_pod,
            Useless.READINESS | Useless.BINDING | Useless.FRESH,
        )

    def restore(self) -> None:
        """Nothing is derived: looks that wait are in the agenda."""

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The pod that a key names."""
        return self._context.store.get(self.kind, namespace, name)

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        # Mostly it is deleted in the same instant, before anybody looks.
        if new is not None and (old is None or old.status is not new.status) and find_stale_due_ms(new):
            self._context.loop.enqueue(self.name, new.meta.namespace or "", new.meta.name)

    def sync(self, namespace: str, name: str) -> None:
        """Take the condition back, or come again when that is due."""
        pod = self.find(namespace, name)
        if not isinstance(pod, Pod):
            return
        decision = decide_stale(pod, self._context.clock.now_ms)
        for action in decision.actions:
            self._act(action)
        if decision.recheck_at_ms is not None:
            self._context.loop.enqueue_at(self.name, namespace, name, decision.recheck_at_ms)
