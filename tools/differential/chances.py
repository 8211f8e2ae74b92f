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

import re
from typing import Any

from tests.recordings.compare import Finding

Json = dict[str, Any]
SCALED = re.compile(r"Scaled (up|down) replica set (\S+) from (\d+) to (\d+)$")
BUDGET = "PodDisruptionBudget/"
INSTANT = re.compile(r"at (\S+)")
LOSS_SECONDS = 10 + 5
"""How far the instants of two losses of a node may be apart."""


def without_chance(findings: list[Finding], real: Json, mine: Json) -> list[Finding]:
    """The findings that tell of a rule. `real` and `mine` are the histories that were compared."""
    has_several = any("MultiplePodDisruptionBudgets" in key for key in (*real["events"], *mine["events"]))
    has_loss = any(" NodeNotReady " in key for key in real["events"])
    return [
        one
        for one in findings
        if not (
            _is_count_of_looks(one)
            or (one.what.startswith("ScalingReplicaSet ") and _scale_alike(one, real, mine))
            or (has_loss and _is_of_a_loss(one))
            or (has_several and _is_of_a_chosen_budget(one))
        )
    ]


def _is_count_of_looks(one: Finding) -> bool:
    return one.kind == "event-count" and one.what.startswith("UnmanagedPods ")


def _is_of_a_loss(one: Finding) -> bool:
    there, here = (INSTANT.match(str(side)) for side in (one.real, one.podline))
    apart_seconds = abs(float(there[1]) - float(here[1])) if there and here else LOSS_SECONDS + 1
    return one.kind == "times" and apart_seconds <= LOSS_SECONDS


def _is_of_a_chosen_budget(one: Finding) -> bool:
    """What a budget says goes by the looks at it; an eviction by what the only one left says."""
    return (
        one.where.startswith(BUDGET)
        or "MultiplePodDisruptionBudgets" in one.what
        or "disruption budget" in f"{one.real} {one.podline}"
    )


def _scale_alike(one: Finding, real: Json, mine: Json) -> bool:
    """Whether both went through the same numbers of the same sets, in steps of whatever size."""
    key = f"{one.where} {one.what}"
    return one.kind != "event" and _list_steps(real["events"][key]) == _list_steps(mine["events"][key])


def _list_steps(event: Json) -> set[tuple[str, int, int]]:
    """(set, from, to) of one replica each."""
    found = set()
    for message in event["messages"]:
        scaled = SCALED.search(message)
        if scaled is None:
            found.add((message, 0, 0))
            continue
        first, last = int(scaled[3]), int(scaled[4])
        way = 1 if last > first else -1
        found |= {(scaled[2], at, at + way) for at in range(first, last, way)}
    return found
