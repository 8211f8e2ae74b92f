"""What a pod says it costs its set to delete it: the lower cost goes first on a scale-down."""

from __future__ import annotations

from collections.abc import Mapping

from lifecycle.late_patterns import late_pattern

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_COST = late_pattern(r"0|[1-9][0-9]*|-[0-9]+")
_MOST = 1 << 31


def read_deletion_cost(annotations: Mapping[str, str] | None) -> int | None:
    """The annotated cost, 0 where there is none; None for what is no whole number of 32 bits (RS-COST-02).

    Neither a plus nor a leading zero is taken.
    """
    text = (annotations or {}).get(DELETION_COST)
    if text is None:
        return 0
    cost = int(text) if len(text) < 12 and _COST.fullmatch(text) else _MOST
    return cost if -_MOST <= cost < _MOST else None
