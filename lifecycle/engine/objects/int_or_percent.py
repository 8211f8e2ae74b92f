"""Numbers that manifests may also give as a percentage: `maxSurge`, `maxUnavailable`."""

from __future__ import annotations

from typing import Any

from lifecycle.late_patterns import late_pattern

from .shortened import shorten

IntOrPercent = int | str
_PERCENT = late_pattern(r"[+-]?\d+%")


def resolve(value: IntOrPercent, total: int, round_up: bool) -> int:
    """The count that a number or a percentage of `total` stands for.

    25% of 3 is 1 rounded up and 0 rounded down. Raises ValueError for a text that is no percentage.
    """
    if isinstance(value, int):
        return value
    if not _PERCENT.fullmatch(value):
        raise ValueError(f"{shorten(value)} is neither a whole number nor a percentage such as 25%")
    hundredths = int(value[:-1]) * total
    return -(-hundredths // 100) if round_up else hundredths // 100


def resolve_fenceposts(
    max_surge: IntOrPercent | None, max_unavailable: IntOrPercent | None, desired: int
) -> tuple[int, int]:
    """(surge, unavailable) of a rolling update of `desired` replicas; an absent value counts as 0.

    Surge rounds up, unavailable down: 25%/25% of 10 is (3, 2). When both come out as 0 the rollout could
    not move, so one replica may then be unavailable. Raises ValueError for a text that is no percentage.
    """
    surge = resolve(max_surge or 0, desired, round_up=True)
    unavailable = resolve(max_unavailable or 0, desired, round_up=False)
    if surge == 0 and unavailable == 0:
        return 0, 1
    return surge, unavailable


def read_int_or_percent(value: Any) -> IntOrPercent | None:
    """The value as the JSON gives it; a number written as text ("3") reads as that number."""
    if isinstance(value, str) and value.lstrip("+-").isdigit():
        return int(value)
    return value if isinstance(value, int | str) else None
