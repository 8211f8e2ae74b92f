"""The rolling update: grow the new set under the ceiling, shrink the old ones above the floor."""

from __future__ import annotations

from collections.abc import Sequence

from ....objects.workloads.deployment import Deployment
from ....objects.workloads.replica_set import ReplicaSet
from .progress import count_wanted
from .revisions import by_creation
from .rollout import Rollout, new_set_size


def decide_new_size(deployment: Deployment, old: Sequence[ReplicaSet], new: ReplicaSet) -> int:
    """The size of the new set after one step: down to `replicas` at once, up as the ceiling allows."""
    if new.spec.replicas >= deployment.spec.replicas:
        return deployment.spec.replicas
    return new_set_size(deployment, [*old, new], new)


def decide_old_sizes(deployment: Deployment, old: Sequence[ReplicaSet], new: ReplicaSet) -> dict[str, int]:
    """Sizes of the old sets that change in one step, by name."""
    sizes: dict[str, int] = {}
    for changed in decide_old_writes(deployment, old, new):
        sizes |= changed
    return sizes


def decide_old_writes(
    deployment: Deployment, old: Sequence[ReplicaSet], new: ReplicaSet
) -> tuple[dict[str, int], ...]:
    """Sizes of the old sets that change in one step, by name, in the order of the two writes that they take.

    The budget is what is above the floor once every new pod that is not yet available is set aside. 10
    replicas, at most 2 unavailable, old 8, new 5 with none available: 13 - 8 - 5 = 0, nothing goes.
    """
    total = count_wanted(old) + new.spec.replicas
    new_unavailable = new.spec.replicas - available_of(new)
    budget = total - _floor(deployment) - new_unavailable
    if budget <= 0 or count_wanted(old) == 0:
        return ()
    # Unhealthy old pods go first: removing them costs no availability.
    unhealthy = clean_up_unhealthy(old, budget)
    left = [_sized(entry, unhealthy.get(entry.meta.name)) for entry in old]
    return unhealthy, scale_down_available(deployment, left, [*left, new])


def clean_up_unhealthy(old: Sequence[ReplicaSet], budget: int) -> dict[str, int]:
    """Sizes after removing at most `budget` unavailable replicas, oldest set first."""
    sizes: dict[str, int] = {}
    for entry in by_creation(old):
        unhealthy = min(entry.spec.replicas - available_of(entry), budget)
        if unhealthy > 0:
            sizes[entry.meta.name] = entry.spec.replicas - unhealthy
            budget -= unhealthy
    return sizes


def scale_down_available(
    deployment: Deployment, old: Sequence[ReplicaSet], replica_sets: Sequence[ReplicaSet]
) -> dict[str, int]:
    """Sizes after removing available replicas down to the floor, oldest set first."""
    surplus = sum(available_of(entry) for entry in replica_sets) - _floor(deployment)
    sizes: dict[str, int] = {}
    for entry in by_creation(old):
        removed = min(entry.spec.replicas, surplus)
        if removed > 0:
            sizes[entry.meta.name] = entry.spec.replicas - removed
            surplus -= removed
    return sizes


def available_of(replica_set: ReplicaSet) -> int:
    """The available pods a set will keep: never more than its size, though its status may lag behind."""
    return min(replica_set.status.available_replicas, replica_set.spec.replicas)


def _floor(deployment: Deployment) -> int:
    return deployment.spec.replicas - deployment.spec.unavailable_replicas


def _sized(replica_set: ReplicaSet, size: int | None) -> ReplicaSet:
    if size is None:
        return replica_set
    return replica_set.with_spec(replica_set.spec.with_numbers(replicas=size))


def roll(rollout: Rollout) -> None:
    """One step: growth if there is room for it, else shrinking."""
    new = rollout.new or rollout.create_new()
    old = rollout.old
    if rollout.scale(new, decide_new_size(rollout.deployment, old, new)):
        return
    for sizes in decide_old_writes(rollout.deployment, old, new):
        # A set that loses unhealthy pods, then healthy ones, is written and told of twice.
        rollout.begin_writes()
        for entry in rollout.old:
            if entry.meta.name in sizes:
                rollout.scale(entry, sizes[entry.meta.name])
