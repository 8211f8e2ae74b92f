"""Keeps the status of ResourceQuotas: what their namespaces use.

Kubernetes adds up at every create and gives back when an object goes or a pod finishes; here the sums follow
every change and are written once an instant.
"""

from __future__ import annotations

from collections.abc import Callable

from ..api.context import Context
from ..api.quotas import QUOTA, make_status
from ..objects.meta import StoredObject
from ..rules.actions import Action, Update

Act = Callable[[Action], None]


class QuotaController:
    """Keys are namespaces."""

    name = "resourceQuota"

    def __init__(self, context: Context, act: Act) -> None:
        self._context = context
        self._store = context.store
        self._act = act
        context.loop.register(self.name, self.sync)
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

    def sync(self, _namespace: str, namespace: str) -> None:
        """Tell what is used now, where that has changed."""
        for quota in list(self._store.list(QUOTA, namespace)):
            status = make_status(quota, self._context.quotas.used(quota))
            if quota.status != status:
                self._act(Update(quota.replace(status=status)))
