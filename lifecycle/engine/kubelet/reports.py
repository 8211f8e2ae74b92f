"""Makes the status of a pod from the state of its worker, and writes it if it changed (status manager)."""

from __future__ import annotations

from typing import Any

from ..heart.agenda import Cause
from ..objects.condition import Condition
from ..objects.pods.container import TERMINATED as STATE_TERMINATED
from ..objects.pods.container import Container, ContainerStatus
from ..objects.pods.pod import FAILED, SUCCEEDED, Pod, PodSpec
from ..objects.pods.pod import RUNNING as POD_RUNNING
from ..objects.pods.runtime import RUNNING as RUNTIME_RUNNING
from ..objects.pods.status import PodStatus
from ..releases.gates import is_enabled
from ..rules.nodes.eviction import DEADLINE_EXCEEDED, EVICTED, with_disruption
from ..rules.nodes.shutdown import TERMINATED as SHUT_DOWN
from ..rules.pods.conditions import POD_SCHEDULED, READY_TO_START_GATE, decide_conditions
from ..rules.pods.container_status import (
    decide_container_status,
    decide_lost_status,
    default_waiting_reason,
    mark_unlocated,
    with_untold_end,
)
from ..rules.pods.status import decide_phase
from ..store.transitions import pod_changes
from .known_steps import MOST_STEPS, Facts, Key, Step, facts_of, find_step, is_just_bound, is_learnable
from .parts import Parts
from .state.container_run import POST_START, UNTOLD
from .state.worker import REFUSED, TERMINATED, TERMINATING, PodWorker
from .static_pods.mirrors import Mirrors


def _has_more_to_do(worker: PodWorker) -> bool:
    return any(run.process is not None or run.must_restart for run in worker.runs.values())


def _is_same(old: PodStatus, new: PodStatus) -> bool:
    # The deciding functions hand back what they were given when nothing changed.
    return (
        new.conditions is old.conditions
        and new.containers is old.containers
        and new.init_containers is old.init_containers
        and new.ephemeral_containers is old.ephemeral_containers
        and new.phase == old.phase
        and new.reason == old.reason
        and new.pod_ip == old.pod_ip
        and new.observed_generation == old.observed_generation
    )


class Reporter:
    """Writes pod statuses: the kubelet's status manager."""

    __slots__ = ("_clock", "_features", "_mirrors", "_parts", "_tells_end_late", "_tells_sandbox")

    def __init__(self, parts: Parts, mirrors: Mirrors) -> None:
        self._parts = parts
        self._mirrors = mirrors
        self._clock = parts.context.clock
        self._features = parts.context.features
        self._tells_end_late = parts.context.timing.spreads["pod_end"][1] > 0
        self._tells_sandbox = is_enabled(self._features, READY_TO_START_GATE)

    def report(self, worker: PodWorker, pod: Pod) -> Pod:
        """Bring the stored status up to date; a kubelet that is cut off does so when it is back.

        One write, or none when nothing changed. Returns the pod.
        """
        parts = self._parts
        stored, is_static = parts.store.pods.get(worker.uid), False
        if stored is None or parts.outages:
            stored = parts.told_of(worker)
            if stored is None:
                return pod
            is_static = worker.uid in parts.pod_manager.statics
        if worker.under_way and worker.is_busy:
            # A look has said what there was to say as it began; the next one goes on (CSTATE-07).
            return stored
        worker.has_changed = False
        facts = None if is_static else facts_of(worker, stored)
        if facts is None:
            return self._work_out(worker, stored)
        told, old = worker.told, stored.status
        if told is not None:
            if told[0] is not old:
                return self._work_out(worker, stored)
            before: Step | None = told[1]
            number = told[1].after.get(facts)
            if number == told[1].number:
                # What was said last, and all that it follows from, is as it was.
                return stored
            step = worker.spec.notes.steps.get(number)
        elif worker.is_reported or not is_just_bound(old):
            return self._work_out(worker, stored)
        else:
            before = step = None
        if not isinstance(step, Step):
            key = (before.facts if before else None, facts, old.phase, self._tells_sandbox)
            step = find_step(worker, before, facts, key)
            if step is None:
                return self._learn(key, facts, worker, stored)
        worker.is_done = step.is_done
        return stored if step.is_silent else self._take(step, worker, stored)

    def _take(self, step: Step, worker: PodWorker, stored: Pod) -> Pod:
        parts = self._parts
        host_ip = parts.agents[worker.node].host_ip
        status = step.status_of(worker, stored.status, host_ip, self._clock.now_ms)
        worker.is_reported, worker.told = True, (status, step)
        changed = stored.with_status(status)
        parts.store.update_as_known(
            stored, changed, step.changes_of(worker), step.shown, step.concern, step.lead
        )
        parts.trace.cause = parts.trace.led
        if worker.has_untold:
            _note_told(worker, parts.trace.led)
        return changed

    def write(self, old: Pod, new: Pod) -> None:
        """Keep what a kubelet has found out of a pod: in the API server, but a static pod at its node.

        What it does next for the pod follows from that.
        """
        trace = self._parts.trace
        before = trace.seq
        if old.meta.uid in self._parts.pod_manager.statics:
            self._mirrors.show(new)
        else:
            self._parts.store.update(old, new)
        if trace.seq > before:
            trace.cause = trace.led

    def _learn(self, key: Key, facts: Facts, worker: PodWorker, pod: Pod) -> Pod:
        """Work out a step that pods of the template have not taken yet, and remember it."""
        changed, steps = self._work_out(worker, pod), worker.spec.notes.steps
        old, new = pod.status, changed.status
        if len(steps) < MOST_STEPS and is_learnable(worker, old, new):
            told = pod_changes(pod, changed, self._parts.store.last_end_is_status)
            has_volumes = bool(worker.spec.volumes)
            step = Step(len(steps), facts, old, new, told, changed.shown, worker.is_done, has_volumes)
            steps[key] = steps[step.number] = step
            if new is not old:
                worker.told = (new, step)
        return changed

    def _work_out(self, worker: PodWorker, pod: Pod) -> Pod:
        spec, status = worker.spec, pod.status
        reason = default_waiting_reason(spec)
        statuses = self._statuses(worker, spec.containers, status.containers, reason)
        init_statuses = status.init_containers
        if spec.init_containers:
            init_statuses = self._statuses(worker, spec.init_containers, init_statuses, reason)
        ephemeral = status.ephemeral_containers
        if spec.ephemeral_containers and status.phase not in (SUCCEEDED, FAILED):
            # Nothing is said of one that is added to a pod that has ended.
            ephemeral = self._statuses(worker, spec.ephemeral_containers, ephemeral, reason)
        phase, why, message, coming = self._verdict(worker, status, init_statuses, statuses)
        worker.is_done = coming in (SUCCEEDED, FAILED)
        conditions = decide_conditions(
            spec,
            coming,
            init_statuses,
            statuses,
            status.conditions or self._bound(pod),
            sandbox_ready=worker.runtime.sandbox_ready,
            now_ms=self._clock.now_ms,
            generation=pod.meta.generation,
            features=self._features,
        )
        if phase == FAILED and why in (EVICTED, SHUT_DOWN) and not worker.exceeds_limit:
            conditions = with_disruption(conditions, message, self._clock.now_ms, pod.meta.generation)
        if worker.stage == TERMINATED:
            init_statuses, statuses = mark_unlocated(spec, init_statuses, statuses)
            if phase not in (SUCCEEDED, FAILED) and worker.uid not in self._parts.pod_manager.statics:
                phase = FAILED
        new = status.copy()
        new.phase, new.reason, new.message = phase, why, message
        new.conditions = conditions
        new.containers, new.init_containers, new.ephemeral_containers = statuses, init_statuses, ephemeral
        new.pod_ip, new.host_ip = worker.ip, self._parts.agents[worker.node].host_ip
        if new.start_ms is None:
            new.start_ms = self._clock.now_ms
        new.observed_generation = pod.meta.generation
        if worker.untold_ends is not None:
            worker.forget_told()
        if worker.is_reported and _is_same(status, new):
            return pod
        worker.is_reported = True
        changed = pod.with_status(new)
        self.write(pod, changed)
        if worker.has_untold:
            _note_told(worker, self._parts.trace.cause)
        return changed

    def _bound(self, pod: Pod) -> tuple[Condition, ...]:
        """A pod that names its node itself has seen no scheduler: its kubelet says it is bound (COND-06)."""
        now_ms = self._clock.now_ms
        return (Condition(POD_SCHEDULED, "True", "", "", now_ms, None, None, pod.meta.generation),)

    def _verdict(
        self,
        worker: PodWorker,
        status: PodStatus,
        init_statuses: tuple[ContainerStatus, ...],
        statuses: tuple[ContainerStatus, ...],
    ) -> tuple[str, str, str, str]:
        """Phase, reason and message, and the phase that conditions go by, which may be yet to come."""
        is_over = worker.stage == TERMINATED
        if worker.evicted is not None:
            if is_over:
                return FAILED, worker.evicted[0], worker.evicted[1], FAILED
            # Past its deadline a pod has failed, and conditions say so, before its containers have ended.
            coming = FAILED if worker.evicted[0] == DEADLINE_EXCEEDED else status.phase
            return status.phase, status.reason, status.message, coming
        phase = coming = decide_phase(
            worker.spec,
            init_statuses,
            statuses,
            is_terminal=is_over,
            has_initialized=worker.has_initialized,
            current_phase=status.phase,
        )
        if phase != status.phase and phase in (SUCCEEDED, FAILED) and not is_over:
            if _has_more_to_do(worker):
                # A terminal phase is told only when nothing runs any more, nor will. Until then the pod runs,
                # if all its containers have run. Its conditions know better (mergePodStatus), unless a
                # container is to run again: ephemeral ones and sidecars have no say.
                has_run = all(
                    one.state is not None and one.state.type == STATE_TERMINATED for one in statuses
                )
                phase = POD_RUNNING if has_run else status.phase
                is_to_run = any(run.must_restart for run in worker.runs.values())
                coming = POD_RUNNING if has_run and is_to_run else coming
            elif self._tells_end_late:
                phase = status.phase
        return phase, status.reason, status.message, coming

    def _statuses(
        self,
        worker: PodWorker,
        containers: tuple[Container, ...],
        old: tuple[ContainerStatus, ...],
        reason: str,
    ) -> tuple[ContainerStatus, ...]:
        changed: list[ContainerStatus] | None = None
        for index, container in enumerate(containers):
            before = old[index] if index < len(old) and old[index].name == container.name else None
            after = self._status(worker, container, before, reason)
            if after is not before:
                if changed is None:
                    changed = list(old[: len(containers)])
                if index < len(changed):
                    changed[index] = after
                else:
                    changed.append(after)
        return old if changed is None else tuple(changed)

    def _status(
        self, worker: PodWorker, container: Container, before: ContainerStatus | None, reason: str
    ) -> ContainerStatus:
        run = worker.runs[container.name]
        if worker.stage == TERMINATING and run.process is None and before is not None:
            # A worker that stops a pod tells nothing of it until all has ended (SyncTerminatingPod).
            return before
        seen = worker.runtime.containers.get(container.name)
        is_ephemeral = container.is_ephemeral
        if before is None and seen is None and run.is_new and run.container is container and not is_ephemeral:
            return _first_status(worker.spec, container, reason)
        waiting: tuple[str, str | None] | None = run.waiting
        if seen is None:
            if run.is_lost and waiting is None:
                is_deleted = worker.stage in (TERMINATING, TERMINATED)
                return decide_lost_status(container, worker.spec, before, is_deleted=is_deleted)
            if waiting is None:
                waiting = (reason, None)
        elif seen.state == RUNTIME_RUNNING:
            waiting = None
        after = decide_container_status(
            container,
            seen,
            before,
            waiting,
            # Ephemeral containers are not probed: nobody says of them whether they are ready or have started.
            ready=run.ready and not is_ephemeral,
            started=None if is_ephemeral else run.started,
            restart_count=run.restart_count,
        )
        if worker.untold_ends:
            after = with_untold_end(after, worker.untold_ends.get(container.name, ()))
        has = run.container.raw.get("resources")
        if not has or not after.container_id:
            return after
        return _with_resources(after, has, container.raw["resources"] if worker.resize == REFUSED else has)


def _note_told(worker: PodWorker, row: Cause) -> None:
    """The runs that have begun are told: what they do from now on follows from that row."""
    if not isinstance(row, int):
        return
    worker.has_untold = False
    for run in worker.runs.values():
        if run.row == UNTOLD:
            if run.stage == POST_START:
                worker.has_untold = True
            else:
                run.row = row


def _first_status(spec: PodSpec, container: Container, reason: str) -> ContainerStatus:
    """What is said first of a container: alike for all pods of a template, which share it."""
    known_by_name = spec.notes.first_statuses
    known = known_by_name.get(container.name)
    if known is None:
        known = known_by_name[container.name] = decide_container_status(
            container, None, None, (reason, None), ready=False, started=False, restart_count=0
        )
    return known


def _with_resources(
    status: ContainerStatus, has: dict[str, Any], allotted: dict[str, Any]
) -> ContainerStatus:
    """The status with what the container has (RESIZE-03) and is to have; itself when it says so already."""
    extra, requests = status.extra, allotted.get("requests") or {}
    if extra is not None and extra.get("resources") == has and extra.get("allocatedResources") == requests:
        return status
    given = {"allocatedResources": requests, "resources": has}
    return status.with_extra(given if extra is None else {**extra, **given})
