"""The scheduler: schedules pods one at a time, in the order of the queue.

Models kube-scheduler with its default profile: the queue with queueing hints, Filter, Score and preemption.
All nodes are scored; Kubernetes stops on more than 100 nodes once a part of them fits (50 % less 1 % for each
125 nodes, at least 5 %), and draws one of equal nodes. Not scheduled: gated pods (SGATE-03), and those of
another scheduler. Left out: claims of devices, gangs, limits of CSI drivers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..api.context import Context
from ..heart.agenda import Timer
from ..objects.condition import find_condition
from ..objects.meta import StoredObject
from ..objects.names import DEFAULT_SCHEDULER
from ..objects.node import Node
from ..objects.pods.pod import Pod
from ..objects.storage import CLAIM, STORAGE_CLASS, VOLUME
from ..releases.switches import BALANCE_SCORES_IMPROVEMENT
from ..rules.volumes.claims import list_claims
from ..store.audience import Useless
from .classes import PodClasses
from .finder import NodeFinder, Nominator
from .matching_pods import OF_ONE_POD, MatchingPods
from .node_info import has_same_scheduling_properties
from .pre_filter import PreFilterState
from .queueing_hints import (
    CLAIM_CHANGED,
    CLASS_MADE,
    USER_ENDED,
    VOLUME_CHANGED,
    Plugins,
    is_schedulable_after_node_change,
    is_schedulable_after_node_delete,
    is_schedulable_after_own_change,
    is_schedulable_after_pod_add,
    is_schedulable_after_pod_delete,
    is_schedulable_after_pod_labels,
    is_schedulable_after_pod_resize,
    is_schedulable_after_storage_change,
)
from .scheduling_cycle import RETRY, SchedulingCycle, is_assigned
from .scheduling_queue import PriorityQueue
from .snapshot import Snapshot
from .volume_binding import is_as_ready
from .volume_binding_waits import LOOK, VolumeBindingWaits

TIMER, FLUSH = "schedule", "schedule.flush"
QueueingHint = Callable[[Plugins, PreFilterState], bool]


class Scheduler:
    """Watches pods, nodes and storage, and runs a scheduling cycle for each pod that is due."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._snapshot = Snapshot(context.switches[BALANCE_SCORES_IMPROVEMENT])
        self._queue = PriorityQueue()
        self._matching_pods = MatchingPods(OF_ONE_POD)
        self._classes = PodClasses(context.store, self._snapshot, self._matching_pods)
        self._nominator, self._waits = Nominator(), VolumeBindingWaits(context)
        self._finder = NodeFinder(self._snapshot, self._matching_pods, self._classes, self._nominator)
        self._cycle = SchedulingCycle(
            context, self._snapshot, self._finder, self._nominator, self._queue, self._waits, self._count_pod
        )
        # When the last timer of the queue is due; None: read it from the agenda.
        self._last_ms: int | None = None
        self._is_flush_set, self._was_saved = False, False
        loop, store = context.loop, self._store
        loop.on_timer(TIMER, self._on_turn)
        loop.on_timer(RETRY, self._on_retry)
        loop.on_timer(FLUSH, self._on_flush)
        loop.on_timer(LOOK, self._on_look)
        store.listen_to_shape("Pod", self._on_pod, Useless.READINESS, on_binding=self._on_binding)
        store.listen("Node", self._on_node)
        store.listen(CLAIM, self._on_claim)
        store.listen(VOLUME, self._on_volume)
        store.listen(STORAGE_CLASS, self._on_class)

    # --- saved --------------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """The queue, and the pods that wait for their volumes, as plain data."""
        return {"queue": self._queue.save(), "volume_waits": self._waits.save()}

    def restore(self, saved: Any) -> None:
        """Restore the queue, and build the snapshot again from the objects of a loaded cluster."""
        if isinstance(saved, dict):
            self._was_saved = True
            self._queue.load(saved["queue"])
            self._waits.load(saved["volume_waits"])
        else:
            # Older engines saved no queue: uids, and rows of pods that wait for volumes.
            self._queue.take_up([one, (), 0, 1] for one in saved if isinstance(one, str))
            self._waits.load(one for one in saved if not isinstance(one, str))
        for node in self._store.list("Node"):
            if isinstance(node, Node):
                self._snapshot.update_node(node)
        for pod in self._store.pods.values():
            if is_assigned(pod):
                self._count_pod(pod, 1)
            elif not pod.node_name and pod.meta.uid not in self._waits.by_uid:
                self._nominator.change(None, pod)
        for pod in self._waits.pods():
            self._count_pod(pod, 1)

    def take_up(self, unschedulable: list[list[Any]]) -> None:
        """After an upgrade of the engine: queue each unbound pod that neither waits nor has a timer."""
        self.restore([])
        self._queue.take_up(row for row in unschedulable if row[0] in self._store.pods)
        tried = {timer.target for timer in self._context.agenda.timers() if timer.kind == TIMER}
        tried.update(self._queue.unschedulable)
        for uid, pod in self._store.pods.items():
            is_done = pod.node_name or pod.is_finished or pod.meta.deletion_ms is not None
            if not is_done and not pod.spec.scheduling_gates and uid not in tried:
                self._enqueue(pod)

    # --- turns --------------------------------------------------------------------------------------------

    def _enqueue(self, pod: Pod) -> None:
        """Put a pod into the queue. One timer is set for each queued pod; the queue says whose turn it is."""
        context, uid = self._context, pod.meta.uid
        last_ms, now_ms = self._last_ms, context.clock.now_ms
        if last_ms is None:
            last_ms = self._catch_up()
        if not self._queue.add(uid, pod.spec.priority, context.trace.cause, now_ms):
            return
        due_ms = now_ms + context.draw_ms("schedule", uid)
        if due_ms < last_ms:
            due_ms = last_ms
        self._last_ms = due_ms
        context.agenda.add(due_ms, TIMER, uid, None, True, context.trace.cause)

    def _catch_up(self, *due: Timer) -> int:
        """After loading: find the last due timer in the agenda, and the queue if none was saved."""
        timers, last_ms = self._context.agenda.timers(), 0
        self._is_flush_set = any(timer.kind == FLUSH for timer in timers)
        for timer in (*due, *timers):
            if timer.kind != TIMER:
                continue
            last_ms = max(last_ms, timer.due_ms)
            pod = self._store.pods.get(timer.target)
            if pod is not None and not self._was_saved:
                self._queue.add(timer.target, pod.spec.priority, timer.cause, 0)
        self._last_ms = last_ms
        return last_ms

    def _on_turn(self, timer: Timer) -> None:
        if self._last_ms is None:
            self._catch_up(timer)
        found = self._queue.pop(self._context.clock.now_ms)
        uid, cause = found if found is not None else (timer.target, timer.cause)
        pod = self._store.pods.get(uid)
        if pod is None or pod.node_name or pod.spec.scheduling_gates or uid in self._waits.by_uid:
            return
        self._context.trace.cause = cause
        self._cycle.schedule_one(pod)
        if self._queue.unschedulable and not self._is_flush_set:
            self._set_flush()

    def _on_retry(self, timer: Timer) -> None:
        pod = self._store.pods.get(timer.target)
        if pod is not None and not pod.node_name and timer.target not in self._waits.by_uid:
            self._enqueue(pod)

    def _set_flush(self) -> None:
        due_ms = self._queue.find_flush()
        self._is_flush_set = due_ms is not None
        if due_ms is not None:
            self._context.later(due_ms - self._context.clock.now_ms, FLUSH, "", is_progress=False)

    def _on_flush(self, timer: Timer) -> None:
        if self._last_ms is None:
            self._catch_up()
        for uid in self._queue.list_overdue(self._context.clock.now_ms):
            self._enqueue(self._store.pods[uid])
        self._set_flush()

    # --- pods ---------------------------------------------------------------------------------------------

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if old is None:
            if new is not None and not new.node_name:
                self._on_unbound(None, new)
            elif new is not None and is_assigned(new):
                self._on_placed(new)
        elif not old.node_name:
            self._on_changed_unbound(old, new)
        elif is_assigned(old):
            if new is None or not is_assigned(new):
                self._on_end(old)
            else:
                self._on_changed(old, new)

    def _on_binding(self, old: Pod, new: Pod) -> None:
        """A pod without volumes was bound."""
        if old.status.nominated_node_name:
            self._nominator.change(old, None)
        self._queue.forget(new.meta.uid)
        self._cycle.states.pop(new.meta.uid, None)
        if is_assigned(new):
            self._on_placed(new)

    def _on_placed(self, pod: Pod) -> None:
        self._count_pod(pod, 1)
        if self._queue.unschedulable:
            self._wake(lambda plugins, state: is_schedulable_after_pod_add(plugins, state, pod))

    def _on_end(self, pod: Pod) -> None:
        self._count_pod(pod, -1)
        if self._queue.unschedulable:
            self._wake(lambda plugins, state: is_schedulable_after_pod_delete(plugins, state, pod))
            self._wake_users_of_claims(pod)

    def _on_changed_unbound(self, old: Pod, new: Pod | None) -> None:
        uid = old.meta.uid
        if old.status.nominated_node_name:
            self._nominator.change(old, None)
        is_waiting = uid in self._waits.by_uid
        if new is not None and not new.node_name:
            if is_waiting and new.meta is not old.meta:
                self._on_changed_waiting(old, new)
            else:
                self._on_unbound(old, new)
        else:
            self._queue.forget(uid)
            self._cycle.states.pop(uid, None)
            if is_waiting:
                self._stop_waiting_for_volumes(old)
            if new is None and old.status.nominated_node_name:
                self._wake_below(old)
            elif new is not None and is_assigned(new):
                self._on_placed(new)

    def _on_changed_waiting(self, old: Pod, new: Pod) -> None:
        """A pod that is assumed on a node, and waits for its volumes, has changed."""
        if new.meta.deletion_ms is not None:
            self._stop_waiting_for_volumes(old)
            self._wake(lambda plugins, state: is_schedulable_after_pod_delete(plugins, state, old))
        else:
            self._count_pod(old, -1)
            self._count_pod(new, 1)

    def _on_changed(self, old: Pod, new: Pod) -> None:
        """An assigned pod has other labels, a deletion timestamp, or other requests now."""
        is_resized = old.spec is not new.spec
        has_labels = old.meta is not new.meta and old.meta.labels != new.meta.labels
        has_begun_to_end = (old.meta.deletion_ms is None) != (new.meta.deletion_ms is None)
        if not (is_resized or has_labels) and (not has_begun_to_end or self._begins_to_end(old, new)):
            return
        self._count_pod(old, -1)
        self._count_pod(new, 1)
        if is_resized:
            self._wake(lambda plugins, state: is_schedulable_after_pod_resize(plugins, state, old, new))
        if has_labels:
            self._wake(lambda plugins, state: is_schedulable_after_pod_labels(plugins, state, old, new))

    def _begins_to_end(self, old: Pod, new: Pod) -> bool:
        """Note that a pod is terminating. False if its resources changed too: then it is counted anew."""
        node_info = self._snapshot.by_name.get(old.node_name)
        if node_info is None or self._finder.resources_of(old) is not self._finder.resources_of(new):
            return False
        node_info.put_last(old.meta.uid)
        self._matching_pods.mark_terminating(old, old.node_name)
        return True

    def _on_unbound(self, old: Pod | None, new: Pod) -> None:
        uid, nominated = new.meta.uid, new.status.nominated_node_name
        if nominated and uid not in self._waits.by_uid:
            self._nominator.change(None, new)
        if old is not None and old.status.nominated_node_name not in ("", nominated):
            self._wake_below(old)
        if new.spec.scheduling_gates or new.meta.deletion_ms is not None:
            return
        if new.spec.scheduler_name != DEFAULT_SCHEDULER:
            # Another scheduler would bind it (DS-SCHED-05); there is none, so it stays Pending.
            return
        if old is None or old.spec.scheduling_gates:
            self._enqueue(new)
        elif uid in self._queue.unschedulable and (old.spec is not new.spec or old.meta is not new.meta):
            plugins, state = self._queue.unschedulable[uid].plugins, self._state_of(new)
            if not plugins or is_schedulable_after_own_change(plugins, state, old, new):
                self._enqueue(new)
            self._cycle.states.pop(uid, None)

    def _count_pod(self, pod: Pod, sign: int) -> None:
        name = pod.node_name or self._waits.node_of(pod.meta.uid)
        self._cycle.count_priority(pod.spec.priority, sign)
        if name not in self._snapshot.by_name:
            return
        if pod.spec.affinity:
            self._classes.note_rules(pod.spec)
        self._snapshot.count_pod(name, pod.meta.uid, self._finder.resources_of(pod), sign)
        if sign > 0:
            self._matching_pods.add_pod(pod, name)
        else:
            self._matching_pods.remove_pod(pod, name)

    # --- queueing hints -----------------------------------------------------------------------------------

    def _wake(self, hint: QueueingHint, below: Pod | None = None) -> None:
        """Queue unschedulable pods that an event may help. `below`: only those of at most its priority."""
        for uid, unschedulable in list(self._queue.unschedulable.items()):
            pod = self._store.pods[uid]
            if below is not None and pod.spec.priority > below.spec.priority:
                continue
            if not unschedulable.plugins or hint(unschedulable.plugins, self._state_of(pod)):
                self._enqueue(pod)

    def _wake_below(self, pod: Pod) -> None:
        """A pod gives up its nominated node: pods of at most its priority may fit there."""
        self._wake(lambda plugins, state: is_schedulable_after_pod_delete(plugins, state, pod), pod)

    def _state_of(self, pod: Pod) -> PreFilterState:
        states, uid = self._cycle.states, pod.meta.uid
        if uid not in states:
            states[uid] = self._classes.read(pod, pod.spec)
        return states[uid]

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not isinstance(new, Node):
            if isinstance(old, Node):
                self._lose_node(old)
            return
        name = new.meta.name
        is_there = name in self._snapshot.by_name
        self._snapshot.update_node(new)
        if isinstance(old, Node) and is_there and has_same_scheduling_properties(old, new):
            return
        self._snapshot.note_change(name)
        if not is_there:
            # Pods may have been bound to the node before it joined.
            for uid in self._store.index.pods_by_node.get(name, ()):
                if is_assigned(self._store.pods[uid]):
                    self._cycle.count_priority(self._store.pods[uid].spec.priority, -1)
                    self._count_pod(self._store.pods[uid], 1)
        before = old if isinstance(old, Node) else None
        self._wake(lambda plugins, state: is_schedulable_after_node_change(plugins, state, before, new))

    def _lose_node(self, old: Node) -> None:
        name = old.meta.name
        for uid in list(self._snapshot.by_name[name].uids):
            self._matching_pods.remove_pod(self._store.pods[uid], name)
        self._snapshot.remove_node(name)
        self._wake(lambda plugins, state: is_schedulable_after_node_delete(plugins, state, old))

    # --- volumes ------------------------------------------------------------------------------------------

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None or (old is not None and is_as_ready(old, new)):
            return
        for pod in self._context.volumes.users(new.meta.namespace, new.meta.name):
            if pod.meta.uid in self._waits.by_uid:
                self._waits.look_soon(pod.meta.uid)
            else:
                self._wake_by_storage(pod, CLAIM_CHANGED)

    def _on_volume(self, _old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self._wake_all_by_storage(VOLUME_CHANGED)

    def _on_class(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self._wake_all_by_storage(CLASS_MADE)

    def _wake_users_of_claims(self, gone: Pod) -> None:
        """A claim with ReadWriteOncePod can be used by another pod again."""
        for _volume, name in list_claims(gone):
            for pod in self._context.volumes.users(gone.meta.namespace, name):
                self._wake_by_storage(pod, USER_ENDED)

    def _wake_all_by_storage(self, event: str) -> None:
        for pod in [self._store.pods[uid] for uid in self._queue.unschedulable]:
            self._wake_by_storage(pod, event)

    def _wake_by_storage(self, pod: Pod, event: str) -> None:
        """Queue an unschedulable pod if its PodScheduled message shows that the event may help."""
        if pod.meta.uid not in self._queue.unschedulable:
            return
        said = find_condition(pod.status.conditions, "PodScheduled")
        if said is None or is_schedulable_after_storage_change(event, said.message):
            self._enqueue(pod)

    def _stop_waiting_for_volumes(self, pod: Pod, is_look: bool = False) -> str:
        """Release the node of a pod; returns its name."""
        self._count_pod(pod, -1)
        return self._waits.end(pod.meta.uid, is_look)

    def _on_look(self, timer: Timer) -> None:
        pod = self._store.pods.get(timer.target)
        if pod is None or timer.target not in self._waits.by_uid:
            return
        node_name = self._stop_waiting_for_volumes(pod, is_look=True)
        if not pod.node_name and pod.meta.deletion_ms is None:
            self._cycle.continue_binding(pod, node_name)
