"""The images that containers start from: there already, pulled, or not to be had.

Models the kubelet's image manager with its events. Pulls of one image on one node are joined: who comes
second waits for the first.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...heart.chance import PART
from ...heart.timing import BACK_OFF_INITIAL_MS, BACK_OFF_MAX_MS
from ...objects.pod import Pod
from ..container_run import IDLE, PULLING, ContainerRun
from ..parts import NORMAL, PULLED, WARNING, Parts
from ..worker import PodWorker

ERR_IMAGE_PULL, ERR_IMAGE_NEVER_PULL = "ErrImagePull", "ErrImageNeverPull"
INVALID_IMAGE_NAME = "InvalidImageName"
_REFERENCE = re.compile(
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
        is_there = image in agent.images
        if policy == "Never" and not is_there:
            self._never_pull(worker, run, image)
            return False
        if is_there and policy != "Always":
            message = f'Container image "{image}" already present on machine and can be accessed by the pod'
            pulled = parts.event(worker, run, NORMAL, "Pulled", message)
            if pulled and not run.attempt:
                # A restart follows from why it had to be, not from an image that was there all the time.
                parts.trace.cause = pulled
            return True
        self._begin_pull(worker, pod, run, is_there)
        return False

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

    def on_pulled(self, worker: PodWorker, pod: Pod, run: ContainerRun, detail: str) -> bool:
        """The pull has ended: whether the image is there now. `detail`: how long it took, in ms."""
        run.stage, run.stage_timer = IDLE, None
        parts, image = self._parts, run.container.image
        plan = parts.behavior(pod, run).pull
        if plan.has_error(run.pull_tries):
            message = f'failed to pull and unpack image "{image}": {plan.error or ERR_IMAGE_PULL}'
            parts.event(worker, run, WARNING, "Failed", f'Failed to pull image "{image}": {message}')
            self._fail_pull(worker, run, plan.error or ERR_IMAGE_PULL, message)
            return False
        agent = parts.agents[worker.node]
        agent.images[image] = None
        agent.pulls.pop(image, None)
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
        problem = f'couldn\'t parse image name "{image}": {_find_problem(image)}'
        message = f'Failed to apply default image tag "{image}": {problem}'
        if run.waiting is None or run.waiting[0] != INVALID_IMAGE_NAME:
            worker.has_changed = True
            run.waiting = (INVALID_IMAGE_NAME, message)
            self._parts.event(worker, run, WARNING, "InspectFailed", message)
            self._parts.event(worker, run, WARNING, "Failed", f"Error: {INVALID_IMAGE_NAME}")


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


@lru_cache(maxsize=1024)
def image_size(image: str) -> int:
    """A made-up size in bytes, the same for the same image."""
    total = 0
    for letter in image:
        total = (total * 31 + ord(letter)) % 190_000_000
    return 2_000_000 + total
