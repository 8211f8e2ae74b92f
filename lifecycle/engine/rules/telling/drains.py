"""What a drain that budgets hold up waits for, and whether that comes by itself. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle.lean_tuples import NamedTuple

from ...objects.condition import find_condition
from ...objects.workloads.disruption_budget import DisruptionBudget
from ..workloads.disruption_budgets import DISRUPTION_ALLOWED, SYNC_FAILED
from .verdicts import quote, tell_instant

LASTING_MS = 60_000
"""So long a drain waits for pods that come in another's place before it is told."""
_MEND = "it waits for ever unless somebody scales up or relaxes the budget"


class Held(NamedTuple):
    """Why a drain does not go on. `is_lasting`: whether it is to be told, as waiting alone may not help."""

    why: str
    is_lasting: bool


def find_drain_hold(since_ms: int, budgets: Sequence[DisruptionBudget], now_ms: int) -> Held:
    """Of a drain that is blocked since then by these budgets."""
    held = find_budgets_hold(budgets)
    why = f"its drain is blocked since {tell_instant(since_ms)} by {held.why}"
    return Held(why, held.is_lasting or now_ms - since_ms >= LASTING_MS)


def find_budgets_hold(budgets: Sequence[DisruptionBudget]) -> Held:
    """What these budgets say to an eviction that they refuse; lasting where none will say anything else."""
    told = [_tell(budget) for budget in budgets]
    names = "; ".join(one.why for one in told) or "a refusal"
    is_lasting = bool(told) and all(one.is_lasting for one in told)
    return Held(f"{names}; {_MEND}" if is_lasting else names, is_lasting)


def _tell(budget: DisruptionBudget) -> Held:
    """What it lets go, and whether that stays so: all its pods are there and healthy, and it needs them."""
    status, name = budget.status, budget.meta.name
    found = find_condition(status.conditions, DISRUPTION_ALLOWED)
    if found is not None and found.reason == SYNC_FAILED:
        return Held(f"budget {name}, which cannot be reckoned{quote(found.message)}", True)
    numbers = f"{status.current_healthy} of {status.expected_pods} healthy, {status.desired_healthy} needed"
    is_whole = status.current_healthy >= status.expected_pods
    return Held(f"budget {name} ({numbers})", is_whole and not status.disruptions_allowed)
