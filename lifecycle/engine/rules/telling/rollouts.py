"""What people want to know of a Deployment's rollout beside what `kubectl rollout status` says. Pure."""

from __future__ import annotations

from ...objects.condition import find_condition
from ...objects.workloads.deployment import REVISION, Deployment
from .verdicts import tell_span

PROGRESSING = "Progressing"


def head_rollout(deployment: Deployment, brief: str) -> str:
    """`rolling out revision 3: 4 out of 10 new replicas have been updated, 2 fewer available than wanted`.

    Of the first revision nothing is replaced, and nothing more is said.
    """
    revision = deployment.meta.annotations.get(REVISION, "1")
    if revision == "1":
        return brief
    missing = deployment.spec.replicas - deployment.status.available_replicas
    fewer = f", {missing} fewer available than wanted" if missing > 0 else ""
    return f"rolling out revision {revision}: {brief}{fewer}"


def tell_next(deployment: Deployment, now_ms: int, is_held: bool = False) -> list[str]:
    """What it waits for, and how long: `next: 2 pods to become available`, `progress deadline in 9m 50s`.

    `is_held`: whether something keeps its pods from being ready: then also of the first revision.
    """
    spec, status = deployment.spec, deployment.status
    if (deployment.meta.annotations.get(REVISION, "1") == "1" and not is_held) or spec.paused:
        return []
    told = []
    waits, old = status.replicas - status.available_replicas, status.replicas - status.updated_replicas
    if waits > 0:
        told.append(f"next: {waits} pod{'s' if waits > 1 else ''} to become available")
    elif old > 0:
        told.append(f"next: {old} old pod{'s' if old > 1 else ''} to go")
    progress = find_condition(status.conditions, PROGRESSING)
    moved_ms = progress.last_update_ms if progress is not None else None
    if progress is None or moved_ms is None or not spec.has_progress_deadline or progress.status != "True":
        return told
    left_ms = moved_ms + (spec.progress_deadline_seconds or 0) * 1000 - now_ms
    return [*told, f"progress deadline in {tell_span(left_ms)}"] if left_ms > 0 else told
