"""Admission of pods by the kubelet: a pod that is not admitted fails at once.

Models the admit handlers for node pressure, sysctls, exclusive CPUs and the operating system. For a pod
that was bound without the scheduler also resources, affinity, host ports and taints. Left out: preemption
for critical pods; these are always admitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..objects.condition import is_true
from ..objects.meta import StoredObject
from ..objects.node import Node
from ..objects.pods.pod import FAILED, HostPort, Pod, PodSpec
from ..rules.nodes.cpu_manager import is_static
from ..rules.nodes.eviction import EVICTED, is_critical
from ..rules.nodes.shutdown import NOT_ADMITTED, NOT_ADMITTED_TEXT
from ..rules.placement.host_ports import NO_FREE_PORTS, has_clash, list_host_ports
from ..rules.placement.node_filters import NOT_WANTED, tolerates, wants_node
from ..rules.pods.conditions import POD_SCHEDULED
from ..rules.pods.rejections import REJECTED
from ..rules.pods.resources import effective_requests
from ..rules.pods.sysctls import SYSCTL_FORBIDDEN, find_forbidden_sysctl
from .eviction.evictor import Evictor
from .parts import WARNING, Parts
from .reports import Reporter
from .resize import sum_requests
from .state.worker import TERMINATED, WAITING, PodWorker

UNEXPECTED = "UnexpectedAdmissionError"
POD_OS_NOT_SUPPORTED = "PodOSNotSupported"
POD_OS_LABEL, OS_LABEL = "PodOSSelectorNodeLabelDoesNotMatch", "kubernetes.io/os"
_FIRST = ("cpu", "memory", "ephemeral-storage")
_TAINTS_TEXT = "node(s) had taints that the pod didn't tolerate"
_OS_LABEL_TEXT = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"
_OS_TEXT = "Failed to admit pod as the OS field doesn't match node OS"


class Admission:
    """Lets pods in, or fails them."""

    __slots__ = ("_evictor", "_parts", "_reporter")

    def __init__(self, parts: Parts, evictor: Evictor, reporter: Reporter) -> None:
        self._parts = parts
        self._evictor = evictor
        self._reporter = reporter

    def refuses(self, worker: PodWorker, pod: Pod) -> bool:
        """Whether the node does not take the pod; it is Failed then."""
        reason, text = self._find_reason(worker, pod)
        if not text:
            if self._parts.agents[worker.node].pressure is not None:
                self._evictor.synchronize(worker.node)
            return False
        self._parts.event(worker, None, WARNING, reason, text)
        start_ms = pod.status.start_ms
        status = pod.status.replace(
            phase=FAILED,
            reason=reason,
            message=REJECTED + text,
            start_ms=self._parts.context.clock.now_ms if start_ms is None else start_ms,
        )
        self._reporter.write(pod, pod.with_status(status))
        return True

    def _find_reason(self, worker: PodWorker, pod: Pod) -> tuple[str, str]:
        """Why the pod is not taken, in a word and a text; ("", "") when it is."""
        agent = self._parts.agents[worker.node]
        if agent.shutdown is not None:
            return NOT_ADMITTED, NOT_ADMITTED_TEXT
        text = self._evictor.refusal(pod) if agent.pressure is not None else ""
        if text:
            return EVICTED, text
        if pod.spec.sysctls and (text := find_forbidden_sysctl(pod.spec)):
            return SYSCTL_FORBIDDEN, text
        # A pod with amounts of its own as a whole has no container with any.
        if is_static(agent.configuration) and not pod.spec.resources:
            text = self._parts.cpus.give(worker, agent, pod.status.qos_class)
            if text:
                return UNEXPECTED, text
        is_scheduled = is_true(pod.status.conditions, POD_SCHEDULED)
        if is_scheduled and not pod.spec.os_name and OS_LABEL not in pod.meta.labels:
            return "", ""
        node = self._parts.store.get("Node", "", pod.node_name)
        if isinstance(node, Node) and is_labelled_for_another_system(pod, node):
            return POD_OS_LABEL, _OS_LABEL_TEXT
        if pod.spec.os_name and is_for_another_system(pod, node):
            return POD_OS_NOT_SUPPORTED, _OS_TEXT
        if is_scheduled or not isinstance(node, Node) or is_critical(pod.spec, pod.meta.annotations):
            return "", ""
        workers = self._parts.pod_manager.workers_on(worker.node)
        others = [one for one in workers if one is not worker and one.stage not in (WAITING, TERMINATED)]
        ports = [port for one in others for port in list_host_ports(one.spec)]
        return decide_misfit(pod.spec, node, sum_requests(others), len(others), ports)


def decide_misfit(
    spec: PodSpec, node: Node, used: Mapping[str, int], pods: int, ports: Iterable[HostPort]
) -> tuple[str, str]:
    """Why a node cannot hold a pod that no scheduler has placed, beside so many pods that use so much."""
    asked, has = effective_requests(spec), node.status.allocatable
    for name, wanted in (("pods", 1), *((name, asked.get(name, 0)) for name in _FIRST), *asked.items()):
        taken = pods if name == "pods" else used.get(name, 0)
        if name not in has and _is_extended(name):
            # What a node has never heard of may be the cluster's, which is no business of its kubelet.
            continue
        if wanted and wanted + taken > has.get(name, 0):
            amounts = f"requested: {wanted}, used: {taken}, capacity: {has.get(name, 0)}"
            return f"OutOf{name}", f"Node didn't have enough resource: {name}, {amounts}"
    if not wants_node(spec, node):
        return "NodeAffinity", f"Predicate NodeAffinity failed: {NOT_WANTED}"
    if has_clash(list_host_ports(spec), [*ports]):
        return "NodePorts", f"Predicate NodePorts failed: {NO_FREE_PORTS}"
    taints = [taint for taint in node.spec.taints if taint.effect == "NoExecute"]
    if not all(tolerates(spec.tolerations, taint) for taint in taints):
        return "TaintToleration", f"Predicate TaintToleration failed: {_TAINTS_TEXT}"
    return "", ""


def _is_extended(name: str) -> bool:
    """Whether a resource is one that Kubernetes itself knows nothing of."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def is_labelled_for_another_system(pod: Pod, node: Node) -> bool:
    """Whether a label of the pod's own says so; a node's kubelet knows its system whatever its label says."""
    label = pod.meta.labels.get(OS_LABEL)
    return label is not None and label != _system_of(node)


def is_for_another_system(pod: Pod, node: StoredObject | None) -> bool:
    """Whether `spec.os` names another system than the node has (PODOS-06)."""
    if not isinstance(node, Node):
        return False
    return bool(pod.spec.os_name != _system_of(node))


def _system_of(node: Node) -> str:
    info = node.status.raw.get("nodeInfo") or {}
    return str(info.get("operatingSystem") or node.meta.labels.get(OS_LABEL, "linux"))
