"""In-place resize of CPU and memory: desired, allocated and actuated resources of a running pod.

The spec has the desired resources. A resize is Deferred while the node has not enough free, and Infeasible
if the node can never have enough; else it is allocated and applied to the containers, with a restart if the
resizePolicy asks for it. Free resources go first to the pod with the highest priority, then to Guaranteed
pods, then to the resize that has waited longest. A memory limit that would go below the memory in use is
refused, and tried again at each look at the pod.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..heart.chance import PART
from ..heart.timing import BACK_OFF_INITIAL_MS
from ..objects.condition import Condition, find_condition, with_condition
from ..objects.node import Node
from ..objects.pods.container import Container
from ..objects.pods.pod import Pod
from ..objects.quantity import canonical_amounts
from ..rules.nodes.cpu_manager import is_static
from ..rules.pods.actions import ContainerToKill
from ..rules.pods.qos import GUARANTEED
from ..rules.pods.resources import effective_limits, effective_requests
from ..rules.pods.usage import memory_of
from .parts import NORMAL, RESIZED, WARNING, Parts
from .state.container_run import ContainerRun, begin_back_off_anew, with_resources
from .state.worker import (
    APPLYING,
    ASKED,
    DEFERRED,
    FINISHING,
    INFEASIBLE,
    KILLING,
    REFUSED,
    TERMINATED,
    PodWorker,
    allotted_spec,
)
from .stopping.termination import Stopper

PENDING, IN_PROGRESS = "PodResizePending", "PodResizeInProgress"
RESIZABLE = ("cpu", "memory")
RESTART_CONTAINER = "RestartContainer"
_ERROR = "Error"
_STATIC_TEXT = 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"'


class Resizer:
    """The kubelets' allotment of CPU and memory to pods that ask for more or less."""

    __slots__ = ("_parts", "_pod_manager", "_stopper", "deferred")

    def __init__(self, parts: Parts, stopper: Stopper) -> None:
        self._parts = parts
        self._stopper = stopper
        self._pod_manager = parts.pod_manager
        # Pods that wait for room on their node, by uid.
        self.deferred: dict[str, None] = {}

    def sync(self, worker: PodWorker, pod: Pod) -> None:
        """One look at a pod whose resize is not over."""
        if self._parts.is_cut_off(worker.node):
            return
        if worker.resize == FINISHING:
            self._finish(worker, pod)
        elif worker.resize in (ASKED, DEFERRED):
            self._allot(worker, pod)

    def try_again(self, worker: PodWorker) -> None:
        """The last of a look at a pod whose resize was refused by what is in use."""
        pod = self._pod_manager.stored(worker)
        if pod is not None and not self._parts.is_cut_off(worker.node):
            self._apply(worker, pod)

    def tell_ending(self, worker: PodWorker, pod: Pod) -> None:
        """A pod that ends, or has ended, is given what it asks for on paper: nothing of it is applied."""
        if worker.resize == ASKED and not self._parts.is_cut_off(worker.node):
            reason, message, said = self._decide(worker, pod)
            if reason:
                self._tell(worker, WARNING, "Resize" + reason, _word(pod, said, message))
            else:
                self._tell(worker, NORMAL, *_started(pod))
            worker.resize = ""

    def retry(self, node: str) -> None:
        """Room has come free on a node."""
        found = []
        for uid in list(self.deferred):
            worker = self._pod_manager.workers.get(uid)
            if worker is None:
                del self.deferred[uid]
            elif worker.node == node:
                found.append((self._place(worker), worker))
        for _, worker in sorted(found, key=lambda entry: entry[0]):
            self._parts.touch(worker)

    def _place(self, worker: PodWorker) -> tuple[int, bool, int, str]:
        """By what pods that wait are sorted; who is lower is first."""
        pod = self._pod_manager.stored(worker)
        pending = find_condition(pod.status.conditions, PENDING) if pod is not None else None
        since_ms = pending.last_transition_ms if pending is not None else None
        is_guaranteed = pod is not None and pod.status.qos_class == GUARANTEED
        return -worker.spec.priority, not is_guaranteed, since_ms or 0, worker.uid

    def restore(self) -> None:
        """Build what is derived again, after a cluster was loaded."""
        self.deferred = {
            uid: None for uid, worker in self._pod_manager.workers.items() if worker.resize == DEFERRED
        }

    # --- may it? --------------------------------------------------------------------------------------

    def _allot(self, worker: PodWorker, pod: Pod) -> None:
        self.deferred.pop(worker.uid, None)
        if worker.whole == worker.spec.resources:
            worker.whole = None
        if worker.whole is None and not _changed(worker):
            worker.resize = ""
            self._drop(self._drop(pod, PENDING), IN_PROGRESS)
            return
        reason, message, said = self._decide(worker, pod)
        if reason:
            if reason == DEFERRED:
                self.deferred[worker.uid] = None
            worker.resize = reason
            self._hold(worker, pod, reason, message, said)
            return
        pod = self._drop(pod, PENDING)
        self._set(pod, IN_PROGRESS, "", "")
        self._tell(worker, NORMAL, *_started(pod))
        worker.resize = APPLYING
        delay_ms = self._parts.context.draw_ms("resize", f"{worker.uid}{PART}{pod.meta.generation}")
        if delay_ms:
            self._parts.later(delay_ms, RESIZED, worker)
        else:
            self.on_applied(worker, pod)

    def _decide(self, worker: PodWorker, pod: Pod) -> tuple[str, str, str]:
        """Why what is asked cannot be allotted now, and as what that is said; all "" when it can (RESIZE-07).

        What a resize has to pass is an admission like any other since v1.36, which knows of no capacity.
        """
        agent = self._parts.agents[worker.node]
        if (
            is_static(agent.configuration)
            and pod.status.qos_class == GUARANTEED
            and _wants_other_cpus(worker)
        ):
            return INFEASIBLE, _STATIC_TEXT, INFEASIBLE
        node = self._parts.store.get("Node", "", worker.node)
        if not isinstance(node, Node):
            return "", "", ""
        wanted, capacity = effective_requests(worker.spec), node.status.allocatable
        for name in () if agent.rules.resize_passes_admission else RESIZABLE:
            asked, has = wanted.get(name, 0), capacity.get(name, 0)
            if asked > has:
                text = f"Node didn't have enough capacity: {name}, requested: {asked}, capacity: {has}"
                return INFEASIBLE, text, INFEASIBLE
        others = self._pod_manager.workers_on(worker.node)
        used = sum_requests(one for one in others if one is not worker and one.stage != TERMINATED)
        for name in RESIZABLE:
            asked, has, taken = wanted.get(name, 0), capacity.get(name, 0), used.get(name, 0)
            if asked + taken > has:
                amounts = f"requested: {asked}, used: {taken}, capacity: {has}"
                said = f"OutOf{name}" if agent.rules.resize_passes_admission else DEFERRED
                return DEFERRED, f"Node didn't have enough resource: {name}, {amounts}", said
        return "", "", ""

    def _tell(self, worker: PodWorker, event_type: str, reason: str, message: str) -> None:
        """Tell of a resize that is not over yet."""
        if not self._parts.agents[worker.node].rules.resize_tells_its_end_only:
            self._parts.event(worker, None, event_type, reason, message)

    def _hold(self, worker: PodWorker, pod: Pod, reason: str, message: str, said: str) -> None:
        known = find_condition(pod.status.conditions, PENDING)
        is_told = known is not None and known.observed_generation == pod.meta.generation
        if known is None or known.reason != reason or not is_told:
            self._tell(worker, WARNING, "Resize" + reason, _word(pod, said, message))
        self._set(self._drop(pod, IN_PROGRESS), PENDING, reason, message)

    # --- doing it -------------------------------------------------------------------------------------

    def on_applied(self, worker: PodWorker, pod: Pod) -> None:
        """The new amounts reach the containers."""
        if worker.resize != APPLYING:
            return
        if self._parts.is_left_alone(worker):
            worker.resize = ASKED
            return
        self._apply(worker, pod)

    def _apply(self, worker: PodWorker, pod: Pod) -> None:
        refusal = self._refuse(worker)
        if refusal:
            worker.resize = REFUSED
            if self._is_news(pod, IN_PROGRESS, _ERROR, refusal):
                self._tell(worker, WARNING, "ResizeError", _word(pod, "error", refusal))
            self._set(pod, IN_PROGRESS, _ERROR, refusal)
            self._parts.come_back(worker, BACK_OFF_INITIAL_MS, is_progress=False)
            return
        worker.resize, worker.whole = FINISHING, None
        for run, container in _changed(worker):
            if run.process is None or not _needs_restart(run.container, container):
                given = with_resources(run.container, container.raw.get("resources"))
                if run.process is None:
                    begin_back_off_anew(run, given, self._parts.agents[worker.node].back_off[0])
                run.container = given
                continue
            name = container.name
            run.must_restart = True
            worker.under_way = KILLING
            why = ContainerToKill(name, "", "Resize", f"Container {name} resize requires restart")
            self._stopper.kill(worker, pod, run, why)
        worker.has_changed = worker.must_act = True
        self._parts.touch(worker)

    def _refuse(self, worker: PodWorker) -> str:
        """Why the new memory limits cannot be applied yet; what restarts for them uses nothing then."""
        from ..rules.pods.shrinking import MEMORY, Shrinking, refuse_shrinking

        running = [(run, one) for run, one in _changed(worker) if run.process is not None]
        restarted = {one.name for run, one in running if _needs_restart(run.container, one)}
        now_ms = self._parts.context.clock.now_ms
        used = {
            name: 0 if name in restarted else memory_of((run.process, run.container.limits), now_ms)
            for name, run in worker.runs.items()
        }
        kept = [
            Shrinking(one.name, _memory_limit(run.container), _memory_limit(one), used[one.name])
            for run, one in running
            if one.name not in restarted and _is_other(run.container, one, MEMORY)
        ]
        if not kept and not restarted:
            return ""
        limit, wanted = (
            effective_limits(spec).get(MEMORY, 0) for spec in (allotted_spec(worker), worker.spec)
        )
        return refuse_shrinking(kept, Shrinking("", limit, wanted, sum(used.values())))

    def _finish(self, worker: PodWorker, pod: Pod) -> None:
        if _changed(worker):
            # A container that restarts for it has not ended yet.
            return
        worker.resize = ""
        self._drop(pod, IN_PROGRESS)
        is_short = self._parts.agents[worker.node].rules.resize_tells_its_end_only
        told = _word(pod, "completed", names_generation=not is_short)
        self._parts.event(worker, None, NORMAL, "ResizeCompleted", told)
        if self.deferred:
            self.retry(worker.node)

    # --- conditions -----------------------------------------------------------------------------------

    def _is_news(self, pod: Pod, type_: str, reason: str, message: str) -> bool:
        known = find_condition(pod.status.conditions, type_)
        is_said = known is not None and (known.reason, known.message) == (reason, message)
        return not is_said or (known is not None and known.observed_generation != pod.meta.generation)

    def _set(self, pod: Pod, type_: str, reason: str, message: str) -> Pod:
        if not self._is_news(pod, type_, reason, message):
            return pod
        now_ms = self._parts.context.clock.now_ms
        known = find_condition(pod.status.conditions, type_)
        moved_ms = known.last_transition_ms if known is not None else now_ms
        condition = Condition(type_, "True", reason, message, moved_ms, None, None, pod.meta.generation)
        return self._write(pod, with_condition(pod.status.conditions, condition))

    def _drop(self, pod: Pod, type_: str) -> Pod:
        if find_condition(pod.status.conditions, type_) is None:
            return pod
        return self._write(pod, tuple(one for one in pod.status.conditions if one.type != type_))

    def _write(self, pod: Pod, conditions: tuple[Condition, ...]) -> Pod:
        stored = self._parts.store.pods.get(pod.meta.uid)
        if stored is None:
            return pod
        new = stored.with_status(stored.status.replace(conditions=conditions))
        self._parts.store.update(stored, new)
        self._parts.trace.cause = self._parts.trace.led
        return new


def _changed(worker: PodWorker) -> list[tuple[ContainerRun, Container]]:
    """Containers that do not have yet what the spec asks for, with what it asks."""
    spec, runs = worker.spec, worker.runs
    return [
        (runs[one.name], one)
        for one in (*spec.init_containers, *spec.containers)
        if runs[one.name].container.raw.get("resources") != one.raw.get("resources")
    ]


def _started(pod: Pod) -> tuple[str, str]:
    return "ResizeStarted", _word(pod, "started")


def _word(pod: Pod, stage: str, error: str = "", *, names_generation: bool = True) -> str:
    """An event's text: the stage, and what the spec asks for."""
    groups = {"initContainers": pod.spec.init_containers, "containers": pod.spec.containers}
    told: dict[str, Any] = {
        group: [{"name": one.name, "resources": canonical_amounts(one.raw.get("resources"))} for one in found]
        for group, found in groups.items()
        if found
    }
    if names_generation:
        told["generation"] = pod.meta.generation
    if error:
        told["error"] = error
    return f"Pod resize {stage}: {json.dumps(told, ensure_ascii=False, separators=(',', ':'))}"


def _wants_other_cpus(worker: PodWorker) -> bool:
    return any(run.container.requests.get("cpu") != one.requests.get("cpu") for run, one in _changed(worker))


def _needs_restart(old: Container, new: Container) -> bool:
    """Whether a change of one of its resources restarts the container (RESIZE-06)."""
    return any(
        policy.get("restartPolicy") == RESTART_CONTAINER and _is_other(old, new, policy.get("resourceName"))
        for policy in new.raw.get("resizePolicy") or ()
    )


def _is_other(old: Container, new: Container, resource: str) -> bool:
    return (old.requests.get(resource), old.limits.get(resource)) != (
        new.requests.get(resource),
        new.limits.get(resource),
    )


def _memory_limit(container: Container) -> int:
    from ..rules.pods.shrinking import MEMORY

    return container.limits.get(MEMORY, 0)


def sum_requests(workers: Iterable[PodWorker]) -> dict[str, int]:
    """What pods have been allotted together, by resource."""
    used: dict[str, int] = {}
    for worker in workers:
        for name, amount in effective_requests(allotted_spec(worker)).items():
            used[name] = used.get(name, 0) + amount
    return used
