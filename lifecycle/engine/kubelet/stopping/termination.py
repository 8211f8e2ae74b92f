"""Stops containers: preStop hook, stop signal, SIGKILL; and the order of the containers of a pod.

Models killContainer and the termination ordering of sidecars: the kill of all containers begins at the same
time, and their hooks run at once. A sidecar gets its signal only after the app containers and the next
sidecar have ended. All of this is within one grace period.
"""

from __future__ import annotations

from lifecycle.userland.world import Exit

from ...objects.pods.pod import Pod
from ...programs import Process
from ...releases.gates import is_enabled
from ...rules.pods.actions import ContainerToKill
from ...rules.pods.grace import DELETED, decide_kill_grace_seconds, decide_stop_timeout_seconds
from ..parts import HOOK_DONE, KILL, NORMAL, WARNING, Kubelet, Parts
from ..state.container_run import HELD, IDLE, PRE_STOP, STILL_WAITS, STOPPING, ContainerRun
from ..state.worker import TERMINATING, PodWorker

SIGNAL_GATE = "ContainerStopSignals"
_ON_ITS_WAY = (PRE_STOP, HELD, STOPPING)
# How far a deletion has come, by its stage; any other stage is the signal that was sent.
_RANKS = {"requested": 0, "preStop": 1, "SIGKILL": 3, "removed": 4}
_SIGNALLED = 2


class Stopper:
    """Ends containers, gracefully or not."""

    __slots__ = ("_kubelet", "_parts")

    def __init__(self, parts: Parts, kubelet: Kubelet) -> None:
        self._parts = parts
        self._kubelet = kubelet

    # --- one container --------------------------------------------------------------------------------

    def kill(self, worker: PodWorker, pod: Pod, run: ContainerRun, why: ContainerToKill) -> None:
        """Stop a container because a probe failed, its definition changed or its hook failed."""
        if run.stage in _ON_ITS_WAY or run.process is None:
            return
        probe = run.container.startup_probe if why.reason == "StartupProbe" else run.container.liveness_probe
        is_probe = why.reason in ("StartupProbe", "LivenessProbe")
        if is_probe and run.row > 0:
            self._parts.trace.cause = run.row
        self.stop(
            worker,
            pod,
            run,
            why.reason,
            why.message,
            probe_seconds=probe.termination_grace_seconds if is_probe and probe is not None else None,
        )

    def stop(
        self,
        worker: PodWorker,
        pod: Pod,
        run: ContainerRun,
        reason: str,
        message: str,
        *,
        probe_seconds: int | None = None,
        override_seconds: int | None = None,
    ) -> None:
        """Begin a graceful stop of one running container."""
        parts = self._parts
        self._leave_hook(run)
        parts.event(worker, run, NORMAL, "Killing", message)
        run.kill_reason = reason
        run.override_seconds = override_seconds
        run.waited_ms = 0
        run.grace_seconds = decide_kill_grace_seconds(
            pod.meta.deletion_grace_seconds,
            pod.spec.termination_grace_seconds,
            reason=reason,
            probe_seconds=probe_seconds,
            override_seconds=override_seconds,
            override_is_last=parts.agents[worker.node].rules.override_is_last,
        )
        if (
            run.container.pre_stop is not None
            and run.grace_seconds > 0
            and parts.pod_manager.stored(worker) is not None
        ):
            self._pre_stop(worker, pod, run, run.grace_seconds)
        else:
            self._await_turn(worker, pod, run, 0)

    def _leave_hook(self, run: ContainerRun) -> None:
        if run.stage_timer is not None:
            self._parts.cancel(run.stage_timer)
        run.stage_timer = run.hook = run.waiting = None

    def _pre_stop(self, worker: PodWorker, pod: Pod, run: ContainerRun, seconds: int) -> None:
        parts, process = self._parts, run.process
        assert process is not None and run.container.pre_stop is not None, run.container.name
        now_ms = parts.context.clock.now_ms
        run.stage, run.hook_start_ms = PRE_STOP, now_ms
        field = f"hook.{run.container.name}.preStop"
        run.row = parts.trace.cause = parts.trace.transition(parts.shown(pod), field, None, "Started")
        self._advance(pod, "preStop")
        run.hook = process.hook("preStop", run.container.pre_stop, now_ms, parts.world(worker, pod, run))
        parts.take_output(worker, run)
        if process.exit is not None:
            self._kubelet.on_exit(worker, run)
            return
        # The hook is awaited for the whole of the grace, and cut at its end, in every release.
        number, _ = parts.later(seconds * 1000, KILL, worker, run.container.name, "hook")
        run.kill_timer = number
        # The hook runs on inside the process: that has to be woken for it.
        self._kubelet.on_exit(worker, run)

    def after_process_ran(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """Has the end of a preStop hook under way become known?"""
        hook, parts = run.hook, self._parts
        if run.stage != PRE_STOP or hook is None or hook.finished_ms is None or run.stage_timer is not None:
            return
        left_ms = hook.finished_ms - parts.context.clock.now_ms
        if left_ms > 0:
            run.stage_timer = parts.later(left_ms, HOOK_DONE, worker, run.container.name)
        else:
            self.on_pre_stop_done(worker, pod, run)

    def on_pre_stop_done(
        self, worker: PodWorker, pod: Pod, run: ContainerRun, timed_out: bool = False
    ) -> None:
        """The hook has ended, or its time has: signal the process with what is left of the grace."""
        parts, hook = self._parts, run.hook
        assert hook is not None, run.container.name
        self._leave_hook(run)
        self._drop_kill_timer(run)
        word = "TimedOut" if timed_out else "Succeeded" if hook.exit_code == 0 else "Failed"
        self._tell_hook(worker, pod, run, word, hook.message if word == "Failed" else "")
        self._await_turn(worker, pod, run, parts.context.clock.now_ms - run.hook_start_ms)

    def _tell_hook(self, worker: PodWorker, pod: Pod, run: ContainerRun, word: str, why: str) -> None:
        parts, field = self._parts, f"hook.{run.container.name}.preStop"
        parts.trace.cause = parts.trace.transition(
            parts.shown(pod), field, "Started", word, None, why or None
        )
        if word != "Succeeded":
            # Of a hook that is cut off the kubelet hears at the container's end, at most 2 s later.
            parts.event(worker, run, WARNING, "FailedPreStopHook", "PreStopHook failed")

    def _await_turn(self, worker: PodWorker, pod: Pod, run: ContainerRun, hook_ms: int) -> None:
        """A sidecar of a pod that ends waits for its turn, as long as the hook has left of the grace."""
        left = run.grace_seconds - hook_ms // 1000
        if left <= 0 or worker.stage != TERMINATING or _is_its_turn(worker, run):
            self._send(worker, pod, run, hook_ms)
            return
        run.stage, run.grace_seconds, run.waited_ms = HELD, left, STILL_WAITS
        run.hook_start_ms = self._parts.context.clock.now_ms
        run.kill_timer, _ = self._parts.later(left * 1000, KILL, worker, run.container.name, HELD)

    def _let_go(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        self._drop_kill_timer(run)
        run.waited_ms = self._parts.context.clock.now_ms - run.hook_start_ms
        self._send(worker, pod, run, 0)

    def _drop_kill_timer(self, run: ContainerRun) -> None:
        if run.kill_timer is not None:
            self._parts.cancel((run.kill_timer, True))
            run.kill_timer = None

    def _send(self, worker: PodWorker, pod: Pod, run: ContainerRun, hook_ms: int) -> None:
        parts = self._parts
        override = run.override_seconds
        if parts.agents[worker.node].rules.override_is_last and override is None and worker.grace_seconds:
            override = worker.grace_seconds
        left = decide_stop_timeout_seconds(
            run.grace_seconds,
            hook_ms=hook_ms,
            waited_ms=run.waited_ms,
            override_seconds=override,
            override_is_last=parts.agents[worker.node].rules.override_is_last,
        )
        signal = self._stop_signal(pod, run)
        run.stage = STOPPING
        # Told first: what the time that is left leads to follows from the signal.
        self._tell_signal(worker, pod, run, signal)
        number, _ = parts.later(left * 1000, KILL, worker, run.container.name)
        run.kill_timer = number
        self._signal(worker, pod, run, signal)

    def _stop_signal(self, pod: Pod, run: ContainerRun) -> str:
        # Spec over image over the runtime's default (STOPSIG-06).
        own = run.container.stop_signal
        if own and is_enabled(self._parts.context.features, SIGNAL_GATE):
            return own
        image = self._parts.behavior(pod, run).stop_signal
        return image if image and image.startswith("SIG") else f"SIG{image}" if image else "SIGTERM"

    def _tell_signal(self, worker: PodWorker, pod: Pod, run: ContainerRun, name: str) -> None:
        if run.process is None:
            return
        trace, field, detail = self._parts.trace, f"signal.{run.container.name}", {"why": run.kill_reason}
        shown, former = self._parts.shown(pod), run.killed_with or None
        run.row = trace.cause = trace.transition(shown, field, former, name, None, None, detail)
        run.killed_with = name
        if worker.stage == "terminating":
            self._advance(pod, name)

    def _signal(self, worker: PodWorker, pod: Pod, run: ContainerRun, name: str) -> None:
        parts, process = self._parts, run.process
        if process is None:
            return
        now_ms = parts.context.clock.now_ms
        process.signal(now_ms, name, parts.world(worker, pod, run))
        if name == "SIGKILL" and process.exit is None:
            process.exit = Exit(now_ms, 137, None, 9)
        self._after_signal(worker, run, process)

    def _after_signal(self, worker: PodWorker, run: ContainerRun, process: Process) -> None:
        self._parts.take_output(worker, run)
        self._kubelet.on_exit(worker, run)

    def _advance(self, pod: Pod, stage: str) -> None:
        """`deletion` of the pod goes forward only: requested, preStop, the stop signal, SIGKILL."""
        store = self._parts.store
        before = store.deletion_stage.get(pod.meta.uid)
        stored = store.pods.get(pod.meta.uid)
        if before is None or stored is None or _rank(stage) <= _rank(before):
            return
        store.set_deletion_stage(stored, stage)

    def on_kill(self, worker: PodWorker, pod: Pod, run: ContainerRun, what: str) -> None:
        """The hook's time or the process' time is over."""
        run.kill_timer = None
        if what == "hook":
            if run.stage == PRE_STOP:
                self.on_pre_stop_done(worker, pod, run, timed_out=True)
            return
        if what == HELD:
            self._let_go(worker, pod, run)
            return
        self._tell_signal(worker, pod, run, "SIGKILL")
        self._signal(worker, pod, run, "SIGKILL")

    def on_end(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """The process is gone: nothing is left to be timed. A command of its hook is killed with it."""
        hook, now_ms = run.hook, self._parts.context.clock.now_ms
        if run.stage == PRE_STOP and hook is not None and "exec" in (run.container.pre_stop or ()):
            is_cut = hook.finished_ms is None or hook.finished_ms > now_ms
            if is_cut or hook.exit_code:
                self._tell_hook(worker, pod, run, "Failed", hook.message)
        self._drop_kill_timer(run)
        self._leave_hook(run)

    # --- a whole pod ----------------------------------------------------------------------------------

    def begin_pod(self, worker: PodWorker, pod: Pod, seconds: int) -> None:
        """Start the grace period of the whole pod and stop its containers."""
        parts = self._parts
        worker.grace_seconds = seconds
        worker.stop_started_ms = parts.context.clock.now_ms
        runs = [*worker.runs.values()]
        if len(runs) > 1:
            runs = self._in_order(worker, runs)
        cause = parts.trace.cause
        for run in runs:
            parts.trace.cause = cause
            self.stop_for_pod(worker, pod, run)

    def _in_order(self, worker: PodWorker, runs: list[ContainerRun]) -> list[ContainerRun]:
        """Apps first. Of what was still to start, nothing will: not a sidecar either."""
        apps = [run for run in runs if not run.container.is_sidecar or run.process is None]
        if len(apps) > 1:
            # No order is promised: drawn by seed, so that nobody relies on one (POD-TERM-09).
            chance = self._parts.context.chance
            apps.sort(key=lambda run: chance.draw("stop-order", worker.uid, run.container.name))
        sidecars = [run for run in runs if run.container.is_sidecar and run.process]
        return [*apps, *reversed(sidecars)]

    def stop_for_pod(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """Stop one container as part of its pod's end; what is still to start never will."""
        if run.process is None:
            self._parts.cancel(run.stage_timer)
            run.stage, run.stage_timer = IDLE, None
            return
        if run.stage in _ON_ITS_WAY:
            return
        override = worker.grace_seconds if worker.evicted is not None else None
        self.stop(
            worker,
            pod,
            run,
            worker.evicted[0] if worker.evicted is not None else DELETED,
            f"Stopping container {run.container.name}",
            override_seconds=override,
        )

    def hooks_left_ms(self, worker: PodWorker) -> int:
        """How long a pod's end waits for hooks that sleep on though their containers have ended.

        A command ends with its container; a sleep is the kubelet's own (runSleepHandler).
        """
        left_ms = 0
        for run in worker.runs.values():
            hook = run.container.pre_stop
            if hook is None or "sleep" not in hook or run.killed_with or run.waited_ms or not run.kill_reason:
                continue
            seconds = min(int((hook["sleep"] or {}).get("seconds") or 0), run.grace_seconds)
            left_ms = max(left_ms, run.hook_start_ms + seconds * 1000 - self._parts.now_ms)
        return left_ms

    def continue_pod(self, worker: PodWorker, pod: Pod) -> None:
        """Sidecars whose turn has come: when all app containers have ended, the last one, and so on."""
        for container in reversed(worker.spec.init_containers):
            run = worker.runs[container.name]
            if run.process is None or not run.container.is_sidecar or not _is_its_turn(worker, run):
                continue
            if run.stage == HELD:
                self._let_go(worker, pod, run)
            else:
                self.stop_for_pod(worker, pod, run)

    def shorten(self, worker: PodWorker, pod: Pod, seconds: int) -> None:
        """A later, shorter grace period: every stop under way is issued again with it (GRACE-20)."""
        worker.grace_seconds = seconds
        for run in list(worker.runs.values()):
            if run.stage == PRE_STOP:
                run.grace_seconds = seconds
                self._drop_kill_timer(run)
                number, _ = self._parts.later(seconds * 1000, KILL, worker, run.container.name, "hook")
                run.kill_timer = number
            elif run.stage == HELD:
                run.grace_seconds = seconds
                self._drop_kill_timer(run)
                run.kill_timer, _ = self._parts.later(seconds * 1000, KILL, worker, run.container.name, HELD)
            elif run.stage == STOPPING:
                self._drop_kill_timer(run)
                number, _ = self._parts.later(seconds * 1000, KILL, worker, run.container.name)
                run.kill_timer = number


def _rank(stage: str) -> int:
    return _RANKS.get(stage, _SIGNALLED)


def _is_its_turn(worker: PodWorker, run: ContainerRun) -> bool:
    """Whether what a container waits for has ended: for a sidecar all apps and the next sidecar behind it.

    Of a sidecar that did not run any more the one before it does not wait, nor for those behind that
    (terminationOrdering).
    """
    if not run.container.is_sidecar:
        return True
    if any(worker.runs[one.name].process is not None for one in worker.spec.containers):
        return False
    sidecars = [one.name for one in worker.spec.init_containers if one.is_sidecar]
    behind = sidecars[sidecars.index(run.container.name) + 1 :]
    return not behind or worker.runs[behind[0]].process is None
