"""A cache of status changes: in their first run, all pods of a template report the same changes.

Only for pods with one container and no readiness gates, until that container restarts. A status change
follows from a few facts before and after it, so it is calculated once for a template; instants, addresses
and ids are those of each pod. All other reports are calculated in full, with the same status and rows.
"""

from __future__ import annotations

from typing import Any

from ..heart.trace import Change
from ..objects.condition import Condition
from ..objects.pods.container import TERMINATED, WAITING, ContainerState, ContainerStatus, running
from ..objects.pods.pod import FAILED, PENDING, SUCCEEDED, Pod
from ..objects.pods.runtime import EXITED, RuntimeContainer
from ..objects.pods.runtime import RUNNING as RUNTIME_RUNNING
from ..objects.pods.status import PodStatus
from ..objects.shown import Shown
from ..rules.pods.conditions import POD_SCHEDULED
from ..rules.pods.container_status import ended_state
from ..store.audience import ALL, DETAIL, READINESS, SIMPLE
from ..store.transitions import find_lead
from .state.container_run import POST_START
from .state.worker import PodWorker

Run = str | tuple[int, str, str]
"""How the runtime has the container: not at all, running, or ended with this code, reason and message."""
Facts = tuple[str, bool, int, bool, bool, Run, bool, bool, bool | None]
"""All that differs in the course of a plain first run: stage, being deleted, generation, sandbox ready, its
address told, how the container runs, whether it has a process, is ready and has started."""
Key = tuple[Facts | None, Facts, str, bool]
"""The facts last told (None: nothing yet) and now, the phase, whether the sandbox is told of."""
MOST_STEPS = 256
"""How many steps are known of one template at most; containers may end with ever other messages."""


class Step:
    """What one report changes in a pod of a template, whichever pod it is."""

    __slots__ = (
        "_container",
        "_dated_at",
        "_has_new_state",
        "_kept",
        "_made",
        "_made_ms",
        "_moved",
        "_only_adds",
        "after",
        "changes",
        "concern",
        "facts",
        "generation",
        "is_done",
        "is_silent",
        "lead",
        "number",
        "phase",
        "shown",
    )

    def __init__(
        self,
        number: int,
        facts: Facts,
        old: PodStatus,
        new: PodStatus,
        told: tuple[list[Change], bool],
        shown: Shown,
        is_done: bool,
        has_volumes: bool,
    ) -> None:
        self.facts, self.number = facts, number
        # The number of what comes next, by the facts of then. Steps do not hold each other: an engine's data
        # is free of cycles, for nobody looks for them.
        self.after: dict[Facts, int] = {facts: number}
        self.is_silent = new is old
        self.changes, has_turned = told
        is_end = old.phase != new.phase and new.phase in (SUCCEEDED, FAILED)
        of_note = ALL if has_volumes else SIMPLE
        self.concern = of_note if is_end else READINESS if has_turned else DETAIL
        self.lead = find_lead(self.changes)
        self.shown, self.is_done = shown, is_done
        self.phase = new.phase
        self.generation = new.observed_generation
        # By the place of what it changes, or adds, among the conditions: those that are dated anew, and those
        # that say other things of what stays as it is.
        changed = {place: one for place, one in enumerate(new.conditions) if not _has(old, place, one)}
        self._moved = {at: one for at, one in changed.items() if _is_moved(old, at, one)}
        self._kept = {at: one for at, one in changed.items() if at not in self._moved}
        self._only_adds = [*changed] == [*range(len(old.conditions), len(new.conditions))]
        self._made_ms, self._made = -1, list[Condition]()
        container = new.containers[0]
        before = old.containers[0] if old.containers else None
        self._container = container if before is not container else None
        self._has_new_state = before is None or before.state is not container.state
        # Which of the changes tells since when the container runs, or when it has ended.
        self._dated_at: int | None = next((at for at, one in enumerate(self.changes) if one[5]), None)

    def status_of(self, worker: PodWorker, old: PodStatus, host_ip: str, now_ms: int) -> PodStatus:
        """The status of a pod that takes the step."""
        return old.reported(
            self.phase,
            self._conditions_of(old.conditions, now_ms),
            old.containers if self._container is None else (self._container_of(worker, old),),
            worker.ip,
            host_ip,
            now_ms if old.start_ms is None else old.start_ms,
            self.generation,
        )

    def _conditions_of(self, old: tuple[Condition, ...], now_ms: int) -> tuple[Condition, ...]:
        if self._made_ms != now_ms:
            # Pods that take the step at one instant share what is new.
            self._made_ms = now_ms
            self._made = [one.dated(now_ms) for one in self._moved.values()]
        if self._only_adds:
            return (*old, *self._made)
        count, conditions = len(old), [*old]
        for place, new in zip(self._moved, self._made, strict=True):
            if place < count:
                conditions[place] = new
            else:
                conditions.append(new)
        for place, one in self._kept.items():
            since_ms = old[place].last_transition_ms
            conditions[place] = one.dated(now_ms if since_ms is None else since_ms)
        return tuple(conditions)

    def _container_of(self, worker: PodWorker, old: PodStatus) -> ContainerStatus:
        like = self._container
        assert like is not None and like.state is not None, "the step changes the container"
        seen = worker.runtime.containers.get(like.name)
        if seen is None:
            return like
        state = _state_of(seen, like.state) if self._has_new_state else old.containers[0].state
        return ContainerStatus(
            like.name,
            state,
            None,
            like.ready,
            like.started,
            0,
            like.image,
            like.image_id,
            seen.id,
            like.extra,
        )

    def changes_of(self, worker: PodWorker) -> list[Change]:
        """What the step tells of a pod."""
        at = self._dated_at
        if at is None:
            return self.changes
        changes = self.changes.copy()
        field, old, new, reason, message, detail = changes[at]
        seen = worker.runtime.containers[worker.spec.containers[0].name]
        dates: dict[str, Any] = {**detail, "startedAt_ms": seen.started_ms}  # type: ignore[dict-item]
        if new == TERMINATED:
            dates["finishedAt_ms"] = seen.finished_ms
        changes[at] = (field, old, new, reason, message, dates)
        return changes


def _state_of(seen: RuntimeContainer, like: ContainerState) -> ContainerState:
    if like.type == WAITING:
        return like
    return ended_state(seen) if like.type == TERMINATED else running(seen.started_ms)


def _has(old: PodStatus, place: int, condition: Condition) -> bool:
    return place < len(old.conditions) and old.conditions[place] is condition


def _is_moved(old: PodStatus, place: int, condition: Condition) -> bool:
    return place >= len(old.conditions) or old.conditions[place].status != condition.status


def is_learnable(worker: PodWorker, old: PodStatus, new: PodStatus) -> bool:
    """Whether each condition stays where it stood, new ones behind, and the container's run is its first.

    What is told of a container that has been lost sight of is of its own. Where nothing is told, no pod of
    the template that comes from there tells anything.
    """
    if new is old:
        return True
    before, after, container = old.conditions, new.conditions, new.containers[0]
    if len(before) > len(after) or any(one.type != two.type for one, two in zip(before, after, strict=False)):
        return False
    seen = worker.runtime.containers.get(container.name)
    is_ended = container.state is not None and container.state.type == TERMINATED
    return container.last_state is None and is_ended == (seen is not None and seen.state == EXITED)


def find_step(worker: PodWorker, before: Step | None, facts: Facts, key: Key) -> Step | None:
    """The step that leads on from the one before, if a pod of the template has taken it."""
    step = worker.spec.notes.steps.get(key)
    if not isinstance(step, Step):
        return None
    if before is not None:
        before.after[facts] = step.number
    return step


def facts_of(worker: PodWorker, pod: Pod) -> Facts | None:
    """What a report of a plain first run goes by; None for any other."""
    if not worker.spec.is_plain:
        return None
    container = worker.spec.containers[0]
    run = worker.runs[container.name]
    if run.restart_count or run.must_restart or run.is_lost or run.waiting is not None:
        return None
    if run.container is not container or run.stage == POST_START:
        return None
    if worker.evicted is not None or worker.untold_ends is not None:
        return None
    meta, runtime = pod.meta, worker.runtime
    seen = runtime.containers.get(container.name)
    how: Run
    if seen is None or seen.state == RUNTIME_RUNNING:
        if run.attempt:
            return None
        how = "" if seen is None else RUNTIME_RUNNING
    elif seen.state == EXITED:
        how = (seen.exit_code, seen.reason, seen.message)
    else:
        return None
    return (
        worker.stage,
        meta.deletion_ms is not None,
        meta.generation,
        runtime.sandbox_ready,
        worker.ip == pod.status.pod_ip,
        how,
        run.process is not None,
        run.ready,
        run.started,
    )


def is_just_bound(status: PodStatus) -> bool:
    """Whether nobody but the scheduler has said anything of a pod yet."""
    conditions = status.conditions
    return (
        len(conditions) == 1
        and conditions[0].type == POD_SCHEDULED
        and conditions[0].status == "True"
        and not status.containers
        and status.phase == PENDING
        and not status.reason
        and not status.message
    )
