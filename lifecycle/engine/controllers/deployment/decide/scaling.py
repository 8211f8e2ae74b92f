"""Resizing a Deployment: one set simply, several in proportion to their sizes."""

from __future__ import annotations

from collections.abc import Sequence

from ....objects.workloads.deployment import Deployment
from ....objects.workloads.replica_set import ReplicaSet
from .progress import count_wanted
from .revisions import DESIRED_REPLICAS, MAX_REPLICAS, by_creation, natural_or_none, with_size
from .rollout import Rollout


def is_scaling(deployment: Deployment, replica_sets: Sequence[ReplicaSet]) -> bool:
    """Whether an active set remembers another size than the Deployment has now."""
    for entry in with_size(replica_sets):
        desired = natural_or_none(entry.meta.annotations, DESIRED_REPLICAS)
        if desired is not None and desired != deployment.spec.replicas:
            return True
    return False


def find_active_or_latest(new: ReplicaSet | None, old: Sequence[ReplicaSet]) -> ReplicaSet | None:
    """The only active set; the new or else the newest one when none is active; None when several are."""
    active = with_size([*old, *([new] if new is not None else [])])
    if len(active) > 1:
        return None
    if active:
        return active[0]
    if new is not None:
        return new
    return by_creation(old)[-1] if old else None


def is_saturated(deployment: Deployment, replica_set: ReplicaSet | None) -> bool:
    """Whether a set has the Deployment's full size, all of it available."""
    if replica_set is None:
        return False
    wanted = deployment.spec.replicas
    return (
        replica_set.spec.replicas == wanted
        and natural_or_none(replica_set.meta.annotations, DESIRED_REPLICAS) == wanted
        and replica_set.status.available_replicas == wanted
    )


def decide_fraction(deployment: Deployment, replica_set: ReplicaSet) -> int:
    """How much a set's fair share differs from its size.

    Its size is multiplied by new ceiling over old ceiling, rounded half away from zero. 8 of a ceiling of
    13 that becomes 18: 8*18/13 = 11.08, so 3 more. Without a record of the old ceiling, the reported
    number of pods stands for it.
    """
    size = replica_set.spec.replicas
    if deployment.spec.replicas == 0:
        return -size
    ceiling = deployment.spec.replicas + deployment.spec.surge_replicas
    former = natural_or_none(replica_set.meta.annotations, MAX_REPLICAS) or deployment.status.replicas
    if former == 0:
        return 0
    return (2 * size * ceiling + former) // (2 * former) - size


def decide_proportion(deployment: Deployment, replica_set: ReplicaSet, to_add: int, added: int) -> int:
    """A set's share of a resize, capped by what is left to hand out."""
    if replica_set.spec.replicas == 0 or to_add in (0, added):
        return 0
    fraction, left = decide_fraction(deployment, replica_set), to_add - added
    return min(fraction, left) if to_add > 0 else max(fraction, left)


def decide_proportional_sizes(deployment: Deployment, active: Sequence[ReplicaSet]) -> dict[str, int]:
    """Sizes of all active sets after a resize, by name; the remainder goes to the largest.

    Largest first; of equal ones the newest first when growing, the oldest first when shrinking.
    """
    spec = deployment.spec
    ceiling = spec.replicas + spec.surge_replicas if spec.replicas > 0 else 0
    to_add = ceiling - count_wanted(active)
    ordered = by_creation(active)
    if to_add > 0:
        ordered.reverse()
    ordered.sort(key=lambda entry: -entry.spec.replicas)
    sizes: dict[str, int] = {}
    added = 0
    for entry in ordered:
        share = decide_proportion(deployment, entry, to_add, added)
        sizes[entry.meta.name] = entry.spec.replicas + share
        added += share
    if ordered and to_add != added:
        largest = ordered[0].meta.name
        sizes[largest] = max(0, sizes[largest] + to_add - added)
    return sizes


def resize(rollout: Rollout) -> None:
    """Spread a new size over the sets; works while paused too."""
    deployment, new, old = rollout.deployment, rollout.new, rollout.old
    only = find_active_or_latest(new, old)
    if only is not None:
        rollout.scale(only, deployment.spec.replicas)
        return
    if is_saturated(deployment, new):
        # The new set is complete: what is left of the old ones goes.
        for entry in with_size(old):
            rollout.scale(entry, 0)
        return
    if not deployment.spec.is_rolling_update:
        return
    active = with_size([*old, *([new] if new is not None else [])])
    sizes = decide_proportional_sizes(deployment, active)
    by_name = {entry.meta.name: entry for entry in active}
    for name, size in sizes.items():
        rollout.resize(by_name[name], size)
