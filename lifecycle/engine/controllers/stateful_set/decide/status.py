"""The status of a StatefulSet."""

from __future__ import annotations

from ....objects.workloads.stateful_set import ROLLING_UPDATE, StatefulSet, StatefulSetStatus
from ....rules.actions import Action, Update
from .members import Members
from .revisions import Plan
from .seen import Seen


def decide_status(seen: Seen, plan: Plan, outdated: int = 0) -> list[Action]:
    """Write it where it says something new.

    `outdated`: how many pods of the current revision this look deletes.
    """
    owner = seen.owner
    status = calculate_status(owner, seen.members, plan, outdated)
    return [] if is_same_status(owner.status, status) else [Update(owner.with_status(status))]


def calculate_status(
    owner: StatefulSet, members: Members, plan: Plan, outdated: int = 0
) -> StatefulSetStatus:
    """The counts; when all pods are of the new revision and ready, that is the current one (STS-UPD-05)."""
    old, wanted = owner.status, owner.spec.replicas
    current, update = plan.current.meta.name, plan.update.meta.name
    count, current_count, updated = len(members.present), members.count_of(current), members.count_of(update)
    is_rolling = owner.spec.strategy_type == ROLLING_UPDATE
    if is_rolling and updated == wanted and members.ready == wanted and count == wanted:
        current, current_count = update, updated
    return StatefulSetStatus(
        count,
        members.ready,
        max(0, current_count - outdated),
        updated,
        members.available,
        plan.collision_count,
        owner.meta.generation,
        current,
        update,
        old.conditions,
        old.extra,
    )


def is_same_status(old: StatefulSetStatus, new: StatefulSetStatus) -> bool:
    """Whether writing it would change nothing of note: a collision alone is not told."""
    return (
        new.observed_generation <= old.observed_generation
        and new.replicas == old.replicas
        and new.current_replicas == old.current_replicas
        and new.ready_replicas == old.ready_replicas
        and new.updated_replicas == old.updated_replicas
        and new.available_replicas == old.available_replicas
        and new.current_revision == old.current_revision
        and new.update_revision == old.update_revision
    )
