"""The writes that an eviction by taints consists of."""

from __future__ import annotations

from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...rules.actions import Action, DeletePod, RecordEvent, Update
from ...rules.nodes.taint_evictions import mark_for_deletion

SOURCE = "taint-eviction-controller"
_REASON = "TaintManagerEviction"


def decide_leaving(pod: Pod, now_ms: int) -> list[Action]:
    """The pod is told why, then deleted."""
    marked = mark_for_deletion(pod, now_ms)
    told = [] if marked is pod else [Update(marked)]
    return [_tell(pod, "Marking for deletion"), *told, DeletePod(pod)]


def decide_staying(pod: StoredObject) -> list[Action]:
    """What was planned for a pod is given up."""
    return [_tell(pod, "Cancelling deletion of")]


def _tell(pod: StoredObject, what: str) -> Action:
    message = f"{what} Pod {pod.meta.namespace}/{pod.meta.name}"
    return RecordEvent(pod, "Normal", _REASON, message, SOURCE)
