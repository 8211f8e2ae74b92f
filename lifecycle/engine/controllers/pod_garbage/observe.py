"""Keeping count of finished pods, of pods that end, and of nodes that pods name and nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...api.context import Context
from ...heart.saved import map_of
from ...objects.meta import StoredObject
from ...objects.node import NODE_KIND, Node
from ...objects.pods.pod import POD_KIND, Pod
from ...rules.pods.garbage import QUARANTINE_MS, is_blocked_on_finalizers, is_out_of_service
from ...store.audience import Useless
from ..act import Act
from ..loop_controller import LoopController, Remembering
from ..owner.orphans import list_by_age

if TYPE_CHECKING:
    from .decide import Seen


class PodGarbageCollector(LoopController, Remembering):
    """There is one key: the next pass that would find something."""

    name, source = "podGarbage", "pod-garbage-collector"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._threshold = int(context.settings.manager["terminatedPodGCThreshold"])
        # uids of finished pods, and of those that end.
        self._finished: dict[str, None] = {}
        self._ending: dict[str, None] = {}
        # Nodes that pods are on and that are not there, and until when they are waited for.
        self._missing: dict[str, int | None] = {}
        # Nodes that will not come back by themselves.
        self._out_of_service: set[str] = set()
        context.store.listen_to_shape(
            POD_KIND.id,
            self._on_pod,
            Useless.READINESS | Useless.BINDING | Useless.FRESH,
        )
        context.store.listen(NODE_KIND.id, self._on_node)

    # --- what happens -------------------------------------------------------------------------------------

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            if old is not None:
                self._finished.pop(old.meta.uid, None)
                self._ending.pop(old.meta.uid, None)
            return
        if new.node_name and (old is None or old.node_name != new.node_name):
            self._miss(new.node_name)
        is_finished, is_ending = new.is_finished, new.meta.deletion_ms is not None
        if not is_finished and not is_ending:
            return
        if old is None or old.meta is not new.meta or old.is_finished != is_finished:
            self._file(new, is_finished, is_ending)
            if (is_finished and self._has_surplus()) or (is_ending and self._is_stuck(new)):
                self._pass_soon()

    def _file(self, pod: Pod, is_finished: bool, is_ending: bool) -> None:
        if is_finished:
            self._finished[pod.meta.uid] = None
        if is_ending:
            self._ending[pod.meta.uid] = None

    def _is_stuck(self, pod: Pod) -> bool:
        """Of a pod that is being deleted."""
        if is_blocked_on_finalizers(pod):
            return False
        return not pod.node_name or pod.node_name in self._out_of_service

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if isinstance(new, Node):
            name = new.meta.name
            self._missing.pop(name, None)
            is_news = name not in self._out_of_service
            self._note_service(new)
            is_news = is_news and name in self._out_of_service
            if is_news and self._store.index.pods_by_node.get(name):
                self._pass_soon()
        elif old is not None:
            self._out_of_service.discard(old.meta.name)
            if self._store.index.pods_by_node.get(old.meta.name):
                self._miss(old.meta.name)

    def _note_service(self, node: Node) -> None:
        if is_out_of_service(node):
            self._out_of_service.add(node.meta.name)
        else:
            self._out_of_service.discard(node.meta.name)

    def _miss(self, name: str) -> None:
        if name and name not in self._missing and self._store.get(NODE_KIND.id, "", name) is None:
            self._missing[name] = None
            self._pass_soon()

    def _pass_soon(self) -> None:
        """At the collector's next pass."""
        context = self._context
        due_ms = context.find_pass_ms("pod_garbage", context.clock.now_ms)
        context.loop.enqueue_at(self.name, "", "", due_ms)

    def _node(self, name: str) -> Node | None:
        found = self._store.get(NODE_KIND.id, "", name)
        return found if isinstance(found, Node) else None

    # --- a pass -------------------------------------------------------------------------------------------

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """A pass is about no object."""
        return None

    def sync(self, _namespace: str, _name: str) -> None:
        """Make a pass, and say when the next one finds something."""
        from .decide import decide_pass

        now_ms = self._context.clock.now_ms
        for name, until_ms in self._missing.items():
            if until_ms is None:
                self._missing[name] = now_ms + QUARANTINE_MS
        gone = frozenset(
            name for name, until in self._missing.items() if until is not None and until <= now_ms
        )
        self._do(decide_pass(self._see(gone), now_ms))
        for name in sorted(gone):
            del self._missing[name]
        waits = [until_ms for until_ms in self._missing.values() if until_ms is not None]
        if waits:
            self._context.loop.enqueue_at(self.name, "", "", min(waits))

    def _see(self, gone: frozenset[str]) -> Seen:
        from .decide import Seen

        find = self._store.pods.get
        ending = list_by_age(find, self._ending)
        names = {pod.node_name for pod in ending}
        nodes = {name: node for name in sorted(names) if (node := self._node(name)) is not None}
        index = self._store.index.pods_by_node
        orphans = [pod for name in sorted(gone) for pod in list_by_age(find, index.get(name, ()))]
        finished = list_by_age(find, self._finished) if self._has_surplus() else []
        return Seen(finished, ending, nodes, orphans, gone, self._threshold)

    def _has_surplus(self) -> bool:
        return 0 < self._threshold < len(self._finished)

    # --- save and load ------------------------------------------------------------------------------------

    def restore(self) -> None:
        """Count the pods again, and the nodes that are out of service."""
        for node in self._store.list(NODE_KIND.id):
            assert isinstance(node, Node), node.key
            self._note_service(node)
        for pod in self._store.pods.values():
            self._file(pod, pod.is_finished, pod.meta.deletion_ms is not None)

    def save(self) -> Any:
        """Plain data."""
        return {"missing": dict(self._missing)}

    def load(self, data: Any) -> None:
        """Go on from what `save` described; an older engine waited for no node."""
        self._missing = dict(map_of(data, "missing"))
        if data is None:
            for name in sorted(self._store.index.pods_by_node):
                self._miss(name)
