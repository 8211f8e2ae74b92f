"""The scheduler: takes unbound pods in order, binds each to the best node that has room.

Models the scheduling queue with its hints, the filters and scores of the default profile, and preemption.
All nodes that fit are scored. Kubernetes, on more than 100 nodes, stops once a part fits (50 % less 1 % for
each 125 nodes, at least 5 %): it may take a good node where ours is the best, and draws one of equals. Gated
pods (SGATE-03) and those of another scheduler are not tried. Volumes of claims that wait for their pod are
chosen with its node, and bound before it. Left out: claims of devices, gangs, what drivers left on a node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..api.context import Context
from ..heart.agenda import Timer
from ..objects.condition import find_condition
from ..objects.meta import StoredObject
from ..objects.node import Node
from ..objects.pods.pod import DEFAULT_SCHEDULER, Pod
from ..objects.storage import AVAILABLE, CLAIM, STORAGE_CLASS, VOLUME
from ..rules.volumes.claims import claim_ref, list_claims, phase_of
from ..store.audience import Useless
from .classes import Classes
from .finder import Finder, Promises
from .matching_pods import OF_ONE_POD, Census
from .node_info import is_same_room
from .pre_filter import Wishes
from .queueing_hints import (
    CLAIM_CHANGED,
    CLASS_MADE,
    VOLUME_CHANGED,
    Plugins,
    is_helped_by_binding,
    is_helped_by_end,
    is_helped_by_itself,
    is_helped_by_labels,
    is_helped_by_lost_node,
    is_helped_by_node,
    is_helped_by_resize,
    is_helped_by_storage,
)
from .scheduling_cycle import RETRY, Trier, takes_room
from .scheduling_queue import Queue
from .snapshot import Rooms
from .volume_binding import has_moved, is_as_ready
from .volume_binding_waits import LOOK, VolumeWaits

TIMER, FLUSH = "schedule", "schedule.flush"
IsHelped = Callable[[Plugins, Wishes], bool]


class Scheduler:
    """Listens to pods, nodes and volumes; has pods tried when there is something to try."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._rooms, self._census, self._queue = Rooms(), Census(OF_ONE_POD), Queue()
        self._classes = Classes(context.store, self._rooms, self._census)
        self._promises, self._waits = Promises(), VolumeWaits(context)
        self._finder = Finder(self._rooms, self._census, self._classes, self._promises)
        self._trier = Trier(
            context, self._rooms, self._finder, self._promises, self._queue, self._waits, self._occupy
        )
        # When the last pod of the queue is tried; None: the agenda knows.
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
        """Who is to be tried, who waits for what, and who waits for volumes on a node."""
        return {"queue": self._queue.save(), "volume_waits": self._waits.save()}

    def restore(self, saved: Any) -> None:
        """Build what is derived again, after a cluster was loaded."""
        if isinstance(saved, dict):
            self._was_saved = True
            self._queue.load(saved["queue"])
            self._waits.load(saved["volume_waits"])
        else:
            # As it was before there was a queue: uids, then rows of those that wait for volumes.
            self._queue.take_up([one, (), 0, 1] for one in saved if isinstance(one, str))
            self._waits.load(one for one in saved if not isinstance(one, str))
        for node in self._store.list("Node"):
            if isinstance(node, Node):
                self._rooms.take(node)
        for pod in self._store.pods.values():
            if takes_room(pod):
                self._occupy(pod, 1)
            elif not pod.node_name and pod.meta.uid not in self._waits.by_uid:
                self._promises.change(None, pod)
        for pod in self._waits.pods():
            self._occupy(pod, 1)

    def take_up(self, waiting: list[list[Any]]) -> None:
        """After an upgrade: a pod that is on no node, waits for none and will not be tried is tried soon."""
        self.restore([])
        self._queue.take_up(row for row in waiting if row[0] in self._store.pods)
        tried = {timer.target for timer in self._context.agenda.timers() if timer.kind == TIMER}
        tried.update(self._queue.waiting)
        for uid, pod in self._store.pods.items():
            is_done = pod.node_name or pod.is_finished or pod.meta.deletion_ms is not None
            if not is_done and not pod.spec.scheduling_gates and uid not in tried:
                self._enqueue(pod)

    # --- turns --------------------------------------------------------------------------------------------

    def _enqueue(self, pod: Pod) -> None:
        """Have a pod tried, soon and in its order: there is one turn for each that is to be tried."""
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
        """What the agenda knows of turns, after a cluster was loaded; all, if that had no queue yet."""
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
        self._trier.try_pod(pod)
        if self._queue.waiting and not self._is_flush_set:
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
            elif new is not None and takes_room(new):
                self._on_placed(new)
        elif not old.node_name:
            self._on_changed_unbound(old, new)
        elif takes_room(old):
            if new is None or not takes_room(new):
                self._on_end(old)
            else:
                self._on_changed(old, new)

    def _on_binding(self, old: Pod, new: Pod) -> None:
        """A pod without volumes has got its node."""
        if old.status.nominated_node_name:
            self._promises.change(old, None)
        self._queue.forget(new.meta.uid)
        self._trier.wishes.pop(new.meta.uid, None)
        if takes_room(new):
            self._on_placed(new)

    def _on_placed(self, pod: Pod) -> None:
        self._occupy(pod, 1)
        if self._queue.waiting:
            self._wake(lambda plugins, wishes: is_helped_by_binding(plugins, wishes, pod))

    def _on_end(self, pod: Pod) -> None:
        self._occupy(pod, -1)
        if self._queue.waiting:
            self._wake(lambda plugins, wishes: is_helped_by_end(plugins, wishes, pod))
            self._wake_users_of_claims(pod)

    def _on_changed_unbound(self, old: Pod, new: Pod | None) -> None:
        uid = old.meta.uid
        if old.status.nominated_node_name:
            self._promises.change(old, None)
        is_waiting = uid in self._waits.by_uid
        if new is not None and not new.node_name:
            if is_waiting and new.meta is not old.meta:
                self._on_changed_waiting(old, new)
            else:
                self._on_unbound(old, new)
        else:
            self._queue.forget(uid)
            self._trier.wishes.pop(uid, None)
            if is_waiting:
                self._stop_waiting_for_volumes(old)
            if new is None and old.status.nominated_node_name:
                self._wake_below(old)
            elif new is not None and takes_room(new):
                self._on_placed(new)

    def _on_changed_waiting(self, old: Pod, new: Pod) -> None:
        """A pod that has its place already, and waits for its volumes there."""
        if new.meta.deletion_ms is not None:
            self._stop_waiting_for_volumes(old)
            self._wake(lambda plugins, wishes: is_helped_by_end(plugins, wishes, old))
        else:
            self._occupy(old, -1)
            self._occupy(new, 1)

    def _on_changed(self, old: Pod, new: Pod) -> None:
        """A pod on its node has other labels, begins to end, or asks for something else now."""
        is_resized = old.spec is not new.spec
        has_labels = old.meta is not new.meta and old.meta.labels != new.meta.labels
        has_begun_to_end = (old.meta.deletion_ms is None) != (new.meta.deletion_ms is None)
        if not (is_resized or has_labels) and (not has_begun_to_end or self._begins_to_end(old, new)):
            return
        self._occupy(old, -1)
        self._occupy(new, 1)
        if is_resized:
            self._wake(lambda plugins, wishes: is_helped_by_resize(plugins, wishes, old, new))
        if has_labels:
            self._wake(lambda plugins, wishes: is_helped_by_labels(plugins, wishes, old, new))

    def _begins_to_end(self, old: Pod, new: Pod) -> bool:
        """Whether it is all that a pod begins to end, taking as much of its node as before."""
        room = self._rooms.by_name.get(old.node_name)
        if room is None or self._finder.load_of(old) is not self._finder.load_of(new):
            return False
        room.put_last(old.meta.uid)
        self._census.begin_to_end(old, old.node_name)
        return True

    def _on_unbound(self, old: Pod | None, new: Pod) -> None:
        uid, promised = new.meta.uid, new.status.nominated_node_name
        if promised and uid not in self._waits.by_uid:
            self._promises.change(None, new)
        if old is not None and old.status.nominated_node_name not in ("", promised):
            self._wake_below(old)
        if new.spec.scheduling_gates or new.meta.deletion_ms is not None:
            return
        if new.spec.scheduler_name != DEFAULT_SCHEDULER:
            # Another scheduler is to find it a node (DS-SCHED-05); there is none, so it stays Pending.
            return
        if old is None or old.spec.scheduling_gates:
            self._enqueue(new)
        elif uid in self._queue.waiting and (old.spec is not new.spec or old.meta is not new.meta):
            waiting, wishes = self._queue.waiting[uid], self._wishes_of(new)
            if not waiting.plugins or is_helped_by_itself(waiting.plugins, wishes, old, new):
                self._enqueue(new)
            self._trier.wishes.pop(uid, None)

    def _occupy(self, pod: Pod, sign: int) -> None:
        name = pod.node_name or self._waits.node_of(pod.meta.uid)
        self._trier.count_priority(pod.spec.priority, sign)
        if name not in self._rooms.by_name:
            return
        if pod.spec.affinity:
            self._classes.note_rules(pod.spec)
        self._rooms.occupy(name, pod.meta.uid, self._finder.load_of(pod), sign)
        if sign > 0:
            self._census.come(pod, name)
        else:
            self._census.go(pod, name)

    # --- who may be helped --------------------------------------------------------------------------------

    def _wake(self, is_helped: IsHelped, below: Pod | None = None) -> None:
        """Try again whom a change may help; `below`: of those that are not more important than this one."""
        if not self._queue.waiting:
            return
        for uid, waiting in list(self._queue.waiting.items()):
            pod = self._store.pods[uid]
            if below is not None and pod.spec.priority > below.spec.priority:
                continue
            if not waiting.plugins or is_helped(waiting.plugins, self._wishes_of(pod)):
                self._enqueue(pod)

    def _wake_below(self, pod: Pod) -> None:
        """What a pod was promised is free for those that are not more important."""
        self._wake(lambda plugins, wishes: is_helped_by_end(plugins, wishes, pod), pod)

    def _wishes_of(self, pod: Pod) -> Wishes:
        wishes, uid = self._trier.wishes, pod.meta.uid
        if uid not in wishes:
            wishes[uid] = self._classes.read(pod, pod.spec)
        return wishes[uid]

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not isinstance(new, Node):
            if isinstance(old, Node):
                self._lose_node(old)
            return
        name = new.meta.name
        is_there = name in self._rooms.by_name
        self._rooms.take(new)
        if isinstance(old, Node) and is_there and is_same_room(old, new):
            return
        self._rooms.tell(name)
        if not is_there:
            # Pods may be bound to a node before it is there.
            for uid in self._store.index.pods_by_node.get(name, ()):
                if takes_room(self._store.pods[uid]):
                    self._trier.count_priority(self._store.pods[uid].spec.priority, -1)
                    self._occupy(self._store.pods[uid], 1)
        before = old if isinstance(old, Node) else None
        self._wake(lambda plugins, wishes: is_helped_by_node(plugins, wishes, before, new))

    def _lose_node(self, old: Node) -> None:
        name = old.meta.name
        for uid in list(self._rooms.by_name[name].uids):
            self._census.go(self._store.pods[uid], name)
        self._rooms.drop(name)
        self._wake(lambda plugins, wishes: is_helped_by_lost_node(plugins, wishes, old))

    # --- volumes ------------------------------------------------------------------------------------------

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None or (old is not None and is_as_ready(old, new)):
            return
        for pod in self._context.volumes.users(new.meta.namespace, new.meta.name):
            if pod.meta.uid in self._waits.by_uid:
                self._waits.look_soon(pod.meta.uid)
            else:
                self._wake_by_storage(pod, CLAIM_CHANGED)

    def _on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            return
        ref = claim_ref(new)
        if (not ref and phase_of(new) == AVAILABLE) or (old is not None and has_moved(old, new)):
            self._wake_all_by_storage(VOLUME_CHANGED)
        for pod in self._context.volumes.users(ref.get("namespace"), ref.get("name") or "") if ref else ():
            self._wake_by_storage(pod, CLAIM_CHANGED)

    def _on_class(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self._wake_all_by_storage(CLASS_MADE)

    def _wake_users_of_claims(self, gone: Pod) -> None:
        """What one pod alone may use is free again."""
        for _volume, name in list_claims(gone):
            for pod in self._context.volumes.users(gone.meta.namespace, name):
                self._wake_by_storage(pod, CLAIM_CHANGED)

    def _wake_all_by_storage(self, hint: str) -> None:
        for pod in [self._store.pods[uid] for uid in self._queue.waiting]:
            self._wake_by_storage(pod, hint)

    def _wake_by_storage(self, pod: Pod, hint: str) -> None:
        """Try one waiting pod again, if what was said of it lets that help."""
        said = find_condition(pod.status.conditions, "PodScheduled")
        if pod.meta.uid in self._queue.waiting and (said is None or is_helped_by_storage(hint, said.message)):
            self._enqueue(pod)

    def _stop_waiting_for_volumes(self, pod: Pod, is_look: bool = False) -> str:
        """The node that a pod had."""
        self._occupy(pod, -1)
        return self._waits.end(pod.meta.uid, is_look)

    def _on_look(self, timer: Timer) -> None:
        pod = self._store.pods.get(timer.target)
        if pod is None or timer.target not in self._waits.by_uid:
            return
        node_name = self._stop_waiting_for_volumes(pod, is_look=True)
        if not pod.node_name and pod.meta.deletion_ms is None:
            self._trier.go_on(pod, node_name)
