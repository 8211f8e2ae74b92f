"""A counter-example as a cluster: a fork at the check's instant that goes the way of its future."""

from __future__ import annotations

from typing import Any

from lifecycle.models import Check, Cluster, Command
from lifecycle.runs import forks, inbox

CHANCE = "chance"


def open_counterexample(check: Check, finding: str, user: Any) -> Cluster:
    """A fork of the user's own, with the seed's chance and the steps of the ordeal still ahead of it.

    ValueError when there is no such finding, or the instant cannot be had any more; checkpoints.Unreadable,
    ValidationError and limits.Exceeded as of a fork.
    """
    found = check.counterexamples.get(finding)
    if found is None or check.at_ms is None:
        raise ValueError(f"this check has no finding {finding[:40]}")
    if _has_changed(check):
        raise ValueError(
            "since the check, more was asked of the cluster at the very instant that was checked: check it"
            " again"
        )
    name = forks.find_free_name(f"{check.cluster.name[:36].rstrip('-')}-{found['title'].split()[0]}", user)
    child = forks.fork(check.cluster, check.at_ms, user, name)
    inbox.append(child, CHANCE, {"seed": found["seed"]}, user, pinned_ms=check.at_ms)
    for at_ms, kind, payload in found["steps"]:
        inbox.append(child, kind, payload, user, pinned_ms=check.at_ms + at_ms)
    return child


def _has_changed(check: Check) -> bool:
    """Whether the cluster at that instant is another by now: a fork would have those commands as well."""
    later = check.cluster.commands.filter(state=Command.State.DONE, instant_ms=check.at_ms)
    return later.filter(order__gt=check.command_order).exists()
