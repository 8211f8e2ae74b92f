"""Which pods bound to a node its kubelet takes; the others it fails at once, without starting anything.

Models the kubelet's admission by operating system and by node pressure. Left out: admission by amounts, which
the scheduler has seen to.
"""

from __future__ import annotations

from ..objects.meta import StoredObject
from ..objects.node import Node
from ..objects.pod import FAILED, Pod
from .eviction import EVICTED
from .evictor import Evictor
from .parts import WARNING, Parts
from .worker import PodWorker

POD_OS_NOT_SUPPORTED = "PodOSNotSupported"
_OS_TEXT = "Failed to admit pod as the OS field doesn't match node OS"


class Admission:
    """Lets pods in, or fails them."""

    __slots__ = ("_evictor", "_parts")

    def __init__(self, parts: Parts, evictor: Evictor) -> None:
        self._parts = parts
        self._evictor = evictor

    def refuses(self, worker: PodWorker, pod: Pod) -> bool:
        """Whether the node does not take the pod; it is Failed then."""
        store = self._parts.store
        reason, text = EVICTED, self._evictor.refusal(pod)
        if is_for_another_system(pod, store.get("Node", "", pod.node_name)):
            reason, text = POD_OS_NOT_SUPPORTED, _OS_TEXT
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


def is_for_another_system(pod: Pod, node: StoredObject | None) -> bool:
    """Whether `spec.os` names another system than the node has (PODOS-06)."""
    if not pod.spec.os_name or not isinstance(node, Node):
        return False
    info = node.status.raw.get("nodeInfo") or {}
    system = info.get("operatingSystem") or node.meta.labels.get("kubernetes.io/os", "linux")
    return bool(pod.spec.os_name != system)
