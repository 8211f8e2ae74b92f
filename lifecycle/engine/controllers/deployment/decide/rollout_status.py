"""How far a Deployment's rollout is: the one judge, in the words of `kubectl rollout status`."""

from __future__ import annotations

from lifecycle.lean_tuples import NamedTuple

from ....objects.condition import find_condition
from ....objects.workloads.deployment import Deployment
from .reasons import PROGRESS_DEADLINE_EXCEEDED, PROGRESSING


class RolloutStatus(NamedTuple):
    """`text` is what kubectl prints, `brief` what it says without naming the Deployment.

    Where kubectl has nothing to say, `brief` tells how things stand.
    """

    text: str
    brief: str
    is_done: bool = False
    has_failed: bool = False


def decide_rollout_status(deployment: Deployment) -> RolloutStatus:
    """Where the rollout is; a pause makes no difference to kubectl (KCTL-12, KCTL-13)."""
    status, named = deployment.status, f'deployment "{deployment.meta.name}"'
    if deployment.meta.generation > status.observed_generation:
        waited_for = "deployment spec update to be observed"
        return RolloutStatus(f"Waiting for {waited_for}...", f"waiting for {waited_for}")
    known = find_condition(status.conditions, PROGRESSING)
    if known is not None and known.reason == PROGRESS_DEADLINE_EXCEEDED:
        brief = "exceeded its progress deadline"
        return RolloutStatus(f"{named} {brief}", brief, has_failed=True)
    missing = _find_missing(deployment)
    if missing:
        return RolloutStatus(f"Waiting for {named} rollout to finish: {missing}...", missing)
    brief = "successfully rolled out"
    return RolloutStatus(f"{named} {brief}", brief, is_done=True)


def _find_missing(deployment: Deployment) -> str:
    """What there is to do still: new pods, then the end of old ones, then availability."""
    status, wanted = deployment.status, deployment.spec.replicas
    updated = status.updated_replicas
    if updated < wanted:
        return f"{updated} out of {wanted} new replicas have been updated"
    if status.replicas > updated:
        return f"{status.replicas - updated} old replicas are pending termination"
    if status.available_replicas < updated:
        return f"{status.available_replicas} of {updated} updated replicas are available"
    return ""


def tell_by_hand(outdated: int, unready: int) -> str:
    """Of a workload whose strategy is OnDelete: what is new comes when somebody deletes what is old."""
    told = [f"waiting for {_count_pods(unready)} to be ready"] if unready > 0 else []
    if outdated > 0:
        stay, them = ("stays", "it") if outdated == 1 else ("stay", "them")
        told.append(f"{_count_pods(outdated)} of an older revision {stay} until somebody deletes {them}")
    return ", ".join(told) or "all pods are of the latest revision"


def _count_pods(number: int) -> str:
    return f"{number} pod{'s' if number != 1 else ''}"
