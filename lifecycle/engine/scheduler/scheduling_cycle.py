"""One try at one pod: a node for it, or volumes first, or somebody who makes room for it, or why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

from ..api.context import Context
from ..kinds.pod_disruption_budget import POD_DISRUPTION_BUDGET
from ..objects.pods.pod import Pod, PodSpec
from ..rules.placement.node_filters import names_wanted
from ..rules.placement.preemption import (
    NO_VICTIMS,
    Candidate,
    is_ending_by_preemption,
    may_preempt,
    read_budget,
)
from ..rules.placement.refusals import VOLUMES
from .binding import ERROR, UNSCHEDULABLE, Writer
from .classes import deciding_spec
from .default_preemption import Search
from .diagnosis import (
    CONFLICT,
    NO_NODES,
    explain,
    explain_patience,
    explain_preemption,
    explain_problem,
    list_plugins,
)
from .finder import Finder, Promises
from .pod_class import PodClass
from .pre_filter import Wishes
from .scheduling_queue import Queue, back_off
from .snapshot import Rooms
from .volume_binding import PodVolumes, are_all_bound, see_volumes
from .volume_binding_waits import TOO_LATE, VolumeWaits

RETRY = "schedule.retry"


class Trier:
    """Tries pods. `priorities`: how many pods that have a node have which priority."""

    def __init__(
        self,
        context: Context,
        rooms: Rooms,
        finder: Finder,
        promises: Promises,
        queue: Queue,
        waits: VolumeWaits,
        occupy: Callable[[Pod, int], None],
    ) -> None:
        self._context, self._rooms, self._finder, self._promises = context, rooms, finder, promises
        self._queue, self._waits, self._occupy = queue, waits, occupy
        self._writer = Writer(context)
        self.priorities: dict[int, int] = {}
        self.wishes: dict[str, Wishes] = {}
        """What the pods ask for that wait, by uid"""

    def count_priority(self, priority: int, sign: int) -> None:
        """A pod of a priority has got a node (+1), or leaves it (-1)."""
        count = self.priorities[priority] = self.priorities.get(priority, 0) + sign
        if not count:
            del self.priorities[priority]

    def try_pod(self, pod: Pod) -> None:
        """Find a pod a node, or say why there is none."""
        if pod.meta.deletion_ms is not None:
            self._writer.skip(pod)
            return
        total = len(self._rooms.by_name)
        if not total:
            self._fail_by_error(pod, UNSCHEDULABLE, NO_NODES)
            return
        volumes, spec = self.see_volumes(pod), deciding_spec(pod.spec)
        names = names_wanted(spec) if spec.affinity else None
        if names is not None and not names:
            self._fail(pod, explain_problem(total, CONFLICT), frozenset({"NodeAffinity"}))
            return
        if volumes is not None and volumes.problem:
            self._fail(pod, explain_problem(total, volumes.problem), frozenset({VOLUMES}))
            return
        self._place(pod, spec, names, volumes)

    def _place(
        self, pod: Pod, spec: PodSpec, names: Collection[str] | None, volumes: PodVolumes | None
    ) -> None:
        asked = None if volumes is None or volumes.is_alike_everywhere else volumes
        if names is not None and len(names) == 1:
            room = self._finder.find_named(pod, spec, next(iter(names)), asked)
            if room is not None:
                self._assign(pod, room.node.meta.name, volumes)
                return
        pod_class = self._finder.class_of(pod, spec, names, asked)
        room = self._finder.find(pod, pod_class)
        if room is None:
            self._give_up(pod, pod_class)
        elif pod_class.wishes.unreadable and pod_class.count_fitting() > 1:
            self._fail_by_error(pod, ERROR, pod_class.wishes.unreadable)
        else:
            self._assign(pod, room.node.meta.name, volumes)

    def _assign(self, pod: Pod, node_name: str, volumes: PodVolumes | None) -> None:
        node = self._rooms.by_name[node_name].node
        if volumes is None or not volumes.delayed:
            self._writer.bind(pod, node)
            return
        # The pod has its place from now on; it is bound when its claims are.
        choices = volumes.choose(node)
        assert choices is not None, "the node suits the pod"
        self._queue.forget(pod.meta.uid)
        self._waits.begin(pod, node_name, choices)
        self._occupy(pod, 1)

    # --- volumes ------------------------------------------------------------------------------------------

    def see_volumes(self, pod: Pod) -> PodVolumes | None:
        """What the claims of a pod ask for; None without any."""
        return see_volumes(self._context.volumes, pod, self._is_placed) if pod.spec.volumes else None

    def _is_placed(self, pod: Pod) -> bool:
        return takes_room(pod) or pod.meta.uid in self._waits.by_uid

    def go_on(self, pod: Pod, node_name: str) -> None:
        """A pod that waited for its volumes on a node: it is bound, or tried anew."""
        if not are_all_bound(self._context.volumes, pod):
            self._fail_by_error(pod, ERROR, TOO_LATE)
        elif self._may_still_go(pod, node_name):
            self._writer.bind(pod, self._rooms.by_name[node_name].node)
        else:
            self.try_pod(pod)

    def _may_still_go(self, pod: Pod, node_name: str) -> bool:
        """Whether a node is still there, and its volumes are those that were chosen, or as good."""
        room, wanted = self._rooms.by_name.get(node_name), self.see_volumes(pod)
        return room is not None and (wanted is None or (not wanted.problem and wanted.suits(room.node)))

    # --- no node ------------------------------------------------------------------------------------------

    def _give_up(self, pod: Pod, pod_class: PodClass) -> None:
        refusals, total = pod_class.list_refusals(), len(self._rooms.by_name)
        plugins = list_plugins(refusals)
        self.wishes[pod.meta.uid] = pod_class.wishes
        if not may_preempt(pod) or self._is_awaited(pod, pod_class):
            why = explain_patience(not may_preempt(pod))
            self._fail(pod, explain(total, refusals, f"{why}"), plugins)
            return
        asked = sum(count for refusal, count in refusals.items() if not refusal.is_final)
        candidate, reasons = self._find_candidate(pod, pod_class, asked)
        if candidate is None:
            why = explain_preemption(total, reasons, asked)
            self._fail(pod, explain(total, refusals, why), plugins, "")
            return
        self._fail(pod, explain(total, refusals), plugins, candidate.node_name)
        self._make_room(pod, candidate)

    def _is_awaited(self, pod: Pod, pod_class: PodClass) -> bool:
        """Whether somebody is ending for this pod on the node that it was promised."""
        room = self._rooms.by_name.get(pod.status.nominated_node_name)
        if room is None:
            return False
        refusal = pod_class.refusal_of(room.node.meta.name)
        if refusal is not None and refusal.is_final:
            return False
        pods = (self._context.store.pods[uid] for uid in room.uids)
        return any(one.spec.priority < pod.spec.priority and is_ending_by_preemption(one) for one in pods)

    def _find_candidate(
        self, pod: Pod, pod_class: PodClass, asked: int
    ) -> tuple[Candidate | None, Counter[str]]:
        priority, store = pod.spec.priority, self._context.store
        if not any(one < priority for one in self.priorities):
            return None, Counter({NO_VICTIMS: asked})
        names = [name for name in pod_class.names() if _may_help(pod_class, name)]
        epoch_ms = self._context.clock.epoch_ms
        budgets = [read_budget(one.to_json(epoch_ms)) for one in store.list(POD_DISRUPTION_BUDGET.kind.id)]
        by_name = self._rooms.by_name
        search = Search(
            priority,
            pod_class,
            lambda name: [store.pods[uid] for uid in by_name[name].uids],
            self._finder.load_of,
            budgets,
            self._promises.list_above(pod),
            self._context.clock.now_ms,
            int(self._context.chance.draw("preemption", pod.meta.uid) * len(names))
            if len(names) > 100
            else 0,
        )
        return search.find(names)

    def _make_room(self, pod: Pod, candidate: Candidate) -> None:
        """Those who were promised the node and are less important look for another, and the victims end."""
        if all(victim.meta.deletion_ms is not None for victim in candidate.victims):
            return
        for other in self._promises.list_below(pod, candidate.node_name):
            self._writer.nominate(other, "")
        self._writer.push_out(pod, candidate)

    def _fail(self, pod: Pod, message: str, plugins: frozenset[str], nominated: str | None = None) -> None:
        self._queue.wait(pod.meta.uid, plugins, self._context.clock.now_ms)
        self._writer.fail(pod, UNSCHEDULABLE, message, nominated)

    def _fail_by_error(self, pod: Pod, reason: str, message: str) -> None:
        """It is no question of what others do: tried again after a while."""
        uid = pod.meta.uid
        failures = self._queue.failures[uid] = self._queue.failures.get(uid, 0) + 1
        self._context.later(back_off(failures), RETRY, uid, is_progress=False)
        self._writer.fail(pod, reason, message, "")


def takes_room(pod: Pod) -> bool:
    """Whether a pod has a node and uses something of it."""
    return pod.node_name != "" and not pod.is_finished


def _may_help(pod_class: PodClass, name: str) -> bool:
    refusal = pod_class.refusal_of(name)
    return refusal is not None and not refusal.is_final
