"""What keeps a pod from being ready, or from going, where its status does not say it in one word. Pure.

One rule for all causes. The first of these that is there is told: the check that fails now; gates that
nobody opens; the last Warning since it was started; how its container ended; the check that failed in an
earlier run; a condition that is False, with its reason and message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from lifecycle.lean_tuples import NamedTuple

from ...objects.condition import find_condition
from ...objects.pods.container import ALWAYS, RUNNING, TERMINATED, Container, ContainerStatus
from ...objects.pods.pod import Pod
from ...objects.pods.probe import LIVENESS, READINESS, STARTUP, Probe
from ..pods.conditions import (
    CONTAINERS_NOT_INITIALIZED,
    CONTAINERS_NOT_READY,
    POD_SCHEDULED,
    READINESS_GATES_NOT_READY,
    READY,
    READY_TO_START,
)
from ..pods.state import decide_state, has_run_its_course
from .ends import find_end, tell_end
from .noticed import FAILED_MOUNT, Noticed, Warned
from .verdicts import quote, tell_instant, tell_span

HELD = ("notReady", "starting", "pending")
"""The states of pods that something may hold so."""
MEND = "somebody has to fix it"
ENDING = "terminating"
"""The state of pods that are asked to go."""
GOING = (ENDING, "succeeded", "failed")
"""The states of pods that may be asked to: an end stays one while a finalizer keeps the object."""
_OVERDUE_MS = 10_000
"""So long after that a kubelet that answers has let one go."""
_LASTING_MS = 10_000
"""So long a warning stands before it is more than a hitch."""
_SLOW_MS = 60_000
"""So long a pod may start without a word."""
_SCHEDULING_GATED = "SchedulingGated"
_TOLD_BY_CHECKS = ("Unhealthy",)
"""Reasons of Warnings that say what the lanes of checks say, with more words."""


class Hold(NamedTuple):
    """What keeps a pod from being ready, and what comes of it by itself; `ends`: "" where nobody knows.

    `is_lasting`: whether it failed as often as its threshold says, or cannot come right by waiting.
    """

    why: str
    ends: str
    is_lasting: bool

    def tell(self) -> str:
        """Both, in a line."""
        return f"{self.why}; {self.ends}" if self.ends else self.why


def is_mounting(pod: Pod) -> bool:
    """Whether its kubelet has its volumes still to mount: then the last `FailedMount` is about now."""
    sandbox = find_condition(pod.status.conditions, READY_TO_START)
    has_sandbox = sandbox is not None and sandbox.status == "True"
    return bool(pod.node_name) and not has_sandbox and decide_state(pod).name == "starting"


def find_hold(pod: Pod, noticed: Noticed, now_ms: int) -> Hold | None:
    """What holds it, by its status and by what was noticed of it; None of one that goes or that is well."""
    if pod.meta.deletion_ms is not None or decide_state(pod).name not in HELD:
        return None
    found = (rule(pod, noticed, now_ms) for rule in _RULES)
    return next((one for one in found if one is not None), None)


def find_start(pod: Pod) -> int:
    """Since when what goes on with it now does: what was said before is over."""
    scheduled = find_condition(pod.status.conditions, POD_SCHEDULED)
    times = [pod.meta.creation_ms or 0]
    if scheduled is not None and scheduled.status == "True":
        times.append(scheduled.last_transition_ms or 0)
    states = [one.state for one in (*pod.status.init_containers, *pod.status.containers)]
    times += [one.started_ms or 0 for one in states if one is not None and one.type == RUNNING]
    return max(times)


def _find_mount(pod: Pod, noticed: Noticed, now_ms: int) -> Hold | None:
    warned = noticed.warned.get(FAILED_MOUNT)
    if warned is None or not is_mounting(pod):
        return None
    since = tell_instant(warned.since_ms)
    return Hold(f"a volume cannot be mounted since {since}{quote(warned.message)}", MEND, True)


def _find_check(pod: Pod, noticed: Noticed, now_ms: int) -> Hold | None:
    """The check that it waits for, where that fails in this run."""
    for container, kind, probe, started_ms in _list_checks(pod):
        failure = noticed.failing.get(f"probe.{container.name}.{kind}")
        # Of an earlier run nothing follows for this one.
        if failure is None or failure.since_ms < started_ms:
            continue
        why = f"the {kind} probe of {container.name} fails since {tell_instant(failure.since_ms)}"
        lasts_ms = now_ms - failure.since_ms
        is_lasting = lasts_ms >= probe.period_seconds * (probe.failure_threshold - 1) * 1000
        ends = _tell_check_end(pod, container, kind, probe, noticed)
        return Hold(f"{why}{quote(failure.message)}", ends, is_lasting)
    return None


def _find_gate(pod: Pod, noticed: Noticed, now_ms: int) -> Hold | None:
    """What waits for somebody outside: to take gates off, to be a scheduler, to set a condition."""
    scheduled = find_condition(pod.status.conditions, POD_SCHEDULED)
    gates = pod.spec.scheduling_gates
    if not pod.node_name and gates:
        named = ", ".join(gates)
        why = f"not to be scheduled before the gate{'s' if len(gates) > 1 else ''} {named} of it"
        return Hold(f"{_SCHEDULING_GATED}: {why} {'are' if len(gates) > 1 else 'is'} taken off", MEND, True)
    if not pod.node_name and scheduled is None and now_ms - (pod.meta.creation_ms or 0) >= _LASTING_MS:
        return Hold(f"no scheduler looks at it: is there one named {pod.spec.scheduler_name}?", MEND, True)
    ready = find_condition(pod.status.conditions, READY)
    if ready is None or ready.status == "True" or ready.reason != READINESS_GATES_NOT_READY:
        return None
    return Hold(f"{ready.reason}{quote(ready.message)}", MEND, True)


def _find_warning(pod: Pod, noticed: Noticed, now_ms: int) -> Hold | None:
    """The last Warning since it was started, but for those that say again what its checks say."""
    return _tell_last(pod, noticed.find_warning(find_start(pod), _TOLD_BY_CHECKS), now_ms)


def _find_any_warning(pod: Pod, noticed: Noticed, now_ms: int) -> Hold | None:
    """Of checks whose lanes are not kept any more their Warning alone is left."""
    return _tell_last(pod, noticed.find_warning(find_start(pod)), now_ms)


def _tell_last(pod: Pod, last: Warned | None, now_ms: int) -> Hold | None:
    if last is None:
        return None
    since = max(last.since_ms, find_start(pod))
    return Hold(
        f"{last.reason} since {tell_instant(since)}{quote(last.message)}", "", now_ms - since >= _LASTING_MS
    )


def _find_end(pod: Pod, noticed: Noticed, now_ms: int) -> Hold | None:
    """How its container ended that is started again, or whose pod only waits for its sidecars to end."""
    for one in (*pod.status.init_containers, *pod.status.containers):
        end = find_end(one)
        if one.state is not None and one.state.type == TERMINATED:
            end = end or one.state
        if one.ready or end is None or end.finished_ms is None or _is_done_init(pod, one):
            continue
        told = f"{tell_end(pod, one.name, end, noticed)} at {tell_instant(end.finished_ms)}"
        if sidecars := _list_sidecars_up(pod):
            return Hold(f"{told}; {_tell_stopped(pod, sidecars)}", "", False)
        return Hold(told, "", one.restart_count > 1)
    return None


def _is_done_init(pod: Pod, one: ContainerStatus) -> bool:
    """Whether it is an init container that has done its work."""
    is_init = any(known is one for known in pod.status.init_containers)
    return is_init and one.state is not None and one.state.type == TERMINATED and not one.state.exit_code


def _tell_stopped(pod: Pod, names: Sequence[str]) -> str:
    """`proxy still runs and is being stopped, with 30s to end`"""
    verbs = "still runs and is" if len(names) == 1 else "still run and are"
    grace = pod.spec.termination_grace_seconds
    within = "" if grace is None else f", with {tell_span(grace * 1000)} to end"
    return f"{', '.join(names)} {verbs} being stopped{within}"


def _list_sidecars_up(pod: Pod) -> list[str]:
    """What runs of a pod whose own containers have ended for good: sidecars, and who looks into it."""
    if not has_run_its_course(pod):
        return []
    beside = (*pod.status.init_containers, *pod.status.ephemeral_containers)
    return [one.name for one in beside if one.state is not None and one.state.type == RUNNING]


def _find_earlier_check(pod: Pod, noticed: Noticed, now_ms: int) -> Hold | None:
    """The check that failed last, in whichever run, of a container that is not ready."""
    for one in (*pod.status.init_containers, *pod.status.containers):
        found = next(noticed.find_failed(one.name), None)
        if not one.ready and found is not None:
            kind, failed = found
            why = f"the {kind} probe of {one.name} failed last at {tell_instant(failed.since_ms)}"
            return Hold(f"{why}{quote(failed.message)}", "", now_ms - find_start(pod) >= _SLOW_MS)
    return None


def _find_condition(pod: Pod, noticed: Noticed, now_ms: int) -> Hold | None:
    """The condition that is False: one with a cause of its own, else after a while what it lacks."""
    false = [one for one in pod.status.conditions if one.status == "False" and one.reason]
    follows = (CONTAINERS_NOT_READY, CONTAINERS_NOT_INITIALIZED)
    found = next((one for one in false if one.reason not in follows), None)
    if found is None and now_ms - find_start(pod) >= _SLOW_MS:
        found = next(iter(false), None)
    if found is None:
        return None
    since_ms = found.last_transition_ms or 0
    why = f"{found.type} is False since {tell_instant(since_ms)}: {found.reason}{quote(found.message)}"
    return Hold(why, "", now_ms - since_ms >= _LASTING_MS)


_RULES: tuple[Callable[[Pod, Noticed, int], Hold | None], ...] = (
    *(_find_mount, _find_check, _find_gate, _find_warning),
    *(_find_end, _find_earlier_check, _find_any_warning, _find_condition),
)


def find_overdue(pod: Pod, now_ms: int) -> Hold | None:
    """Why a pod that should be gone is not: a finalizer of it is left, or its kubelet is silent."""
    at_ms, grace = pod.meta.deletion_ms, pod.meta.deletion_grace_seconds or 0
    if at_ms is None or now_ms < at_ms + _OVERDUE_MS or decide_state(pod).name not in GOING:
        return None
    why = f"ending since {tell_instant(at_ms - grace * 1000)} and still there"
    if pod.meta.finalizers:
        return Hold(f"{why}: held by the finalizer {pod.meta.finalizers[0]}", MEND, True)
    return Hold(f"{why}: {pod.node_name or 'no node'} does not say that it has ended", "", True)


def _tell_check_end(pod: Pod, container: Container, kind: str, probe: Probe, noticed: Noticed) -> str:
    if kind == STARTUP:
        again = "" if pod.spec.restart_policy == ALWAYS else " for good"
        times = f"{probe.failure_threshold} time{'s' if probe.failure_threshold > 1 else ''} in a row"
        return f"{container.name} is stopped{again} when it has failed {times}"
    others = any(lane.endswith(f".{LIVENESS}") for lane in noticed.failing)
    # What runs to its end may end before it is ready; what fails to live is restarted.
    is_for_good = pod.spec.restart_policy == ALWAYS and not others
    return "nothing will change by itself until it passes" if is_for_good else ""


def _list_checks(pod: Pod) -> Iterator[tuple[Container, str, Probe, int]]:
    """Of what runs and is not ready the check that it waits for, and since when it runs.

    Readiness is not asked before it has started.
    """
    statuses: Mapping[str, ContainerStatus] = {
        one.name: one for one in (*pod.status.init_containers, *pod.status.containers)
    }
    for container in (*pod.spec.init_containers, *pod.spec.containers):
        status = statuses.get(container.name)
        if status is None or status.ready or status.state is None or status.state.type != RUNNING:
            continue
        kind = READINESS if status.started else STARTUP
        probe = container.probe(kind)
        if probe is not None:
            yield container, kind, probe, (status.state.started_ms or 0)
