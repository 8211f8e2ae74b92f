"""What a probe's outcomes add up to, and when its checks fall due.

Models the kubelet's probe worker: consecutive outcomes against thresholds, initial results, the hold after a
verdict that ends the run, and which checks are switched off. Running a check is the prober's business.

A worker serves one run of one container. A later run has its own, so counters never cross a restart.
All instants in ms.
"""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass

from ...objects.pods.container import RUNNING, TERMINATED, ContainerState
from ...objects.pods.pod import Pod
from ...objects.pods.probe import EXEC, LIVENESS, READINESS, STARTUP, Probe
from ...objects.record import Record
from ..nodes.eviction import EVICTED

SUCCESS, FAILURE, UNKNOWN = "Success", "Failure", "Unknown"

INITIAL_RESULT = {LIVENESS: SUCCESS, READINESS: FAILURE, STARTUP: UNKNOWN}
"""What a probe counts as before its first verdict (PROBE-14, PROBE-17, PROBE-19)."""

RUN_CHECK, WAIT, STOP = "RunCheck", "Wait", "Stop"
"""What a worker does at a tick: check now, skip this tick, or end for good."""


@dataclass(slots=True, eq=False)
class ProbeState(Record):
    """Where one probe of one container run stands: its verdict, and how often the last outcome repeated."""

    result: str
    last_outcome: str = ""
    run: int = 0
    on_hold: bool = False


def make_probe_state(kind: str) -> ProbeState:
    """The state before the first check. `kind`: liveness, readiness or startup."""
    return ProbeState(INITIAL_RESULT[kind])


def decide_probe(kind: str, probe: Probe, old: ProbeState, outcome: str) -> ProbeState:
    """The state after a check. Returns `old` itself when the outcome changes nothing.

    An Unknown outcome is thrown away: the check could not be made (PROBE-11). A verdict that ends the run
    (liveness failed) or the probing (startup decided either way) puts the worker on hold.
    """
    if outcome == UNKNOWN or old.on_hold:
        return old
    run = old.run + 1 if outcome == old.last_outcome else 1
    threshold = probe.failure_threshold if outcome == FAILURE else probe.success_threshold
    if run < threshold:
        return ProbeState(old.result, outcome, run)
    if kind == STARTUP or (kind == LIVENESS and outcome == FAILURE):
        return ProbeState(outcome, outcome, 0, True)
    return ProbeState(outcome, outcome, run)


def decide_tick(
    kind: str,
    probe: Probe,
    state: ContainerState | None,
    started: bool | None,
    *,
    phase: str,
    is_deleted: bool,
    now_ms: int,
) -> tuple[str, str | None]:
    """What the worker does at a tick, and the result it must note without a check (None: leave it).

    `state` and `started` are the container's as reported; `is_deleted`: the pod has a deletionTimestamp.
    """
    if phase in ("Succeeded", "Failed"):
        return STOP, None
    if state is None or state.type != RUNNING:
        # Out of service at once; an ended run is never probed again, a readiness worker ends with it.
        ended = kind == READINESS or (state is not None and state.type == TERMINATED)
        return (STOP if ended else WAIT), FAILURE
    if is_deleted and kind != READINESS:
        # A pod that shuts down is left in peace: readiness alone goes on, for `serving` (POD-TERM-25).
        return STOP, SUCCESS
    if now_ms - (state.started_ms or 0) < probe.initial_delay_seconds * 1000:
        return WAIT, None
    # Startup checks run until the container has started, the others only from then on.
    if kind == STARTUP:
        return (WAIT, SUCCESS) if started else (RUN_CHECK, None)
    return (RUN_CHECK if started else WAIT), None


def first_check_ms(kind: str, probe: Probe, started_ms: int, enabled_ms: int, ticking_ms: int) -> int:
    """The first check: a tick after the initial delay, counted from the run's start, and after `enabled_ms`.

    `enabled_ms`: when the startup probe succeeded (the run's start without one). At a tick of that very
    instant the status does not say yet that the container has started, so that a liveness worker waits for
    the next one: period 4 s, startup probe good at 12.0 s give 16.0 s (worker.go, doProbe).
    `ticking_ms`: a kubelet's workers begin with the pod, before anything runs, and tick once a period from
    then on: pod 0.0 s, run 0.5 s, period 3 s give 3.0 s, also for later runs. Readiness alone is hastened:
    its worker ticks from when it was asked for at once, `enabled_ms`, though that be too early for a check.
    """
    due_ms = started_ms + probe.initial_delay_seconds * 1000
    if kind != READINESS:
        return next_check_ms(probe, ticking_ms + probe.period_seconds * 1000, max(due_ms, enabled_ms + 1))
    ticks_ms = enabled_ms + probe.period_seconds * 1000
    return enabled_ms if due_ms <= enabled_ms else next_check_ms(probe, ticks_ms, due_ms)


def next_check_ms(probe: Probe, first_ms: int, from_ms: int) -> int:
    """The first check at or after `from_ms` on the grid `first_ms` + n periods."""
    if from_ms <= first_ms:
        return first_ms
    period_ms = probe.period_seconds * 1000
    return first_ms + -(-(from_ms - first_ms) // period_ms) * period_ms


def count_checks(probe: Probe, first_ms: int, until_ms: int) -> int:
    """Checks made from `first_ms` to `until_ms`, both included."""
    return 0 if until_ms < first_ms else (until_ms - first_ms) // (probe.period_seconds * 1000) + 1


def verdict_ms(kind: str, probe: Probe, old: ProbeState, outcome: str, next_ms: int) -> int | None:
    """When `outcome`, given by every check from `next_ms` on, becomes the verdict.

    None: it never will, because it already is the verdict or the worker is on hold. Failing from 15 s on
    with period 10 and threshold 3: 35 s.
    """
    if outcome == UNKNOWN or old.on_hold or (outcome == old.result and kind != STARTUP):
        return None
    run = old.run if outcome == old.last_outcome else 0
    threshold = probe.failure_threshold if outcome == FAILURE else probe.success_threshold
    return next_ms + max(threshold - run - 1, 0) * probe.period_seconds * 1000


CANCELED = "rpc error: code = Canceled desc = context canceled"
"""What is said of a check that is canceled."""


def is_canceled(probe: Probe, pod: Pod, is_ending: bool, stop_reason: str) -> bool:
    """Whether a check fails for what it runs in a container: of a pod that ends as it was deleted or evicted.

    Commands run in the context of the pod's worker, which such an end cancels (kubelet, UpdatePod).
    """
    is_told = pod.meta.deletion_ms is not None or stop_reason == EVICTED
    return probe.kind == EXEC and is_ending and is_told
