"""Starts a container: pull the image, create and start the container, run its postStart hook.

Models startContainer with its events, and the back-off after a failure.
"""

from __future__ import annotations

import json

from ...heart.chance import PART
from ...heart.timing import BACK_OFF_INITIAL_MS, LEAST_RUN_MS
from ...objects.pods.container import Container
from ...objects.pods.pod import Pod
from ...objects.pods.runtime import RUNNING as RUNTIME_RUNNING
from ...objects.pods.runtime import RuntimeContainer
from ...programs import Behavior, HookRun, start_process
from ...programs.executables import find_start_problem
from ...rules.pods.restart_rules import should_restart, should_start
from ...rules.reasons import CREATE_CONTAINER_CONFIG_ERROR, POST_START_HOOK_ERROR, RUN_CONTAINER_ERROR
from ..eviction.evictor import Evictor
from ..parts import CREATED, HOOK_DONE, NORMAL, WAKE, WARNING, Kubelet, Parts
from ..probing.prober import Prober
from ..reports import Reporter
from ..state.container_run import (
    FAILED_POST_START_HOOK,
    IDLE,
    POST_START,
    RUNNING,
    STARTING,
    UNTOLD,
    ContainerRun,
)
from ..state.worker import PodWorker
from ..stopping.exits import record_failed_start
from ..world.identity import root_problem
from .back_off import UPKEEP_ATTEMPT, hold_back, try_later
from .images import Images

_KILLED = 137
_RUNTIME_PROBLEM = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed:"
    " runc create failed"
)


class Starter:
    """Takes a container from nothing to running."""

    __slots__ = ("_evictor", "_images", "_kubelet", "_parts", "_prober", "_reporter")

    def __init__(
        self,
        parts: Parts,
        evictor: Evictor,
        prober: Prober,
        reporter: Reporter,
        kubelet: Kubelet,
    ) -> None:
        self._parts = parts
        self._images = Images(parts)
        self._evictor = evictor
        self._prober = prober
        self._reporter = reporter
        self._kubelet = kubelet

    def start(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """Begin, unless a back-off holds the container back."""
        if run.stage != IDLE:
            return
        now_ms = self._parts.context.clock.now_ms
        if run.due_ms > now_ms:
            if run.pull_delay_ms:
                self._images.hold_back(worker, run)
            else:
                hold_back(self._parts, worker, pod, run)
            return
        if self._images.pull(worker, pod, run):
            self._create(worker, pod, run)

    def on_pulled(self, worker: PodWorker, pod: Pod, run: ContainerRun, detail: str) -> None:
        """The pull has ended, well or badly."""
        if self._images.on_pulled(worker, pod, run, detail):
            self._create(worker, pod, run)
        else:
            self._go_on(worker)

    def _go_on(self, worker: PodWorker) -> None:
        """A container has been started, or could not be: the look goes on to others, or is over.

        The end of a pod waits for that, too (kubelet, issue 113606).
        """
        if worker.under_way and worker.to_start:
            self._parts.touch(worker)
        else:
            self._parts.end_sync(worker)

    # --- create and run -------------------------------------------------------------------------------

    def _create(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        parts = self._parts
        plan = parts.behavior(pod, run).start
        if plan.takes is not None:
            key = (worker.uid, run.container.name, run.attempt, run.start_tries)
            takes_ms = plan.takes.draw_ms(parts.context.chance.draw, "start", *key)
        else:
            takes_ms = parts.context.draw_ms(
                "container_start",
                f"{worker.uid}{PART}{run.container.name}{PART}{run.attempt}{PART}{run.start_tries}",
            )
        run.stage = STARTING
        if takes_ms == 0:
            self.on_created(worker, pod, run, "")
            return
        run.stage_timer = parts.later(takes_ms, CREATED, worker, run.container.name)

    def on_created(self, worker: PodWorker, pod: Pod, run: ContainerRun, _detail: str) -> None:
        """The runtime has created the container: start it, or report why that fails."""
        parts, container = self._parts, run.container
        run.stage, run.stage_timer = IDLE, None
        behavior = parts.behavior(pod, run)
        missing = parts.world(worker, pod, run).missing_source() if container.refers_to_sources else ""
        missing = missing or root_problem(pod, container)
        if missing:
            self._fail_start(worker, run, CREATE_CONTAINER_CONFIG_ERROR, missing)
            return
        if behavior.start.has_error(run.start_tries):
            error = behavior.start.error or RUN_CONTAINER_ERROR
            self._fail_start(worker, run, error, f'failed to start container "{container.name}"')
            return
        is_named = parts.agents[worker.node].rules.events_name_container
        created = f"Created container: {container.name}" if is_named else "Container created"
        parts.event(worker, run, NORMAL, "Created", created)
        problem = ""
        if behavior.may_not_start:
            problem = find_start_problem(behavior, parts.now_ms, parts.world(worker, pod, run))
        if problem:
            self._fail_run(worker, run, f"{_RUNTIME_PROBLEM}: {problem}")
            return
        started = f"Started container {container.name}" if is_named else "Container started"
        parts.event(worker, run, NORMAL, "Started", started)
        for problem in () if run.told_problems else behavior.problems:
            parts.event(worker, run, WARNING, "UninterpretedBehavior", problem)
        run.told_problems = True
        self._run(worker, pod, run, behavior)

    def _fail_start(self, worker: PodWorker, run: ContainerRun, reason: str, message: str) -> None:
        parts = self._parts
        run.start_tries += 1
        wait_ms = self._next_try_ms(worker, run, reason)
        parts.event(worker, run, WARNING, "Failed", f"Error: {message}")
        is_progress = run.start_tries < UPKEEP_ATTEMPT
        is_error = reason != RUN_CONTAINER_ERROR and wait_ms > 0
        if is_error:
            try_later(parts, worker, is_progress)
        else:
            parts.come_back(worker, wait_ms, is_progress=is_progress)
        if is_error:
            # Without a container there is nothing to relist: the next sync reports it, when it comes.
            run.unsaid, worker.has_unsaid = (reason, message), True
            self._go_on(worker)
            return
        worker.has_changed = True
        run.waiting = (reason, message)
        self._go_on(worker)
        parts.touch(worker)

    def _next_try_ms(self, worker: PodWorker, run: ContainerRun, reason: str) -> int:
        """How long until a container that could not be started is tried again.

        What cannot even be created is tried by each look of the worker, which comes back when it will, but
        once at first, for the sandbox that the kubelet's next look finds. What cannot be run backs off.
        """
        parts = self._parts
        if reason == RUN_CONTAINER_ERROR:
            first_ms, cap_ms = parts.agents[worker.node].back_off
            wait_ms = min(first_ms << min(run.start_tries - 1, 20), cap_ms)
            run.due_ms = parts.now_ms + wait_ms
            return wait_ms
        return 0 if run.start_tries == 1 else BACK_OFF_INITIAL_MS

    def _fail_run(self, worker: PodWorker, run: ContainerRun, message: str) -> None:
        """The runtime has made the container and cannot start it: it has ended, as a crash has.

        The kubelet sees that with its next look.
        """
        parts, container = self._parts, run.container
        parts.event(worker, run, WARNING, "Failed", f"Error: {message}")
        run.waiting = None
        record_failed_start(parts, worker, run, _identity(worker, run), message)
        if should_start(container, worker.spec, worker.runtime.containers[container.name]):
            run.unsaid, worker.has_unsaid = (RUN_CONTAINER_ERROR, message), True
        else:
            run.unsaid, worker.has_changed = None, True
        parts.come_back(worker, 0, is_progress=run.attempt < UPKEEP_ATTEMPT)
        self._go_on(worker)

    def _run(self, worker: PodWorker, pod: Pod, run: ContainerRun, behavior: Behavior) -> None:
        parts, container = self._parts, run.container
        now_ms = parts.context.clock.now_ms
        run.restart_count = run.attempt
        worker.has_changed = True
        run.waiting = run.unsaid = None
        run.killed_with = run.kill_reason = ""
        run.must_restart = run.is_lost = False
        run.start_tries = 0
        run.process_start_ms = now_ms
        run.row, worker.has_untold = UNTOLD, True
        run.env = None
        worker.runtime.containers[container.name] = RuntimeContainer(
            container.name,
            _identity(worker, run),
            RUNTIME_RUNNING,
            created_ms=now_ms,
            started_ms=now_ms,
            image=container.image,
            attempt=run.attempt,
        )
        world = parts.world(worker, pod, run)
        if container.runs_commands_later:
            # They run in the environment made at its start (DOWN-25).
            run.env = dict(world.env)
        if container.has_sub_paths:
            # What is mounted of a volume is found, or made, before it starts.
            _ = world.volumes
        if behavior.is_assumed:
            parts.context.assumed_images.add(container.image)
        run.process = start_process(behavior, container, run.attempt, now_ms, world)
        run.stage = RUNNING
        parts.take_output(worker, run)
        parts.note_use(worker)
        if run.process.usage_points:
            self._evictor.synchronize(worker.node)
        if run.process.exit is not None:
            self._end_at_once(worker, pod, run)
            return
        self._evictor.on_written(worker)
        parts.schedule_wake(worker, run)
        if container.post_start is not None:
            self._post_start(worker, pod, run)
        else:
            self._on_running(worker, pod, run)

    def _end_at_once(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """A process was over as soon as it began: it ran all the same."""
        parts = self._parts
        self._on_running(worker, pod, run)
        if not parts.relist_period_ms:
            self.see(worker, pod, run)
            self._reporter.report(worker, pod)
        if parts.agents[worker.node].rules.relists_on_demand:
            # The look that follows the start sees it running; its end is found after that.
            number, is_progress = parts.later(LEAST_RUN_MS, WAKE, worker, run.container.name)
            run.wake_timer = (number, parts.now_ms + LEAST_RUN_MS, is_progress)
        else:
            self._kubelet.on_exit(worker, run)

    def _on_running(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        if not run.container.is_init:
            worker.has_initialized = True
        run.is_unseen = worker.has_unseen = True
        if worker.to_start:
            self._parts.touch(worker)
        else:
            self._parts.end_sync(worker)

    def see(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """A container that has begun to run is seen running: from now on it is probed."""
        trace = self._parts.trace
        # That it runs follows from its start, whatever a first check sees.
        cause = trace.cause
        run.is_unseen = False
        self._prober.begin(worker, pod, run)
        trace.cause = cause
        worker.has_changed = True
        if worker.spec.init_containers:
            worker.must_act = True

    # --- postStart ------------------------------------------------------------------------------------

    def _post_start(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        parts, process = self._parts, run.process
        assert process is not None and run.container.post_start is not None, run.container.name
        run.stage = POST_START
        field = f"hook.{run.container.name}.postStart"
        run.row = parts.trace.cause = parts.trace.transition(parts.shown(pod), field, None, "Started")
        run.hook = process.hook(
            "postStart", run.container.post_start, parts.context.clock.now_ms, parts.world(worker, pod, run)
        )
        parts.take_output(worker, run)
        # The hook runs inside the process, which has to be woken for it.
        parts.schedule_wake(worker, run)
        self.after_process_ran(worker, pod, run)

    def after_process_ran(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """A process has just acted while its hook may be under way: has the hook's end become known?"""
        hook, parts = run.hook, self._parts
        if run.stage != POST_START or hook is None or hook.finished_ms is None or run.stage_timer is not None:
            return
        left_ms = hook.finished_ms - parts.context.clock.now_ms
        if left_ms > 0:
            run.stage_timer = parts.later(left_ms, HOOK_DONE, worker, run.container.name)
            return
        self.on_post_start_done(worker, pod, run)

    def on_post_start_done(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> bool:
        """The hook is over. A failed one kills the container; returns whether it went well."""
        hook, parts = run.hook, self._parts
        assert hook is not None, run.container.name
        run.stage_timer, run.hook = None, None
        worker.has_changed = True
        run.waiting = None
        went_well = hook.exit_code == 0
        run.row, worker.has_untold = UNTOLD, True
        self._tell_hook(pod, run, hook)
        run.stage = RUNNING
        worker.must_act = worker.must_act or not worker.spec.is_plain
        seen = worker.runtime.containers[run.container.name]
        worker.runtime.containers[run.container.name] = seen.replace(started_ms=parts.context.clock.now_ms)
        if went_well and worker.evicted is not None:
            # Its pod was failed meanwhile: it runs only to be stopped.
            parts.touch(worker)
        elif went_well:
            self._on_running(worker, pod, run)
        else:
            self._fail_hook(worker, pod, run, hook)
            worker.must_act = True
            parts.touch(worker)
        return went_well

    def _tell_hook(self, pod: Pod, run: ContainerRun, hook: HookRun) -> None:
        parts, went_well = self._parts, hook.exit_code == 0
        parts.trace.cause = parts.trace.transition(
            parts.shown(pod),
            f"hook.{run.container.name}.postStart",
            "Started",
            "Succeeded" if went_well else "Failed",
            None,
            hook.message or None,
            None if went_well else {"exitCode": hook.exit_code},
        )

    def _fail_hook(self, worker: PodWorker, pod: Pod, run: ContainerRun, hook: HookRun) -> None:
        """The container is to end for its hook; why is told once it has."""
        self._parts.event(worker, run, WARNING, FAILED_POST_START_HOOK, "PostStartHook failed")
        run.kill_reason = FAILED_POST_START_HOOK
        run.unsaid, worker.has_unsaid = (POST_START_HOOK_ERROR, _hook_problem(pod, run.container, hook)), True

    def on_exit(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """The main process has ended, and with it all of the container: a hook under way fails."""
        process = run.process
        assert process is not None and process.exit is not None, run.container.name
        if run.stage == POST_START:
            self._cut_hook(worker, pod, run)
        if run.unsaid is not None and not should_restart(run.container, worker.spec, process.exit.code):
            # Why it does not run is told of what is to run again only.
            run.unsaid = None

    def _cut_hook(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        hook, parts = run.hook, self._parts
        assert hook is not None and run.container.post_start is not None, run.container.name
        if "exec" not in run.container.post_start:
            self._tell_hook(pod, run, hook)
            return
        hook.exit_code = hook.exit_code or _KILLED
        self._tell_hook(pod, run, hook)
        self._fail_hook(worker, pod, run, hook)
        parts.event(worker, run, NORMAL, "Killing", FAILED_POST_START_HOOK)


_FIRST_PLACE = 64
"""Lower numbers told runs apart by how long their containers' names are: saved clusters have such."""


def _identity(worker: PodWorker, run: ContainerRun) -> str:
    """What the runtime calls one run of a container: no other run of its pod is called so."""
    place = list(worker.runs).index(run.container.name)
    number = (run.attempt << 32) + _FIRST_PLACE + place
    return f"containerd://{worker.uid.replace('-', '')}{number:016x}"


def _hook_problem(pod: Pod, container: Container, hook: HookRun) -> str:
    """How the kubelet says that a postStart hook has failed."""
    assert container.post_start is not None, container.name
    meta, action = pod.meta, container.post_start
    whose = f'for Container "{container.name}" in Pod "{meta.name}_{meta.namespace}({meta.uid})" failed'
    if "exec" not in action:
        path = (action.get("httpGet") or {}).get("path") or "/"
        return f"HTTP lifecycle hook ({path}) {whose} - error: {hook.message}"
    words = " ".join(str(word) for word in action["exec"].get("command") or ())
    why = hook.message or f"command '{words}' exited with {hook.exit_code}: "
    said = json.dumps(hook.said, ensure_ascii=False)
    return f"Exec lifecycle hook ([{words}]) {whose} - error: {why}, message: {said}"
