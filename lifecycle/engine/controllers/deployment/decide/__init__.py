"""What a Deployment does next, from what was seen of it."""

from __future__ import annotations

from ....objects.condition import find_condition
from ....objects.workloads.deployment import RECREATE, Deployment, DeploymentStatus
from ....rules.actions import Action, Create, Decision, RecordEvent, Refusal, Update
from .progress import (
    calculate_rollout_status,
    calculate_status,
    deadline_wait_ms,
    decide_paused_condition,
    find_deadline_ms,
    is_complete,
    make_condition,
    set_condition,
)
from .reasons import NEW_REPLICA_SET_AVAILABLE, PROGRESSING, REPLICA_SET_CREATE_ERROR, SELECTING_ALL, SOURCE
from .recreate import recreate
from .revisions import decide_cleanup
from .rolling import roll
from .rollout import Rollout, Seen
from .scaling import is_scaling, resize


def decide(seen: Seen, now_ms: int) -> Decision:
    """One step of a Deployment, ending with its status."""
    deployment = seen.deployment
    if seen.refusal is not None and seen.refusal.is_ending:
        # In a namespace that goes nothing can be made: nothing is said of it, and nothing is tried again.
        return Decision()
    if seen.refusal is not None:
        return Decision(decide_create_failure(deployment, seen.refusal, now_ms), is_failure=True)
    if deployment.spec.selector.is_everything:
        return Decision(_refuse_to_select_all(deployment))
    rollout = Rollout(seen, now_ms)
    if deployment.meta.deletion_ms is not None:
        rollout.sync_revision()
        return Decision(rollout.finish(_plain_status(rollout)))
    rollout.conditions = decide_paused_condition(deployment, rollout.conditions, now_ms)
    if seen.taken is not None and rollout.new is None and not deployment.spec.paused:
        return _step_aside(rollout)
    rollout.sync_revision()
    if deployment.spec.paused or is_scaling(deployment, rollout.replica_sets):
        resize(rollout)
        if deployment.spec.paused:
            _clean_up(rollout)
        return _with_deadline(rollout, _plain_status(rollout))
    # While old pods are waited for no old set goes, whatever the numbers say.
    may_clean_up = True
    if deployment.spec.strategy_type == RECREATE:
        may_clean_up = recreate(rollout)
    else:
        roll(rollout)
    status = calculate_rollout_status(
        deployment,
        rollout.conditions,
        rollout.replica_sets,
        rollout.new,
        now_ms,
        seen.options.epoch_ms,
    )
    if may_clean_up and is_complete(deployment, status):
        _clean_up(rollout)
    return _with_deadline(rollout, status)


def _plain_status(rollout: Rollout) -> DeploymentStatus:
    return calculate_status(
        rollout.deployment, rollout.conditions, rollout.replica_sets, rollout.new, rollout.now_ms
    )


def _clean_up(rollout: Rollout) -> None:
    """Old sets beyond the limit go, once a rollout does not need them any more."""
    for entry in decide_cleanup(rollout.old, rollout.deployment.spec.revision_history_limit):
        rollout.delete(entry)


def _with_deadline(rollout: Rollout, status: DeploymentStatus) -> Decision:
    """The actions, and a look a second after the progress deadline if one is running."""
    actions = rollout.finish(status)
    deployment, epoch_ms = rollout.deployment, rollout.seen.options.epoch_ms
    if deployment.spec.paused:
        return Decision(actions)
    known = find_condition(status.conditions, PROGRESSING)
    wait_ms = deadline_wait_ms(deployment.with_status(status), status, rollout.now_ms, epoch_ms)
    # A rollout that was complete is not judged again, whatever its pods do now.
    if wait_ms is not None and known is not None and known.reason != NEW_REPLICA_SET_AVAILABLE:
        at_ms = find_deadline_ms(deployment, known, epoch_ms) + 1000
        if at_ms > rollout.now_ms:
            return Decision(actions, recheck_at_ms=at_ms)
    return Decision(actions)


def _refuse_to_select_all(deployment: Deployment) -> list[Action]:
    """An empty selector would take every pod of the namespace: say so, do nothing."""
    message = "This deployment is selecting all pods. A non-empty selector is required."
    actions: list[Action] = [RecordEvent(deployment, "Warning", SELECTING_ALL, message, SOURCE)]
    if deployment.status.observed_generation < deployment.meta.generation:
        status = deployment.status.replace(observed_generation=deployment.meta.generation)
        actions.append(Update(deployment.with_status(status)))
    return actions


def _step_aside(rollout: Rollout) -> Decision:
    """The new set's name belongs to another: count the collision, which gives another hash next time."""
    status = rollout.deployment.status
    count = (status.collision_count or 0) + 1
    actions = rollout.finish(status.replace(collision_count=count, conditions=rollout.conditions))
    return Decision(actions, recheck_at_ms=rollout.now_ms)


def decide_create_failure(deployment: Deployment, refusal: Refusal, now_ms: int) -> list[Action]:
    """The new set was refused: an event, and Progressing turns False at once."""
    assert isinstance(refusal.action, Create), "a Deployment creates sets"
    name = refusal.action.new.meta.name
    message = f'Failed to create new replica set "{name}": {refusal.message}'
    actions: list[Action] = []
    if deployment.spec.has_progress_deadline:
        failed = make_condition(PROGRESSING, "False", REPLICA_SET_CREATE_ERROR, message, now_ms)
        conditions = set_condition(deployment.status.conditions, failed)
        if conditions is not deployment.status.conditions:
            status = deployment.status.replace(conditions=conditions)
            actions.append(Update(deployment.with_status(status)))
    actions.append(RecordEvent(deployment, "Warning", REPLICA_SET_CREATE_ERROR, message, SOURCE))
    return actions
