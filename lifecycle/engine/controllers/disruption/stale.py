"""Pods that were said to be about to be disrupted, and were not."""

from __future__ import annotations

from ...api.context import Context
from ...objects.pods.pod import POD_KIND, Pod
from ...store.audience import Useless
from ..act import Act
from ..loop_controller import LoopController
from .decide import SOURCE, decide_stale, find_stale_due_ms


class StaleDisruptionController(LoopController):
    """Keys are pods."""

    name, kind, source = "staleDisruption", POD_KIND.id, SOURCE

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        context.store.listen_to_shape(
            self.kind,
            self._on_pod,
            Useless.READINESS | Useless.BINDING | Useless.FRESH,
        )

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        # Mostly it is deleted in the same instant, before anybody looks.
        if new is not None and (old is None or old.status is not new.status) and find_stale_due_ms(new):
            self._enqueue_object(new)

    def sync(self, namespace: str, name: str) -> None:
        """Take the condition back, or come again when that is due."""
        pod = self.find(namespace, name)
        if not isinstance(pod, Pod):
            return
        decision = decide_stale(pod, self._context.clock.now_ms)
        self._do(decision.actions)
        if decision.recheck_at_ms is not None:
            self._context.loop.enqueue_at(self.name, namespace, name, decision.recheck_at_ms)
