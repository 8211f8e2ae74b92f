"""What Kubernetes leaves to chance, by its source: differences that say nothing about a rule.

- How many looks a controller takes for changes that come at once: a Deployment scales down in one step or two
  (`reconcileOldReplicaSets` goes by the pods that are available when it looks), and a disruption controller
  tells at each look of pods that nobody manages (`trySync`, UnmanagedPods).
- When a node is given up: its lease is up to 10 s old when it falls silent, and the node lifecycle controller
  looks every 5 s (`monitorNodeHealth`). What follows from it comes as much earlier or later.
- Which of several budgets is looked at for a pod that they all select: the first that the lister names
  (`getPdbForPod`), in the order of a Go map.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import combinations_with_replacement
from typing import Any

from tests.recordings.compare import Finding

Json = dict[str, Any]
SCALED = re.compile(r"Scaled (up|down) replica set (\S+) from (\d+) to (\d+)$")
BUDGET = "PodDisruptionBudget/"
INSTANT = re.compile(r"at (\S+)")
LOSS_SECONDS = 10 + 5
"""How far the instants of two losses of a node may be apart."""
MOST_AGAIN = 4
"""So many events at most may say what another one said: all is tried that it may have been."""

Step = tuple[str, int, int]
"""(set, from, to) of one replica."""


def without_chance(findings: list[Finding], real: Json, mine: Json) -> list[Finding]:
    """The findings that tell of a rule. `real` and `mine` are the histories that were compared."""
    has_several = any("MultiplePodDisruptionBudgets" in key for key in (*real["events"], *mine["events"]))
    losses = [event["first"] for key, event in real["events"].items() if " NodeNotReady " in key]
    from_seconds = min(losses, default=math.inf) - LOSS_SECONDS
    return [
        one
        for one in findings
        if not (
            _is_count_of_looks(one)
            or (one.what.startswith("ScalingReplicaSet ") and _scale_alike(one, real, mine))
            or _is_of_a_loss(one, from_seconds)
            or (has_several and _is_of_a_chosen_budget(one))
        )
    ]


def _is_count_of_looks(one: Finding) -> bool:
    return one.kind == "event-count" and one.what.startswith("UnmanagedPods ")


def _is_of_a_loss(one: Finding, from_seconds: float) -> bool:
    """Whether it may follow from a loss: no earlier than the first, and no further apart than losses are."""
    there, here = (INSTANT.match(str(side)) for side in (one.real, one.podline))
    if one.kind != "times" or one.at is None or one.at < from_seconds or not there or not here:
        return False
    return abs(float(there[1]) - float(here[1])) <= LOSS_SECONDS


def _is_of_a_chosen_budget(one: Finding) -> bool:
    """What a budget says goes by the looks at it; an eviction by what the only one left says."""
    return (
        one.where.startswith(BUDGET)
        or "MultiplePodDisruptionBudgets" in one.what
        or "disruption budget" in f"{one.real} {one.podline}"
    )


def _scale_alike(one: Finding, real: Json, mine: Json) -> bool:
    """Whether both may have gone through the same numbers of the same sets as often, in steps of any size."""
    if one.kind == "event":
        return False
    key = f"{one.where} {one.what}"
    return not _list_ways(real["events"][key]).isdisjoint(_list_ways(mine["events"][key]))


def _list_ways(event: Json) -> set[frozenset[tuple[Step, int]]]:
    """How often each step may have been taken: each message is kept once, and of all of them only the sum.

    None where too much came again.
    """
    told = [_count_steps(message) for message in event["messages"]]
    again = max(0, event["count"] - len(told))
    if again > MOST_AGAIN:
        return set()
    once: Counter[Step] = sum(told, Counter())
    return {frozenset(sum(more, once).items()) for more in combinations_with_replacement(told, again)}


def _count_steps(message: str) -> Counter[Step]:
    scaled = SCALED.search(message)
    if scaled is None:
        return Counter({(message, 0, 0): 1})
    first, last = int(scaled[3]), int(scaled[4])
    way = 1 if last > first else -1
    return Counter((scaled[2], at, at + way) for at in range(first, last, way))
