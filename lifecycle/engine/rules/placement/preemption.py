"""Whom a pod may push out of a node, and from which node it does so best. Pure; models DefaultPreemption."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lifecycle.lean_tuples import NamedTuple

from ...objects.condition import find_condition
from ...objects.pods.pod import Pod
from ...objects.selector import Selector
from ...objects.times import floor_to_second
from ..nodes.eviction import DISRUPTION_TARGET

PREEMPTED = "PreemptionByScheduler"
NEVER = "preemptionPolicy=Never."
NO_VICTIMS = "No preemption victims found for incoming pod"
NO_HELP = "Preemption is not helpful for scheduling"
STILL_ENDING = "a terminating pod on the nominated node."
_LEAST_PRIORITY = -(1 << 31)


class Budget(NamedTuple):
    """What a PodDisruptionBudget says at the moment. `disrupted`: pods whose end it counts already."""

    namespace: str
    selector: Selector
    allowed: int
    disrupted: frozenset[str] = frozenset()


class Candidate(NamedTuple):
    """A node, who would have to go from it, the most important first, and how many against a budget."""

    node_name: str
    victims: tuple[Pod, ...]
    violations: int


def read_budget(data: Mapping[str, Any]) -> Budget:
    """What a PodDisruptionBudget says, from its JSON. One that selects nobody or all counts nobody."""
    spec, status = data.get("spec") or {}, data.get("status") or {}
    selector = Selector(spec.get("selector"))
    if selector.is_everything:
        selector = Selector(None)
    return Budget(
        (data.get("metadata") or {}).get("namespace") or "",
        selector,
        status.get("disruptionsAllowed") or 0,
        frozenset(status.get("disruptedPods") or ()),
    )


def sort_by_importance(pods: Iterable[Pod], now_ms: int, epoch_ms: int) -> list[Pod]:
    """The higher priority first, of equals the one that started earlier (by whole seconds)."""
    return sorted(pods, key=lambda pod: (-pod.spec.priority, _started(pod, now_ms, epoch_ms)))


def _started(pod: Pod, now_ms: int, epoch_ms: int) -> int:
    start_ms = pod.status.start_ms
    return now_ms if start_ms is None else floor_to_second(start_ms, epoch_ms)


def split_by_budgets(pods: Sequence[Pod], budgets: Sequence[Budget]) -> tuple[list[Pod], list[Pod]]:
    """Those whose end a budget would not allow, and the others; who comes first uses up what is allowed."""
    left = [one.allowed for one in budgets]
    violating, others = list[Pod](), list[Pod]()
    for pod in pods:
        is_violated = False
        for place, budget in enumerate(budgets):
            if not pod.meta.labels or budget.namespace != pod.meta.namespace:
                continue
            if pod.meta.name in budget.disrupted or not budget.selector.matches(pod.meta.labels):
                continue
            left[place] -= 1
            is_violated |= left[place] < 0
        (violating if is_violated else others).append(pod)
    return violating, others


def pick_candidate(candidates: Sequence[Candidate], now_ms: int, epoch_ms: int) -> Candidate:
    """The one that breaks the fewest budgets; then whose most important victim is least important; then the
    smallest sum of priorities, the fewest victims, and those that started last."""

    def judge(one: Candidate) -> tuple[int, int, int, int, int]:
        highest = one.victims[0].spec.priority
        # Made positive, so that fewer pods of a negative priority are less than more of them.
        total = sum(pod.spec.priority - _LEAST_PRIORITY for pod in one.victims)
        first = min(_started(pod, now_ms, epoch_ms) for pod in one.victims if pod.spec.priority == highest)
        return one.violations, highest, total, len(one.victims), -first

    return min(candidates, key=judge)


def is_ending_by_preemption(pod: Pod) -> bool:
    """Whether a pod is on its way out because the scheduler wanted its room."""
    if pod.meta.deletion_ms is None:
        return False
    condition = find_condition(pod.status.conditions, DISRUPTION_TARGET)
    return condition is not None and (condition.status, condition.reason) == ("True", PREEMPTED)


def may_preempt(pod: Pod) -> bool:
    """Whether a pod may push others out at all."""
    return pod.spec.raw.get("preemptionPolicy") != "Never"


def count_candidates(node_count: int) -> int:
    """Of so many nodes where it may help, on how many victims are looked for: a tenth, at least 100."""
    return min(max(node_count // 10, 100), node_count)
