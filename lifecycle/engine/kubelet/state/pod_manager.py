"""The pod managers of all kubelets: their pods and workers, by uid, node and address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...objects.codec import decode, encode
from ...objects.pods.pod import Pod, PodSpec
from ...rules.volumes.sources import list_sources
from ...store.store import Store
from .worker import SYNCING, PodWorker


class PodManager:
    """All workers, in the order in which they were added, and pods that are not in the store. All by uid.

    `statics`: static pods. `gone`: pods deleted by force whose containers are still terminating. `heard`:
    pods as a kubelet without connection knows them, if they were changed or deleted since.
    """

    __slots__ = (
        "_by_address",
        "_by_node",
        "_by_source",
        "_count",
        "_on_host_network",
        "_store",
        "_without_volumes",
        "gone",
        "heard",
        "statics",
        "workers",
    )

    def __init__(self, store: Store) -> None:
        self._store = store
        self._count = 0
        self.workers: dict[str, PodWorker] = {}
        self._by_node: dict[str, dict[str, PodWorker]] = {}
        # Pods with an address of their own; pods in the host network share that of the node.
        self._by_address: dict[str, PodWorker] = {}
        self._on_host_network: dict[str, PodWorker] = {}
        # By kind and name of a ConfigMap or Secret the pods of any namespace whose volumes are made of it.
        self._by_source: dict[tuple[str, str], dict[str, PodWorker]] = {}
        # Pods with volumes that are not mounted yet.
        self._without_volumes: dict[str, PodWorker] = {}
        self.statics: dict[str, Pod] = {}
        self.gone: dict[str, Pod] = {}
        self.heard: dict[str, Pod] = {}

    # --- pods -----------------------------------------------------------------------------------------

    def stored(self, worker: PodWorker) -> Pod | None:
        """The stored or static pod of a worker; None if it was deleted by force."""
        return self._store.pods.get(worker.uid) or self.statics.get(worker.uid)

    def known(self, uid: str) -> Pod:
        """The pod as its kubelet knows it: the stored one, or an older one (see `gone` and `heard`)."""
        if self.heard and uid in self.heard:
            return self.heard[uid]
        return self._store.pods.get(uid) or self.statics.get(uid) or self.gone[uid]

    # --- workers --------------------------------------------------------------------------------------

    def add(self, worker: PodWorker) -> None:
        """Add the worker of a pod that was bound to its node."""
        self._count += 1
        worker.number = self._count
        self.workers[worker.uid] = worker
        self._by_node.setdefault(worker.node, {})[worker.uid] = worker
        if worker.spec.volumes and not worker.runtime.sandbox_id:
            self._without_volumes[worker.uid] = worker
        for source in list_sources(worker.spec):
            self._by_source.setdefault(source, {})[worker.uid] = worker
        if worker.ip:
            self._give_address(worker)

    def remove(self, worker: PodWorker) -> None:
        """Remove a worker: nothing of its pod is left on the node."""
        del self.workers[worker.uid]
        self.gone.pop(worker.uid, None)
        self._without_volumes.pop(worker.uid, None)
        self._drop_address(worker)
        for source in list_sources(worker.spec):
            self._by_source[source].pop(worker.uid, None)
        of_node = self._by_node[worker.node]
        del of_node[worker.uid]
        if not of_node:
            del self._by_node[worker.node]

    def workers_with(self, kind: str, name: str) -> list[PodWorker]:
        """Those of pods, of any namespace, with a volume that is made of such an object."""
        return list(self._by_source.get((kind, name), {}).values())

    def take_sandbox(self, worker: PodWorker, ip: str) -> None:
        """Note that a pod has a sandbox with this address."""
        if worker.spec.volumes:
            self._without_volumes.pop(worker.uid, None)
        if worker.ip:
            self._drop_address(worker)
        worker.ip = ip
        self._give_address(worker)

    def _give_address(self, worker: PodWorker) -> None:
        if worker.spec.host_network:
            self._on_host_network[worker.uid] = worker
        else:
            self._by_address[worker.ip] = worker

    def _drop_address(self, worker: PodWorker) -> None:
        if not worker.spec.host_network:
            self._by_address.pop(worker.ip, None)
        else:
            self._on_host_network.pop(worker.uid, None)

    def find_by_address(self, ip: str) -> PodWorker | None:
        """The worker with an address; of pods in a host network the one that was added first."""
        found = self._by_address.get(ip)
        if found is not None:
            return found
        sharing = (worker for worker in self._on_host_network.values() if worker.ip == ip)
        return min(sharing, key=_number, default=None)

    def workers_of(self, node: str) -> list[PodWorker]:
        """All workers of a node, in the order in which they were added."""
        return list(self._by_node.get(node, {}).values())

    def workers_on(self, node: str) -> Iterator[PodWorker]:
        """The workers of a node, without those whose pods were deleted by force."""
        stored = self._store.index.pods_by_node.get(node, ())
        for uid, worker in self._by_node.get(node, {}).items():
            if uid in stored or uid in self.statics:
                yield worker

    def workers_to_mount_for(self) -> list[PodWorker]:
        """Admitted pods with volumes and without a sandbox, in the order in which they were added."""
        waiting = (worker for worker in self._without_volumes.values() if worker.stage == SYNCING)
        return sorted(waiting, key=_number)


def encode_pod(pod: Pod) -> list[Any]:
    """Plain data of a pod that differs from the stored one."""
    return [encode(pod.replace(spec=None)), pod.spec.raw]


def decode_pod(data: list[Any]) -> Pod:
    """The pod that `encode_pod` described."""
    pod: Pod = decode(data[0]).replace(spec=PodSpec(data[1]))
    return pod


def save_pods(pods: Mapping[str, Pod]) -> list[Any]:
    """Plain data of pods by uid."""
    return [encode_pod(pod) for pod in pods.values()]


def load_pods(data: Iterable[list[Any]]) -> dict[str, Pod]:
    """The pods that `save_pods` described, by uid."""
    return {pod.meta.uid: pod for pod in map(decode_pod, data)}


def _number(worker: PodWorker) -> int:
    return worker.number
