"""The eviction API: a deletion that tells the pod why it goes (COND-15).

The place to ask disruption budgets, of which there are none yet, is before the pod is told.
"""

from __future__ import annotations

from ..objects.condition import Condition, with_condition
from ..objects.pod import Pod
from ..rules.eviction import DISRUPTION_TARGET
from .context import Context
from .deletion import delete_pod

_REASON, _MESSAGE = "EvictionByEvictionAPI", "Eviction API: evicting"


def evict_pod(context: Context, pod: Pod, grace_seconds: int | None) -> Pod:
    """Mark a pod as disrupted, then delete it. `grace_seconds`: None for the pod's own period."""
    told = _with_reason(pod, context.clock.now_ms)
    trace, outer = context.trace, context.trace.cause
    context.store.update(pod, told)
    trace.cause = trace.led
    gone = delete_pod(context, told, grace_seconds, has_options=True)
    trace.cause = outer
    return gone


def _with_reason(pod: Pod, now_ms: int) -> Pod:
    why = Condition(DISRUPTION_TARGET, "True", _REASON, _MESSAGE, now_ms)
    return pod.with_status(pod.status.replace(conditions=with_condition(pod.status.conditions, why)))
