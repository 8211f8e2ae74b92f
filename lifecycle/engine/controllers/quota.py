"""Keeps the status of ResourceQuotas: what their namespaces use.

Kubernetes adds up at every create and gives back when an object goes or a pod finishes; here the sum is made
anew whenever a namespace with a quota changes.
"""

from __future__ import annotations

from collections.abc import Callable

from ..actions import Action, Update
from ..context import Context
from ..objects.kinds import KINDS
from ..objects.meta import StoredObject
from ..objects.pod import Pod
from ..quotas import QUOTA, make_status

Act = Callable[[Action], None]


class QuotaController:
    """Keys are namespaces."""

    name = "resourceQuota"

    def __init__(self, context: Context, act: Act) -> None:
        self._context = context
        self._store = context.store
        self._act = act
        context.loop.register(self.name, self.sync)
        context.store.listen_to_shape("Pod", self._on_pod)
        for kind, known in KINDS.items():
            if known.namespaced and kind not in ("Pod", "Event"):
                context.store.listen(kind, self._on_object)

    def restore(self) -> None:
        """Nothing is derived."""

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not self._store.count(QUOTA):
            return
        was = isinstance(old, Pod) and not old.is_finished
        is_now = isinstance(new, Pod) and not new.is_finished
        has_changed = was != is_now or old is None or new is None or old.spec is not new.spec
        if has_changed:
            self._enqueue(old, new)

    def _on_object(self, old: StoredObject | None, new: StoredObject | None) -> None:
        is_quota = new is not None and new.kind.name == QUOTA
        if self._store.count(QUOTA) and (old is None or new is None or is_quota):
            self._enqueue(old, new)

    def _enqueue(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        self._context.loop.enqueue(self.name, "", some.meta.namespace or "")

    def sync(self, _namespace: str, namespace: str) -> None:
        """Tell what is used now, where that has changed."""
        for quota in list(self._store.list(QUOTA, namespace)):
            status = make_status(self._store, quota)
            if quota.status != status:
                self._act(Update(quota.replace(status=status)))
