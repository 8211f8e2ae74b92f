"""The Eviction API: a deletion of a pod that its PodDisruptionBudget must allow.

In the order of Kubernetes: preconditions; status of the budget (`disruptionsAllowed` less one, pod in
`disruptedPods`); condition DisruptionTarget of the pod; deletion (COND-15, PDB-05, DCOND-04).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..heart.errors import ApiError
from ..objects.pods.pod import Pod
from ..objects.times import floor_to_second
from ..objects.workloads.disruption_budget import DisruptionBudget
from ..rules.nodes.eviction import with_disruption
from ..rules.workloads.disruption_budgets import find_payer, list_names, tell_cause, with_disrupted
from .admission.namespaces import find_namespace, require_lasting
from .context import Context
from .deletion import check_preconditions, delete_pod

ACCEPTED, REFUSED = "accepted", "refused"
_REASON, _MESSAGE = "EvictionByEvictionAPI", "Eviction API: evicting"


def evict_pod(
    context: Context,
    pod: Pod,
    grace_seconds: int | None,
    preconditions: Mapping[str, str] | None = None,
    is_dry_run: bool = False,
) -> Pod:
    """Delete a pod unless its budget forbids it. `grace_seconds`: None for the pod's own period.

    Raises Conflict for a precondition that does not hold, Forbidden in a namespace that goes, TooManyRequests
    when the budget allows no disruption now, Unknown (500) when several budgets select the pod. A dry run
    raises the same and changes nothing.
    """
    require_lasting(find_namespace(context.store, pod.meta), pod.kind, pod.meta.name)
    if preconditions:
        check_preconditions(pod, preconditions)
    budgets = context.budgets.list_of(pod)
    trace, outer = context.trace, context.trace.cause
    try:
        payer = find_payer(pod, budgets)
    except ApiError as refusal:
        if not is_dry_run:
            _tell_refused(context, pod, list_names(budgets), refusal)
        raise
    if is_dry_run:
        return pod
    was = REFUSED if context.budgets.refused.pop(pod.meta.uid, None) is not None else None
    reason = payer.meta.name if payer is not None else None
    trace.cause = trace.transition(pod.subject, "eviction", was, ACCEPTED, reason)
    if payer is not None:
        _pay(context, payer, pod)
    told = _with_reason(pod, context.clock.now_ms)
    context.store.update(pod, told)
    trace.cause = trace.led
    gone = delete_pod(context, told, grace_seconds, has_options=True)
    trace.cause = outer
    return gone


def _tell_refused(context: Context, pod: Pod, budgets: str, refusal: ApiError) -> None:
    """A row for the first refusal, and where another budget is in the way; not for each time it is asked."""
    refused = context.budgets.refused
    known = refused.get(pod.meta.uid)
    if known != budgets:
        refused[pod.meta.uid] = budgets
        was = REFUSED if known is not None else None
        message = tell_cause(refusal) or refusal.message
        context.trace.transition(pod.subject, "eviction", was, REFUSED, budgets, message)


def withdraw(context: Context, uid: str) -> None:
    """Nobody asks for a pod's eviction any more: it is refused no longer."""
    pod = context.store.pods.get(uid)
    if context.budgets.refused.pop(uid, None) is not None and pod is not None:
        context.trace.transition(pod.subject, "eviction", REFUSED, None)


def _pay(context: Context, budget: DisruptionBudget, pod: Pod) -> None:
    now_ms = context.clock.now_ms
    at_ms = floor_to_second(now_ms, context.clock.epoch_ms)
    status = with_disrupted(budget.status, pod, at_ms, now_ms)
    context.store.update(budget, budget.with_status(status))


def _with_reason(pod: Pod, now_ms: int) -> Pod:
    conditions = with_disruption(pod.status.conditions, _MESSAGE, now_ms, None, _REASON)
    return pod.with_status(pod.status.replace(conditions=conditions))
