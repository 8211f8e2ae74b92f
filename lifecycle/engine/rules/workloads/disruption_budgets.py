"""What a PodDisruptionBudget allows: its sums, its condition, and who may be evicted. Pure.

The disruption controller keeps the sums in the budget's status; the eviction API and the scheduler's
preemption decide by that status alone, however old it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...heart.errors import ApiError, Forbidden, TooManyRequests, Unknown
from ...objects.condition import Condition, find_condition, with_condition
from ...objects.int_or_percent import resolve
from ...objects.pods.pod import PENDING, Pod
from ...objects.workloads.disruption_budget import (
    DISRUPTION_BUDGET_KIND,
    DisruptionBudget,
    DisruptionBudgetSpec,
    DisruptionBudgetStatus,
)

DISRUPTION_ALLOWED = "DisruptionAllowed"
SUFFICIENT, INSUFFICIENT, SYNC_FAILED = "SufficientPods", "InsufficientPods", "SyncFailed"
DELETION_TIMEOUT_MS = 120_000
"""How long an accepted eviction counts although its pod is not being deleted."""
MOST_DISRUPTED = 2000
"""More pods than this may not be waiting for their deletion to be seen."""
CAUSE = "DisruptionBudget"
_REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."
_SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_RETRY_SECONDS = 10

# --- the sums ---------------------------------------------------------------------------------------------


def needs_scale(spec: DisruptionBudgetSpec) -> bool:
    """Whether it is reckoned from what the pods' controllers want: all but a `minAvailable` in pods."""
    return spec.max_unavailable is not None or isinstance(spec.min_available, str)


def decide_desired(spec: DisruptionBudgetSpec, expected: int) -> int:
    """How many of the expected pods must be healthy.

    Percentages round up: `minAvailable: 50%` of 5 is 3; `maxUnavailable: 30%` of 5 lets 2 go, so 3 stay.
    """
    if spec.max_unavailable is not None:
        return max(expected - resolve(spec.max_unavailable, expected, round_up=True), 0)
    if spec.min_available is None:
        return 0
    return resolve(spec.min_available, expected, round_up=True)


def decide_allowed(healthy: int, desired: int, expected: int) -> int:
    """How many may go now: none while no pod is expected, so that the first ones are safe (PDB-15)."""
    return max(healthy - desired, 0) if expected > 0 else 0


def with_allowed_condition(
    status: DisruptionBudgetStatus, now_ms: int, reason: str = "", message: str = ""
) -> DisruptionBudgetStatus:
    """The status with its condition DisruptionAllowed; `reason` where it is no question of numbers."""
    is_allowed = status.disruptions_allowed > 0
    value = "True" if is_allowed else "False"
    reason = reason or (SUFFICIENT if is_allowed else INSUFFICIENT)
    old = find_condition(status.conditions, DISRUPTION_ALLOWED)
    since_ms = old.last_transition_ms if old is not None and old.status == value else now_ms
    new = Condition(
        DISRUPTION_ALLOWED,
        value,
        reason,
        message,
        since_ms,
        observed_generation=status.observed_generation,
    )
    return status.replace(conditions=with_condition(status.conditions, new))


# --- who may go -------------------------------------------------------------------------------------------


def is_exempt(pod: Pod) -> bool:
    """Whether no budget is asked: a pod that has ended, never began or is being deleted disrupts nobody."""
    return pod.is_finished or pod.status.phase == PENDING or pod.meta.deletion_ms is not None


def is_spare(pod: Pod, budget: DisruptionBudget) -> bool:
    """Whether an unhealthy pod may go without being counted: always, or while enough others are healthy."""
    status = budget.status
    if pod.is_ready:
        return False
    return budget.spec.always_allows_unhealthy or status.current_healthy >= status.desired_healthy > 0


def find_payer(pod: Pod, budgets: Sequence[DisruptionBudget]) -> DisruptionBudget | None:
    """The budget that the pod's eviction counts against; None where it counts against none.

    Raises Unknown (500) where several select the pod, TooManyRequests when its budget does not allow it,
    Forbidden when too many accepted evictions are still unseen.
    """
    if is_exempt(pod) or not budgets:
        return None
    if len(budgets) > 1:
        raise Unknown(_SEVERAL)
    budget = budgets[0]
    if is_spare(pod, budget):
        return None
    refusal = _find_refusal(budget)
    if refusal is not None:
        raise refusal
    return budget


def _find_refusal(budget: DisruptionBudget) -> ApiError | None:
    status, name = budget.status, budget.meta.name
    if status.observed_generation < budget.meta.generation:
        why = f"The disruption budget {name} is still being processed by the server."
        return _refuse(why, _RETRY_SECONDS)
    if status.disruptions_allowed < 0:
        return _forbid(name, "pdb disruptions allowed is negative")
    if len(status.disrupted_pods) > MOST_DISRUPTED:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        return _forbid(name, why)
    return _refuse(_tell_none_left(budget)) if status.disruptions_allowed == 0 else None


def _tell_none_left(budget: DisruptionBudget) -> str:
    status, name = budget.status, budget.meta.name
    found = find_condition(status.conditions, DISRUPTION_ALLOWED)
    why = found if found is not None and found.status == "False" and found.message else None
    stem = f"The disruption budget {name} does not allow evicting pods currently"
    if why is not None and why.reason == SYNC_FAILED:
        return f"{stem} because it failed sync: {why.message}"
    if status.current_healthy <= status.desired_healthy:
        has = f"needs {status.desired_healthy} healthy pods and has {status.current_healthy} currently"
        return f"The disruption budget {name} {has}"
    return f"{stem} ({why.reason}): {why.message}" if why is not None else stem


def _refuse(why: str, retry_seconds: int = 0) -> TooManyRequests:
    return TooManyRequests(_REFUSED, [{"reason": CAUSE, "message": why}], retry_seconds)


def _forbid(name: str, why: str) -> Forbidden:
    resource = "poddisruptionbudget"
    message = f'{resource}.policy "{name}" is forbidden: {why}'
    return Forbidden(message, resource, name, group=DISRUPTION_BUDGET_KIND.group)


def tell_cause(refusal: ApiError) -> str:
    """What a refusal says of its budget, beside its message; "" when it is about none."""
    return next((one["message"] for one in refusal.causes if one.get("reason") == CAUSE), "")


def with_disrupted(
    status: DisruptionBudgetStatus, pod: Pod, at_ms: int, now_ms: int
) -> DisruptionBudgetStatus:
    """The status once the pod's eviction is accepted at `now_ms`, told as `at_ms`: one less is allowed."""
    disrupted = {**status.disrupted_pods, pod.meta.name: at_ms}
    taken = status.replace(disruptions_allowed=status.disruptions_allowed - 1, disrupted_pods=disrupted)
    return taken if taken.disruptions_allowed else with_allowed_condition(taken, now_ms)


def is_still_disrupted(pod: Pod | None, since_ms: int, now_ms: int) -> bool:
    """Whether an accepted eviction still counts: its pod is there, not being deleted, and not overdue."""
    is_waiting = pod is not None and pod.meta.deletion_ms is None
    return is_waiting and now_ms <= since_ms + DELETION_TIMEOUT_MS


def list_names(budgets: Collection[DisruptionBudget]) -> str:
    """Their names on one line."""
    return ", ".join(sorted(budget.meta.name for budget in budgets))
