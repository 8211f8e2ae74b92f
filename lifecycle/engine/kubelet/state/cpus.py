"""Which CPUs of its node a container may run on, under the static policy of the CPU manager (QOS-09)."""

from __future__ import annotations

from ...objects.meta import StoredObject
from ...objects.node import Node
from ...objects.pods.container import read_resources
from ...rules.nodes.cpu_manager import count_exclusive, find_free, find_reserved
from ...store.store import Store
from .node_agent import NodeAgent
from .pod_manager import PodManager
from .worker import NO_CPUS, TERMINATED, PodWorker


class Cpus:
    """The CPUs of all nodes. Those a worker has for itself stand in its `exclusive_cpus`."""

    __slots__ = ("_pod_manager", "_store")

    def __init__(self, store: Store, pod_manager: PodManager) -> None:
        self._store = store
        self._pod_manager = pod_manager

    def give(self, worker: PodWorker, agent: NodeAgent, qos_class: str) -> str:
        """CPUs for a pod alone, where it is to have some; says why it cannot get them."""
        total = self._count(worker.node)
        taken = {*find_reserved(agent.configuration), *self._exclusive(worker.node)}
        for run in worker.runs.values():
            count = count_exclusive(run.container, qos_class)
            free = find_free(total, taken)
            if count > len(free):
                worker.exclusive_cpus = NO_CPUS
                return (
                    "Allocate failed due to not enough cpus available to satisfy request:"
                    f" requested={count}, available={len(free)}, which is unexpected"
                )
            if count:
                worker.exclusive_cpus = {**worker.exclusive_cpus, run.container.name: free[:count]}
                taken.update(free[:count])
        return ""

    def of_container(self, worker: PodWorker, container: str) -> tuple[int, ...]:
        """The CPUs a container may run on: its own, or all that nobody has for himself."""
        own = worker.exclusive_cpus.get(container)
        if own is not None:
            return own
        taken = self._exclusive(worker.node)
        return find_free(self._count(worker.node), taken)

    def _exclusive(self, node: str) -> list[int]:
        return [
            cpu
            for worker in self._pod_manager.workers_on(node)
            if worker.stage != TERMINATED
            for cpus in worker.exclusive_cpus.values()
            for cpu in cpus
        ]

    def _count(self, node: str) -> int:
        return count_cpus(self._store.get("Node", "", node))


def count_cpus(node: StoredObject | None) -> int:
    """How many CPUs a node has."""
    if not isinstance(node, Node):
        return 0
    capacity = read_resources(node.status.raw.get("capacity"))
    return capacity.get("cpu", node.status.allocatable.get("cpu", 0)) // 1000
