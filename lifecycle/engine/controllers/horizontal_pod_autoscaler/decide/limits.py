"""From what the metrics ask for to what may be: stabilization windows, policies, minimum and maximum.

Without a `behavior` an autoscaler keeps to its classic rules: doubled at most (or to 4), and down to the
highest recommendation of the last 5 minutes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

Json = Mapping[str, Any]
SCALE_UP_FACTOR, SCALE_UP_LEAST = 2, 4
WITHIN_RANGE = ("DesiredWithinRange", "the desired count is within the acceptable range")
TOO_FEW = ("TooFewReplicas", "the desired replica count is less than the minimum replica count")
TOO_MANY = ("TooManyReplicas", "the desired replica count is more than the maximum replica count")
UP_LIMIT = ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
DOWN_LIMIT = ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")
UP_STABILIZED = (
    "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
)
DOWN_STABILIZED = (
    "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent recommendation",
)
READY = ("ReadyForNewScale", "recommended size matches current size")
Reason = tuple[str, str]
"""A condition's reason and message."""

DISABLED, LEAST_CHANGE = "Disabled", "Min"
_UP_POLICIES = (
    {"type": "Pods", "value": 4, "periodSeconds": 15},
    {"type": "Percent", "value": 100, "periodSeconds": 15},
)
_DOWN_POLICIES = ({"type": "Percent", "value": 100, "periodSeconds": 15},)


@dataclass(slots=True)
class Past:
    """What an autoscaler remembers: [replicas, instant] of recommendations, of changes up, of changes down.

    Equal recommendations that follow each other are one, of the last instant: no window tells them apart.
    """

    recommendations: list[list[int]] = field(default_factory=list)
    ups: list[list[int]] = field(default_factory=list)
    downs: list[list[int]] = field(default_factory=list)


@dataclass(slots=True)
class Rules:
    """How fast it may go in one direction."""

    window_ms: int
    policies: Sequence[Json]
    select: str

    @property
    def longest_ms(self) -> int:
        """The longest period of a policy."""
        return max((one["periodSeconds"] * 1000 for one in self.policies), default=0)


def read_rules(behavior: Json, stabilization_ms: int) -> tuple[Rules, Rules]:
    """The rules for up and down of a `behavior`, with the defaults of what it leaves out (HPA-07)."""
    return (
        _read(behavior.get("scaleUp") or {}, 0, _UP_POLICIES),
        _read(behavior.get("scaleDown") or {}, stabilization_ms, _DOWN_POLICIES),
    )


def _read(given: Json, window_ms: int, policies: Sequence[Json]) -> Rules:
    window = given.get("stabilizationWindowSeconds")
    return Rules(
        window_ms if window is None else window * 1000,
        policies if given.get("policies") is None else given["policies"],
        given.get("selectPolicy") or "Max",
    )


# --- windows ----------------------------------------------------------------------------------------------


def stabilize_down(past: Past, wanted: int, now_ms: int, window_ms: int) -> int:
    """The highest recommendation of the window, without a `behavior` (HPA-06)."""
    return max([wanted, *_within(past.recommendations, now_ms, window_ms)])


def stabilize(past: Past, current: int, wanted: int, now_ms: int, up: Rules, down: Rules) -> int:
    """The size nearest to the present one between the lowest of one window and the highest of the other."""
    lowest = min([wanted, *_within(past.recommendations, now_ms, up.window_ms)])
    highest = max([wanted, *_within(past.recommendations, now_ms, down.window_ms)])
    return min(max(current, lowest), highest)


def _within(entries: Sequence[Sequence[int]], now_ms: int, window_ms: int) -> list[int]:
    """The numbers younger than a window: one exactly as old is out."""
    return [number for number, at_ms in entries if at_ms > now_ms - window_ms]


def remember(past: Past, wanted: int, now_ms: int, window_ms: int) -> None:
    """Keep a recommendation, and forget what no window of that length reaches."""
    kept = past.recommendations
    if kept and kept[-1][0] == wanted:
        kept[-1][1] = now_ms
    else:
        kept.append([wanted, now_ms])
    past.recommendations = [one for one in kept if one[1] > now_ms - window_ms or one is kept[-1]]


# --- rates ------------------------------------------------------------------------------------------------


def sum_changes(changes: Sequence[Sequence[int]], now_ms: int, period_seconds: int) -> int:
    """By how many replicas it went in one direction within a policy's period."""
    return sum(_within(changes, now_ms, period_seconds * 1000))


def remember_change(changes: list[list[int]], count: int, now_ms: int, longest_ms: int) -> list[list[int]]:
    """Changes with one more, without those that no policy looks back to."""
    return [*(one for one in changes if one[1] > now_ms - longest_ms), [count, now_ms]]


def find_up_limit(current: int, past: Past, now_ms: int, rules: Rules) -> int:
    """The most that policies allow: each counts from the size at its period's start."""
    if rules.select == DISABLED:
        return current
    proposals: list[int] = []
    for policy in rules.policies:
        start, value = _start_of(current, past, now_ms, policy), policy["value"]
        # In floating point, as Kubernetes does it: 10 % more than 10 are 12.
        grown = ceil(start * (1 + value / 100))
        proposals.append(start + value if policy["type"] == "Pods" else grown)
    return (min if rules.select == LEAST_CHANGE else max)(proposals)


def find_down_limit(current: int, past: Past, now_ms: int, rules: Rules) -> int:
    """The least that policies allow."""
    if rules.select == DISABLED:
        return current
    proposals: list[int] = []
    for policy in rules.policies:
        start, value = _start_of(current, past, now_ms, policy), policy["value"]
        shrunk = int(start * (1 - value / 100))
        proposals.append(start - value if policy["type"] == "Pods" else shrunk)
    return (max if rules.select == LEAST_CHANGE else min)(proposals)


def _start_of(current: int, past: Past, now_ms: int, policy: Json) -> int:
    period = policy["periodSeconds"]
    return current - sum_changes(past.ups, now_ms, period) + sum_changes(past.downs, now_ms, period)


# --- minimum and maximum ----------------------------------------------------------------------------------


@dataclass(slots=True)
class Bounds:
    """The least and the most replicas."""

    least: int
    most: int


def limit_plainly(current: int, wanted: int, bounds: Bounds) -> tuple[int, Reason]:
    """What may be without a `behavior`, and what limits it."""
    fastest = max(SCALE_UP_FACTOR * current, SCALE_UP_LEAST)
    most, reason = (fastest, UP_LIMIT) if bounds.most > fastest else (bounds.most, TOO_MANY)
    if wanted < bounds.least:
        return bounds.least, TOO_FEW
    return (most, reason) if wanted > most else (wanted, WITHIN_RANGE)


def limit_by_rules(
    current: int, wanted: int, bounds: Bounds, past: Past, now_ms: int, up: Rules, down: Rules
) -> tuple[int, Reason]:
    """What may be under policies, and what limits it."""
    if wanted > current:
        fastest = max(find_up_limit(current, past, now_ms, up), current)
        most, reason = (fastest, UP_LIMIT) if bounds.most > fastest else (bounds.most, TOO_MANY)
        return (most, reason) if wanted > most else (wanted, WITHIN_RANGE)
    if wanted < current:
        fastest = min(find_down_limit(current, past, now_ms, down), current)
        least, reason = (fastest, DOWN_LIMIT) if bounds.least < fastest else (bounds.least, TOO_FEW)
        return (least, reason) if wanted < least else (wanted, WITHIN_RANGE)
    return wanted, WITHIN_RANGE
