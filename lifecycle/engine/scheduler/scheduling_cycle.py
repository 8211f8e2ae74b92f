"""The scheduling cycle of one pod: PreFilter, Filter and Score, then binding, or preemption, or failure."""

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
from .default_preemption import DefaultPreemption
from .diagnosis import (
    CONFLICT,
    NO_NODES,
    explain,
    explain_not_eligible,
    explain_preemption,
    explain_problem,
    list_plugins,
)
from .finder import NodeFinder, Nominator
from .pod_class import PodClass
from .pre_filter import PreFilterState
from .scheduling_queue import PriorityQueue, count_backoff_ms
from .snapshot import Snapshot
from .volume_binding import PodVolumes, are_all_bound, see_volumes
from .volume_binding_waits import TOO_LATE, VolumeBindingWaits

RETRY = "schedule.retry"


class SchedulingCycle:
    """Schedules one pod at a time. `priorities`: the number of assigned pods by priority."""

    def __init__(
        self,
        context: Context,
        snapshot: Snapshot,
        finder: NodeFinder,
        nominator: Nominator,
        queue: PriorityQueue,
        waits: VolumeBindingWaits,
        count_pod: Callable[[Pod, int], None],
    ) -> None:
        self._context, self._snapshot, self._finder, self._nominator = context, snapshot, finder, nominator
        self._queue, self._waits, self._count_pod = queue, waits, count_pod
        self._writer = Writer(context)
        self.priorities: dict[int, int] = {}
        self.states: dict[str, PreFilterState] = {}
        """By uid, the PreFilter state of each unschedulable pod"""

    def count_priority(self, priority: int, sign: int) -> None:
        """A pod of a priority was assigned to a node (+1), or removed from it (-1)."""
        count = self.priorities[priority] = self.priorities.get(priority, 0) + sign
        if not count:
            del self.priorities[priority]

    def schedule_one(self, pod: Pod) -> None:
        """Bind a pod to the best node, or report why it is unschedulable."""
        if pod.meta.deletion_ms is not None:
            self._writer.skip(pod)
            return
        total = len(self._snapshot.by_name)
        if not total:
            self._fail_by_error(pod, UNSCHEDULABLE, NO_NODES)
            return
        volumes, spec = self.see_volumes(pod), deciding_spec(pod.spec)
        names = names_wanted(spec) if spec.affinity else None
        if names is not None and not names:
            self._handle_failure(pod, explain_problem(total, CONFLICT), frozenset({"NodeAffinity"}))
            return
        if volumes is not None and volumes.problem:
            self._handle_failure(pod, explain_problem(total, volumes.problem), frozenset({VOLUMES}))
            return
        self._place(pod, spec, names, volumes)

    def _place(
        self, pod: Pod, spec: PodSpec, names: Collection[str] | None, volumes: PodVolumes | None
    ) -> None:
        asked = None if volumes is None or volumes.is_alike_everywhere else volumes
        if names is not None and len(names) == 1:
            node_info = self._finder.find_named(pod, spec, next(iter(names)), asked)
            if node_info is not None:
                self._assign(pod, node_info.node.meta.name, volumes)
                return
        pod_class = self._finder.class_of(pod, spec, names, asked)
        node_info = self._finder.find(pod, pod_class)
        if node_info is None:
            self._post_filter(pod, pod_class)
        elif pod_class.state.unreadable and pod_class.count_fitting() > 1:
            self._fail_by_error(pod, ERROR, pod_class.state.unreadable)
        else:
            self._assign(pod, node_info.node.meta.name, volumes)

    def _assign(self, pod: Pod, node_name: str, volumes: PodVolumes | None) -> None:
        node = self._snapshot.by_name[node_name].node
        if volumes is None or not volumes.delayed:
            self._writer.bind(pod, node)
            return
        # The pod is assumed on the node from now on, and bound once its claims are (PreBind).
        choices = volumes.choose(node)
        assert choices is not None, "the node suits the pod"
        self._queue.forget(pod.meta.uid)
        self._waits.begin(pod, node_name, choices)
        self._count_pod(pod, 1)

    # --- volumes ------------------------------------------------------------------------------------------

    def see_volumes(self, pod: Pod) -> PodVolumes | None:
        """What the claims of a pod require; None if it has no claims."""
        return see_volumes(self._context.volumes, pod, self._is_placed) if pod.spec.volumes else None

    def _is_placed(self, pod: Pod) -> bool:
        return is_assigned(pod) or pod.meta.uid in self._waits.by_uid

    def continue_binding(self, pod: Pod, node_name: str) -> None:
        """The wait for volumes on a node is over: bind the pod, or schedule it again."""
        if not are_all_bound(self._context.volumes, pod):
            self._fail_by_error(pod, ERROR, TOO_LATE)
        elif self._may_still_go(pod, node_name):
            self._writer.bind(pod, self._snapshot.by_name[node_name].node)
        else:
            self.schedule_one(pod)

    def _may_still_go(self, pod: Pod, node_name: str) -> bool:
        """Whether the node still exists and the volumes of the pod can be used there."""
        node_info, wanted = self._snapshot.by_name.get(node_name), self.see_volumes(pod)
        return node_info is not None and (
            wanted is None or (not wanted.problem and wanted.suits(node_info.node))
        )

    # --- no node ------------------------------------------------------------------------------------------

    def _post_filter(self, pod: Pod, pod_class: PodClass) -> None:
        refusals, total = pod_class.list_refusals(), len(self._snapshot.by_name)
        plugins = list_plugins(refusals)
        self.states[pod.meta.uid] = pod_class.state
        if not may_preempt(pod) or self._has_terminating_victims(pod, pod_class):
            why = explain_not_eligible(not may_preempt(pod))
            self._handle_failure(pod, explain(total, refusals, f"{why}"), plugins)
            return
        asked = sum(count for refusal, count in refusals.items() if not refusal.is_final)
        candidate, reasons = self._find_candidate(pod, pod_class, asked)
        if candidate is None:
            why = explain_preemption(total, reasons, asked)
            self._handle_failure(pod, explain(total, refusals, why), plugins, "")
            return
        self._handle_failure(pod, explain(total, refusals), plugins, candidate.node_name)
        self._preempt(pod, candidate)

    def _has_terminating_victims(self, pod: Pod, pod_class: PodClass) -> bool:
        """Whether victims of this pod are still terminating on its nominated node."""
        node_info = self._snapshot.by_name.get(pod.status.nominated_node_name)
        if node_info is None:
            return False
        refusal = pod_class.refusal_of(node_info.node.meta.name)
        if refusal is not None and refusal.is_final:
            return False
        pods = (self._context.store.pods[uid] for uid in node_info.uids)
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
        by_name = self._snapshot.by_name
        search = DefaultPreemption(
            priority,
            pod_class,
            lambda name: [store.pods[uid] for uid in by_name[name].uids],
            self._finder.resources_of,
            budgets,
            self._nominator.list_above(pod),
            self._context.clock.now_ms,
            epoch_ms,
            int(self._context.chance.draw("preemption", pod.meta.uid) * len(names))
            if len(names) > 100
            else 0,
        )
        return search.find(names)

    def _preempt(self, pod: Pod, candidate: Candidate) -> None:
        """prepareCandidate: evict the victims; pods of lower priority lose this nominated node."""
        if all(victim.meta.deletion_ms is not None for victim in candidate.victims):
            return
        for other in self._nominator.list_below(pod, candidate.node_name):
            self._writer.nominate(other, "")
        self._writer.preempt(pod, candidate)

    def _handle_failure(
        self, pod: Pod, message: str, plugins: frozenset[str], nominated: str | None = None
    ) -> None:
        self._queue.wait(pod.meta.uid, plugins, self._context.clock.now_ms)
        self._writer.fail(pod, UNSCHEDULABLE, message, nominated)

    def _fail_by_error(self, pod: Pod, reason: str, message: str) -> None:
        """An error, which no event can help: retry after the backoff."""
        uid = pod.meta.uid
        failures = self._queue.failures[uid] = self._queue.failures.get(uid, 0) + 1
        self._context.later(count_backoff_ms(failures), RETRY, uid, is_progress=False)
        self._writer.fail(pod, reason, message, "")


def is_assigned(pod: Pod) -> bool:
    """Whether a pod is bound to a node and not finished."""
    return pod.node_name != "" and not pod.is_finished


def _may_help(pod_class: PodClass, name: str) -> bool:
    refusal = pod_class.refusal_of(name)
    return refusal is not None and not refusal.is_final
