"""Which pods nobody needs, or nobody else can end. Pure; models Kubernetes' pod garbage collector.

Finished pods beyond a number; pods on nodes that are no more; pods that end without ever having had a node;
and pods that end on a node that is out of service.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...objects.condition import is_true
from ...objects.names import OUT_OF_SERVICE
from ...objects.node import Node
from ...objects.pods.pod import FAILED, Pod
from ..nodes.eviction import EVICTED
from ..nodes.taint_evictions import with_disruption_reason

QUARANTINE_MS = 40_000
"""So long it waits for a node that it has not seen."""
_NO_NODE = ("DeletionByPodGC", "PodGC: node no longer exists")


def is_blocked_on_finalizers(pod: Pod) -> bool:
    """Whether nothing but finalizers keeps a pod that is to go: deleting it once more changes nothing."""
    meta = pod.meta
    is_going = meta.deletion_ms is not None and meta.deletion_grace_seconds == 0
    return is_going and bool(meta.finalizers) and pod.is_finished


def choose_terminated(pods: Iterable[Pod], threshold: int) -> list[Pod]:
    """Finished pods beyond the threshold: evicted ones first, then the oldest, then by name. 0: no limit."""
    finished = [pod for pod in pods if pod.is_finished]
    surplus = len(finished) - threshold
    if threshold <= 0 or surplus <= 0:
        return []
    candidates = [pod for pod in finished if not is_blocked_on_finalizers(pod)]
    return sorted(candidates, key=_rank)[:surplus]


def _rank(pod: Pod) -> tuple[bool, int, str]:
    is_evicted = pod.status.phase == FAILED and pod.status.reason == EVICTED
    return (not is_evicted, pod.meta.creation_ms or 0, pod.meta.name)


def choose_unscheduled(pods: Iterable[Pod]) -> list[Pod]:
    """Pods that end and have no node: no kubelet will say that they have ended."""
    ending = (pod for pod in pods if pod.meta.deletion_ms is not None and not pod.node_name)
    return [pod for pod in ending if not is_blocked_on_finalizers(pod)]


def choose_out_of_service(pods: Iterable[Pod], nodes: Mapping[str, Node]) -> list[Pod]:
    """Pods that end on nodes that are not ready and said to be out of service, in the order of `_rank`."""
    ending = [
        pod
        for pod in pods
        if pod.meta.deletion_ms is not None
        and pod.node_name in nodes
        and is_out_of_service(nodes[pod.node_name])
        and not is_blocked_on_finalizers(pod)
    ]
    return sorted(ending, key=_rank)


def is_out_of_service(node: Node) -> bool:
    """Whether a node is not ready and carries the taint that says that it will not come back by itself."""
    is_marked = any(taint.key == OUT_OF_SERVICE for taint in node.spec.taints)
    return is_marked and not is_true(node.status.conditions, "Ready")


def choose_orphans(pods: Iterable[Pod], gone: Sequence[str] | frozenset[str]) -> list[Pod]:
    """Pods on nodes that were found to be gone."""
    return [pod for pod in pods if pod.node_name in gone and not is_blocked_on_finalizers(pod)]


def mark_failed(pod: Pod, now_ms: int, is_orphan: bool) -> Pod:
    """The pod as it is before it is deleted: one that had not finished has failed (PODGC-06, PODGC-07)."""
    if pod.is_finished:
        return pod
    told = with_disruption_reason(pod, *_NO_NODE, now_ms) if is_orphan else pod
    return told.with_status(told.status.replace(phase=FAILED, observed_generation=pod.meta.generation))
