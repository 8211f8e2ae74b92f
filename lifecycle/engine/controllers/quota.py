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
        self._is_listening = False
        context.loop.register(self.name, self.sync)
        context.store.listen(QUOTA, self._on_quota)

    def restore(self) -> None:
        """Follow the namespaces of the quotas there are."""
        if self._store.count(QUOTA):
            self._listen_to_all()

    def _listen_to_all(self) -> None:
        # Only from the first quota on: a cluster without any pays nothing.
        self._is_listening = True
        self._store.listen_to_shape("Pod", self._on_pod)
        for kind, known in KINDS.items():
            if known.namespaced and kind not in ("Pod", "Event", QUOTA):
                self._store.listen(kind, self._on_object)

    def _on_quota(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not self._is_listening:
            self._listen_to_all()
        self._enqueue(old, new)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        was = isinstance(old, Pod) and not old.is_finished
        is_now = isinstance(new, Pod) and not new.is_finished
        has_changed = was != is_now or old is None or new is None or old.spec is not new.spec
        if has_changed:
            self._enqueue(old, new)

    def _on_object(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is None or new is None:
            self._enqueue(old, new)

    def _enqueue(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        if self._store.count(QUOTA):
            self._context.loop.enqueue(self.name, "", some.meta.namespace or "")

    def sync(self, _namespace: str, namespace: str) -> None:
        """Tell what is used now, where that has changed."""
        for quota in list(self._store.list(QUOTA, namespace)):
            status = make_status(self._store, quota)
            if quota.status != status:
                self._act(Update(quota.replace(status=status)))
