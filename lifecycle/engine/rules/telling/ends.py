"""How containers ended, and by whom: their exit code, the signal, the memory limit, the check. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ...objects.pods.container import RUNNING, TERMINATED, ContainerState, ContainerStatus
from ...objects.pods.pod import Pod
from ..pods.backoff import is_held_back
from ..reasons import CRASHING, find_meaning
from .noticed import NOTHING, Noticed
from .verdicts import quote

OOM_KILLED = "OOMKilled"
_SIGNALS = {6: "SIGABRT", 7: "SIGBUS", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM"}
_OF_SIGNALS = 128
"""A shell, and a container runtime, add the signal that ended a process to this."""


def tell_end(pod: Pod, name: str, end: ContainerState, noticed: Noticed = NOTHING) -> str:
    """`app ended with exit code 137 (OOMKilled, memory limit 64Mi)`

    `app ended with exit code 143 (Error, SIGTERM) because its liveness probe failed (HTTP 503)`
    """
    code = end.exit_code or 0
    why = [end.reason] if end.reason else []
    if end.reason == OOM_KILLED and (limit := _find_memory_limit(pod, name)):
        why.append(f"memory limit {limit}")
    elif end.reason != OOM_KILLED and code - _OF_SIGNALS in _SIGNALS:
        why.append(_SIGNALS[code - _OF_SIGNALS])
    named = f" ({', '.join(why)})" if why else ""
    told = f"{name} ended with exit code {code}{named}"
    kill = noticed.find_kill(name, end)
    if kill is None:
        return told
    said = dict(noticed.find_failed(name)).get(kill.check)
    return f"{told} because its {kill.check} probe failed{quote(said.message) if said else ''}"


def _find_memory_limit(pod: Pod, name: str) -> str:
    """As its manifest writes it, of the container or of the whole pod."""
    own = next((one.raw for one in pod.spec.all_containers if one.name == name), {})
    for resources in (own.get("resources") or {}, pod.spec.resources):
        if limit := (resources.get("limits") or {}).get("memory"):
            return str(limit)
    return ""


def list_ends(pod: Pod) -> Iterator[tuple[ContainerStatus, ContainerState]]:
    """The containers that were restarted, and how each had ended."""
    for one in (*pod.status.init_containers, *pod.status.containers):
        if one.last_state is not None and one.last_state.finished_ms is not None:
            yield one, one.last_state


def find_last_end(pod: Pod) -> tuple[str, ContainerState] | None:
    """The container that was restarted last, and how it had ended."""
    ends = [(one.name, end) for one, end in list_ends(pod)]
    return max(ends, key=lambda end: end[1].finished_ms or 0, default=None)


def find_end(one: ContainerStatus) -> ContainerState | None:
    """How the last run of a container that is not well ended; None where no run of it did."""
    # Exit 0 is an end like any other where it is held back for it.
    if one.state is not None and one.state.type == TERMINATED and (one.state.exit_code or is_held_back(one)):
        return one.state
    last = one.last_state
    # A container that was told to end may say that all is well, and still crash again and again.
    is_again = one.state is not None and find_meaning(one.state.reason).state == CRASHING
    return last if last is not None and last.type == TERMINATED and (last.exit_code or is_again) else None


def tell_last_run(pod: Pod, noticed: Noticed = NOTHING) -> str:
    """How the container that is not well ended last; "" where none did."""
    for one in (*pod.status.init_containers, *pod.status.containers):
        last = find_end(one)
        if not one.ready and last is not None:
            return tell_end(pod, one.name, last, noticed)
    return ""


def find_start_ms(one: ContainerStatus) -> int:
    """When a container that was restarted began to run again; 0 of one that was not."""
    is_again = one.restart_count and one.state is not None and one.state.type == RUNNING
    return (one.state.started_ms or 0) if is_again and one.state is not None else 0
