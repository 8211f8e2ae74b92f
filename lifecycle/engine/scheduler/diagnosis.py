"""Why a pod was placed nowhere, in the scheduler's words: what each node lacks, then what preemption says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..rules.placement.preemption import NEVER, NO_HELP, STILL_ENDING
from ..rules.placement.refusals import NODE_AFFINITY, Refusal

NOT_NAMED = Refusal(NODE_AFFINITY, (f"node(s) didn't satisfy plugin(s) [{NODE_AFFINITY}]",))
CONFLICT = "pod affinity terms conflict"
NO_NODES = "no nodes available to schedule pods"


def explain(total: int, refusals: Mapping[Refusal, int], preemption: str = "") -> str:
    """`0/3 nodes are available: 3 Insufficient cpu. …`. `preemption`: "" where somebody is pushed out."""
    counts: dict[str, int] = {}
    for refusal, count in refusals.items():
        for reason in refusal.reasons:
            counts[reason] = counts.get(reason, 0) + count
    filtered = f"0/{total} nodes are available: {_list_counts(counts)}."
    # The plugin for claims of devices comes first, and has nothing to give back.
    return f"{filtered} no new claims to deallocate, preemption: {preemption}" if preemption else filtered


def explain_problem(total: int, problem: str) -> str:
    """A pod has a fault for which no node would do."""
    # The plugins that follow were not asked, and the one for claims of devices complains of that.
    return f"0/{total} nodes are available: {problem}. not found"


def explain_preemption(total: int, reasons: Mapping[str, int], asked: int) -> str:
    """Why it would not help to push others out. `asked`: on how many nodes that was tried."""
    counts = {**reasons, NO_HELP: reasons.get(NO_HELP, 0) + total - asked}
    return f"0/{total} nodes are available: {_list_counts(counts)}."


def explain_patience(is_never: bool) -> str:
    """Why a pod does not try to push others out: it never does, or those that it did are not gone yet."""
    return f"not eligible due to {NEVER if is_never else STILL_ENDING}"


def list_plugins(refusals: Iterable[Refusal]) -> frozenset[str]:
    """Who kept the pod from a node."""
    return frozenset(refusal.plugin for refusal in refusals)


def _list_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items() if count))
