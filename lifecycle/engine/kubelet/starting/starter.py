"""Starting a container: pull its image, create it, run it, wait for its postStart hook.

Models the kubelet's image manager and container start, with their events. Pulls of one image on one node
are joined: who comes second waits for the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ...heart.chance import PART
from ...heart.timing import BACK_OFF_INITIAL_MS, BACK_OFF_MAX_MS
from ...objects.container import Container
from ...objects.pod import Pod
from ...objects.runtime import RUNNING as RUNTIME_RUNNING
from ...objects.runtime import RuntimeContainer
from ...programs import Behavior, start_process
from ...rules.backoff import duration_text
from ..parts import BACK_OFF_OVER, CREATED, HOOK_DONE, NORMAL, PULLED, WARNING, OnExit, Parts
from ..worker import IDLE, POST_START, PULLING, RUNNING, STARTING, ContainerRun, PodWorker
from ..world.identity import root_problem

ERR_IMAGE_PULL, IMAGE_PULL_BACK_OFF = "ErrImagePull", "ImagePullBackOff"
ERR_IMAGE_NEVER_PULL, INVALID_IMAGE_NAME = "ErrImageNeverPull", "InvalidImageName"
CRASH_LOOP_BACK_OFF = "CrashLoopBackOff"
_REFERENCE = re.compile(
    r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\.[A-Za-z0-9-]+)*(?::\d+)?(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*"
    r"(?::[\w][\w.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?"
)
_UPKEEP_ATTEMPT = 5


class Starter:
    """Takes a container from nothing to running."""

    __slots__ = ("_on_exit", "_on_running", "_parts", "_report")

    def __init__(
        self,
        parts: Parts,
        on_running: Callable[[PodWorker, Pod, ContainerRun], None],
        on_exit: OnExit,
        report: Callable[[PodWorker, Pod], Pod],
    ) -> None:
        self._parts = parts
        self._report = report
        self._on_running = on_running
        self._on_exit = on_exit

    def start(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        """Begin, unless a back-off holds the container back."""
        if run.stage != IDLE:
            return
        now_ms = self._parts.context.clock.now_ms
        if run.due_ms > now_ms:
            self._hold_back(worker, pod, run, run.due_ms - now_ms)
            return
        self._pull(worker, pod, run)

    def _hold_back(self, worker: PodWorker, pod: Pod, run: ContainerRun, left_ms: int) -> None:
        if run.stage_timer is not None:
            return
        parts = self._parts
        is_pull = run.pull_delay_ms > 0
        is_progress = (run.pull_tries if is_pull else run.attempt) < _UPKEEP_ATTEMPT
        run.stage_timer = parts.later(
            left_ms, BACK_OFF_OVER, worker, run.container.name, is_progress=is_progress
        )
        if is_pull:
            image = run.container.image
            worker.has_changed = True
            run.waiting = (IMAGE_PULL_BACK_OFF, f'Back-off pulling image "{image}"')
            parts.event(worker, run, NORMAL, "BackOff", f'Back-off pulling image "{image}"')
            parts.event(worker, run, WARNING, "Failed", f"Error: {IMAGE_PULL_BACK_OFF}")
            return
        meta = pod.meta
        name = f"{meta.name}_{meta.namespace}({meta.uid})"
        text = f"restarting failed container={run.container.name} pod={name}"
        worker.has_changed = True
        run.waiting = (
            CRASH_LOOP_BACK_OFF,
            f"back-off {duration_text(run.due_ms - run.ended_ms)} {text}",
        )
        if not parts.is_heard(worker):
            return
        parts.trace.open_event_series(
            f"backoff|{worker.uid}|{run.container.name}",
            pod.subject,
            WARNING,
            "BackOff",
            f"Back-off {text}",
            "kubelet",
            run.container.field_path,
            _SYNC_PERIOD_MS,
        )

    def on_back_off_over(self, worker: PodWorker, pod: Pod, run: ContainerRun, _detail: str) -> None:
        """The wait is over: try again."""
        run.stage_timer = None
        self._parts.trace.close_series(f"backoff|{worker.uid}|{run.container.name}")
        worker.must_act = True
        self._parts.touch(worker)

    # --- image ----------------------------------------------------------------------------------------

    def _pull(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        parts, container = self._parts, run.container
        image, policy = container.image, container.image_pull_policy
        agent = parts.agents[worker.node]
        if not _is_reference(image):
            self._refuse_image(worker, run, image)
            return
        is_there = image in agent.images
        if policy == "Never" and not is_there:
            self._never_pull(worker, run, image)
            return
        if is_there and policy != "Always":
            message = f'Container image "{image}" already present on machine'
            parts.event(worker, run, NORMAL, "Pulled", message)
            self._create(worker, pod, run)
            return
        self._begin_pull(worker, pod, run, is_there)

    def _begin_pull(self, worker: PodWorker, pod: Pod, run: ContainerRun, is_there: bool) -> None:
        parts, image = self._parts, run.container.image
        agent = parts.agents[worker.node]
        context = parts.context
        now_ms = context.clock.now_ms
        parts.event(worker, run, NORMAL, "Pulling", f'Pulling image "{image}"')
        plan = parts.behavior(pod, run).pull
        if plan.takes is not None:
            key = (worker.uid, run.container.name, run.attempt, run.pull_tries)
            takes_ms = 0 if is_there else plan.takes.draw_ms(context.chance.draw, "pull", *key)
        elif is_there:
            takes_ms = context.draw_ms(
                "image_check",
                f"{worker.uid}{PART}{run.container.name}{PART}{run.attempt}{PART}{run.pull_tries}",
            )
        elif agent.pulls.get(image, -1) >= now_ms:
            takes_ms = agent.pulls[image] - now_ms
        else:
            takes_ms = context.draw_ms("image_pull", f"{agent.name}{PART}{image}{PART}{now_ms}")
        if not is_there and not plan.has_error(run.pull_tries):
            agent.pulls[image] = max(now_ms + takes_ms, now_ms)
        # Why it waited until now is what its status goes on saying, until it runs or fails again.
        run.stage = PULLING
        run.stage_timer = parts.later(takes_ms, PULLED, worker, run.container.name, str(takes_ms))

    def on_pulled(self, worker: PodWorker, pod: Pod, run: ContainerRun, detail: str) -> None:
        """The pull has ended, well or badly."""
        run.stage, run.stage_timer = IDLE, None
        parts, image = self._parts, run.container.image
        plan = parts.behavior(pod, run).pull
        if plan.has_error(run.pull_tries):
            message = f'failed to pull and unpack image "{image}": {plan.error or ERR_IMAGE_PULL}'
            parts.event(worker, run, WARNING, "Failed", f'Failed to pull image "{image}": {message}')
            self._fail_pull(worker, run, plan.error or ERR_IMAGE_PULL, message)
            return
        agent = parts.agents[worker.node]
        agent.images[image] = None
        agent.pulls.pop(image, None)
        run.pull_tries, run.pull_delay_ms = 0, 0
        took_ms = int(detail)
        took = f"{took_ms}ms" if took_ms < 1000 else f"{took_ms / 1000:g}s"
        parts.event(
            worker,
            run,
            NORMAL,
            "Pulled",
            f'Successfully pulled image "{image}" in {took} ({took} including waiting).'
            f" Image size: {image_size(image)} bytes.",
        )
        self._create(worker, pod, run)

    def _never_pull(self, worker: PodWorker, run: ContainerRun, image: str) -> None:
        # No back-off here: the kubelet looks again at every sync, and nothing changes.
        message = f'Container image "{image}" is not present with pull policy of Never'
        if run.waiting != (ERR_IMAGE_NEVER_PULL, message):
            worker.has_changed = True
            run.waiting = (ERR_IMAGE_NEVER_PULL, message)
            self._parts.event(worker, run, WARNING, ERR_IMAGE_NEVER_PULL, message)
            self._parts.event(worker, run, WARNING, "Failed", f"Error: {ERR_IMAGE_NEVER_PULL}")

    def _fail_pull(self, worker: PodWorker, run: ContainerRun, reason: str, message: str) -> None:
        # Tries are spaced 10, 20, 40 … 300 s, counted from the failure (IMGPULL-02).
        parts = self._parts
        run.pull_tries += 1
        run.pull_delay_ms = min(run.pull_delay_ms * 2 or BACK_OFF_INITIAL_MS, BACK_OFF_MAX_MS)
        run.due_ms = parts.context.clock.now_ms + run.pull_delay_ms
        worker.has_changed = True
        run.waiting = (reason, message)
        parts.event(worker, run, WARNING, "Failed", f"Error: {reason}")
        worker.must_act = True
        parts.touch(worker)

    def _refuse_image(self, worker: PodWorker, run: ContainerRun, image: str) -> None:
        problem = f'couldn\'t parse image name "{image}": invalid reference format'
        message = f'Failed to apply default image tag "{image}": {problem}'
        if run.waiting is None or run.waiting[0] != INVALID_IMAGE_NAME:
            worker.has_changed = True
            run.waiting = (INVALID_IMAGE_NAME, message)
            self._parts.event(worker, run, WARNING, "InspectFailed", message)
            self._parts.event(worker, run, WARNING, "Failed", f"Error: {INVALID_IMAGE_NAME}")

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
            self._fail_start(worker, run, "CreateContainerConfigError", missing)
            return
        if behavior.start.has_error(run.start_tries):
            error = behavior.start.error or "RunContainerError"
            self._fail_start(worker, run, error, f'failed to start container "{container.name}"')
            return
        parts.event(worker, run, NORMAL, "Created", f"Created container: {container.name}")
        parts.event(worker, run, NORMAL, "Started", f"Started container {container.name}")
        for problem in () if run.told_problems else behavior.problems:
            parts.event(worker, run, WARNING, "UninterpretedBehavior", problem)
        run.told_problems = True
        self._run(worker, pod, run, behavior)

    def _fail_start(self, worker: PodWorker, run: ContainerRun, reason: str, message: str) -> None:
        parts = self._parts
        run.start_tries += 1
        worker.has_changed = True
        run.waiting = (reason, message)
        first_ms, cap_ms = parts.agents[worker.node].back_off
        run.due_ms = parts.context.clock.now_ms + min(first_ms << min(run.start_tries - 1, 20), cap_ms)
        parts.event(worker, run, WARNING, "Failed", f"Error: {message}")
        run.stage_timer = parts.later(
            run.due_ms - parts.context.clock.now_ms,
            BACK_OFF_OVER,
            worker,
            run.container.name,
            is_progress=run.start_tries < _UPKEEP_ATTEMPT,
        )
        parts.touch(worker)

    def _run(self, worker: PodWorker, pod: Pod, run: ContainerRun, behavior: Behavior) -> None:
        parts, container = self._parts, run.container
        now_ms = parts.context.clock.now_ms
        run.restart_count = run.attempt
        worker.has_changed = True
        run.waiting = None
        run.killed_with = run.kill_reason = ""
        run.must_restart = run.is_lost = False
        run.start_tries = 0
        run.process_start_ms = now_ms
        run.env = None
        identity = (
            f"containerd://{worker.uid.replace('-', '')}{(run.attempt << 32) + len(container.name):016x}"
        )
        worker.runtime.containers[container.name] = RuntimeContainer(
            container.name,
            identity,
            RUNTIME_RUNNING,
            created_ms=now_ms,
            started_ms=now_ms,
            image=container.image,
            attempt=run.attempt,
        )
        world = parts.world(worker, pod, run)
        if is_env_asked_for_later(container):
            run.env = dict(world.env)
        run.process = start_process(behavior, container, run.attempt, now_ms, world)
        run.stage = RUNNING
        parts.take_output(worker, run)
        if run.process.usage_points:
            parts.check_pressure(worker.node)
        if run.process.exit is not None:
            # Over as soon as it began: it ran all the same.
            self._on_running(worker, pod, run)
            self._report(worker, pod)
            self._on_exit(worker, run)
            return
        parts.schedule_wake(worker, run)
        if container.post_start is not None:
            self._post_start(worker, pod, run)
        else:
            self._on_running(worker, pod, run)

    # --- postStart ------------------------------------------------------------------------------------

    def _post_start(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        parts, process = self._parts, run.process
        assert process is not None and run.container.post_start is not None, run.container.name
        run.stage = POST_START
        parts.trace.transition(parts.shown(pod), f"hook.{run.container.name}.postStart", None, "Started")
        run.hook = process.hook(
            "postStart", run.container.post_start, parts.context.clock.now_ms, parts.world(worker, pod, run)
        )
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
        parts.trace.transition(
            parts.shown(pod),
            f"hook.{run.container.name}.postStart",
            "Started",
            "Succeeded" if went_well else "Failed",
            None,
            hook.message or None,
            None if went_well else {"exitCode": hook.exit_code},
        )
        run.stage = RUNNING
        seen = worker.runtime.containers[run.container.name]
        worker.runtime.containers[run.container.name] = seen.replace(started_ms=parts.context.clock.now_ms)
        if went_well:
            self._on_running(worker, pod, run)
        else:
            message = hook.message or f"PostStartHook failed with exit code {hook.exit_code}"
            parts.event(worker, run, WARNING, "FailedPostStartHook", message)
            run.kill_reason = "FailedPostStartHook"
            worker.must_act = True
            parts.touch(worker)
        return went_well


def is_env_asked_for_later(container: Container) -> bool:
    """Whether commands run beside the main process, in the environment made at its start (DOWN-25)."""
    raw = container.raw
    if not (raw.get("env") or raw.get("envFrom")):
        return False
    probes = (raw.get(name) or {} for name in ("livenessProbe", "readinessProbe", "startupProbe"))
    return bool(raw.get("lifecycle")) or any("exec" in probe for probe in probes)


_SYNC_PERIOD_MS = 10_000
"""The kubelet refuses a start about this often while a back-off holds; each refusal counts the event up."""


@lru_cache(maxsize=1024)
def _is_reference(image: str) -> bool:
    return _REFERENCE.fullmatch(image) is not None


@lru_cache(maxsize=1024)
def image_size(image: str) -> int:
    """A made-up size in bytes, the same for the same image."""
    total = 0
    for letter in image:
        total = (total * 31 + ord(letter)) % 190_000_000
    return 2_000_000 + total
