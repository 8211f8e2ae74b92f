"""Steps of a start that all pods of a template take alike: worked out once, then taken by each in its time.

A plain pod has one container and no gates. Until that container ends for the first time, what a report
changes follows from a few facts, before and after; instants, addresses and ids are the pod's own. Reports
that do not fit take the long way, which leads to the same status and the same rows.
"""

from __future__ import annotations

from ...heart.trace import Change
from ...objects.condition import Condition
from ...objects.container import RUNNING, WAITING, ContainerState, ContainerStatus, running
from ...objects.pod import PENDING, Pod
from ...objects.pod_status import PodStatus
from ...objects.runtime import RUNNING as RUNTIME_RUNNING
from ...objects.shown import Shown
from ...rules.pod_conditions import POD_SCHEDULED
from ...store.store import DETAIL, READINESS
from ...store.transitions import find_lead
from ..container_run import POST_START
from ..worker import SYNCING, PodWorker

Facts = tuple[bool, bool, bool, bool | None]
"""All that differs in the course of a plain first start: sandbox ready, container runs, ready, started."""
Key = tuple[Facts | None, Facts, int, bool]
"""The facts last told (None: nothing yet) and now, the pod's generation, whether the sandbox is told of."""
Verdict = tuple[str, str, str, str]
"""Type, status, reason and message of a condition."""


class Step:
    """What one report changes in a pod of a template, whichever pod it is."""

    __slots__ = (
        "_made",
        "_made_ms",
        "changes",
        "concern",
        "container",
        "generation",
        "lead",
        "only_adds",
        "phase",
        "runs_at",
        "shown",
        "verdicts",
    )

    def __init__(self, old: PodStatus, new: PodStatus, told: tuple[list[Change], bool], shown: Shown) -> None:
        self.changes, has_turned = told
        self.concern = READINESS if has_turned else DETAIL
        self.lead = find_lead(self.changes)
        self.shown = shown
        self.phase = new.phase
        self.generation = new.observed_generation
        # By the place of what it changes, or adds, among the conditions.
        self.verdicts = {
            place: _verdict_of(one)
            for place, one in enumerate(new.conditions)
            if place >= len(old.conditions) or old.conditions[place] is not one
        }
        self.only_adds = [*self.verdicts] == [*range(len(old.conditions), len(new.conditions))]
        self._made_ms, self._made = -1, dict[int, Condition]()
        container = new.containers[0]
        self.container = container if not old.containers or old.containers[0] is not container else None
        # Which of the changes tells since when the container runs.
        begins = (at for at, change in enumerate(self.changes) if change[2] == RUNNING and change[5])
        self.runs_at: int | None = next(begins, None)

    def status_of(self, worker: PodWorker, old: PodStatus, host_ip: str, now_ms: int) -> PodStatus:
        """The status of a pod that takes the step."""
        return old.reported(
            self.phase,
            self._conditions_of(old.conditions, now_ms),
            old.containers if self.container is None else (self._container_of(worker, old),),
            worker.ip,
            host_ip,
            now_ms if old.start_ms is None else old.start_ms,
            self.generation,
        )

    def _conditions_of(self, old: tuple[Condition, ...], now_ms: int) -> tuple[Condition, ...]:
        if self._made_ms != now_ms:
            # Pods that take the step at one instant share what is new.
            generation = self.generation
            self._made_ms, self._made = (
                now_ms,
                {
                    place: Condition(*verdict, now_ms, None, None, generation)
                    for place, verdict in self.verdicts.items()
                },
            )
        if self.only_adds:
            return (*old, *self._made.values())
        conditions = [*old]
        for place, new in self._made.items():
            conditions[place] = new
        return tuple(conditions)

    def _container_of(self, worker: PodWorker, old: PodStatus) -> ContainerStatus:
        like = self.container
        assert like is not None and like.state is not None, "the step changes the container"
        if like.state.type == WAITING:
            return like
        seen = worker.runtime.containers[like.name]
        state: ContainerState | None = old.containers[0].state if old.containers else None
        if self.runs_at is not None or state is None:
            state = running(seen.started_ms)
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
        at = self.runs_at
        if at is None:
            return self.changes
        changes = self.changes.copy()
        field, old, new, reason, message, detail = changes[at]
        started_ms = worker.runtime.containers[worker.spec.containers[0].name].started_ms
        changes[at] = (field, old, new, reason, message, {**detail, "startedAt_ms": started_ms})  # type: ignore[dict-item]
        return changes


def _verdict_of(condition: Condition) -> Verdict:
    return condition.type, condition.status, condition.reason, condition.message


def is_learnable(old: PodStatus, new: PodStatus) -> bool:
    """Whether each new condition is added last, or stands where it stood and has another status now."""
    count = len(old.conditions)
    pairs = zip(old.conditions, new.conditions, strict=False)
    changed = [(before, after) for before, after in pairs if before is not after]
    has_moved = all(before.type == after.type and before.status != after.status for before, after in changed)
    return has_moved and count <= len(new.conditions) and not (changed and count < len(new.conditions))


def key_of(worker: PodWorker, pod: Pod, tells_sandbox: bool) -> Key | None:
    """What a known step is found by; None for a report that has to be worked out."""
    spec, status = worker.spec, pod.status
    if not spec.is_plain or worker.stage != SYNCING or pod.meta.deletion_ms is not None:
        return None
    container = spec.containers[0]
    run = worker.runs[container.name]
    if run.attempt or run.waiting is not None or run.is_lost or run.stage == POST_START:
        return None
    if worker.evicted is not None or worker.untold_ends is not None or run.container is not container:
        return None
    runtime = worker.runtime
    seen = runtime.containers.get(container.name)
    if seen is not None and seen.state != RUNTIME_RUNNING:
        return None
    told = worker.told
    if told is not None and told[0] is status:
        before: Facts | None = told[1]
    elif told is None and not worker.is_reported and _is_just_bound(status):
        before = None
    else:
        return None
    facts = (runtime.sandbox_ready, seen is not None, run.ready, run.started)
    return before, facts, pod.meta.generation, tells_sandbox


def _is_just_bound(status: PodStatus) -> bool:
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
