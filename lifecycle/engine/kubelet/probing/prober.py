"""Probes (prober workers), without one timer for each period.

A probe runs when its result can matter: the first time, when it may see something new, and when it
completes a threshold. Between them every run is known to give the same result; these are counted, not run.
"""

from __future__ import annotations

from ...objects.pods.container import running
from ...objects.pods.pod import Pod
from ...objects.pods.probe import LIVENESS, READINESS, STARTUP, Probe
from ...rules.pods.probe_rules import (
    CANCELED,
    FAILURE,
    RUN_CHECK,
    STOP,
    SUCCESS,
    UNKNOWN,
    decide_probe,
    decide_tick,
    first_check_ms,
    is_canceled,
    make_probe_state,
    next_check_ms,
)
from ..parts import PROBE, Parts
from ..state.container_run import ContainerRun, ProbeRun
from ..state.worker import PodWorker
from .ended_containers import UNSEEN, on_turn, on_unseen
from .events import end_all, is_counted, series_of, tell_failure, tell_outcome
from .interest import count_skipped, find_next_of_interest_ms, is_progress

_OUTCOME = {"success": SUCCESS, "failure": FAILURE, "unknown": UNKNOWN}
_SHORT_MS = 100
"""What takes less than this is known at once: it is not worth a timer of its own."""
_KINDS = (STARTUP, READINESS, LIVENESS)


class Prober:
    """The probes of every container of a kubelet."""

    __slots__ = ("_clock", "_parts")

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._clock = parts.context.clock

    # --- which checks there are -----------------------------------------------------------------------

    def begin(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """A container has begun to run: its verdicts start from their initial values (PROBE-38)."""
        container = run.container
        if container.startup_probe is not None:
            run.started, run.ready = False, False
        else:
            self._set_started(run)
        if container.has_probes:
            self._open_all(worker, pod, run)

    def _set_started(self, run: ContainerRun) -> None:
        container = run.container
        run.started = True
        run.ready = container.readiness_probe is None and (not container.is_init or container.is_sidecar)

    def _open_all(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """Begin the checks whose time it is: of the startup probe, or once that has succeeded the others."""
        now_ms = self._clock.now_ms
        opened = []
        for kind in _KINDS:
            probe = run.container.probe(kind)
            if probe is None:
                continue
            started_ms = self._started_ms(worker, run, kind)
            first_ms = first_check_ms(kind, probe, started_ms, now_ms, _ticking_ms(pod))
            if self._decide(worker, pod, run, kind, probe, first_ms) == RUN_CHECK:
                opened.append(ProbeRun(kind, probe, make_probe_state(kind), first_ms))
        for probed in opened:
            if run.probes is None:
                run.probes = {}
            run.probes[probed.kind] = probed
            self._await_first(worker, pod, run, probed)

    def hasten(self, worker: PodWorker, pod: Pod) -> None:
        """A look asks what has started and is not ready at once, and ticks begin anew (UpdatePodStatus)."""
        for run in worker.runs.values():
            probed = (run.probes or {}).get(READINESS)
            if probed is not None and self._is_hastened(run, probed):
                self._hasten(worker, pod, run, probed)

    def _is_hastened(self, run: ContainerRun, probed: ProbeRun) -> bool:
        is_asked = run.process is None or probed.seen is not None or probed.last_ms == self._clock.now_ms
        return probed.kind == READINESS and not run.ready and not is_asked

    def _hasten(self, worker: PodWorker, pod: Pod, run: ContainerRun, probed: ProbeRun) -> None:
        now_ms = self._clock.now_ms
        self._parts.cancel(probed.timer)
        count_skipped(probed, now_ms)
        self._parts.trace.close_series(series_of(worker, run, probed), until_ms=now_ms - 1)
        started_ms = self._started_ms(worker, run, READINESS)
        probed.first_ms = first_check_ms(READINESS, probed.probe, started_ms, now_ms, _ticking_ms(pod))
        self._await_first(worker, pod, run, probed)

    def _decide(
        self, worker: PodWorker, pod: Pod, run: ContainerRun, kind: str, probe: Probe, at_ms: int
    ) -> str:
        """What a probe's worker does at an instant: check, wait, or stop for good."""
        what, _noted = decide_tick(
            kind,
            probe,
            running(self._started_ms(worker, run, kind)),
            run.started,
            phase=pod.status.phase,
            is_deleted=worker.is_ending,
            now_ms=at_ms,
        )
        return what

    def _started_ms(self, worker: PodWorker, run: ContainerRun, kind: str) -> int:
        """When a run began, as a probe's worker knows it: from its status, which tells whole seconds."""
        started_ms = worker.runtime.containers[run.container.name].started_ms
        return started_ms - (self._clock.epoch_ms + started_ms) % 1000

    def end(self, worker: PodWorker, run: ContainerRun) -> None:
        """Stop probing a run that has ended or is to end."""
        if run.probes:
            self.suspend(worker, run)
            run.probes.clear()

    def on_pod_ending(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """The pod shuts down: the checks that a pod in its end is spared are made no more."""
        now_ms = self._clock.now_ms
        for probed in list((run.probes or {}).values()):
            if self._decide(worker, pod, run, probed.kind, probed.probe, now_ms) == STOP:
                self._close(worker, run, probed)
            elif self._is_hastened(run, probed):
                self._hasten(worker, pod, run, probed)
            elif not self._is_canceled(worker, pod, probed):
                continue
            elif probed.seen is not None:
                self._parts.cancel(probed.timer)
                self._settle(worker, pod, run, probed, UNKNOWN, CANCELED, probed.seen[2])
            else:
                due_ms = next_check_ms(probed.probe, probed.first_ms, now_ms + 1)
                self._set(worker, run, probed, due_ms, is_progress=False)

    def _is_canceled(self, worker: PodWorker, pod: Pod, probed: ProbeRun) -> bool:
        """Whether a check fails for what it runs, where such checks end with a pod's last sync."""
        ends = self._parts.agents[worker.node].rules.exec_probes_end
        return ends and is_canceled(probed.probe, pod, worker.is_ending, worker.stop_reason)

    def _close(self, worker: PodWorker, run: ContainerRun, probed: ProbeRun) -> None:
        self._parts.cancel(probed.timer)
        self._parts.trace.close_series(series_of(worker, run, probed), until_ms=self._clock.now_ms - 1)
        assert run.probes is not None, probed.kind
        del run.probes[probed.kind]

    # --- a kubelet that is away -----------------------------------------------------------------------

    def suspend(self, worker: PodWorker, run: ContainerRun) -> None:
        """Nobody is there to check."""
        for probed in (run.probes or {}).values():
            self._parts.cancel(probed.timer)
            probed.timer = probed.due_ms = probed.seen = None
        end_all(self._parts, worker, run)

    def resume(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """A kubelet that has just started probes a running container, at once if its initial delay is over.

        Its readiness is as said until then.
        """
        container = run.container
        former, run.probes = run.probes or {}, {}
        if container.startup_probe is None or run.started:
            run.started = True
            if container.readiness_probe is None:
                run.ready = not container.is_init or container.is_sidecar
        for kind in _KINDS:
            probe = container.probe(kind)
            if probe is not None:
                self._reopen(worker, pod, run, former.get(kind), kind, probe)
        for kind, probed in list(run.probes.items()):
            if run.process is not None and (run.probes or {}).get(kind) is probed:
                self._await_first(worker, pod, run, probed)

    def _reopen(
        self,
        worker: PodWorker,
        pod: Pod,
        run: ContainerRun,
        former: ProbeRun | None,
        kind: str,
        probe: Probe,
    ) -> None:
        due_ms = self._started_ms(worker, run, kind) + probe.initial_delay_seconds * 1000
        first_ms = max(due_ms, self._clock.now_ms)
        if self._decide(worker, pod, run, kind, probe, first_ms) != RUN_CHECK:
            return
        state = make_probe_state(kind)
        if kind == READINESS and run.ready:
            state = state.replace(result=SUCCESS)
        assert run.probes is not None, kind
        run.probes[kind] = probed = ProbeRun(kind, probe, state, first_ms)
        if former is not None:
            probed.outcome = former.outcome

    # --- when to check --------------------------------------------------------------------------------

    def _await_first(self, worker: PodWorker, pod: Pod, run: ContainerRun, probed: ProbeRun) -> None:
        delay_ms = probed.first_ms - self._clock.now_ms
        if delay_ms <= 0:
            self._check(worker, pod, run, probed)
        else:
            probed.due_ms = probed.first_ms
            probed.timer = self._parts.later(delay_ms, PROBE, worker, run.container.name, probed.kind)

    def on_timer(self, worker: PodWorker, pod: Pod, run: ContainerRun, kind: str) -> None:
        """A check that matters is due, or one of a container that had ended."""
        if kind.startswith(UNSEEN):
            on_unseen(self._parts, worker, pod, run, kind.removeprefix(UNSEEN))
            return
        if kind not in _KINDS:
            on_turn(self._parts, worker, run, kind)
            return
        probed = (run.probes or {}).get(kind)
        if probed is not None and run.process is not None:
            probed.timer = probed.due_ms = None
            if probed.seen is not None:
                self._settle(worker, pod, run, probed, *probed.seen)
            else:
                self._check(worker, pod, run, probed)

    def before_process_runs(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """The program acts at this instant: a check that is due at the very same one is made before."""
        for kind, probed in list((run.probes or {}).items()):
            if probed.due_ms == self._clock.now_ms and run.process is not None:
                self._parts.cancel(probed.timer)
                self.on_timer(worker, pod, run, kind)

    def after_process_ran(self, worker: PodWorker, run: ContainerRun) -> None:
        """The program acted: what checks see may have changed from the next one on."""
        process, now_ms = run.process, self._clock.now_ms
        if process is None or not run.probes:
            return
        for probed in list(run.probes.values()):
            if probed.last_ms is None or probed.version == process.version or probed.state.on_hold:
                continue
            if probed.seen is not None:
                continue
            if probed.due_ms != now_ms:
                # One that is due now is still made, at the end of this instant.
                self._plan(worker, run, probed, next_check_ms(probed.probe, probed.first_ms, now_ms + 1))

    def _plan(self, worker: PodWorker, run: ContainerRun, probed: ProbeRun, due_ms: int | None) -> None:
        self._set(worker, run, probed, due_ms, is_progress(run, probed, self._clock.now_ms))

    def _set(
        self, worker: PodWorker, run: ContainerRun, probed: ProbeRun, due_ms: int | None, is_progress: bool
    ) -> None:
        parts = self._parts
        parts.cancel(probed.timer)
        probed.timer, probed.due_ms = None, due_ms
        if due_ms is not None:
            name, delay_ms = run.container.name, due_ms - self._clock.now_ms
            probed.timer = parts.later(delay_ms, PROBE, worker, name, probed.kind, is_progress)

    # --- one check ------------------------------------------------------------------------------------

    def _check(self, worker: PodWorker, pod: Pod, run: ContainerRun, probed: ProbeRun) -> None:
        """Make a check. What it finds is known at its end, at the latest when its time is over."""
        now_ms = self._clock.now_ms
        count_skipped(probed, now_ms)
        outcome, message, takes_ms = self._ask(worker, pod, run, probed)
        if takes_ms < _SHORT_MS:
            self._settle(worker, pod, run, probed, outcome, message, now_ms)
            return
        probed.seen = (outcome, message, now_ms)
        self._set(worker, run, probed, now_ms + takes_ms, is_progress=True)

    def _settle(
        self,
        worker: PodWorker,
        pod: Pod,
        run: ContainerRun,
        probed: ProbeRun,
        outcome: str,
        message: str,
        began_ms: int,
    ) -> None:
        """A check is over: count its outcome, tell of it, and go on to the next one."""
        parts, kind, now_ms = self._parts, probed.kind, self._clock.now_ms
        former, before, probed.seen, probed.outcome = probed.outcome, probed.state, None, outcome
        state = probed.state = decide_probe(kind, probed.probe, before, outcome)
        period_ms = probed.probe.period_seconds * 1000
        probed.last_ms = now_ms - (now_ms - began_ms) % period_ms
        if parts.pod_manager.stored(worker) is not None:
            tell_outcome(parts, pod, run, probed, former, message)
            tell_failure(parts, worker, pod, run, probed, message)
        if probed.is_singular and not is_counted(parts.trace, series_of(worker, run, probed)):
            # What the next one says is another event.
            probed.until_ms = now_ms
        if state.on_hold:
            # No more checks until there is a new container (PROBE-13, PROBE-20).
            parts.trace.close_series(series_of(worker, run, probed), until_ms=now_ms)
        if state.result != before.result or (state.on_hold and not before.on_hold):
            self._on_verdict(worker, pod, run, kind, state.result)
            if run.process is None or (run.probes or {}).get(kind) is not probed:
                return
            if kind == READINESS and outcome == FAILURE:
                self._ask_twice(worker, pod, run, probed, message)
        due_ms = find_next_of_interest_ms(probed, probed.last_ms)
        has_acted = now_ms > began_ms and run.process is not None and run.process.version != probed.version
        if not state.on_hold and (has_acted or now_ms - began_ms >= period_ms):
            # The program has acted meanwhile, or checks take too long to be made at each tick.
            due_ms = next_check_ms(probed.probe, probed.first_ms, now_ms)
        self._plan(worker, run, probed, due_ms)

    def _ask_twice(self, worker: PodWorker, pod: Pod, run: ContainerRun, probed: ProbeRun, why: str) -> None:
        """What is not ready any more is asked at once again, by the look that this brings about."""
        parts, now_ms = self._parts, self._clock.now_ms
        exists = parts.pod_manager.stored(worker) is not None
        if exists and worker.blind_until_ms <= now_ms and not worker.is_busy:
            probed.first_ms = probed.last_ms = now_ms
            parts.trace.close_series(series_of(worker, run, probed), until_ms=now_ms - 1)
            tell_failure(parts, worker, pod, run, probed, why)

    def _ask(self, worker: PodWorker, pod: Pod, run: ContainerRun, probed: ProbeRun) -> tuple[str, str, int]:
        """What a check that begins now finds, what is said of that, and how long it takes, in ms."""
        parts, probe, process = self._parts, probed.probe, run.process
        assert process is not None, probed.kind
        if self._is_canceled(worker, pod, probed):
            probed.until_ms, probed.version = None, process.version
            probed.is_singular = False
            return UNKNOWN, CANCELED, 0
        others, world = worker.list_others(run), parts.world(worker, pod, run)
        sight = process.probe(probed.kind, probe, self._clock.now_ms, world, others)
        if process.machine is not None:
            # A check may meet what cannot be interpreted, and may have signalled the program.
            parts.take_output(worker, run)
            parts.schedule_wake(worker, run)
        probed.until_ms, probed.version = sight.until_ms, process.version
        probed.is_singular = sight.is_singular
        limit_ms = probe.timeout_seconds * 1000
        if sight.takes_ms > limit_ms:
            return FAILURE, sight.message or "context deadline exceeded", limit_ms
        return _OUTCOME[sight.result], sight.message, sight.takes_ms

    def _on_verdict(self, worker: PodWorker, pod: Pod, run: ContainerRun, kind: str, result: str) -> None:
        if kind == STARTUP and result == SUCCESS:
            self._set_started(run)
            self._open_all(worker, pod, run)
        elif kind != READINESS and isinstance(self._parts.trace.cause, int):
            run.row = self._parts.trace.cause
        elif kind == READINESS:
            run.ready = result == SUCCESS and bool(run.started)
        worker.has_changed = worker.must_act = True
        self._parts.touch(worker)

    def results(self, worker: PodWorker) -> dict[str, dict[str, str]]:
        """Verdicts by container and kind, for the pod's next decision."""
        found: dict[str, dict[str, str]] = {}
        for name, run in worker.runs.items():
            if run.probes:
                found[name] = {kind: entry.state.result for kind, entry in run.probes.items()}
                if run.started and run.container.startup_probe is not None:
                    found[name][STARTUP] = SUCCESS
        return found


def _ticking_ms(pod: Pod) -> int:
    """Since when the workers of a pod's probes tick: they begin with its first look."""
    return pod.status.start_ms or 0
