"""Probes in virtual time: computed, not ticked.

A check is made when its outcome could matter: the first one, one that may see something new, one that
completes a threshold. Between them every check is known to give the same outcome; they are counted, not run.
"""

from __future__ import annotations

from collections.abc import Callable

from ...heart.timing import UPKEEP_PROGRAM_MS
from ...objects.pod import Pod
from ...objects.probe import EXEC, LIVENESS, READINESS, STARTUP, Probe
from ...rules.probe_rules import (
    FAILURE,
    SUCCESS,
    UNKNOWN,
    count_checks,
    decide_probe,
    first_check_ms,
    make_probe_state,
    next_check_ms,
    verdict_ms,
)
from ..parts import PROBE, WARNING, Parts
from ..worker import ContainerRun, PodWorker, ProbeRun

_OUTCOME = {"success": SUCCESS, "failure": FAILURE, "unknown": UNKNOWN}
Changed = Callable[[PodWorker, ContainerRun], None]


def probe_of(run: ContainerRun, kind: str) -> Probe | None:
    """The container's probe of a kind."""
    container = run.container
    if kind == READINESS:
        return container.readiness_probe
    return container.liveness_probe if kind == LIVENESS else container.startup_probe


class Prober:
    """The probes of every container of a kubelet."""

    __slots__ = ("_changed", "_parts")

    def __init__(self, parts: Parts, changed: Changed) -> None:
        self._parts = parts
        self._changed = changed

    def begin(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """A container has begun to run: its verdicts start from their initial values (PROBE-38)."""
        container = run.container
        if container.startup_probe is not None:
            run.started, run.ready = False, False
            self._open(worker, pod, run, STARTUP)
        else:
            self._begin_others(worker, pod, run)

    def _begin_others(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        container = run.container
        run.started = True
        run.ready = container.readiness_probe is None and (not container.is_init or container.is_sidecar)
        for kind, probe in ((READINESS, container.readiness_probe), (LIVENESS, container.liveness_probe)):
            if probe is not None:
                self._open(worker, pod, run, kind)

    def _open(self, worker: PodWorker, pod: Pod, run: ContainerRun, kind: str) -> None:
        probe = probe_of(run, kind)
        assert probe is not None, kind
        now_ms = self._parts.context.clock.now_ms
        started_ms = worker.runtime.containers[run.container.name].started_ms
        first_ms = first_check_ms(kind, probe, started_ms, now_ms)
        if run.probes is None:
            run.probes = {}
        run.probes[kind] = opened = ProbeRun(make_probe_state(kind), first_ms)
        self._await_first(worker, pod, run, kind, opened)

    def _await_first(
        self, worker: PodWorker, pod: Pod, run: ContainerRun, kind: str, opened: ProbeRun
    ) -> None:
        delay_ms = opened.first_ms - self._parts.context.clock.now_ms
        if delay_ms <= 0:
            self._check(worker, pod, run, kind, opened)
        else:
            opened.due_ms = opened.first_ms
            opened.timer = self._parts.later(delay_ms, PROBE, worker, run.container.name, kind)

    def on_timer(self, worker: PodWorker, pod: Pod, run: ContainerRun, kind: str) -> None:
        """A check that matters is due."""
        probe_run = (run.probes or {}).get(kind)
        if probe_run is not None and run.process is not None:
            probe_run.timer = probe_run.due_ms = None
            self._check(worker, pod, run, kind, probe_run)

    def before_process_runs(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """The program acts at this instant: a check that is due at the very same one is made before."""
        now_ms = self._parts.context.clock.now_ms
        for kind, probe_run in list((run.probes or {}).items()):
            if probe_run.due_ms == now_ms and run.process is not None:
                self._parts.cancel(probe_run.timer)
                self.on_timer(worker, pod, run, kind)

    def after_process_ran(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """The program acted: what checks see may have changed from the next one on."""
        process = run.process
        if process is None or not run.probes:
            return
        version = process.version
        for kind, probe_run in list(run.probes.items()):
            if probe_run.last_ms is None or probe_run.version == version or probe_run.state.on_hold:
                continue
            if probe_run.due_ms == self._parts.context.clock.now_ms:
                # It is still made, at the end of this instant.
                continue
            self._plan(worker, run, kind, probe_run, self._next_check(run, kind, probe_run))

    def _next_check(self, run: ContainerRun, kind: str, probe_run: ProbeRun) -> int:
        probe = probe_of(run, kind)
        assert probe is not None, kind
        return next_check_ms(probe, probe_run.first_ms, self._parts.context.clock.now_ms + 1)

    def _check(self, worker: PodWorker, pod: Pod, run: ContainerRun, kind: str, probe_run: ProbeRun) -> None:
        parts, probe, process = self._parts, probe_of(run, kind), run.process
        assert probe is not None and process is not None, kind
        now_ms = parts.context.clock.now_ms
        self._count_skipped(probe, kind, probe_run, now_ms)
        sight = process.probe(kind, probe, now_ms, parts.world(worker, pod, run))
        if process.machine is not None:
            # A check may meet what cannot be interpreted, and may have signalled the program.
            parts.take_output(worker, run)
            parts.schedule_wake(worker, run)
        outcome, message = _OUTCOME[sight.result], sight.message
        if sight.takes_ms > probe.timeout_seconds * 1000:
            outcome, message = FAILURE, message or "context deadline exceeded"
        before = probe_run.state
        state = probe_run.state = decide_probe(kind, probe, before, outcome)
        self._tell(worker, pod, run, kind, probe_run, outcome, message)
        probe_run.last_ms, probe_run.outcome = now_ms, outcome
        probe_run.until_ms, probe_run.version = sight.until_ms, process.version
        if state.on_hold:
            # No more checks until there is a new container (PROBE-13, PROBE-20).
            parts.trace.close_series(self._series(worker, run, kind), now_ms)
        if state.result != before.result or (state.on_hold and not before.on_hold):
            self._on_verdict(worker, pod, run, kind, state.result)
            if run.process is None or (run.probes or {}).get(kind) is not probe_run:
                return
        self._plan(worker, run, kind, probe_run, self._next_of_interest(probe, kind, probe_run, now_ms))

    def _count_skipped(self, probe: Probe, kind: str, probe_run: ProbeRun, now_ms: int) -> None:
        # Checks between the last one made and now all saw what that one saw.
        if probe_run.last_ms is None or not probe_run.outcome:
            return
        period_ms = probe.period_seconds * 1000
        skipped = count_checks(probe, probe_run.last_ms + period_ms, now_ms - 1)
        limit = max(probe.failure_threshold, probe.success_threshold) + 1
        for _ in range(min(skipped, limit)):
            probe_run.state = decide_probe(kind, probe, probe_run.state, probe_run.outcome)

    def _next_of_interest(self, probe: Probe, kind: str, probe_run: ProbeRun, now_ms: int) -> int | None:
        if probe_run.state.on_hold:
            return None
        next_ms = now_ms + probe.period_seconds * 1000
        flips_ms = verdict_ms(kind, probe, probe_run.state, probe_run.outcome, next_ms)
        until_ms = probe_run.until_ms
        if until_ms is None:
            return flips_ms
        changes_ms = max(next_check_ms(probe, now_ms, until_ms), next_ms)
        return changes_ms if flips_ms is None else min(flips_ms, changes_ms)

    def _plan(
        self, worker: PodWorker, run: ContainerRun, kind: str, probe_run: ProbeRun, due_ms: int | None
    ) -> None:
        parts = self._parts
        parts.cancel(probe_run.timer)
        probe_run.timer, probe_run.due_ms = None, due_ms
        if due_ms is not None:
            # A probe whose verdict stands is upkeep: only what may still change it is progress.
            probe = probe_of(run, kind)
            assert probe is not None, kind
            is_progress = (
                probe_run.outcome != probe_run.state.result
                or not run.ready
                or probe_run.until_ms is not None
                or self._is_unsure(run, probe_run)
            )
            probe_run.timer = parts.later(
                due_ms - parts.context.clock.now_ms, PROBE, worker, run.container.name, kind, is_progress
            )

    def _series(self, worker: PodWorker, run: ContainerRun, kind: str) -> str:
        return f"probe|{worker.uid}|{run.container.name}|{kind}"

    def _is_unsure(self, run: ContainerRun, probe_run: ProbeRun) -> bool:
        """Has the program acted since the last check? Not asked of one whose wakes are upkeep themselves."""
        process = run.process
        age_ms = self._parts.context.clock.now_ms - run.process_start_ms
        return process is not None and process.version != probe_run.version and age_ms <= UPKEEP_PROGRAM_MS

    def _tell(
        self,
        worker: PodWorker,
        pod: Pod,
        run: ContainerRun,
        kind: str,
        probe_run: ProbeRun,
        outcome: str,
        message: str,
    ) -> None:
        parts, name = self._parts, run.container.name
        if self._parts.pod(worker) is None:
            return
        field = f"probe.{name}.{kind}"
        former = probe_run.outcome or None
        probe = probe_of(run, kind)
        assert probe is not None, kind
        threshold = probe.failure_threshold if outcome == FAILURE else probe.success_threshold
        is_verdict = outcome != UNKNOWN and threshold > 1 and probe_run.state.result == outcome
        is_new_verdict = is_verdict and (probe_run.state.run in (0, threshold))
        if former != outcome or is_new_verdict:
            # Commands run in the container, requests are the node's own (PROBE-08).
            source = "container" if probe.kind == EXEC else "node"
            parts.trace.transition(
                parts.shown(pod),
                field,
                former,
                outcome,
                None,
                message or None,
                {"threshold": threshold, "source": source},
            )
        key = self._series(worker, run, kind)
        if outcome == FAILURE and parts.is_heard(worker):
            text = f"{kind.capitalize()} probe failed: {message}"
            parts.trace.open_event_series(
                key,
                pod.subject,
                WARNING,
                "Unhealthy",
                text,
                "kubelet",
                run.container.field_path,
                probe.period_seconds * 1000,
            )
        elif outcome != FAILURE:
            parts.trace.close_series(key, parts.context.clock.now_ms - 1)

    def _on_verdict(self, worker: PodWorker, pod: Pod, run: ContainerRun, kind: str, result: str) -> None:
        if kind == STARTUP and result == SUCCESS:
            self._begin_others(worker, pod, run)
        elif kind == READINESS:
            run.ready = result == SUCCESS and bool(run.started)
        self._changed(worker, run)

    def end(self, worker: PodWorker, run: ContainerRun, keep: str = "") -> None:
        """Stop probing a run that has ended or is being stopped; `keep` names a kind that goes on."""
        for kind, probe_run in list((run.probes or {}).items()):
            if kind == keep:
                continue
            self._parts.cancel(probe_run.timer)
            self._parts.trace.close_series(
                self._series(worker, run, kind), self._parts.context.clock.now_ms - 1
            )
            assert run.probes is not None, kind
            del run.probes[kind]

    def suspend(self, worker: PodWorker, run: ContainerRun) -> None:
        """Nobody is there to check."""
        for kind, probe_run in (run.probes or {}).items():
            self._parts.cancel(probe_run.timer)
            probe_run.timer = probe_run.due_ms = None
            self._parts.trace.close_series(
                self._series(worker, run, kind), self._parts.context.clock.now_ms - 1
            )

    def resume(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """A kubelet that has just started probes a running container, at once if its initial delay is over.

        Its readiness is as said until then.
        """
        container, now_ms = run.container, self._parts.context.clock.now_ms
        started_ms = worker.runtime.containers[container.name].started_ms
        former, run.probes = run.probes or {}, {}
        if container.startup_probe is not None and not run.started:
            kinds = [STARTUP]
        else:
            kinds = [kind for kind in (READINESS, LIVENESS) if probe_of(run, kind) is not None]
            run.started = True
            if container.readiness_probe is None:
                run.ready = not container.is_init or container.is_sidecar
        for kind in kinds:
            state = make_probe_state(kind)
            if kind == READINESS and run.ready:
                state = state.replace(result=SUCCESS)
            probe = probe_of(run, kind)
            assert probe is not None, kind
            first_ms = max(started_ms + probe.initial_delay_seconds * 1000, now_ms)
            run.probes[kind] = opened = ProbeRun(state, first_ms)
            if kind in former:
                opened.outcome = former[kind].outcome
        for kind, opened in list(run.probes.items()):
            if run.process is not None and (run.probes or {}).get(kind) is opened:
                self._await_first(worker, pod, run, kind, opened)

    def results(self, worker: PodWorker) -> dict[str, dict[str, str]]:
        """Verdicts by container and kind, for the pod's next decision."""
        found: dict[str, dict[str, str]] = {}
        for name, run in worker.runs.items():
            if run.probes:
                found[name] = {kind: entry.state.result for kind, entry in run.probes.items()}
                if run.started and run.container.startup_probe is not None:
                    found[name][STARTUP] = SUCCESS
        return found
