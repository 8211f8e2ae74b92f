"""Node pressure: what is told of it, who goes first, and who is not let in. Pure.

Models the kubelet's eviction manager. Pods that use more than they asked for go before those that do not,
then the less important ones, then by how much they use above what they asked for. A pod that asked for
nothing uses more than that, whatever it does. Quality of service is none of its keys: it shows in the first
and the last only (eviction/helpers.go, where QOS-11 has all BestEffort pods go before any Burstable one).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from lifecycle.lean_dataclasses import dataclass

from ...objects.condition import Condition, find_condition, with_condition
from ...objects.node import Taint
from ...objects.pods.pod import PodSpec
from ...objects.record import Record
from ..pods.qos import BEST_EFFORT
from .eviction_settings import DISK, MEMORY, PROCESSES, Threshold

EVICTED, DEADLINE_EXCEEDED = "Evicted", "DeadlineExceeded"
DISRUPTION_TARGET = "DisruptionTarget"
TERMINATION_BY_KUBELET = "TerminationByKubelet"
SYSTEM_CRITICAL_PRIORITY = 2_000_000_000
"""Pods of this priority and above are never evicted by their kubelet."""


class NodeWords(Record):
    """What a node says of one kind of pressure: condition, and reason, text and event for each status."""

    __slots__ = ("condition", "event", "ok_event", "ok_reason", "ok_text", "reason", "taint", "text")

    def __init__(self, stem: str, reason: str, text: str, ok_reason: str, ok_text: str) -> None:
        self.condition = f"{stem}Pressure"
        self.reason = f"Kubelet{reason}"
        self.text = f"kubelet {text}"
        self.event = f"Node{reason}"
        self.ok_reason = f"Kubelet{ok_reason}"
        self.ok_text = f"kubelet {ok_text}"
        self.ok_event = f"Node{ok_reason}"
        self.taint = f"node.kubernetes.io/{stem.lower()}-pressure"


NODE_WORDS: Mapping[str, NodeWords] = {
    MEMORY: NodeWords(
        "Memory",
        "HasInsufficientMemory",
        "has insufficient memory available",
        "HasSufficientMemory",
        "has sufficient memory available",
    ),
    DISK: NodeWords(
        "Disk", "HasDiskPressure", "has disk pressure", "HasNoDiskPressure", "has no disk pressure"
    ),
    PROCESSES: NodeWords(
        "PID",
        "HasInsufficientPID",
        "has insufficient PID available",
        "HasSufficientPID",
        "has sufficient PID available",
    ),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pod that could be evicted. `used` and `asked` in whole units; `number`: its place among equals.

    `asked` is what the pod as a whole asks for. `containers`: (name, used, asked) of those that run.
    """

    uid: str
    priority: int
    used: int
    asked: int
    number: int
    containers: tuple[tuple[str, int, int], ...] = ()


EXCEEDS, PRIORITY, AMOUNT = "exceeds", "priority", "amount"
KEYS: Mapping[str, Callable[[Candidate], int]] = {
    EXCEEDS: lambda one: 0 if one.used > one.asked or not one.asked else 1,
    PRIORITY: lambda one: one.priority,
    AMOUNT: lambda one: one.asked - one.used,
}
"""What pods are compared by; the lower goes first."""
_KEYS_OF: Mapping[str, Sequence[str]] = {
    MEMORY: (EXCEEDS, PRIORITY, AMOUNT),
    DISK: (EXCEEDS, PRIORITY, AMOUNT),
    # Nobody asks for processes, so nobody has more of them than asked for.
    PROCESSES: (PRIORITY, AMOUNT),
}


def rank(candidates: Iterable[Candidate], resource: str) -> list[Candidate]:
    """First to go, first."""
    return order_by(candidates, _KEYS_OF[resource])


def order_by(candidates: Iterable[Candidate], keys: Sequence[str]) -> list[Candidate]:
    """In the order of one key, among equals of the next."""
    return sorted(candidates, key=lambda one: (*(KEYS[key](one) for key in keys), one.number))


def sort_thresholds(thresholds: Iterable[Threshold]) -> list[Threshold]:
    """Which shortage is seen to first: that of memory; last that of processes, which nobody asks for."""
    places = {"memory": 0, "pids": 2}
    return sorted(thresholds, key=lambda one: places.get(one.told_as, 1))


def with_disruption(
    conditions: tuple[Condition, ...],
    message: str,
    now_ms: int,
    generation: int | None,
    reason: str = TERMINATION_BY_KUBELET,
) -> tuple[Condition, ...]:
    """The conditions of a pod that ends because of a disruption (DCOND-06).

    Who says so last is heard; one that was disrupted before keeps since when it is. `generation`: which one
    of the pod was seen; None where nobody says, as the API server does not.
    """
    before = find_condition(conditions, DISRUPTION_TARGET)
    since_ms = before.last_transition_ms if before is not None and before.status == "True" else now_ms
    told = Condition(DISRUPTION_TARGET, "True", reason, message, since_ms, observed_generation=generation)
    return with_condition(conditions, told)


def is_critical(spec: PodSpec, annotations: Mapping[str, str]) -> bool:
    """Whether the pod is one the kubelet never evicts nor turns away: static, or critical to the system."""
    source = annotations.get("kubernetes.io/config.source", "api")
    return source != "api" or spec.priority >= SYSTEM_CRITICAL_PRIORITY


def decide_message(threshold: Threshold, amount: int, available: int, victim: Candidate) -> str:
    """What the event, the pod's status and its condition say of an eviction."""
    text = f"The node was low on resource: {threshold.told_as}."
    text += f" Threshold quantity: {format_bytes(amount)}, available: {format_bytes(available)}. "
    for name, used, asked in victim.containers:
        if used > asked:
            text += (
                f"Container {name} was using {format_bytes(used)}, request is {format_bytes(asked)},"
                f" has larger consumption of {threshold.told_as}. "
            )
    return text


def decide_refusal(spec: PodSpec, qos_class: str, pressures: Sequence[str]) -> str:
    """Why a node under these pressures does not let a pod in; "" when it does. Critical pods come before.

    Memory pressure alone turns away BestEffort pods only, unless they tolerate its taint.
    """
    if not pressures:
        return ""
    if tuple(pressures) == (MEMORY,):
        taint = Taint(NODE_WORDS[MEMORY].taint, "", "NoSchedule")
        if qos_class != BEST_EFFORT or any(one.covers(taint) for one in spec.tolerations):
            return ""
    names = " ".join(NODE_WORDS[one].condition for one in pressures)
    return f"The node had condition: [{names}]. "


def format_bytes(amount: int) -> str:
    """`104857600` as `100Mi`: the largest binary unit that leaves a whole number."""
    for power, unit in ((40, "Ti"), (30, "Gi"), (20, "Mi"), (10, "Ki")):
        if amount and amount % (1 << power) == 0:
            return f"{amount >> power}{unit}"
    return str(amount)
