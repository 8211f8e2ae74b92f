"""Seeing namespaces that are going, and what is left in them."""

from __future__ import annotations

from ...api.context import Context
from ...objects.kinds import kind_of_id
from ...objects.meta import StoredObject
from ...objects.times import format_time
from ..act import Act
from .decide import GRACE_MS, decide_conditions, decide_deletions, decide_end, decide_wait_ms, is_ending


class NamespaceController:
    """Keys are names of namespaces that are being deleted."""

    name, kind, source = "namespaces", "Namespace", "namespace-controller"

    def __init__(self, context: Context, act: Act) -> None:
        self._context = context
        self._store = context.store
        self._act = act
        context.loop.register(self.name, self.sync)
        context.store.listen(self.kind, self._on_namespace)

    def restore(self) -> None:
        """Nothing is derived."""

    def _on_namespace(self, old: StoredObject | None, new: StoredObject | None) -> None:
        was_ending = old is not None and old.meta.deletion_ms is not None
        if new is not None and new.meta.deletion_ms is not None and not was_ending:
            self._look_at(new.meta.name, GRACE_MS)

    def _look_at(self, name: str, delay_ms: int) -> None:
        self._context.loop.enqueue_at(self.name, "", name, self._context.clock.now_ms + delay_ms)

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The namespace that a key names."""
        return self._store.get(self.kind, "", name)

    def sync(self, _namespace: str, name: str) -> None:
        """Delete what is in it, tell what is left, and let it go when nothing is."""
        namespace = self.find("", name)
        if namespace is None or not is_ending(namespace):
            return
        for action in decide_deletions(self._list_content(name)):
            self._act(action)
        content, clock = self._list_content(name), self._context.clock
        for action in decide_conditions(namespace, content, format_time(clock.now_ms, clock.epoch_ms)):
            self._act(action)
        if content:
            self._look_at(name, decide_wait_ms(content))
            return
        left = self.find("", name)
        assert left is not None, "its finalizer keeps it"
        self._act(decide_end(left))

    def _list_content(self, name: str) -> list[StoredObject]:
        """All objects of the namespace, kind by kind."""
        kinds = [kind for kind in self._store.kinds() if kind_of_id(kind).namespaced]
        return [one for kind in kinds for one in self._store.list(kind, name)]
