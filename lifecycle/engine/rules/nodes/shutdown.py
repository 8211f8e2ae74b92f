"""Graceful node shutdown: which pods end when, and how long each is given. Pure.

Models the kubelet's shutdown manager and its settings: `shutdownGracePeriod`, of which critical pods have the
part `shutdownGracePeriodCriticalPods`, or `shutdownGracePeriodByPodPriority`. Pods end by groups of rising
priority, each in its own time. Left out: for how long the system lets itself be held up (logind's inhibitor
delay), which is as long as is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ...heart.timing import read_duration_ms
from ...objects.pods.pod import Pod
from .eviction import SYSTEM_CRITICAL_PRIORITY

TERMINATED = "Terminated"
TERMINATED_TEXT = "Pod was terminated in response to imminent node shutdown."
NOT_ADMITTED, NOT_ADMITTED_TEXT = "NodeShutdown", "Pod was rejected as the node is shutting down."
EVENT, EVENT_TEXT = "Shutdown", "Shutdown manager detected shutdown event"


@dataclass(slots=True)
class Group:
    """Pods of this priority and above, up to the next group's, and the seconds they are given together."""

    priority: int
    seconds: int
    pods: list[Pod] = field(default_factory=list)


def read_groups(configuration: Mapping[str, Any] | None) -> list[Group]:
    """The groups of a valid KubeletConfiguration, lowest priority first; none: nothing is graceful."""
    given = configuration or {}
    listed = given.get("shutdownGracePeriodByPodPriority")
    if not listed:
        total_ms = read_duration_ms(given.get("shutdownGracePeriod")) or 0
        return make_groups(total_ms, read_duration_ms(given.get("shutdownGracePeriodCriticalPods")) or 0)
    groups = [Group(int(one["priority"]), int(one["shutdownGracePeriodSeconds"])) for one in listed]
    return sorted(groups, key=lambda one: one.priority)


def make_groups(total_ms: int, critical_ms: int) -> list[Group]:
    """Ordinary and critical pods: of the time in all, the latter have the last part."""
    if total_ms <= 0 or not 0 <= critical_ms <= total_ms:
        return []
    return [
        Group(0, (total_ms - critical_ms) // 1000),
        Group(SYSTEM_CRITICAL_PRIORITY, critical_ms // 1000),
    ]


def group_pods(groups: Sequence[Group], pods: Iterable[Pod]) -> list[Group]:
    """Each pod in the last group whose priority it has, the unimportant ones in the first."""
    filled = [Group(one.priority, one.seconds) for one in groups]
    for pod in pods:
        reached = [one for one in filled if one.priority <= pod.spec.priority]
        (reached[-1] if reached else filled[0]).pods.append(pod)
    return filled


def decide_grace_seconds(group: Group, pod: Pod) -> int:
    """The group's time, or the pod's own period if that is shorter."""
    own = pod.spec.termination_grace_seconds
    return group.seconds if own is None else min(own, group.seconds)


def find_problem(configuration: Mapping[str, Any]) -> tuple[str, Any, str] | None:
    """What in the settings cannot be: (path, value, why)."""
    names = ("shutdownGracePeriod", "shutdownGracePeriodCriticalPods")
    spans = []
    for name in names:
        given = configuration.get(name)
        ms = 0 if given is None else read_duration_ms(given)
        if ms is None or ms < 0 or 0 < ms < 1000:
            return name, given, "must be zero or at least 1s: write for example 30s"
        spans.append(ms)
    if spans[1] > spans[0]:
        return names[1], configuration[names[1]], "must be less than or equal to shutdownGracePeriod"
    listed = configuration.get("shutdownGracePeriodByPodPriority")
    if not listed:
        return None
    if any(spans):
        why = "cannot be given beside shutdownGracePeriod or shutdownGracePeriodCriticalPods"
        return "shutdownGracePeriodByPodPriority", listed, why
    for index, one in enumerate(listed if isinstance(listed, list) else [listed]):
        path = f"shutdownGracePeriodByPodPriority[{index}]"
        if not isinstance(one, Mapping):
            return path, one, "must be a map of priority and shutdownGracePeriodSeconds"
        for name in ("priority", "shutdownGracePeriodSeconds"):
            value = one.get(name)
            if not isinstance(value, int) or isinstance(value, bool) or (name != "priority" and value < 0):
                return f"{path}.{name}", value, "must be a whole number, of seconds 0 or more"
    return None
