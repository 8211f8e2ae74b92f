"""Recreate: every old pod is gone before the first new one is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....objects.workloads.replica_set import ReplicaSet
from .progress import count_actual
from .revisions import with_size
from .rollout import Rollout


def are_old_pods_running(
    new: ReplicaSet | None, old: Sequence[ReplicaSet], unfinished_pods: Mapping[str, int]
) -> bool:
    """Whether an old pod may still run: reported by a set, or not finished, terminating ones included.

    `unfinished_pods` counts by the uid of the set; without a new set every pod is an old one.
    """
    if count_actual(old) > 0:
        return True
    new_uid = new.meta.uid if new is not None else None
    return any(count > 0 for uid, count in unfinished_pods.items() if uid != new_uid)


def decide_old_sizes(old: Sequence[ReplicaSet]) -> dict[str, int]:
    """All old sets go to zero at once."""
    return {entry.meta.name: 0 for entry in with_size(old)}


def recreate(rollout: Rollout) -> bool:
    """One step: old sets to zero; once their pods are gone, the new set to full size; whether they are."""
    old = rollout.old
    sizes = decide_old_sizes(old)
    for entry in old:
        if entry.meta.name in sizes:
            rollout.scale(entry, 0)
    if sizes or are_old_pods_running(rollout.new, old, rollout.seen.unfinished_pods):
        return False
    new = rollout.new or rollout.create_new()
    rollout.scale(new, rollout.deployment.spec.replicas)
    return True
