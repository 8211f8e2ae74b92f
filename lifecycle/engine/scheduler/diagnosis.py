"""FitError and Diagnosis: the message of a pod that fits on no node, as `FailedScheduling` shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..rules.placement.preemption import NEVER, NO_HELP, STILL_ENDING
from ..rules.placement.refusals import NODE_AFFINITY, Refusal

NOT_NAMED = Refusal(NODE_AFFINITY, (f"node(s) didn't satisfy plugin(s) [{NODE_AFFINITY}]",))
CONFLICT = "pod affinity terms conflict"
NO_NODES = "no nodes available to schedule pods"


def explain(total: int, refusals: Mapping[Refusal, int], preemption: str = "") -> str:
    """`0/3 nodes are available: 3 Insufficient cpu. …`. `preemption`: "" if pods are preempted."""
    counts: dict[str, int] = {}
    for refusal, count in refusals.items():
        for reason in refusal.reasons:
            counts[reason] = counts.get(reason, 0) + count
    filtered = f"0/{total} nodes are available: {_list_counts(counts)}."
    # The message of DynamicResources, whose PostFilter runs before preemption.
    return f"{filtered} no new claims to deallocate, preemption: {preemption}" if preemption else filtered


def explain_problem(total: int, problem: str) -> str:
    """The message if PreFilter refuses the pod itself, whatever the nodes are."""
    # PostFilter of DynamicResources finds no state then, and its error is added.
    return f"0/{total} nodes are available: {problem}. not found"


def explain_preemption(total: int, reasons: Mapping[str, int], asked: int) -> str:
    """Why preemption does not help. `asked`: the number of nodes of its dry run."""
    counts = {**reasons, NO_HELP: reasons.get(NO_HELP, 0) + total - asked}
    return f"0/{total} nodes are available: {_list_counts(counts)}."


def explain_not_eligible(is_never: bool) -> str:
    """PodEligibleToPreemptOthers: the policy is Never, or victims of this pod are still terminating."""
    return f"not eligible due to {NEVER if is_never else STILL_ENDING}"


def list_plugins(refusals: Iterable[Refusal]) -> frozenset[str]:
    """UnschedulablePlugins: the plugins that rejected a node."""
    return frozenset(refusal.plugin for refusal in refusals)


def _list_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items() if count))
