"""How far a StatefulSet's rollout is, in the words of `kubectl rollout status` (STS-UPD-06)."""

from __future__ import annotations

from ....objects.workloads.stateful_set import ROLLING_UPDATE, StatefulSet
from ...deployment.decide.rollout_status import RolloutStatus, tell_by_hand


def decide_rollout_status(owner: StatefulSet) -> RolloutStatus:
    """Where the rollout is; one that is done by hand is never followed."""
    spec, status = owner.spec, owner.status
    if spec.strategy_type != ROLLING_UPDATE:
        text = f"rollout status is only available for {ROLLING_UPDATE} strategy type"
        outdated = status.replicas - status.updated_replicas
        return RolloutStatus(
            text, tell_by_hand(outdated, spec.replicas - status.ready_replicas), has_failed=True
        )
    if status.observed_generation == 0 or owner.meta.generation > status.observed_generation:
        return _waiting("Waiting for statefulset spec update to be observed...")
    if status.ready_replicas < spec.replicas:
        return _waiting(f"Waiting for {spec.replicas - status.ready_replicas} pods to be ready...")
    if spec.partition is not None:
        # Also 0, which every set has whose strategy is not spelled out.
        return _judge_partition(owner, spec.replicas - spec.partition)
    if status.update_revision != status.current_revision:
        return _waiting(
            f"waiting for statefulset rolling update to complete {status.updated_replicas} pods at revision"
            f" {status.update_revision}..."
        )
    return _done(
        f"statefulset rolling update complete {status.current_replicas} pods at revision"
        f" {status.current_revision}..."
    )


def _judge_partition(owner: StatefulSet, wanted: int) -> RolloutStatus:
    updated = owner.status.updated_replicas
    if updated < wanted:
        missing = f"{updated} out of {wanted} new pods have been updated"
        return _waiting(f"Waiting for partitioned roll out to finish: {missing}...")
    return _done(f"partitioned roll out complete: {updated} new pods have been updated...")


def _waiting(text: str) -> RolloutStatus:
    return RolloutStatus(text, text.rstrip("."))


def _done(text: str) -> RolloutStatus:
    return RolloutStatus(text, text.rstrip("."), is_done=True)
