"""A drain that budgets hold up: whether waiting helps, and since when it is told."""

from __future__ import annotations

import pytest

from lifecycle.engine.objects.workloads.disruption_budget import DisruptionBudget
from lifecycle.engine.rules.telling.drains import LASTING_MS, find_budgets_hold, find_drain_hold

SINCE_MS = 5_000
FOR_EVER = "it waits for ever unless somebody scales up or relaxes the budget"
NOBODY_KNOWS = {
    "type": "DisruptionAllowed",
    "status": "False",
    "reason": "SyncFailed",
    "message": "found no controllers for pod",
}


def make(healthy: int, needed: int, expected: int, **status: object) -> DisruptionBudget:
    numbers = {"currentHealthy": healthy, "desiredHealthy": needed, "expectedPods": expected}
    head = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}}
    allowed = {"disruptionsAllowed": max(healthy - needed, 0)}
    return DisruptionBudget.from_json({**head, "spec": {}, "status": {**numbers, **allowed, **status}})


@pytest.mark.parametrize(
    ("budgets", "why", "is_for_ever"),
    [
        pytest.param([make(1, 1, 1)], f"budget web (1 of 1 healthy, 1 needed); {FOR_EVER}", True, id="all"),
        pytest.param([make(2, 2, 3)], "budget web (2 of 3 healthy, 2 needed)", False, id="another comes"),
        pytest.param([make(3, 2, 3)], "budget web (3 of 3 healthy, 2 needed)", False, id="it is let go soon"),
        pytest.param(
            [make(0, 0, 0, conditions=[NOBODY_KNOWS])],
            f"budget web, which cannot be reckoned (found no controllers for pod); {FOR_EVER}",
            True,
            id="it cannot be reckoned",
        ),
        pytest.param([], "a refusal", False, id="no budget"),
    ],
)  # fmt: skip
def test_it_waits_for_ever_where_all_are_well_and_needed(
    budgets: list[DisruptionBudget], why: str, is_for_ever: bool
) -> None:
    assert find_budgets_hold(budgets) == (why, is_for_ever)


@pytest.mark.parametrize(
    ("budget", "lasts_ms", "is_told"),
    [
        pytest.param(make(1, 1, 1), 0, True, id="for ever: at once"),
        pytest.param(make(2, 2, 3), LASTING_MS - 1, False, id="a replacement comes"),
        pytest.param(make(2, 2, 3), LASTING_MS, True, id="and does not come"),
    ],
)
def test_a_drain_is_told_once_waiting_does_not_help(
    budget: DisruptionBudget, lasts_ms: int, is_told: bool
) -> None:
    held = find_drain_hold(SINCE_MS, [budget], SINCE_MS + lasts_ms)
    assert held.is_lasting == is_told
    assert held.why.startswith("its drain is blocked since 00:00:05 by budget web (")
