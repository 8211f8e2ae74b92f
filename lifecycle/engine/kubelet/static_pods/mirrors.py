"""Mirror pods: what the API shows of a static pod. An edited one is left, a deleted one is made again."""

from __future__ import annotations

from ...api.server import ApiServer
from ...heart.errors import ApiError
from ...objects.meta import ObjectMeta, OwnerReference, StoredObject
from ...objects.pods.pod import MIRROR, POD_KIND, Pod
from ..parts import Parts

QUEUE = "mirror"


class Mirrors:
    """The mirrors of all static pods that the roster holds."""

    __slots__ = ("_api", "_parts", "_statics")

    def __init__(self, parts: Parts, api: ApiServer) -> None:
        self._parts = parts
        self._api = api
        self._statics = parts.pod_manager.statics
        parts.context.loop.register(QUEUE, self._sync_mirror_pod)
        parts.store.listen("Node", self._on_node)

    def find_static(self, namespace: str | None, name: str) -> Pod | None:
        """The static pod of that name, as its kubelet knows it."""
        pods = self._statics.values()
        return next((pod for pod in pods if (pod.meta.namespace, pod.meta.name) == (namespace, name)), None)

    def on_gone(self, pod: Pod) -> None:
        """A pod is gone: a mirror, or an ordinary pod that may have held the name of one."""
        if pod.is_mirror or self.find_static(pod.meta.namespace, pod.meta.name) is not None:
            self.enqueue(pod)

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """A node is registered, maybe not for the first time: its mirrors are made."""
        if old is None and new is not None:
            for pod in self._statics.values():
                if pod.node_name == new.meta.name:
                    self.enqueue(pod)

    def enqueue(self, pod: Pod) -> None:
        """Have the mirror of a static pod, or a mirror, looked at before this instant ends."""
        self._parts.context.loop.enqueue(QUEUE, pod.meta.namespace or "", pod.meta.name)

    def show(self, pod: Pod) -> None:
        """The kubelet knows more of a static pod: keep that, and tell it by its mirror."""
        self._statics[pod.meta.uid] = pod
        self._mirror(pod)

    def _sync_mirror_pod(self, namespace: str, name: str) -> None:
        pod = self.find_static(namespace, name)
        if pod is not None:
            self._mirror(pod)
            return
        stray = self._parts.store.get("Pod", namespace, name)
        if isinstance(stray, Pod) and stray.is_mirror and self._is_heard(stray.node_name):
            self._api.delete(stray, grace_seconds=0)

    def _is_heard(self, node: str) -> bool:
        agent = self._parts.agents.get(node)
        return agent is not None and not agent.is_deaf

    def _mirror(self, pod: Pod) -> None:
        """Bring the mirror up to date. A pod that ends keeps the one it has, as it is (STATIC-06)."""
        store, meta = self._parts.store, pod.meta
        if meta.deletion_ms is not None or not self._is_heard(pod.node_name):
            return
        mirror = store.get("Pod", meta.namespace, meta.name)
        if isinstance(mirror, Pod):
            shown = mirror.meta.annotations.get(MIRROR)
            if shown is None:
                # An ordinary pod has taken the name: the static pod runs unseen.
                return
            if shown == meta.uid and mirror.meta.deletion_ms is None:
                if mirror.status != pod.status:
                    store.update(mirror, mirror.with_status(pod.status))
                return
            try:
                self._api.delete(mirror, grace_seconds=0)
            except ApiError as refusal:
                if not refusal.is_by_policy:
                    raise
            if store.get("Pod", meta.namespace, meta.name) is not None:
                return
        node = store.get("Node", "", pod.node_name)
        if node is None:
            # A node that is not registered shows nothing.
            return
        try:
            made = self._api.create(make_mirror(pod, node))
        except ApiError:
            # Refused, as in a namespace that is being deleted: tried again with the next report.
            return
        assert isinstance(made, Pod), "a mirror is a pod"
        store.update(made, made.with_status(pod.status))


def make_mirror(pod: Pod, node: StoredObject) -> Pod:
    """The mirror of a static pod, as its kubelet asks the API server to create it."""
    meta = pod.meta
    owner = OwnerReference("v1", "Node", node.meta.name, node.meta.uid, controller=True)
    mirror = ObjectMeta(
        meta.name,
        meta.namespace,
        "",
        meta.labels,
        {**meta.annotations, MIRROR: meta.uid},
        (owner,),
    )
    return Pod(POD_KIND, mirror, pod.spec, node_name=pod.node_name)


def read_mirror(mirror: Pod) -> Pod:
    """The static pod that a mirror shows, when its manifest was not saved: as the mirror says."""
    meta = mirror.meta
    own = {name: value for name, value in meta.annotations.items() if name != MIRROR}
    meta = meta.replace(
        uid=mirror.kubelet_uid,
        annotations=own,
        owner_references=(),
        deletion_ms=None,
        deletion_grace_seconds=None,
    )
    return mirror.replace(meta=meta)
