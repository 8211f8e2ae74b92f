"""Seeing what the quotas of a namespace hold, and how much of it is used."""

from __future__ import annotations

from ...api.admission.quotas import QUOTA
from ...api.context import Context
from ...objects.meta import StoredObject
from ...rules.limits.quotas import make_status
from ..act import Act
from ..loop_controller import LoopController


class QuotaController(LoopController):
    """Keys are namespaces."""

    name, kind, source = "resourceQuota", "Namespace", "resourcequota-controller"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        context.store.listen(QUOTA, self._on_quota)
        context.quotas.on_change = self._enqueue

    def restore(self) -> None:
        """Have the sums of all quotas counted, and followed."""
        for quota in self._store.list(QUOTA):
            self._context.quotas.used(quota)

    def _on_quota(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and (old is None or old.spec is not new.spec):
            self._enqueue(new.meta.namespace or "")

    def _enqueue(self, namespace: str) -> None:
        self._context.loop.enqueue(self.name, "", namespace)

    def sync(self, _namespace: str, name: str) -> None:
        """Tell what is used now."""
        from .decide import decide_status

        for quota in list(self._store.list(QUOTA, name)):
            status = make_status(quota, self._context.quotas.used(quota))
            self._do(decide_status(quota, status))
