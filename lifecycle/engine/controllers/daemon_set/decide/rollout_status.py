"""How far a DaemonSet's rollout is, in the words of `kubectl rollout status`."""

from __future__ import annotations

from ....objects.workloads.daemon_set import DaemonSet
from ...deployment.decide.rollout_status import RolloutStatus, tell_by_hand


def decide_rollout_status(daemon_set: DaemonSet) -> RolloutStatus:
    """Where the rollout is. There is none to follow where pods wait to be deleted by hand."""
    status, named = daemon_set.status, f'daemon set "{daemon_set.meta.name}"'
    if not daemon_set.spec.is_rolling_update:
        text = "rollout status is only available for RollingUpdate strategy type"
        outdated = status.current_number_scheduled - status.updated_number_scheduled
        unready = status.desired_number_scheduled - status.number_ready
        return RolloutStatus(text, tell_by_hand(outdated, unready), has_failed=True)
    if daemon_set.meta.generation > status.observed_generation:
        waited_for = "daemon set spec update to be observed"
        return RolloutStatus(f"Waiting for {waited_for}...", f"waiting for {waited_for}")
    desired, updated = status.desired_number_scheduled, status.updated_number_scheduled
    missing = ""
    if updated < desired:
        missing = f"{updated} out of {desired} new pods have been updated"
    elif status.number_available < desired:
        missing = f"{status.number_available} of {desired} updated pods are available"
    if missing:
        return RolloutStatus(f"Waiting for {named} rollout to finish: {missing}...", missing)
    brief = "successfully rolled out"
    return RolloutStatus(f"{named} {brief}", brief if desired else "no node is for it", is_done=True)
