"""Seeing namespaces that are going, and what is left in them."""

from __future__ import annotations

from collections.abc import Sequence

from ...api.context import Context
from ...heart.timing import QUEUE_BASE_MS, WRITES_A_LOOK
from ...objects.kinds import kind_of_id
from ...objects.meta import StoredObject
from ...objects.pods.pod import POD_KIND, Pod
from ...objects.times import format_time
from ...store.audience import Useless
from ..act import Act
from ..loop_controller import LoopController
from .decide import (
    GRACE_MS,
    MOST_RETRY_MS,
    Left,
    decide_conditions,
    decide_deletions,
    decide_end,
    decide_wait_ms,
    estimate_seconds,
    is_ending,
)


class NamespaceController(LoopController):
    """Keys are names of namespaces that are being deleted."""

    name, kind, source = "namespaces", "Namespace", "namespace-controller"
    retry_ms = (MOST_RETRY_MS, QUEUE_BASE_MS)

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        # Names of those that are being deleted.
        self._ending: set[str] = set()
        context.store.listen(self.kind, self._on_namespace)
        context.store.listen_to_shape("", self._on_any, Useless.LIFE)

    def restore(self) -> None:
        """Know who is being deleted."""
        self._ending = {one.meta.name for one in self._store.list(self.kind) if is_ending(one)}

    def _on_namespace(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and is_ending(new):
            self._ending.add(new.meta.name)
            # Kubernetes' own writes make it look again too.
            self._look_at(new.meta.name, GRACE_MS)
        elif old is not None:
            self._ending.discard(old.meta.name)

    def _on_any(self, old: StoredObject | None, new: StoredObject | None) -> None:
        # What held a namespace is gone: there is progress in the look that comes.
        if new is None and old is not None and old.meta.namespace in self._ending:
            self._context.loop.make_progress(self.name, "", old.meta.namespace or "")

    def _look_at(self, name: str, delay_ms: int, is_progress: bool = True) -> None:
        due_ms = self._context.clock.now_ms + delay_ms
        self._context.loop.enqueue_at(self.name, "", name, due_ms, is_progress)

    def sync(self, _namespace: str, name: str) -> None:
        """Delete what is in it, tell what is left, and let it go when nothing is."""
        namespace = self.find("", name)
        clock, loop = self._context.clock, self._context.loop
        if namespace is None or not is_ending(namespace):
            loop.forget(self.name, "", name)
            return
        left = self._empty(namespace)
        if left is None:
            self._look_at(name, 1)
            return
        told = decide_conditions(namespace, left, format_time(clock.now_ms, clock.epoch_ms))
        self._do(told)
        if left.content:
            wait_ms = decide_wait_ms(left)
            if wait_ms is None:
                loop.retry(self.name, "", name)
            else:
                self._look_at(name, wait_ms, bool(told) or not left.is_held)
            return
        loop.forget(self.name, "", name)
        emptied = self.find("", name)
        assert emptied is not None, "its finalizer keeps it"
        self._do([decide_end(emptied)])

    def _empty(self, namespace: StoredObject) -> Left | None:
        """Delete its pods, and once these are gone all else (OrderedNamespaceDeletion).

        None where that was more than one look deletes.
        """
        name = namespace.meta.name
        pods = [one for one in self._store.list(POD_KIND.id, name) if isinstance(one, Pod)]
        seconds = estimate_seconds(namespace, pods, self._context.clock.now_ms)
        if not self._delete(pods):
            return None
        left = list(self._store.list(POD_KIND.id, name))
        if left:
            return Left(left, seconds)
        return Left(self._list_content(name)) if self._delete(self._list_content(name)) else None

    def _delete(self, content: Sequence[StoredObject]) -> bool:
        """Whether none is left that is not being deleted."""
        deletions = decide_deletions(content)
        self._do(deletions[:WRITES_A_LOOK])
        return len(deletions) <= WRITES_A_LOOK

    def _list_content(self, name: str) -> list[StoredObject]:
        """All objects of the namespace, kind by kind."""
        kinds = [kind for kind in self._store.kinds() if kind_of_id(kind).namespaced]
        return [one for kind in kinds for one in self._store.list(kind, name)]
