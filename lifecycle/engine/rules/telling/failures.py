"""How the pods of a Job failed: that it counts them, its status says; not what they said. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...objects.condition import Condition, find_condition
from ...objects.pods.pod import FAILED, Pod
from ...objects.workloads.job import COMPLETE, FAILURE_TARGET, SUCCESS_CRITERIA_MET, Job
from ..jobs.pods import find_finish_ms
from ..nodes.eviction import DISRUPTION_TARGET
from ..pods.state import decide_state
from .disrupted import tell_how
from .ends import tell_last_run
from .noticed import Noticed
from .verdicts import quote, tell_instant

_COMING = {FAILURE_TARGET: "fails", SUCCESS_CRITERIA_MET: "is complete"}


def tell_failures(
    job: Job, pods: Sequence[tuple[Pod, Noticed]], gone: Iterable[Noticed], epoch_ms: int = 0
) -> list[str]:
    """What ended it, and how its last pod failed; [] of one without failures, or that is complete."""
    end = job.status.finished
    if end is not None and end.type == COMPLETE:
        return []
    told = [] if end is not None else [*_tell_coming(job), *_tell_ending([pod for pod, _ in pods])]
    last = _tell_last(pods, gone, epoch_ms)
    return [*told, last] if job.status.failed and last else told


def _tell_coming(job: Job) -> list[str]:
    """Of one whose end is decided: it waits for its pods to go (KEP-3329, terminal conditions come last)."""
    found: Condition | None = next(
        (one for one in job.status.conditions if one.type in _COMING and one.status == "True"), None
    )
    if found is None:
        return []
    since = tell_instant(found.last_transition_ms or 0)
    why = f"{found.reason}{quote(found.message)}"
    return [f"it {_COMING[found.type]} when its pods have ended: {why} since {since}"]


def _tell_ending(pods: Sequence[Pod]) -> list[str]:
    """The pod that it waits for before it makes another, or is over."""
    ending = [one for one in pods if one.meta.deletion_ms is not None and one.status.phase != FAILED]
    if not ending:
        return []
    pod, at_ms = ending[0], ending[0].meta.deletion_ms or 0
    asked = tell_instant(at_ms - (pod.meta.deletion_grace_seconds or 0) * 1000)
    more = f" and {len(ending) - 1} more" if len(ending) > 1 else ""
    until = f"until {tell_instant(at_ms)} at the latest"
    return [f"{pod.meta.name}{more} is ending since {asked}{_tell_why(pod)}, {until}"]


def _tell_why(pod: Pod) -> str:
    reason = decide_state(pod).reason
    return f" ({tell_how(reason)})" if reason else ""


def _tell_last(pods: Sequence[tuple[Pod, Noticed]], gone: Iterable[Noticed], epoch_ms: int) -> str:
    """`last, j-abc failed at 00:00:12: app ended with exit code 1 (Error)`; or what made one go."""
    failed = [
        (find_finish_ms(pod, epoch_ms), pod.meta.name, pod, noticed)
        for pod, noticed in pods
        if pod.status.phase == FAILED
    ]
    made_to_go = [one.disrupted for one in gone if one.disrupted is not None]
    last_ms = max((one[0] for one in failed), default=-1)
    if made_to_go and (last := max(made_to_go)).at_ms > last_ms:
        return f"last, one was {tell_how(last.reason)} at {tell_instant(last.at_ms)}"
    if not failed:
        return ""
    at_ms, name, pod, noticed = max(failed, key=lambda one: one[:2])
    return f"last, {name} failed at {tell_instant(at_ms)}{_tell_cause(pod, noticed)}"


def _tell_cause(pod: Pod, noticed: Noticed) -> str:
    state, ended = decide_state(pod), tell_last_run(pod, noticed)
    target = find_condition(pod.status.conditions, DISRUPTION_TARGET)
    # What made it go says more than how its containers took that.
    if pod.status.reason:
        return f": {state.reason}{quote(state.message or '')}"
    if target is not None and target.status == "True":
        return f", {tell_how(target.reason)}: {ended}"
    return f": {ended}" if ended else ""
