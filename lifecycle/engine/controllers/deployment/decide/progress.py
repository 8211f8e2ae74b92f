"""Status, conditions and the progress deadline of a Deployment."""

from __future__ import annotations

from collections.abc import Sequence

from ....objects.condition import Condition, find_condition
from ....objects.names import REPLICA_FAILURE
from ....objects.times import floor_to_second
from ....objects.workloads.deployment import Deployment, DeploymentStatus
from ....objects.workloads.replica_set import ReplicaSet
from .reasons import (
    AVAILABLE,
    DEPLOYMENT_PAUSED,
    DEPLOYMENT_RESUMED,
    MINIMUM_REPLICAS_AVAILABLE,
    MINIMUM_REPLICAS_UNAVAILABLE,
    NEW_REPLICA_SET_AVAILABLE,
    PROGRESS_DEADLINE_EXCEEDED,
    PROGRESSING,
    REPLICA_SET_UPDATED,
)

Conditions = tuple[Condition, ...]


# --- counting ---------------------------------------------------------------------------------------------


def count_wanted(replica_sets: Sequence[ReplicaSet]) -> int:
    """The sum of the sizes asked for."""
    return sum(entry.spec.replicas for entry in replica_sets)


def count_actual(replica_sets: Sequence[ReplicaSet | None]) -> int:
    """The sum of the pods reported."""
    return sum(entry.status.replicas for entry in replica_sets if entry is not None)


def count_terminating(replica_sets: Sequence[ReplicaSet]) -> int | None:
    """The sum of the pods being deleted; None when a set that was observed does not report them."""
    total = 0
    for entry in replica_sets:
        terminating = entry.status.terminating_replicas
        if terminating is None and entry.status.observed_generation:
            return None
        total += terminating or 0
    return total


# --- conditions -------------------------------------------------------------------------------------------


def set_condition(conditions: Conditions, new: Condition) -> Conditions:
    """The conditions with `new` last of all.

    Nothing changes when status and reason are as before; the transition time moves with the status only.
    """
    known = find_condition(conditions, new.type)
    if known is not None:
        if known.status == new.status and known.reason == new.reason:
            return conditions
        if known.status == new.status:
            new = new.replace(last_transition_ms=known.last_transition_ms)
    return (*remove_condition(conditions, new.type), new)


def remove_condition(conditions: Conditions, type: str) -> Conditions:
    """The conditions without one type."""
    if find_condition(conditions, type) is None:
        return conditions
    return tuple(entry for entry in conditions if entry.type != type)


def make_condition(type: str, status: str, reason: str, message: str, now_ms: int) -> Condition:
    """A condition that comes up now."""
    return Condition(type, status, reason, message, now_ms, now_ms)


def decide_paused_condition(deployment: Deployment, conditions: Conditions, now_ms: int) -> Conditions:
    """Progressing turns Unknown when a rollout is paused and when it is resumed.

    A pause is not progress and must not count as a stall either: the fresh condition restarts the
    deadline. A stall that was reported already stays reported.
    """
    if not deployment.spec.has_progress_deadline:
        return conditions
    known = find_condition(conditions, PROGRESSING)
    if known is not None and known.reason == PROGRESS_DEADLINE_EXCEEDED:
        return conditions
    was_paused = known is not None and known.reason == DEPLOYMENT_PAUSED
    if deployment.spec.paused and not was_paused:
        paused = make_condition(PROGRESSING, "Unknown", DEPLOYMENT_PAUSED, "Deployment is paused", now_ms)
        return set_condition(conditions, paused)
    if not deployment.spec.paused and was_paused:
        resumed = make_condition(PROGRESSING, "Unknown", DEPLOYMENT_RESUMED, "Deployment is resumed", now_ms)
        return set_condition(conditions, resumed)
    return conditions


# --- states of a rollout ----------------------------------------------------------------------------------


def is_complete(deployment: Deployment, status: DeploymentStatus) -> bool:
    """Whether all replicas are of the present template, available, and no old one is left."""
    wanted = deployment.spec.replicas
    return (
        status.updated_replicas == wanted
        and status.replicas == wanted
        and status.available_replicas == wanted
        and status.observed_generation >= deployment.meta.generation
    )


def is_progressing(old: DeploymentStatus, new: DeploymentStatus) -> bool:
    """Whether there are more new, fewer old, more ready or more available pods than before."""
    return (
        new.updated_replicas > old.updated_replicas
        or new.replicas - new.updated_replicas < old.replicas - old.updated_replicas
        or new.ready_replicas > old.ready_replicas
        or new.available_replicas > old.available_replicas
    )


def has_timed_out(deployment: Deployment, status: DeploymentStatus, now_ms: int, epoch_ms: int = 0) -> bool:
    """Whether the deadline has passed since the last progress; a complete rollout has none."""
    if not deployment.spec.has_progress_deadline:
        return False
    known = find_condition(status.conditions, PROGRESSING)
    if known is None or known.reason == NEW_REPLICA_SET_AVAILABLE:
        return False
    if known.reason == PROGRESS_DEADLINE_EXCEEDED:
        return True
    return find_deadline_ms(deployment, known, epoch_ms) < now_ms


def find_deadline_ms(deployment: Deployment, known: Condition, epoch_ms: int = 0) -> int:
    """When the deadline passes: it runs from the last progress, whose time is kept in whole seconds.

    Progress at 5.7 s with a deadline of 60 s: 65 s.
    """
    since_ms = floor_to_second(known.last_update_ms or 0, epoch_ms)
    return since_ms + (deployment.spec.progress_deadline_seconds or 0) * 1000


def deadline_wait_ms(
    deployment: Deployment, status: DeploymentStatus, now_ms: int, epoch_ms: int = 0
) -> int | None:
    """How long until the deadline is to be looked at: None never, 0 when less than a second is left."""
    known = find_condition(deployment.status.conditions, PROGRESSING)
    if not deployment.spec.has_progress_deadline or known is None:
        return None
    if is_complete(deployment, status) or known.reason == PROGRESS_DEADLINE_EXCEEDED:
        return None
    left_ms = find_deadline_ms(deployment, known, epoch_ms) - now_ms
    return 0 if left_ms < 1000 else left_ms


# --- status -----------------------------------------------------------------------------------------------


def calculate_status(
    deployment: Deployment,
    conditions: Conditions,
    replica_sets: Sequence[ReplicaSet],
    new: ReplicaSet | None,
    now_ms: int,
) -> DeploymentStatus:
    """The sums over all sets, and whether the minimum is available."""
    actual = ready = available = wanted = 0
    for entry in replica_sets:
        actual += entry.status.replicas
        ready += entry.status.ready_replicas
        available += entry.status.available_replicas
        wanted += entry.spec.replicas
    if available >= deployment.spec.replicas - deployment.spec.unavailable_replicas:
        text = ("True", MINIMUM_REPLICAS_AVAILABLE, "Deployment has minimum availability.")
    else:
        text = ("False", MINIMUM_REPLICAS_UNAVAILABLE, "Deployment does not have minimum availability.")
    return DeploymentStatus(
        actual,
        new.status.replicas if new is not None else 0,
        ready,
        available,
        max(0, wanted - available),
        count_terminating(replica_sets),
        deployment.meta.generation,
        deployment.status.collision_count,
        set_condition(conditions, make_condition(AVAILABLE, *text, now_ms)),
        deployment.status.extra,
    )


def calculate_rollout_status(
    deployment: Deployment,
    conditions: Conditions,
    replica_sets: Sequence[ReplicaSet],
    new: ReplicaSet | None,
    now_ms: int,
    epoch_ms: int = 0,
) -> DeploymentStatus:
    """The status with what it says about the progress of the rollout and failures of its sets."""
    status = calculate_status(deployment, conditions, replica_sets, new, now_ms)
    known = find_condition(conditions, PROGRESSING)
    has_deadline = deployment.spec.has_progress_deadline
    result = status.conditions if has_deadline else remove_condition(status.conditions, PROGRESSING)
    # Once complete nothing is estimated until old and new differ again.
    was_complete = known is not None and known.reason == NEW_REPLICA_SET_AVAILABLE
    if has_deadline and not (was_complete and status.replicas == status.updated_replicas):
        result = _progress_conditions(deployment, status, known, new, now_ms, epoch_ms)
    failure = _find_failure(replica_sets, new)
    result = remove_condition(result, REPLICA_FAILURE) if failure is None else set_condition(result, failure)
    return status if result is status.conditions else status.replace(conditions=result)


def _progress_conditions(
    deployment: Deployment,
    status: DeploymentStatus,
    known: Condition | None,
    new: ReplicaSet | None,
    now_ms: int,
    epoch_ms: int,
) -> Conditions:
    name = f'ReplicaSet "{new.meta.name}"' if new is not None else f'Deployment "{deployment.meta.name}"'
    conditions = status.conditions
    if is_complete(deployment, status):
        message = f"{name} has successfully progressed."
        return set_condition(
            conditions, make_condition(PROGRESSING, "True", NEW_REPLICA_SET_AVAILABLE, message, now_ms)
        )
    if is_progressing(deployment.status, status):
        # Every step refreshes the update time, from which the deadline runs.
        fresh = make_condition(PROGRESSING, "True", REPLICA_SET_UPDATED, f"{name} is progressing.", now_ms)
        if known is not None and known.status == "True":
            fresh = fresh.replace(last_transition_ms=known.last_transition_ms)
        return (*remove_condition(conditions, PROGRESSING), fresh)
    if has_timed_out(deployment, status, now_ms, epoch_ms):
        message = f"{name} has timed out progressing."
        return set_condition(
            conditions, make_condition(PROGRESSING, "False", PROGRESS_DEADLINE_EXCEEDED, message, now_ms)
        )
    return conditions


def _find_failure(replica_sets: Sequence[ReplicaSet], new: ReplicaSet | None) -> Condition | None:
    """The ReplicaFailure to show: the new set's before an old one's."""
    for entry in [*([new] if new is not None else []), *replica_sets]:
        known = find_condition(entry.status.conditions, REPLICA_FAILURE)
        if known is not None:
            return known.replace(last_update_ms=known.last_transition_ms)
    return None
