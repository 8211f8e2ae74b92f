"""How long a pod may stay on a node that has taints with the effect NoExecute. Pure.

Models Kubernetes' taint eviction controller: every such taint has to be tolerated, and of the tolerations
that do so the shortest counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle.lean_dataclasses import dataclass

from ...objects.condition import find_condition
from ...objects.node import Node, Taint
from ...objects.pods.pod import Pod, Toleration
from .eviction import DISRUPTION_TARGET, with_disruption

NO_EXECUTE = "NoExecute"
DELETION_BY_TAINT_MANAGER = "DeletionByTaintManager"
_WHY = "Taint manager: deleting due to NoExecute taint"


@dataclass(frozen=True, slots=True)
class Planned:
    """An eviction that waits: since when it has been counted, and when the pod is to go. Instants in ms."""

    since_ms: int
    due_ms: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a pod: it goes now, or as planned, or stays. `is_spared`: a plan is given up."""

    goes_now: bool = False
    plan: Planned | None = None
    is_spared: bool = False


def list_no_execute(node: Node) -> list[Taint]:
    """The taints of a node that drive pods away."""
    return [taint for taint in node.spec.taints if taint.effect == NO_EXECUTE]


def decide_eviction(
    tolerations: Sequence[Toleration], taints: Sequence[Taint], plan: Planned | None, now_ms: int
) -> Verdict:
    """What the taints of its node mean for a pod, and for its eviction if one was planned."""
    if not taints:
        return Verdict(is_spared=plan is not None)
    used: list[Toleration] = []
    for taint in taints:
        covering = [one for one in tolerations if one.covers(taint)]
        if not covering:
            return Verdict(goes_now=True, is_spared=plan is not None)
        used.append(covering[0])
    seconds = decide_toleration_seconds(used)
    if seconds is None:
        return Verdict(is_spared=plan is not None)
    if plan is not None:
        # A toleration of another length that comes later neither puts off what is planned nor hastens it.
        return Verdict(plan=plan)
    return Verdict(plan=Planned(now_ms, now_ms + seconds * 1000)) if seconds else Verdict(goes_now=True)


def decide_toleration_seconds(used: Iterable[Toleration]) -> int | None:
    """How long taints are borne by the tolerations that match them: None for ever, 0 without any."""
    tolerations = list(used)
    limits = [max(one.seconds, 0) for one in tolerations if one.seconds is not None]
    if not tolerations:
        return 0
    return min(limits, default=None)


def mark_for_deletion(pod: Pod, now_ms: int) -> Pod:
    """The pod with what it is told before it is deleted; itself when it says so already (DCOND-03)."""
    return with_disruption_reason(pod, DELETION_BY_TAINT_MANAGER, _WHY, now_ms)


def with_disruption_reason(pod: Pod, reason: str, message: str, now_ms: int) -> Pod:
    """The pod with its condition DisruptionTarget; one that was disrupted before keeps since when it is."""
    before = find_condition(pod.status.conditions, DISRUPTION_TARGET)
    if before is not None and (before.status, before.reason, before.message) == ("True", reason, message):
        return pod
    conditions = with_disruption(pod.status.conditions, message, now_ms, pod.meta.generation, reason)
    return pod.with_status(pod.status.replace(conditions=conditions))
