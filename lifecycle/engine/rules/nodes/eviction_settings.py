"""When a kubelet counts its node as short of something: eviction thresholds and their settings.

Models `evictionHard`, `evictionSoft`, `evictionSoftGracePeriod`, `evictionPressureTransitionPeriod` and
`evictionMaxPodGracePeriod` of a KubeletConfiguration. One that names hard thresholds has only those. Left
out: `evictionMinimumReclaim`, and inodes, which count as never short.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...heart.timing import read_duration_ms
from ...objects.quantity import parse_quantity
from ..pods.grace import HARD, SOFT

MEMORY, DISK, PROCESSES = "memory", "disk", "pid"

RESOURCES: Mapping[str, tuple[str, str]] = {
    "memory.available": (MEMORY, "memory"),
    "nodefs.available": (DISK, "ephemeral-storage"),
    "imagefs.available": (DISK, "ephemeral-storage"),
    "containerfs.available": (DISK, "ephemeral-storage"),
    "nodefs.inodesFree": ("", "inodes"),
    "imagefs.inodesFree": ("", "inodes"),
    "containerfs.inodesFree": ("", "inodes"),
    "allocatableMemory.available": ("", "memory"),
    "pid.available": (PROCESSES, "pids"),
}
"""Signal → what has to be short for it, "" when nothing here makes it so, and the resource it is told by."""

DEFAULT_HARD: Mapping[str, str] = {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "imagefs.available": "15%",
    # Kubernetes sets none for processes; without one a node's shortage of them would go unnoticed.
    "pid.available": "10%",
}
DEFAULT_TRANSITION_MS = 300_000
CHECK_MS = 10_000
"""A kubelet compares its node with the thresholds this often."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """One threshold. Two are equal when all they say is."""

    signal: str
    kind: str
    quantity: str
    grace_ms: int = 0

    @property
    def resource(self) -> str:
        """What is short."""
        return RESOURCES[self.signal][0]

    @property
    def told_as(self) -> str:
        """How messages call it."""
        return RESOURCES[self.signal][1]

    @property
    def key(self) -> str:
        """Names it among its node's thresholds."""
        return f"{self.kind} {self.signal}"

    def amount(self, capacity: int) -> int:
        """The quantity in whole units; a percentage is a part of the capacity."""
        if self.quantity.endswith("%"):
            return int(capacity * parse_quantity(self.quantity[:-1]) / 100)
        return int(parse_quantity(self.quantity))


@dataclass(frozen=True, slots=True)
class EvictionSettings:
    """The thresholds of one kubelet, hard ones first, and how it goes about evicting."""

    thresholds: tuple[Threshold, ...]
    transition_ms: int
    max_pod_grace_seconds: int


def read_eviction_settings(configuration: Mapping[str, Any] | None) -> EvictionSettings:
    """The settings of a valid KubeletConfiguration; what it leaves open takes the kubelet's default."""
    given = configuration or {}
    hard = given.get("evictionHard")
    if hard is None:
        hard = DEFAULT_HARD
    elif given.get("mergeDefaultEvictionSettings"):
        hard = {**DEFAULT_HARD, **hard}
    periods = given.get("evictionSoftGracePeriod") or {}
    thresholds = [Threshold(name, HARD, str(text)) for name, text in hard.items() if _is_set(text)]
    for name, text in (given.get("evictionSoft") or {}).items():
        if _is_set(text):
            thresholds.append(Threshold(name, SOFT, str(text), read_duration_ms(periods.get(name)) or 0))
    transition_ms = read_duration_ms(given.get("evictionPressureTransitionPeriod"))
    return EvictionSettings(
        tuple(thresholds),
        DEFAULT_TRANSITION_MS if transition_ms is None else transition_ms,
        given.get("evictionMaxPodGracePeriod") or 0,
    )


def _is_set(quantity: Any) -> bool:
    # The kubelet ignores a threshold of 0% or 100%.
    return str(quantity) not in ("0%", "100%")


def find_problems(configuration: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    """(field path, value, what would be right) for each eviction setting that cannot be."""
    problems: list[tuple[str, Any, str]] = []
    for field in ("evictionHard", "evictionSoft", "evictionSoftGracePeriod"):
        given = configuration.get(field) or {}
        if not isinstance(given, Mapping):
            problems.append((field, given, "must be a map by signal, such as memory.available: 100Mi"))
            continue
        for signal, value in given.items():
            wrong = _find_wrong(field, signal, value)
            if wrong:
                problems.append((f"{field}[{signal}]", value, wrong))
    if problems:
        return problems
    periods = configuration.get("evictionSoftGracePeriod") or {}
    for signal, value in (configuration.get("evictionSoft") or {}).items():
        if signal not in periods:
            wrong = (
                "grace period must be specified for the soft eviction threshold in evictionSoftGracePeriod"
            )
            problems.append((f"evictionSoft[{signal}]", value, wrong))
    return problems + _find_wrong_periods(configuration)


def _find_wrong(field: str, signal: str, value: Any) -> str:
    if signal not in RESOURCES:
        return f"unknown signal; use one of {', '.join(RESOURCES)}"
    if field == "evictionSoftGracePeriod":
        period_ms = read_duration_ms(value)
        return "" if period_ms is not None and period_ms >= 0 else "must be a duration such as 1m30s"
    text = str(value)
    try:
        share = parse_quantity(text[:-1]) if text.endswith("%") else None
        is_right = parse_quantity(text) >= 0 if share is None else 0 <= share <= 100
    except ValueError:
        is_right = False
    return "" if is_right else "must be a quantity such as 100Mi, or a percentage from 0% to 100%"


def _find_wrong_periods(configuration: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    problems: list[tuple[str, Any, str]] = []
    period = configuration.get("evictionPressureTransitionPeriod")
    if period is not None and (read_duration_ms(period) is None or str(period).startswith("-")):
        problems.append(("evictionPressureTransitionPeriod", period, "must be a duration such as 5m"))
    seconds = configuration.get("evictionMaxPodGracePeriod")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int) or seconds < 0):
        problems.append(
            ("evictionMaxPodGracePeriod", seconds, "must be a whole number of seconds, 0 or more")
        )
    return problems
