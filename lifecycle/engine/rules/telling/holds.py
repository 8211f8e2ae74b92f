"""What keeps a pod from being ready, or from going, where its status does not say: failing probes, volumes
that do not come, a kubelet that does not answer.

A status says `containers with unready status: [app]`; why, only the kubelet's checks and events tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...objects.condition import find_condition
from ...objects.pods.container import ALWAYS, RUNNING, Container, ContainerStatus
from ...objects.pods.pod import Pod
from ...objects.pods.probe import LIVENESS, READINESS, STARTUP, Probe
from ..pods.conditions import READY_TO_START
from ..pods.probe_rules import FAILURE
from ..pods.state import decide_state
from .verdicts import quote, tell_instant

FAILED_MOUNT = "FailedMount"
HELD = ("notReady", "starting")
"""The states of pods that something may hold so."""
MEND = "somebody has to fix it"
ENDING = "terminating"
"""The state of pods that are asked to go."""
GOING = (ENDING, "succeeded", "failed")
"""The states of pods that may be asked to: an end stays one while a finalizer keeps the object."""
_OVERDUE_MS = 10_000
"""So long after that a kubelet that answers has let one go."""


class Failing(NamedTuple):
    """Something that fails since `since_ms`, and what it said last."""

    since_ms: int
    message: str


def take_check(
    failing: dict[str, Failing], lane: str, old: str | None, new: str, at_ms: int, said: str
) -> None:
    """What fails, after one more row of a probe's lane. One after another began with the first."""
    if new != FAILURE:
        failing.pop(lane, None)
    elif old == FAILURE and lane in failing:
        failing[lane] = Failing(failing[lane].since_ms, said)
    else:
        failing[lane] = Failing(at_ms, said)


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


def list_lanes(pod: Pod) -> list[str]:
    """The lanes of the checks that tell of it: `probe.app.readiness`; [] of one that nothing may hold."""
    if pod.meta.deletion_ms is not None or decide_state(pod).name not in HELD:
        return []
    kinds = ((container.name, kind) for container, kind, _, _ in _list_checks(pod))
    return [f"probe.{name}.{one}" for name, kind in kinds for one in (kind, LIVENESS)]


def is_mounting(pod: Pod) -> bool:
    """Whether its kubelet has its volumes still to mount: then the last `FailedMount` is about now."""
    sandbox = find_condition(pod.status.conditions, READY_TO_START)
    has_sandbox = sandbox is not None and sandbox.status == "True"
    return bool(pod.node_name) and not has_sandbox and decide_state(pod).name == "starting"


def find_hold(pod: Pod, failing: Mapping[str, Failing], now_ms: int) -> Hold | None:
    """What holds it, by what failed last: by lane, or by `FailedMount`."""
    if FAILED_MOUNT in failing and is_mounting(pod):
        since_ms, message = failing[FAILED_MOUNT]
        return Hold(f"a volume cannot be mounted since {tell_instant(since_ms)}{quote(message)}", MEND, True)
    for container, kind, probe, started_ms in _list_checks(pod):
        failure = failing.get(f"probe.{container.name}.{kind}")
        # Of an earlier run nothing follows for this one.
        if failure is None or failure.since_ms < started_ms:
            continue
        why = f"the {kind} probe of {container.name} fails since {tell_instant(failure.since_ms)}"
        lasts_ms = now_ms - failure.since_ms
        is_lasting = lasts_ms >= probe.period_seconds * (probe.failure_threshold - 1) * 1000
        ends = _tell_end(pod, container, kind, probe, failing)
        return Hold(f"{why}{quote(failure.message)}", ends, is_lasting)
    return None


def find_overdue(pod: Pod, now_ms: int) -> Hold | None:
    """Why a pod that should be gone is not: a finalizer of it is left, or its kubelet is silent."""
    at_ms, grace = pod.meta.deletion_ms, pod.meta.deletion_grace_seconds or 0
    if at_ms is None or now_ms < at_ms + _OVERDUE_MS or decide_state(pod).name not in GOING:
        return None
    why = f"ending since {tell_instant(at_ms - grace * 1000)} and still there"
    if pod.meta.finalizers:
        return Hold(f"{why}: held by the finalizer {pod.meta.finalizers[0]}", MEND, True)
    return Hold(f"{why}: {pod.node_name or 'no node'} does not say that it has ended", "", True)


def _tell_end(pod: Pod, container: Container, kind: str, probe: Probe, failing: Mapping[str, Failing]) -> str:
    if kind == STARTUP:
        again = "" if pod.spec.restart_policy == ALWAYS else " for good"
        times = f"{probe.failure_threshold} time{'s' if probe.failure_threshold > 1 else ''} in a row"
        return f"{container.name} is stopped{again} when it has failed {times}"
    others = any(lane.endswith(f".{LIVENESS}") for lane in failing)
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
