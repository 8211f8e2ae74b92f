"""PodDisruptionBudgets: how many pods must stay, or how many may go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words.field_error import FieldError
from ..words.go_structs import show_struct
from ..words.part import Part, gathers
from ..words.selectors import check_at_most_whole, validate_int_or_percent, validate_selector


@gathers("spec")
def validate_budget(spec: Part) -> None:
    """A PodDisruptionBudget says how many must stay or how many may go, not both."""
    fields = ("minAvailable", "maxUnavailable")
    if spec.list_given(fields) == [*fields]:
        shown = show_struct("PodDisruptionBudgetSpec", spec.data)
        spec.refuse("", "minAvailable and maxUnavailable cannot be both set", shown)
    for field in fields:
        spec.apply(field, validate_int_or_percent)
        spec.apply(field, check_at_most_whole)
    spec.apply("selector", validate_selector)
    spec.given("unhealthyPodEvictionPolicy", ("AlwaysAllow", "IfHealthyBudget"))


def validate_budget_status(
    old: Mapping[str, Any], new: Mapping[str, Any], gates: Mapping[str, bool]
) -> list[FieldError]:
    """No number of it is below 0."""
    status = Part(new.get("status") or {}, "status")
    status.counts("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    return status.errors
