"""Writes the results of scheduling: DefaultBinder, the PodScheduled condition, and preemption of victims."""

from __future__ import annotations

from ..api.context import Context
from ..api.deletion import delete_pod
from ..heart.agenda import Timer
from ..objects.condition import Condition, find_condition, with_condition
from ..objects.meta import ObjectMeta
from ..objects.names import DEFAULT_SCHEDULER, REGION, ZONE
from ..objects.node import Node
from ..objects.pods.pod import Pod
from ..releases.gates import is_enabled
from ..rules.nodes.eviction import DISRUPTION_TARGET
from ..rules.placement.preemption import PREEMPTED, Candidate
from ..store.audience import ALL, BINDING
from ..store.transitions import binding_changes

UNSCHEDULABLE, ERROR = "Unschedulable", "SchedulerError"
_FAILED = "FailedScheduling"
_NOMINATED, _NOMINATED_MS = "scheduler.nominated", 30
"""The timer of a bound pod that is still nominated, and how long it is so."""


class Writer:
    """Writes to the store what a scheduling cycle has decided."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._binding_clears = is_enabled(context.features, "ClearingNominatedNodeNameAfterBinding")
        self._copies_topology = is_enabled(context.features, "PodTopologyLabelsAdmission")
        context.loop.on_timer(_NOMINATED, self._on_nominated)

    def bind(self, pod: Pod, node: Node) -> None:
        """Bind a pod to a node, and record the event `Scheduled`."""
        name = node.meta.name
        bound = Condition(
            "PodScheduled", "True", "", "", self._context.clock.now_ms, None, None, pod.meta.generation
        )
        status = pod.status
        conditions = with_condition(status.conditions, bound) if status.conditions else (bound,)
        kept = "" if self._binding_clears else status.nominated_node_name
        if kept:
            self._context.later(_NOMINATED_MS, _NOMINATED, pod.meta.uid)
        new = pod.with_status(status.with_conditions(conditions, kept), name)
        if self._copies_topology:
            new.meta = _with_topology(pod.meta, node)
        if pod.spec.is_plain and not status.conditions and new.meta is pod.meta:
            changes, shown = binding_changes(pod, new)
            self._store.update_as_known(pod, new, changes, shown, ALL if pod.spec.volumes else BINDING)
        else:
            self._store.update(pod, new)
        message = f"Successfully assigned {pod.meta.namespace}/{pod.meta.name} to {name}"
        self._context.trace.plain_event(
            new.meta.subject or new.subject, "Normal", "Scheduled", message, DEFAULT_SCHEDULER
        )

    def _on_nominated(self, timer: Timer) -> None:
        pod = self._store.pods.get(timer.target)
        if pod is not None:
            self.nominate(pod, "")

    def fail(self, pod: Pod, reason: str, message: str, nominated: str | None) -> None:
        """handleSchedulingFailure: set PodScheduled to False, and record the event `FailedScheduling`.

        `nominated`: the new nominated node, "" for none; None leaves it as it is.
        """
        version = pod.resource_version
        self._set_unscheduled(pod, reason, message, nominated)
        self._context.trace.event_of_version(
            pod.subject, "Warning", _FAILED, message, DEFAULT_SCHEDULER, version
        )

    def skip(self, pod: Pod) -> None:
        """skipPodSchedule: a terminating pod is not scheduled."""
        message = f"skip schedule deleting pod: {pod.meta.namespace}/{pod.meta.name}"
        self._context.trace.event(pod.subject, "Warning", _FAILED, message, DEFAULT_SCHEDULER)

    def nominate(self, pod: Pod, node_name: str) -> None:
        """Set the nominated node of a pod, "" for none."""
        if pod.status.nominated_node_name != node_name:
            self._store.update(pod, pod.with_status(pod.status.replace(nominated_node_name=node_name)))

    def preempt(self, pod: Pod, candidate: Candidate) -> None:
        """Delete the victims that are not terminating yet, with condition DisruptionTarget and an event."""
        trace = self._context.trace
        for victim in candidate.victims:
            if victim.meta.deletion_ms is not None:
                continue
            outer = trace.cause
            told = self._tell(victim)
            trace.cause = trace.led
            delete_pod(self._context, told, None, has_options=True)
            message = f"Preempted by pod {pod.meta.uid} on node {candidate.node_name}"
            trace.event(victim.subject, "Normal", "Preempted", message, DEFAULT_SCHEDULER)
            trace.cause = outer

    def _tell(self, victim: Pod) -> Pod:
        message = f"{DEFAULT_SCHEDULER}: preempting to accommodate a higher priority pod"
        old = find_condition(victim.status.conditions, DISRUPTION_TARGET)
        now_ms = self._context.clock.now_ms
        since_ms = old.last_transition_ms if old is not None and old.status == "True" else now_ms
        generation = victim.meta.generation
        why = Condition(DISRUPTION_TARGET, "True", PREEMPTED, message, since_ms, None, None, generation)
        conditions = with_condition(victim.status.conditions, why)
        told = victim.with_status(victim.status.replace(conditions=conditions))
        self._store.update(victim, told)
        return told

    def _set_unscheduled(self, pod: Pod, reason: str, message: str, nominated: str | None) -> None:
        status = pod.status
        nominated = status.nominated_node_name if nominated is None else nominated
        before = find_condition(status.conditions, "PodScheduled")
        is_known = before is not None and (before.reason, before.message) == (reason, message)
        if is_known and nominated == status.nominated_node_name:
            return
        conditions = status.conditions
        if not is_known:
            moved_ms = before.last_transition_ms if before is not None else self._context.clock.now_ms
            condition = Condition(
                "PodScheduled", "False", reason, message, moved_ms, None, None, pod.meta.generation
            )
            conditions = with_condition(conditions, condition)
        self._store.update(pod, pod.with_status(status.with_conditions(conditions, nominated)))


def _with_topology(meta: ObjectMeta, node: Node) -> ObjectMeta:
    """A pod's metadata with the zone and the region of its node (the plugin PodTopologyLabels)."""
    has = node.meta.labels
    if ZONE not in has and REGION not in has:
        return meta
    added = {key: has[key] for key in (ZONE, REGION) if key in has and meta.labels.get(key) != has[key]}
    return meta.replace(labels={**meta.labels, **added}) if added else meta
