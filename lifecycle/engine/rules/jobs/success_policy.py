"""Whether a `successPolicy` is met: the first rule that holds is named (JOB-SUCC-04 to -08)."""

from __future__ import annotations

from collections.abc import Sequence

from ...objects.workloads.job import SuccessRule
from .indexes import Intervals, count_common, count_indexes, parse_indexes


def find_success(rules: Sequence[SuccessRule], completions: int, succeeded: Intervals) -> str | None:
    """The message of the first rule that the succeeded indexes meet; None while there is none."""
    if not succeeded:
        return None
    for place, rule in enumerate(rules):
        if _is_met(rule, completions, succeeded):
            return f"Matched rules at index {place}"
    return None


def _is_met(rule: SuccessRule, completions: int, succeeded: Intervals) -> bool:
    if rule.indexes is None:
        return rule.count is not None and count_indexes(succeeded) >= rule.count
    asked = parse_indexes(rule.indexes, completions)
    if not asked:
        return False
    common = count_common(asked, succeeded)
    return common == count_indexes(asked) or (rule.count is not None and common >= rule.count)
