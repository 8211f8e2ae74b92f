"""One sentence on a pod: how it is, since when, why, and what comes next. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...heart.timing import BACK_OFF_INITIAL_MS, BACK_OFF_RESET_MS
from ...objects.condition import find_condition
from ...objects.pods.container import RUNNING, TERMINATED, ContainerState, ContainerStatus
from ...objects.pods.pod import Pod
from ..columns.pods import count_restarts, pod_status_text
from ..pods.conditions import READY
from ..pods.state import decide_state
from ..reasons import CRASHING, STUCK, find_meaning
from .holds import Hold
from .verdicts import FOR_GOOD, find_retry_ms, tell_instant, tell_since, tell_span

_LONGEST_MESSAGE = 160
_UID = re.compile(r"\([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\)")
"""Of a message that names the pod by its uid as well."""


def tell_pod(pod: Pod, now_ms: int, deleted_ms: int | None = None, hold: Hold | None = None) -> str:
    """`CrashLoopBackOff, not ready since 00:02:10: app ended with exit code 137 (Error); next start in 20s.`

    Nothing is said of what nobody knows: when a starting container will be ready, or a probe answers again.
    """
    if deleted_ms is not None:
        return f"Gone since {tell_instant(deleted_ms)}; nothing of this name will come back by itself."
    if pod.meta.deletion_ms is not None:
        return _tell_ending(pod, now_ms)
    state = decide_state(pod)
    if state.name == "ready":
        return _tell_ready(pod)
    if state.name in ("succeeded", "failed"):
        return _tell_ended(pod, state.name, state.reason, state.message)
    if hold is not None:
        words = "Not ready" if state.name == "notReady" else "Starting"
        return f"{words}{tell_since(pod)}: {hold.tell()}."
    told = f"{_tell_reason(pod, state.reason)}{tell_since(pod)}"
    told += _tell_last_run(pod) or _tell_message(state.message)
    return f"{told}{_tell_next(pod, state.name, now_ms)}."


def _tell_reason(pod: Pod, reason: str | None) -> str:
    return reason or pod_status_text(pod)


def _tell_message(message: str | None) -> str:
    if not message:
        return ""
    message = _UID.sub("", message)
    short = message if len(message) <= _LONGEST_MESSAGE else f"{message[: _LONGEST_MESSAGE - 1]}…"
    return f": {short.rstrip('.')}"


def _tell_ready(pod: Pod) -> str:
    ready = find_condition(pod.status.conditions, READY)
    since_ms = ready.last_transition_ms if ready is not None else None
    if since_ms is None or pod.meta.creation_ms is None:
        return "Ready."
    # A restart between two looks of its kubelet leaves the condition as it was.
    since_ms = max([since_ms, *(_find_start(one) for one in pod.status.containers)])
    took = tell_span(since_ms - pod.meta.creation_ms)
    if not (restarts := count_restarts(pod)[0]):
        return f"Ready since {tell_instant(since_ms)}, {took} after it was made."
    last = find_last_end(pod)
    again = f"after {restarts} restart{'s' if restarts > 1 else ''}"
    return f"Ready since {tell_instant(since_ms)}, {again}{f'; last, {_tell_end(*last)}' if last else ''}."


def _find_start(one: ContainerStatus) -> int:
    """When a container that was restarted began to run again."""
    is_again = one.restart_count and one.state is not None and one.state.type == RUNNING
    return (one.state.started_ms or 0) if is_again and one.state is not None else 0


def find_last_end(pod: Pod) -> tuple[str, ContainerState] | None:
    """The container that was restarted last, and how it had ended."""
    ends = [(one.name, end) for one, end in _list_ends(pod)]
    return max(ends, key=lambda end: end[1].finished_ms or 0, default=None)


def _list_ends(pod: Pod) -> Iterator[tuple[ContainerStatus, ContainerState]]:
    """The containers that were restarted, and how each had ended."""
    for one in (*pod.status.init_containers, *pod.status.containers):
        if one.last_state is not None and one.last_state.finished_ms is not None:
            yield one, one.last_state


def has_restarted_lately(pod: Pod, now_ms: int) -> bool:
    """Whether a container ended within the time that the kubelet's back-off remembers."""
    last = find_last_end(pod)
    return last is not None and now_ms - (last[1].finished_ms or 0) < BACK_OFF_RESET_MS


def keeps_restarting(pod: Pod, now_ms: int) -> bool:
    """Whether a container ends again and again, also while it runs for a moment.

    The kubelet counts ends together until a run has lasted long enough (doBackOff in
    pkg/kubelet/kuberuntime/kuberuntime_manager.go). After its first end one that has hardly begun counts too.
    """
    return any(_ends_again(one, end, now_ms) for one, end in _list_ends(pod))


def _ends_again(one: ContainerStatus, end: ContainerState, now_ms: int) -> bool:
    finished_ms = end.finished_ms or 0
    ran_ms = finished_ms - (end.started_ms or 0)
    if now_ms - finished_ms >= BACK_OFF_RESET_MS or ran_ms >= BACK_OFF_RESET_MS:
        return False
    return one.restart_count > 1 or now_ms - _find_start(one) < BACK_OFF_INITIAL_MS


def tell_restarted(pod: Pod, others: int, now_ms: int) -> str:
    """`web-0 restarted lately, 6 times so far: app ended with exit code 137 (Error) 40s ago`"""
    named = pod.meta.name + (f" and {others} more pod{'s' if others > 1 else ''}" if others else "")
    restarts, last = sum(one.restart_count for one, _ in _list_ends(pod)), find_last_end(pod)
    told = f"{named} restarted lately, {restarts} time{'s' if restarts > 1 else ''} so far"
    if last is None:
        return told
    return f"{told}: {_tell_end(*last)} {tell_span(now_ms - (last[1].finished_ms or 0))} ago"


def _tell_end(name: str, end: ContainerState) -> str:
    why = f" ({end.reason})" if end.reason else ""
    return f"{name} ended with exit code {end.exit_code}{why}"


def _tell_ending(pod: Pod, now_ms: int) -> str:
    """The grace period ends at the deletionTimestamp: then what still runs is killed."""
    at_ms, grace = pod.meta.deletion_ms, pod.meta.deletion_grace_seconds or 0
    assert at_ms is not None, "its deletion was asked for"
    asked = f"Ending since {tell_instant(at_ms - grace * 1000)}"
    if pod.meta.finalizers and at_ms <= now_ms:
        return f"{asked}; held by the finalizer {pod.meta.finalizers[0]}, and gone when that is taken away."
    if at_ms > now_ms:
        return f"{asked}; what still runs is killed in {tell_span(at_ms - now_ms)}, at {tell_instant(at_ms)}."
    return f"{asked}; its grace period was over at {tell_instant(at_ms)}."


def _tell_ended(pod: Pod, name: str, reason: str | None, message: str | None) -> str:
    states = [one.state for one in pod.status.containers if one.state is not None]
    ends = [state.finished_ms for state in states if state.finished_ms is not None]
    when = f" at {tell_instant(max(ends))}" if ends else ""
    why = f", {reason}" if reason and name == "failed" else ""
    return f"{name.capitalize()}{when}{why}{_tell_message(message)}; {FOR_GOOD}."


def _tell_last_run(pod: Pod) -> str:
    """How the container that is not well ended last."""
    for one in (*pod.status.init_containers, *pod.status.containers):
        last = _find_end(one)
        if not one.ready and last is not None:
            return f": {_tell_end(one.name, last)}"
    return ""


def _find_end(one: ContainerStatus) -> ContainerState | None:
    if one.state is not None and one.state.type == TERMINATED and one.state.exit_code:
        return one.state
    last = one.last_state
    # A container that was told to end may say that all is well, and still crash again and again.
    is_again = one.state is not None and find_meaning(one.state.reason).state == CRASHING
    return last if last is not None and last.type == TERMINATED and (last.exit_code or is_again) else None


def _tell_next(pod: Pod, state: str, now_ms: int) -> str:
    retry_ms = find_retry_ms(pod)
    if retry_ms is not None and retry_ms > now_ms:
        return f"; next start in {tell_span(retry_ms - now_ms)}"
    return "; somebody has to fix it" if state == STUCK else ""
