"""PodDisruptionBudget."""

from __future__ import annotations

from ..objects.workloads.disruption_budget import (
    DISRUPTION_BUDGET_KIND,
    DisruptionBudget,
    DisruptionBudgetSpec,
    DisruptionBudgetStatus,
)
from ..rules.columns.workloads import DISRUPTION_BUDGET_COLUMNS, summarize_end
from ..rules.validation.words.metadata import check_path_name
from .entry import KindEntry
from .late_checks import late
from .served import STATUS_ONLY, Served

_validate_budget = late("workloads.budgets", "validate_budget")
POD_DISRUPTION_BUDGET = KindEntry(
    kind=DISRUPTION_BUDGET_KIND,
    metadata_looks=0,
    # Its own rules look at no metadata, which is looked at once all else is right: any name will do that can
    # stand in a path.
    check_name=check_path_name,
    typed=DisruptionBudget,
    records=(DisruptionBudgetStatus,),
    spec_class=DisruptionBudgetSpec,
    drops_status=True,
    validate_spec=lambda spec, gates: _validate_budget(spec),
    validate_status=late("workloads.budgets", "validate_budget_status"),
    columns=DISRUPTION_BUDGET_COLUMNS,
    summarize=summarize_end,
    served=Served(parts=STATUS_ONLY, needs_version=True),
)
