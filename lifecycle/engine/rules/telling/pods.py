"""One sentence on a pod: how it is, since when, why, and what comes next. Pure."""

from __future__ import annotations

from lifecycle.late_patterns import late_pattern

from ...heart.timing import BACK_OFF_INITIAL_MS, BACK_OFF_RESET_MS
from ...objects.condition import find_condition
from ...objects.pods.container import ContainerState, ContainerStatus
from ...objects.pods.pod import Pod
from ...objects.shown import STATE_WORDS
from ..columns.pods import count_restarts, pod_status_text
from ..pods.conditions import READY
from ..pods.state import decide_state
from ..reasons import CRASHING, STUCK
from .defects import tell_canceled
from .ends import find_last_end, find_start_ms, list_ends, tell_end, tell_last_run
from .holds import Hold, find_start
from .noticed import NOTHING, Noticed, is_lately
from .verdicts import FOR_GOOD, quote, tell_instant, tell_retry, tell_since, tell_span

_OPEN = ("PodResizePending", "PodResizeInProgress")
"""Conditions that are True with a reason while a wish is not fulfilled."""
_LONGEST_MESSAGE = 160
_UID = late_pattern(r"\([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\)")
"""Of a message that names the pod by its uid as well."""


def tell_pod(
    pod: Pod,
    now_ms: int,
    deleted_ms: int | None = None,
    hold: Hold | None = None,
    noticed: Noticed = NOTHING,
) -> str:
    """`CrashLoopBackOff, not ready since 00:02:10: app ended with exit code 137 (Error); next start in 20s.`

    Nothing is said of what nobody knows: when a starting container will be ready, or a probe answers again.
    """
    if deleted_ms is not None:
        return f"Gone since {tell_instant(deleted_ms)}; nothing of this name will come back by itself."
    if pod.meta.deletion_ms is not None:
        canceled = tell_canceled(pod, noticed)
        return f"{_tell_ending(pod, now_ms)}{f'; {canceled}' if canceled else ''}."
    state = decide_state(pod)
    if state.name == "ready":
        return f"{_tell_ready(pod, noticed)}{tell_warned(pod, noticed, now_ms)}."
    if state.name in ("succeeded", "failed"):
        return _tell_ended(pod, state.name, state.reason, state.message)
    if hold is not None:
        return f"{STATE_WORDS[state.name]}{tell_since(pod)}: {hold.tell()}."
    told = f"{_tell_reason(pod, state.reason)}{tell_since(pod)}"
    last_run = tell_last_run(pod, noticed)
    told += f": {last_run}" if last_run else _tell_message(state.message)
    return f"{told}{_tell_next(pod, state.name, now_ms)}."


def _tell_reason(pod: Pod, reason: str | None) -> str:
    return reason or pod_status_text(pod)


def _tell_message(message: str | None) -> str:
    if not message:
        return ""
    message = _UID.sub("", message)
    short = message if len(message) <= _LONGEST_MESSAGE else f"{message[: _LONGEST_MESSAGE - 1]}…"
    return f": {short.rstrip('.')}"


def _tell_ready(pod: Pod, noticed: Noticed) -> str:
    ready = find_condition(pod.status.conditions, READY)
    since_ms = ready.last_transition_ms if ready is not None else None
    if since_ms is None or pod.meta.creation_ms is None:
        return "Ready"
    # A restart between two looks of its kubelet leaves the condition as it was.
    since_ms = max([since_ms, *(find_start_ms(one) for one in pod.status.containers)])
    took = tell_span(since_ms - pod.meta.creation_ms)
    if not (restarts := count_restarts(pod)[0]):
        return f"Ready since {tell_instant(since_ms)}, {took} after it was made"
    last = find_last_end(pod)
    again = f"after {restarts} restart{'s' if restarts > 1 else ''}"
    how = f"; last, {tell_end(pod, *last, noticed)}" if last else ""
    return f"Ready since {tell_instant(since_ms)}, {again}{how}"


def tell_warned(pod: Pod, noticed: Noticed, now_ms: int) -> str:
    """`; lately: Unhealthy at 00:12:00 (…)` of one that is well, where it was warned of since it is so.

    And what was asked of it and stands open: a resize that its node cannot make.
    """
    ready = find_condition(pod.status.conditions, READY)
    since_ms = max(find_start(pod), (ready.last_transition_ms or 0) if ready is not None else 0)
    for one in pod.status.conditions:
        if one.type in _OPEN and one.status == "True" and one.reason:
            at = tell_instant(one.last_transition_ms or 0)
            return f"; {one.type} since {at}: {one.reason}{quote(one.message)}"
    warned = noticed.find_warning(since_ms)
    if warned is None or not is_lately(warned.last_ms, now_ms):
        return ""
    return f"; lately: {warned.reason} at {tell_instant(warned.last_ms)}{quote(warned.message)}"


def has_restarted_lately(pod: Pod, now_ms: int) -> bool:
    """Whether a container ended within the time that the kubelet's back-off remembers."""
    last = find_last_end(pod)
    return last is not None and now_ms - (last[1].finished_ms or 0) < BACK_OFF_RESET_MS


def keeps_restarting(pod: Pod, now_ms: int) -> bool:
    """Whether a container ends again and again, also while it runs for a moment.

    The kubelet counts ends together until a run has lasted long enough (doBackOff in
    pkg/kubelet/kuberuntime/kuberuntime_manager.go). After its first end one that has hardly begun counts too.
    """
    return any(_ends_again(one, end, now_ms) for one, end in list_ends(pod))


def _ends_again(one: ContainerStatus, end: ContainerState, now_ms: int) -> bool:
    finished_ms = end.finished_ms or 0
    ran_ms = finished_ms - (end.started_ms or 0)
    if now_ms - finished_ms >= BACK_OFF_RESET_MS or ran_ms >= BACK_OFF_RESET_MS:
        return False
    return one.restart_count > 1 or now_ms - find_start_ms(one) < BACK_OFF_INITIAL_MS


def tell_restarted(pod: Pod, others: int, now_ms: int, noticed: Noticed = NOTHING) -> str:
    """`web-0 restarted lately, 6 times so far: app ended with exit code 137 (Error) 40s ago`"""
    restarts, last = sum(one.restart_count for one, _ in list_ends(pod)), find_last_end(pod)
    told = f"{_name(pod, others)} restarted lately, {restarts} time{'s' if restarts > 1 else ''} so far"
    if last is None:
        return told
    return f"{told}: {tell_end(pod, *last, noticed)} {tell_span(now_ms - (last[1].finished_ms or 0))} ago"


def _name(pod: Pod, others: int) -> str:
    return pod.meta.name + (f" and {others} more pod{'s' if others > 1 else ''}" if others else "")


def tell_trouble(pod: Pod, others: int, now_ms: int, noticed: Noticed = NOTHING) -> str:
    """`web-0 and 2 more pods: CrashLoopBackOff, not ready since 00:02:10, next retry in 20s: app ended …`.

    Of one that somebody has to mend also what is wrong: `Unschedulable since 00:00:05 (0/3 nodes are …)`.
    """
    state = decide_state(pod)
    told = f"{_name(pod, others)}: {state.reason or pod_status_text(pod)}{tell_since(pod)}"
    if state.name != CRASHING:
        told += quote(_cut_preemption(state.message or ""))
    if retry := tell_retry(pod, now_ms):
        told += f", next retry {retry}"
    last_run = tell_last_run(pod, noticed) if state.name in (CRASHING, "failed") else ""
    return f"{told}: {last_run}" if last_run else told


def _cut_preemption(message: str) -> str:
    """What a scheduler says of the nodes, without what it adds: that nobody can be preempted either."""
    return message.partition(" preemption: ")[0].removesuffix(" no new claims to deallocate,")


def tell_held(pod: Pod, others: int, why: str) -> str:
    """`web-0: the readiness probe of app fails since 00:00:05 (HTTP 404); 2 more pods are not ready`"""
    also = f"; {others} more pod{'s are' if others > 1 else ' is'} not ready" if others else ""
    return f"{pod.meta.name}: {why}{also}"


def _tell_ending(pod: Pod, now_ms: int) -> str:
    """The grace period ends at the deletionTimestamp: then what still runs is killed."""
    at_ms, grace = pod.meta.deletion_ms, pod.meta.deletion_grace_seconds or 0
    assert at_ms is not None, "its deletion was asked for"
    asked = f"Ending since {tell_instant(at_ms - grace * 1000)}"
    if pod.meta.finalizers and at_ms <= now_ms:
        return f"{asked}; held by the finalizer {pod.meta.finalizers[0]}, and gone when that is taken away"
    if at_ms > now_ms:
        return f"{asked}; what still runs is killed in {tell_span(at_ms - now_ms)}, at {tell_instant(at_ms)}"
    return f"{asked}; its grace period was over at {tell_instant(at_ms)}"


def _tell_ended(pod: Pod, name: str, reason: str | None, message: str | None) -> str:
    states = [one.state for one in pod.status.containers if one.state is not None]
    ends = [state.finished_ms for state in states if state.finished_ms is not None]
    when = f" at {tell_instant(max(ends))}" if ends else ""
    why = f", {reason}" if reason and name == "failed" else ""
    return f"{STATE_WORDS[name]}{when}{why}{_tell_message(message)}; {FOR_GOOD}."


def _tell_next(pod: Pod, state: str, now_ms: int) -> str:
    if retry := tell_retry(pod, now_ms):
        return f"; next start {retry}"
    return "; somebody has to fix it" if state == STUCK else ""
