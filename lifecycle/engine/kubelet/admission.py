"""Which pods bound to a node its kubelet takes; the others it fails at once, without starting anything.

Models the kubelet's admission by operating system, by node pressure and by CPUs that a pod is to have for
itself. Left out: admission by other amounts, which the scheduler has seen to.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..objects.container import read_resources
from ..objects.meta import StoredObject
from ..objects.node import Node
from ..objects.pod import FAILED, Pod
from .cpu_manager import count_exclusive, find_free, find_reserved, is_static
from .eviction import EVICTED
from .evictor import Evictor
from .parts import WARNING, Parts
from .worker import TERMINATED, PodWorker

UNEXPECTED = "UnexpectedAdmissionError"
POD_OS_NOT_SUPPORTED = "PodOSNotSupported"
_OS_TEXT = "Failed to admit pod as the OS field doesn't match node OS"


class Admission:
    """Lets pods in, or fails them."""

    __slots__ = ("_evictor", "_parts", "_workers")

    def __init__(self, parts: Parts, evictor: Evictor, workers: Mapping[str, PodWorker]) -> None:
        self._parts = parts
        self._workers = workers
        parts.cpus_of = self.cpus_of
        self._evictor = evictor

    def refuses(self, worker: PodWorker, pod: Pod) -> bool:
        """Whether the node does not take the pod; it is Failed then."""
        store = self._parts.store
        reason, text = EVICTED, self._evictor.refusal(pod)
        if pod.spec.os_name and is_for_another_system(pod, store.get("Node", "", pod.node_name)):
            reason, text = POD_OS_NOT_SUPPORTED, _OS_TEXT
        if not text and is_static(self._parts.agents[worker.node].configuration):
            reason, text = UNEXPECTED, self._give_cpus(worker, pod)
        if not text:
            if self._parts.agents[worker.node].pressure is not None:
                self._parts.check_pressure(worker.node)
            return False
        self._parts.event(worker, None, WARNING, reason, text)
        start_ms = pod.status.start_ms
        status = pod.status.replace(
            phase=FAILED,
            reason=reason,
            message=f"Pod was rejected: {text}",
            start_ms=self._parts.context.clock.now_ms if start_ms is None else start_ms,
        )
        self._parts.write(pod, pod.with_status(status))
        return True

    def _give_cpus(self, worker: PodWorker, pod: Pod) -> str:
        """CPUs for the pod alone, where it is to have some; says why it cannot get them (QOS-09)."""
        configuration = self._parts.agents[worker.node].configuration
        node = self._parts.store.get("Node", "", worker.node)
        total = count_cpus(node)
        taken = {*find_reserved(configuration), *self._exclusive_cpus(worker.node)}
        for run in worker.runs.values():
            count = count_exclusive(run.container, pod.status.qos_class)
            free = find_free(total, taken)
            if count > len(free):
                worker.exclusive_cpus = {}
                return (
                    "Allocate failed due to not enough cpus available to satisfy request:"
                    f" requested={count}, available={len(free)}, which is unexpected"
                )
            if count:
                worker.exclusive_cpus[run.container.name] = free[:count]
                taken.update(free[:count])
        return ""

    def cpus_of(self, worker: PodWorker, container: str) -> tuple[int, ...]:
        """The CPUs a container may run on: its own, or all that nobody has for himself."""
        own = worker.exclusive_cpus.get(container)
        if own is not None:
            return own
        taken = self._exclusive_cpus(worker.node)
        total = count_cpus(self._parts.store.get("Node", "", worker.node))
        return tuple(number for number in range(total) if number not in taken)

    def _exclusive_cpus(self, node: str) -> list[int]:
        return [
            cpu
            for worker in self._parts.workers_on(node, self._workers)
            if worker.stage != TERMINATED
            for cpus in worker.exclusive_cpus.values()
            for cpu in cpus
        ]


def count_cpus(node: StoredObject | None) -> int:
    """How many CPUs a node has."""
    if not isinstance(node, Node):
        return 0
    capacity = read_resources(node.status.raw.get("capacity"))
    return capacity.get("cpu", node.status.allocatable.get("cpu", 0)) // 1000


def is_for_another_system(pod: Pod, node: StoredObject | None) -> bool:
    """Whether `spec.os` names another system than the node has (PODOS-06)."""
    if not isinstance(node, Node):
        return False
    info = node.status.raw.get("nodeInfo") or {}
    system = info.get("operatingSystem") or node.meta.labels.get("kubernetes.io/os", "linux")
    return bool(pod.spec.os_name != system)
