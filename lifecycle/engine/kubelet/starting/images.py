"""The image manager: whether an image is present, its pull, and the errors of a pull.

Models EnsureImageExists with its events. Pulls of one image on one node are joined: the second container
waits for the pull of the first.
"""

from __future__ import annotations

from functools import lru_cache

from lifecycle.late_patterns import late_pattern

from ...api.context import REGISTRY
from ...heart.chance import PART
from ...heart.timing import BACK_OFF_INITIAL_MS, BACK_OFF_MAX_MS
from ...objects.pods.pod import Pod
from ...programs.images.sizes import image_size
from ...rules.pods.image_names import full_name
from ...rules.reasons import ERR_IMAGE_NEVER_PULL, ERR_IMAGE_PULL, IMAGE_PULL_BACK_OFF, INVALID_IMAGE_NAME
from ..parts import NORMAL, PULLED, WARNING, Parts
from ..state.container_run import IDLE, PULLING, ContainerRun
from ..state.worker import PodWorker
from .back_off import UPKEEP_ATTEMPT, try_later

_REFERENCE = late_pattern(
    r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\.[A-Za-z0-9-]+)*(?::\d+)?(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*"
    r"(?::[\w][\w.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?"
)


class Images:
    """The image managers of all kubelets; what is on a node's disk stands in its agent."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def pull(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> bool:
        """Whether the image is there already; else its pull has begun, or cannot."""
        parts, container = self._parts, run.container
        image, policy = container.image, container.image_pull_policy
        agent = parts.agents[worker.node]
        if not _is_reference(image):
            self._refuse_image(worker, run, image)
            return False
        is_there = full_name(image) in agent.images
        if policy == "Never" and not is_there:
            self._never_pull(worker, run, image)
            return False
        if is_there and policy != "Always":
            message = f'Container image "{image}" already present on machine'
            if agent.rules.images_need_secrets:
                message += " and can be accessed by the pod"
            pulled = parts.event(worker, run, NORMAL, "Pulled", message)
            if pulled and not run.attempt:
                # A restart follows from why it had to be, not from an image that was there all the time.
                parts.trace.cause = pulled
            return True
        self._begin_pull(worker, pod, run, is_there)
        return False

    def _begin_pull(self, worker: PodWorker, pod: Pod, run: ContainerRun, is_there: bool) -> None:
        parts, image = self._parts, run.container.image
        agent, key_of_pull = parts.agents[worker.node], full_name(image)
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
        elif agent.pulls.get(key_of_pull, -1) >= now_ms:
            takes_ms = agent.pulls[key_of_pull] - now_ms
        else:
            takes_ms = context.draw_ms("image_pull", f"{agent.name}{PART}{image}{PART}{now_ms}")
        if not is_there and not plan.has_error(run.pull_tries):
            agent.pulls[key_of_pull] = now_ms + takes_ms
        # Why it waited until now is what its status goes on saying, until it runs or fails again.
        run.stage = PULLING
        run.stage_timer = parts.later(takes_ms, PULLED, worker, run.container.name, str(takes_ms))

    def on_pulled(self, worker: PodWorker, pod: Pod, run: ContainerRun, detail: str) -> bool:
        """The pull has ended: whether the image is there now. `detail`: how long it took, in ms."""
        run.stage, run.stage_timer = IDLE, None
        parts, image = self._parts, run.container.image
        failure = self._find_failure(pod, run)
        if failure is not None:
            message = f'failed to pull and unpack image "{image}": {failure[1]}'
            parts.event(worker, run, WARNING, "Failed", f'Failed to pull image "{image}": {message}')
            self._fail_pull(worker, run, failure[0], message)
            return False
        agent = parts.agents[worker.node]
        agent.images[full_name(image)] = None
        agent.pulls.pop(full_name(image), None)
        run.pull_tries, run.pull_delay_ms = 0, 0
        took_ms = int(detail)
        took = f"{took_ms}ms" if took_ms < 1000 else f"{took_ms / 1000:g}s"
        pulled = parts.event(
            worker,
            run,
            NORMAL,
            "Pulled",
            f'Successfully pulled image "{image}" in {took} ({took} including waiting).'
            f" Image size: {image_size(image)} bytes.",
        )
        if pulled:
            parts.trace.cause = pulled
        return True

    def _find_failure(self, pod: Pod, run: ContainerRun) -> tuple[str, str] | None:
        """Reason and text of why a pull has failed."""
        plan = self._parts.behavior(pod, run).pull
        if REGISTRY in self._parts.context.away:
            return ERR_IMAGE_PULL, f'failed to resolve reference "{run.container.image}": connection refused'
        reason = plan.error or ERR_IMAGE_PULL
        return (reason, reason) if plan.has_error(run.pull_tries) else None

    def _never_pull(self, worker: PodWorker, run: ContainerRun, image: str) -> None:
        message = f'Container image "{image}" is not present with pull policy of Never'
        self._refuse(worker, run, (ERR_IMAGE_NEVER_PULL, message), ERR_IMAGE_NEVER_PULL)

    def _refuse(self, worker: PodWorker, run: ContainerRun, why: tuple[str, str], event: str) -> None:
        """Nothing to pull: no back-off, each look of the worker finds the same and tells it."""
        parts, is_first = self._parts, run.waiting != why
        worker.has_changed = worker.has_changed or is_first
        run.waiting = why
        parts.event(worker, run, WARNING, event, why[1])
        parts.event(worker, run, WARNING, "Failed", f"Error: {why[0]}")
        is_new = is_first and not worker.runtime.containers
        _try_again(parts, worker, is_new, is_progress=False)

    def _fail_pull(self, worker: PodWorker, run: ContainerRun, reason: str, message: str) -> None:
        # Tries are spaced 10, 20, 40 … 300 s, counted from the failure (IMGPULL-02).
        parts = self._parts
        run.pull_tries += 1
        run.pull_delay_ms = min(run.pull_delay_ms * 2 or BACK_OFF_INITIAL_MS, BACK_OFF_MAX_MS)
        run.due_ms = parts.context.clock.now_ms + run.pull_delay_ms
        parts.event(worker, run, WARNING, "Failed", f"Error: {reason}")
        # The next sync reports it: soon for a new sandbox, which the next relist finds.
        run.unsaid, worker.has_unsaid = (reason, message), True
        is_new = not worker.runtime.containers and run.pull_tries == 1
        is_progress = run.pull_tries < UPKEEP_ATTEMPT
        _try_again(parts, worker, is_new, is_progress)

    def hold_back(self, worker: PodWorker, run: ContainerRun) -> None:
        """The pause after a failed pull is not over: each look tells so, and the one after it shows it."""
        parts, image = self._parts, run.container.image
        waiting = run.waiting
        try_later(parts, worker, run.pull_tries < UPKEEP_ATTEMPT)
        is_told = waiting is not None and waiting[0] == IMAGE_PULL_BACK_OFF
        message = f'Back-off pulling image "{image}"'
        if waiting is None or not is_told:
            # The state goes on saying why the last try failed.
            failure = f": {': '.join(waiting)}" if waiting is not None else ""
            waiting = (IMAGE_PULL_BACK_OFF, message + failure)
        run.unsaid, worker.has_unsaid = waiting, True
        parts.event(worker, run, NORMAL, "BackOff", message)
        parts.event(worker, run, WARNING, "Failed", f"Error: {IMAGE_PULL_BACK_OFF}")

    def _refuse_image(self, worker: PodWorker, run: ContainerRun, image: str) -> None:
        problem = f'couldn\'t parse image name "{image}": {_find_problem(image)}'
        message = f'Failed to apply default image tag "{image}": {problem}'
        self._refuse(worker, run, (INVALID_IMAGE_NAME, message), "InspectFailed")


def _try_again(parts: Parts, worker: PodWorker, is_new: bool, is_progress: bool) -> None:
    """Soon for a new sandbox, which the kubelet's look at its runtime finds; else as after any error."""
    if is_new:
        parts.come_back(worker, 0, is_progress=is_progress)
    else:
        try_later(parts, worker, is_progress)


@lru_cache(maxsize=1024)
def _is_reference(image: str) -> bool:
    return _REFERENCE.fullmatch(image) is not None


def _find_problem(image: str) -> str:
    """What the parser of references says of one that is none: it looks for capitals first."""
    domain, _, path = image.partition("/")
    is_domain = "." in domain or ":" in domain or domain == "localhost" or domain != domain.lower()
    if not path:
        path = f"library/{image}"
    elif not is_domain:
        path = image
    repository = path.partition(":")[0]
    if repository != repository.lower():
        return f"invalid reference format: repository name ({repository}) must be lowercase"
    return "invalid reference format"
