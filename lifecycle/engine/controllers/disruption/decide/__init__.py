"""What a look at a budget, or at a pod that was to be disrupted, leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lifecycle.lean_dataclasses import dataclass

from ....objects.condition import Condition, find_condition, with_condition
from ....objects.pods.pod import Pod
from ....objects.selector import Selector
from ....objects.workloads.disruption_budget import DisruptionBudget, DisruptionBudgetStatus
from ....rules.actions import Action, Decision, RecordEvent, Update
from ....rules.nodes.eviction import DISRUPTION_TARGET, TERMINATION_BY_KUBELET
from ....rules.validation.words.selectors import find_unreadable
from ....rules.workloads.disruption_budgets import (
    DELETION_TIMEOUT_MS,
    SYNC_FAILED,
    decide_allowed,
    decide_desired,
    is_still_disrupted,
    needs_scale,
    with_allowed_condition,
)

SOURCE = "controllermanager"
STALE_MS = 120_000
"""How long a pod may say that it is about to be disrupted without being deleted."""
_UNMANAGED = (
    "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the"
    " status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account"
    ' for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
)


@dataclass(slots=True)
class Seen:
    """What a budget's status is made of.

    `pods`: how many it selects. `healthy`: names of those that are ready and not being deleted, where a name
    matters; their number. `scale`: what the pods' controllers want together, `problem` why that is not
    known. `disrupted`: the pods of the status' `disruptedPods`, None for one that is gone or not selected.
    """

    budget: DisruptionBudget
    pods: int
    healthy: int
    has_unmanaged: bool = False
    scale: int = 0
    problem: str = ""
    disrupted: Mapping[str, Pod | None] | None = None


def decide(seen: Seen, now_ms: int) -> Decision:
    """Tell what is odd, then write the status where it has changed."""
    budget = seen.budget
    told: list[Action] = []
    problem = find_unreadable(budget.spec.selector)
    if problem:
        told.append(_event(budget, "NoPods", f"Failed to get pods: {problem}"))
        return Decision([*told, *_write(budget, _fail(budget.status, problem, now_ms))])
    if not seen.pods:
        told.append(_event(budget, "NoPods", "No matching pods found", "Normal"))
    if seen.problem:
        text = f"Failed to calculate the number of expected pods: {seen.problem}"
        told.append(_event(budget, "CalculateExpectedPodCountFailed", text))
        return Decision([*told, *_write(budget, _fail(budget.status, seen.problem, now_ms))])
    if seen.has_unmanaged and needs_scale(budget.spec):
        told.append(_event(budget, "UnmanagedPods", _UNMANAGED.format(show_selector(budget.spec.selector))))
    kept, overdue = _sort_disrupted(seen, now_ms)
    for pod in overdue:
        # Kubernetes names the namespace twice.
        space = budget.meta.namespace
        text = f"Pod was expected by PDB {space}/{space} to be deleted but it wasn't"
        told.append(RecordEvent(pod, "Warning", "NotDeleted", text, SOURCE))
    status = _sum_up(seen, kept, now_ms)
    due_ms = min(kept.values()) + DELETION_TIMEOUT_MS + 1 if kept else None
    return Decision([*told, *_write(budget, status)], recheck_at_ms=due_ms)


def _event(budget: DisruptionBudget, reason: str, message: str, event_type: str = "Warning") -> RecordEvent:
    return RecordEvent(budget, event_type, reason, message, SOURCE)


def _write(budget: DisruptionBudget, status: DisruptionBudgetStatus) -> list[Action]:
    return [] if status == budget.status else [Update(budget.with_status(status))]


def _fail(status: DisruptionBudgetStatus, problem: str, now_ms: int) -> DisruptionBudgetStatus:
    """Nothing is known, so nothing is allowed; the other numbers stay as they were."""
    return with_allowed_condition(status.replace(disruptions_allowed=0), now_ms, SYNC_FAILED, problem)


def _sort_disrupted(seen: Seen, now_ms: int) -> tuple[dict[str, int], list[Pod]]:
    """Pods whose eviction was accepted: those that still count, each since when, and those overdue."""
    since, found = seen.budget.status.disrupted_pods, seen.disrupted or {}
    kept = {name: since[name] for name, pod in found.items() if is_still_disrupted(pod, since[name], now_ms)}
    alive = [(name, pod) for name, pod in found.items() if pod is not None and pod.meta.deletion_ms is None]
    return kept, [pod for name, pod in alive if name not in kept]


def _sum_up(seen: Seen, kept: Mapping[str, int], now_ms: int) -> DisruptionBudgetStatus:
    budget, found = seen.budget, seen.disrupted or {}
    expected = seen.scale if needs_scale(budget.spec) else seen.pods
    if budget.spec.max_unavailable is None and budget.spec.min_available is None:
        expected = 0
    desired = decide_desired(budget.spec, expected)
    leaving = [name for name, since_ms in kept.items() if now_ms < since_ms + DELETION_TIMEOUT_MS]
    healthy = seen.healthy - sum(pod is not None and pod.is_ready for pod in map(found.get, leaving))
    status = budget.status.replace(
        observed_generation=budget.meta.generation,
        disruptions_allowed=decide_allowed(healthy, desired, expected),
        current_healthy=healthy,
        desired_healthy=desired,
        expected_pods=expected,
        disrupted_pods=dict(kept),
    )
    return with_allowed_condition(status, now_ms)


def show_selector(selector: Selector) -> str:
    """A selector as Go writes it in a message."""
    if selector.raw is None:
        return "nil"
    labels = "".join(f"{key}: {value}," for key, value in sorted(selector.match_labels.items()))
    entries = "".join(
        f"LabelSelectorRequirement{{Key:{one.key},Operator:{one.operator},Values:[{' '.join(one.values)}],}},"
        for one in selector.expressions
    )
    expressions = f"[]LabelSelectorRequirement{{{entries}}}"
    return f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:{expressions},}}"


# --- pods that were not disrupted after all ---------------------------------------------------------------


def find_stale_due_ms(pod: Pod) -> int | None:
    """When a pod's DisruptionTarget is no longer believed; None where it never is, or there is none.

    What a kubelet says stays: it may take long before the pod is being deleted. So does what an ended pod
    says.
    """
    found = find_condition(pod.status.conditions, DISRUPTION_TARGET)
    if found is None or found.status != "True" or found.reason == TERMINATION_BY_KUBELET:
        return None
    if pod.meta.deletion_ms is not None or pod.is_finished:
        return None
    return (found.last_transition_ms or 0) + STALE_MS


def decide_stale(pod: Pod, now_ms: int) -> Decision:
    """Take back a DisruptionTarget of a pod that was not deleted within two minutes."""
    due_ms = find_stale_due_ms(pod)
    if due_ms is None or due_ms > now_ms:
        return Decision(recheck_at_ms=due_ms)
    cleared = Condition(
        DISRUPTION_TARGET, "False", last_transition_ms=now_ms, observed_generation=pod.meta.generation
    )
    status = pod.status.replace(conditions=with_condition(pod.status.conditions, cleared))
    return Decision([Update(pod.with_status(status))])


def describe_several(pod: Pod, names: Sequence[str]) -> RecordEvent:
    """Several budgets select a pod: the eviction API will refuse it."""
    text = f'Pod "{pod.meta.namespace}"/"{pod.meta.name}" matches multiple PodDisruptionBudgets.'
    text += f'  Chose "{names[0]}" arbitrarily.'
    return RecordEvent(pod, "Warning", "MultiplePodDisruptionBudgets", text, SOURCE)
