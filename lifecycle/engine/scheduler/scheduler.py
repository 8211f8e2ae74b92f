"""One scheduler: takes unbound pods in order, binds each to the best node that has room.

Models filtering by requests, ports, selectors, affinity and taints, and spreading of siblings. A pod that
fits nowhere waits until a node changes. Gated pods are not tried (SGATE-03), nor those of another scheduler.
Where claims are bound with their pod, its volumes are chosen with its node, and it is bound after them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..api.context import Context
from ..heart.agenda import Timer
from ..objects.condition import Condition, find_condition, with_condition
from ..objects.meta import StoredObject
from ..objects.node import Node
from ..objects.pod import FAILED, SUCCEEDED, Pod, PodSpec
from ..objects.storage import AVAILABLE, CLAIM, STORAGE_CLASS, VOLUME
from ..rules.claims import claim_ref, is_bound, list_claims, phase_of, spec_of
from ..rules.host_ports import list_host_ports
from ..rules.node_filters import names_wanted
from ..rules.pod_resources import allotted_requests, effective_requests
from ..store.store import ALL
from ..store.transitions import binding_changes
from .claims import PodVolumes, are_all_bound, see_volumes
from .diagnosis import explain
from .hints import CLAIM_CHANGED, CLASS_MADE, NODE, PORTS, ROOM, VOLUME_CHANGED, decide_hint, is_helped
from .nodes import NodeRoom, PodClass, pick_rooms
from .volume_waits import LOOK, TOO_LATE, VolumeWaits

NAME, SOURCE, TIMER = "scheduler", "default-scheduler", "schedule"
_LONGEST_LOG = 50_000


class Scheduler:
    """Listens to pods and nodes; writes bindings."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._rooms: dict[str, NodeRoom] = {}
        self._classes: dict[tuple[int, str], PodClass] = {}
        self._log: list[str] = []
        self._waiting: dict[str, None] = {}
        # What was last said of a spec that no node takes, by its id.
        self._explained: dict[int, tuple[PodSpec, str]] = {}
        self._numbers = 0
        # When the last pod of the queue is tried; None: the agenda knows.
        self._last_ms: int | None = None
        self._volume_waits = VolumeWaits(context)
        context.loop.register(NAME, self._retry_all)
        context.loop.on_timer(TIMER, self._on_timer)
        context.loop.on_timer(LOOK, self._on_look)
        context.store.listen_to_shape("Pod", self._on_pod, is_told_of_readiness=False)
        context.store.listen("Node", self._on_node)
        context.store.listen(CLAIM, self._on_claim)
        context.store.listen(VOLUME, self._on_volume)
        context.store.listen(STORAGE_CLASS, lambda old, new: self._wake_waiting(CLASS_MADE if new else ""))

    def save(self) -> list[Any]:
        """uids of the pods that wait for room, in the order they gave up; then who waits for volumes."""
        return [*self._waiting, *self._volume_waits.save()]

    def restore(self, saved: Sequence[Any]) -> None:
        """Build what is derived again, after a cluster was loaded."""
        for node in self._store.list("Node"):
            self._on_node(None, node)
        for pod in self._store.list("Pod"):
            if isinstance(pod, Pod) and pod.node_name and not pod.is_finished:
                self._occupy(pod, 1)
        self._waiting = dict.fromkeys(one for one in saved if isinstance(one, str))
        self._volume_waits.load(one for one in saved if not isinstance(one, str))
        for pod in self._volume_waits.pods():
            self._occupy(pod, 1)

    def take_up(self, waiting: list[str]) -> None:
        """After an upgrade: a pod that is on no node, waits for none and will not be tried is tried soon."""
        pods = self._store.pods
        self.restore([uid for uid in waiting if uid in pods])
        timers = self._context.agenda.timers()
        tried = {timer.target for timer in timers if timer.kind == TIMER} | set(self._waiting)
        for uid, pod in pods.items():
            is_done = pod.node_name or pod.is_finished or pod.meta.deletion_ms is not None
            if not (is_done or pod.spec.scheduling_gates or uid in tried):
                self._waiting[uid] = None
                self._wake_waiting(NODE)

    # --- what happens -------------------------------------------------------------------------------------

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if old is None and new is not None and not new.node_name:
            self._on_unbound(old, new)
            return
        before = old is not None and _takes_room(old)
        after = new is not None and _takes_room(new)
        if old is not None and new is not None and before and after:
            if old.spec is new.spec:
                return
            # Resized in place: what it asks for counts from now on.
            self._occupy(old, -1)
            self._occupy(new, 1)
            self._wake_waiting(ROOM)
        elif old is not None and before:
            self._occupy(old, -1)
            self._wake_waiting(f"{ROOM} {PORTS}" if list_host_ports(old.spec) else ROOM)
            self._wake_users_of_claims(old)
        elif new is not None and after:
            self._occupy(new, 1)
        if new is None:
            if old is not None:
                self._waiting.pop(old.meta.uid, None)
                self._stop_waiting_for_volumes(old)
        elif not new.node_name and new.meta.deletion_ms is None:
            self._on_unbound(old, new)

    def _on_unbound(self, old: Pod | None, new: Pod) -> None:
        if (old is not None and old.spec is new.spec) or new.spec.scheduling_gates:
            return
        if new.spec.scheduler_name != SOURCE:
            # Another scheduler is to find it a node (DS-SCHED-05); there is none, so it stays Pending.
            return
        self._queue(new.meta.uid)

    def _queue(self, uid: str) -> None:
        """Pods are tried in the order in which they came: none before those that wait already."""
        context = self._context
        if self._last_ms is None:
            waiting = (timer.due_ms for timer in context.agenda.timers() if timer.kind == TIMER)
            self._last_ms = max(waiting, default=0)
        now_ms = context.clock.now_ms
        self._last_ms = max(now_ms + context.draw_ms("schedule", uid), self._last_ms)
        context.later(self._last_ms - now_ms, TIMER, uid)

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not isinstance(new, Node):
            if old is not None:
                self._rooms.pop(old.meta.name, None)
                self._changed(old.meta.name)
            return
        room = self._rooms.get(new.meta.name)
        if room is None:
            self._numbers += 1
            self._rooms[new.meta.name] = NodeRoom(new, self._numbers)
        else:
            room.take(new)
            if isinstance(old, Node) and _is_same_room(old, new):
                return
            room.version += 1
        self._changed(new.meta.name)
        self._wake_waiting(decide_hint(old, new) if isinstance(old, Node) else NODE)

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None or (old is not None and _is_as_ready(old, new)):
            return
        for pod in self._context.volumes.users(new.meta.namespace, new.meta.name):
            if pod.meta.uid in self._volume_waits:
                self._volume_waits.look_soon(pod.meta.uid)
            else:
                self._wake(pod, CLAIM_CHANGED)

    def _on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            return
        ref = claim_ref(new)
        if (not ref and phase_of(new) == AVAILABLE) or (old is not None and _has_moved(old, new)):
            self._wake_waiting(VOLUME_CHANGED)
        for pod in self._context.volumes.users(ref.get("namespace"), ref.get("name") or "") if ref else ():
            self._wake(pod, CLAIM_CHANGED)

    def _wake_users_of_claims(self, gone: Pod) -> None:
        """What one pod alone may use is free again."""
        for _volume, name in list_claims(gone):
            for pod in self._context.volumes.users(gone.meta.namespace, name):
                self._wake(pod, CLAIM_CHANGED)

    def _wake(self, pod: Pod, hint: str) -> None:
        """Try one waiting pod again, if what was said of it lets that help."""
        uid, said = pod.meta.uid, find_condition(pod.status.conditions, "PodScheduled")
        if uid in self._waiting and (said is None or is_helped(hint, said.message)):
            del self._waiting[uid]
            self._queue(uid)

    def _changed(self, name: str) -> None:
        self._log.append(name)
        self._explained.clear()
        if len(self._log) > _LONGEST_LOG:
            self._log.clear()
            self._classes.clear()

    def _occupy(self, pod: Pod, sign: int) -> None:
        node_name = pod.node_name or self._volume_waits.node_of(pod.meta.uid)
        room = self._rooms.get(node_name)
        if room is not None:
            owner = pod.meta.controller
            requests, ports = _counted_requests(pod, room.node), list_host_ports(pod.spec)
            room.change(requests, ports, owner.uid if owner is not None else "", sign)
            self._changed(node_name)

    def _wake_waiting(self, hint: str) -> None:
        if self._waiting and hint:
            due_ms = self._context.clock.now_ms + self._context.timing.spread("schedule")[1]
            self._context.loop.enqueue_at(NAME, "", hint, due_ms)

    def _retry_all(self, _namespace: str, hint: str) -> None:
        waiting, self._waiting = self._waiting, {}
        for uid in waiting:
            pod = self._store.pods.get(uid)
            if pod is None or pod.node_name or pod.meta.deletion_ms is not None:
                continue
            said = find_condition(pod.status.conditions, "PodScheduled")
            # Whom no try was told of yet, or no node at all, anything may help.
            if said is None or "nodes are available" not in said.message or is_helped(hint, said.message):
                self._schedule(pod)
            else:
                self._waiting[uid] = None

    def _on_timer(self, timer: Timer) -> None:
        pod = self._store.pods.get(timer.target)
        if pod is None or pod.node_name or pod.meta.deletion_ms is not None:
            return
        if not pod.spec.scheduling_gates:
            self._schedule(pod)

    # --- one pod ------------------------------------------------------------------------------------------

    def _schedule(self, pod: Pod) -> None:
        wanted = self._see_volumes(pod)
        if wanted is not None and wanted.problem:
            self._give_up(pod, wanted)
            return
        is_alike = wanted is None or wanted.is_alike_everywhere
        room = self._find_room(pod, None if wanted is None or is_alike else wanted.suits)
        if room is None:
            self._give_up(pod, wanted)
        elif wanted is not None and wanted.delayed:
            self._wait_for_volumes(pod, room.node, wanted)
        else:
            self._bind(pod, room.node.meta.name)

    def _find_room(self, pod: Pod, suits: Callable[[Node], bool] | None) -> NodeRoom | None:
        """The best node for a pod. One that names its nodes, as a DaemonSet's does, looks at no others.

        `suits`: what a pod's volumes ask of a node; its class cannot remember that.
        """
        owner, spec = pod.meta.controller, _filtered_spec(pod.spec)
        key = (id(spec), owner.uid if owner is not None else pod.meta.uid)
        names = names_wanted(spec) if spec.affinity else None
        if names is not None:
            rooms = pick_rooms(self._rooms, names)
            named_class = PodClass(spec, key[1], effective_requests(spec))
            named_class.follow(rooms, [])
            return named_class.best(rooms, suits)
        pod_class = self._classes.get(key) if suits is None else None
        if pod_class is None or pod_class.spec is not spec:
            pod_class = PodClass(spec, key[1], effective_requests(spec))
            # A pod with nodes of its own has no siblings to share their order with.
            if owner is not None and spec.base is None and suits is None:
                self._classes[key] = pod_class
        pod_class.follow(self._rooms, self._log)
        return pod_class.best(self._rooms, suits)

    def _see_volumes(self, pod: Pod) -> PodVolumes | None:
        return see_volumes(self._context.volumes, pod, self._is_placed) if pod.spec.volumes else None

    def _is_placed(self, pod: Pod) -> bool:
        return _takes_room(pod) or pod.meta.uid in self._volume_waits

    def _wait_for_volumes(self, pod: Pod, node: Node, wanted: PodVolumes) -> None:
        """The pod has its place from now on; it is bound when its claims are."""
        choices = wanted.choose(node)
        assert choices is not None, "the node suits the pod"
        self._volume_waits.begin(pod, node.meta.name, choices)
        self._occupy(pod, 1)

    def _stop_waiting_for_volumes(self, pod: Pod, is_look: bool = False) -> str:
        """The node that a pod had, "" when it did not wait for volumes."""
        if pod.meta.uid not in self._volume_waits:
            return ""
        if not pod.node_name:
            self._occupy(pod, -1)
        return self._volume_waits.end(pod.meta.uid, is_look)

    def _on_look(self, timer: Timer) -> None:
        pod = self._store.pods.get(timer.target)
        if pod is None or timer.target not in self._volume_waits:
            return
        node_name = self._stop_waiting_for_volumes(pod, is_look=True)
        if pod.node_name or pod.meta.deletion_ms is not None:
            return
        if not are_all_bound(self._context.volumes, pod):
            self._fail(pod, "SchedulerError", TOO_LATE)
        elif self._may_still_go(pod, node_name):
            self._bind(pod, node_name)
        else:
            self._schedule(pod)

    def _may_still_go(self, pod: Pod, node_name: str) -> bool:
        """Whether a node is still there, and its volumes are those that were chosen, or as good."""
        room, wanted = self._rooms.get(node_name), self._see_volumes(pod)
        return room is not None and (wanted is None or (not wanted.problem and wanted.suits(room.node)))

    def _bind(self, pod: Pod, node_name: str) -> None:
        now_ms = self._context.clock.now_ms
        bound = Condition("PodScheduled", "True", "", "", now_ms, None, None, pod.meta.generation)
        status = pod.status
        conditions = with_condition(status.conditions, bound) if status.conditions else (bound,)
        new = pod.with_status(status.with_conditions(conditions, ""), node_name)
        if pod.spec.is_plain and not status.conditions:
            changes, shown = binding_changes(pod, new)
            self._store.update_as_known(pod, new, changes, shown, ALL)
        else:
            self._store.update(pod, new)
        namespace, name = pod.meta.namespace, pod.meta.name
        self._context.trace.plain_event(
            new.meta.subject or new.subject,
            "Normal",
            "Scheduled",
            f"Successfully assigned {namespace}/{name} to {node_name}",
            SOURCE,
        )

    def _give_up(self, pod: Pod, wanted: PodVolumes | None) -> None:
        self._fail(pod, "Unschedulable", self._explain(pod, wanted))

    def _fail(self, pod: Pod, reason: str, message: str) -> None:
        """Every try that fails is told, as of the version of the pod that was tried."""
        self._waiting[pod.meta.uid] = None
        version = pod.resource_version
        self._set_unscheduled(pod, reason, message)
        self._context.trace.event_of_version(
            pod.subject, "Warning", "FailedScheduling", message, SOURCE, version
        )

    def _explain(self, pod: Pod, wanted: PodVolumes | None) -> str:
        """Why no node takes a pod; worked out once for all of a template, until a node or a pod changes."""
        if wanted is not None:
            return explain(pod.spec, self._rooms, wanted)
        known = self._explained.get(id(pod.spec))
        if known is None or known[0] is not pod.spec:
            known = self._explained[id(pod.spec)] = (pod.spec, explain(pod.spec, self._rooms, None))
        return known[1]

    def _set_unscheduled(self, pod: Pod, reason: str, message: str) -> None:
        before = find_condition(pod.status.conditions, "PodScheduled")
        if before is not None and (before.reason, before.message) == (reason, message):
            return
        moved_ms = before.last_transition_ms if before is not None else self._context.clock.now_ms
        condition = Condition(
            "PodScheduled", "False", reason, message, moved_ms, None, None, pod.meta.generation
        )
        status = pod.status.replace(conditions=with_condition(pod.status.conditions, condition))
        self._store.update(pod, pod.with_status(status))


def _takes_room(pod: Pod) -> bool:
    return pod.node_name != "" and pod.status.phase not in (SUCCEEDED, FAILED)


def _has_moved(old: StoredObject, new: StoredObject) -> bool:
    """Whether a volume can be reached from other nodes now."""
    return bool(spec_of(old).get("nodeAffinity") != spec_of(new).get("nodeAffinity"))


def _is_as_ready(old: StoredObject, new: StoredObject) -> bool:
    """Whether a claim that changed is of no more use to a pod than before."""
    return (phase_of(old), is_bound(old)) == (phase_of(new), is_bound(new))


def _filtered_spec(spec: PodSpec) -> PodSpec:
    """What decides on the node: pods of a template that differ elsewhere are of one class."""
    return spec if spec.base is None or spec.affinity != spec.base.affinity else spec.base


def _counted_requests(pod: Pod, node: Node) -> Mapping[str, int]:
    """What a bound pod takes of its node: what it asks for, unless a resize asks for more than there is."""
    wanted, has = effective_requests(pod.spec), node.status.allocatable
    if pod.meta.generation > 1 and any(wanted.get(name, 0) > has.get(name, 0) for name in ("cpu", "memory")):
        return allotted_requests(pod)
    return wanted


def _is_same_room(old: Node, new: Node) -> bool:
    # Conditions come and go; labels, taints and what is allocatable decide who fits.
    if old.spec is not new.spec or old.meta is not new.meta:
        return False
    return old.status.allocatable == new.status.allocatable
