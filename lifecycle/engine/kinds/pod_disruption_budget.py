"""PodDisruptionBudget."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.validation.budgets import validate_budget
from ..rules.workload_columns import decide_disruption_budget_columns, summarize_end
from .entry import KindEntry

POD_DISRUPTION_BUDGET = KindEntry(
    kind=Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", True, "pdb"),
    unattended="no eviction is refused for them",
    validate_spec=lambda spec, gates: validate_budget(spec),
    columns=decide_disruption_budget_columns,
    summarize=summarize_end,
)
