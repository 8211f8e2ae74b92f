"""Seeing taints that drive pods away, and the pods on their nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...api.context import Context
from ...heart.saved import map_of
from ...objects.meta import ObjectMeta, PlainObject, StoredObject
from ...objects.node import NODE_KIND, Node, Taint
from ...objects.pods.pod import POD_KIND, Pod
from ...rules.nodes.taint_evictions import Planned, decide_eviction, list_no_execute
from ...store.audience import Useless
from ..act import Act
from ..loop_controller import LoopController, Remembering
from ..owner.orphans import list_by_age
from .decide import SOURCE, decide_leaving, decide_staying

NODES = "taintedNode"


class TaintEvictionController(LoopController, Remembering):
    """Keys are uids of pods; under a name of their own, nodes whose taints have changed."""

    name, source = "taintEviction", SOURCE
    gathers = "taint_eviction"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        # Nodes that drive pods away, and by pod what is planned for it, with its namespace and name.
        self._tainted: dict[str, Sequence[Taint]] = {}
        self._planned: dict[str, tuple[Planned, str, str]] = {}
        context.loop.register(NODES, self._look_at_node)
        context.store.listen(NODE_KIND.id, self._on_node)
        # Where no node drives pods away, no pod concerns anybody here.
        context.store.listen_to_shape(POD_KIND.id, self._on_pod, Useless.READINESS, is_asleep=True)

    # --- what happens -------------------------------------------------------------------------------------

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if isinstance(old, Node) and isinstance(new, Node) and old.spec is new.spec:
            return
        some = new or old
        assert some is not None, "a write has an old or a new object"
        name = some.meta.name
        taints = list_no_execute(new) if isinstance(new, Node) else []
        if taints == self._tainted.get(name, []):
            return
        self._take(name, taints)
        # Of a node that is gone nothing more is said: what is planned for its pods stands.
        if new is not None:
            self._context.loop.enqueue(NODES, "", name)

    def _take(self, name: str, taints: Sequence[Taint]) -> None:
        if taints:
            self._tainted[name] = taints
            self._store.wake(self._on_pod)
        else:
            self._tainted.pop(name, None)

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            if old is not None and old.meta.uid in self._planned:
                self._enqueue(old.meta.uid)
            return
        if not self._tainted or new.node_name not in self._tainted:
            return
        if old is None or old.node_name != new.node_name or old.spec.tolerations != new.spec.tolerations:
            self._enqueue(new.meta.uid)

    def _enqueue(self, uid: str) -> None:
        self._context.loop.enqueue(self.name, "", uid)

    # --- looking ------------------------------------------------------------------------------------------

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The pod whose uid a key is."""
        return self._store.pods.get(name)

    def _look_at_node(self, _namespace: str, name: str) -> None:
        for pod in list_by_age(self._store.pods.get, self._store.index.pods_by_node.get(name, ())):
            self._enqueue(pod.meta.uid)

    def sync(self, _namespace: str, uid: str) -> None:
        """Look at one pod: whether it goes, and when."""
        pod, now_ms = self._store.pods.get(uid), self._context.clock.now_ms
        plan, namespace, name = self._planned.pop(uid, (None, "", ""))
        if pod is None:
            if plan is not None:
                gone = PlainObject(POD_KIND, ObjectMeta(name, namespace, uid))
                self._do(decide_staying(gone))
            return
        if plan is not None and plan.due_ms <= now_ms:
            self._do(decide_leaving(pod, now_ms))
            return
        if self._store.get(NODE_KIND.id, "", pod.node_name) is None:
            self._plan(pod, plan)
            return
        taints = self._tainted.get(pod.node_name, ())
        verdict = decide_eviction(pod.spec.tolerations, taints, plan, now_ms)
        if verdict.is_spared:
            self._do(decide_staying(pod))
        if verdict.goes_now:
            self._do(decide_leaving(pod, now_ms))
        self._plan(pod, verdict.plan)

    def _plan(self, pod: Pod, plan: Planned | None) -> None:
        if plan is not None:
            uid = pod.meta.uid
            self._planned[uid] = (plan, pod.meta.namespace or "", pod.meta.name)
            self._context.loop.enqueue_at(self.name, "", uid, plan.due_ms)

    # --- save and load ------------------------------------------------------------------------------------

    def restore(self) -> None:
        """Find the nodes that drive pods away."""
        for node in self._store.list(NODE_KIND.id):
            if isinstance(node, Node):
                self._take(node.meta.name, list_no_execute(node))

    def save(self) -> Any:
        """Plain data."""
        planned = self._planned.items()
        return {
            "planned": {
                uid: [plan.since_ms, plan.due_ms, namespace, name] for uid, (plan, namespace, name) in planned
            }
        }

    def load(self, data: Any) -> None:
        """Go on from what `save` described; of an older engine nothing was planned."""
        for uid, (since_ms, due_ms, namespace, name) in map_of(data, "planned").items():
            self._planned[uid] = (Planned(since_ms, due_ms), namespace, name)
            self._store.wake(self._on_pod)
