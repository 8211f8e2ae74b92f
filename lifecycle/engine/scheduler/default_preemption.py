"""DefaultPreemption: finds a node that a pod fits on once pods of lower priority are evicted.

Models the dry run of PostFilter. The eviction itself is in `scheduling_cycle`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from lifecycle.lean_dataclasses import dataclass

from ..objects.pods.pod import Pod
from ..rules.placement.preemption import (
    NO_VICTIMS,
    Budget,
    Candidate,
    count_candidates,
    pick_candidate,
    sort_by_importance,
    split_by_budgets,
)
from ..rules.placement.refusals import Refusal
from .node_resources_fit import PodResources
from .pod_class import PodClass, Shifts

PodsOf = Callable[[str], Sequence[Pod]]
ResourcesOf = Callable[[Pod], PodResources]


@dataclass(slots=True)
class DefaultPreemption:
    """One dry run of preemption for one pod.

    `pods_of`: the pods on a node. `nominated`: by node, the pods nominated to it with at least this priority.
    `first`: the index of the node to begin with (GetOffsetAndNumCandidates).
    """

    priority: int
    pod_class: PodClass
    pods_of: PodsOf
    resources_of: ResourcesOf
    budgets: Sequence[Budget]
    nominated: Mapping[str, Sequence[Pod]]
    now_ms: int
    epoch_ms: int
    first: int = 0

    def find(self, names: Sequence[str]) -> tuple[Candidate | None, Counter[str]]:
        """The best of these nodes with its victims, or None; and the messages of nodes that do not help."""
        wanted, whole, broken = count_candidates(len(names)), list[Candidate](), list[Candidate]()
        reasons = Counter[str]()
        for step in range(len(names)):
            found = self._select_victims(names[(self.first + step) % len(names)])
            if isinstance(found, Candidate):
                (broken if found.violations else whole).append(found)
                if whole and len(whole) + len(broken) >= wanted:
                    break
            else:
                reasons.update(found)
        candidates = [*whole, *broken]
        return (pick_candidate(candidates, self.now_ms, self.epoch_ms) if candidates else None), reasons

    def _select_victims(self, name: str) -> Candidate | Sequence[str]:
        """SelectVictimsOnNode: all pods of lower priority, without those that still fit beside the pod."""
        lower = [pod for pod in self.pods_of(name) if pod.spec.priority < self.priority]
        if not lower:
            return (NO_VICTIMS,)
        removed = {pod.meta.uid: pod for pod in lower}
        refusal = self._refuse(name, removed)
        if refusal is not None:
            return refusal.reasons
        violating, others = split_by_budgets(
            sort_by_importance(lower, self.now_ms, self.epoch_ms), self.budgets
        )
        violations = sum([not self._reprieve(name, removed, pod) for pod in violating])
        for pod in others:
            self._reprieve(name, removed, pod)
        victims = sort_by_importance(removed.values(), self.now_ms, self.epoch_ms)
        return Candidate(name, tuple(victims), violations) if victims else ()

    def _reprieve(self, name: str, removed: dict[str, Pod], pod: Pod) -> bool:
        """reprievePod: take a pod off the victims if the node still passes Filter with it."""
        del removed[pod.meta.uid]
        if self._refuse(name, removed) is None:
            return True
        removed[pod.meta.uid] = pod
        return False

    def _refuse(self, name: str, removed: Mapping[str, Pod]) -> Refusal | None:
        leaving = tuple((pod, self.resources_of(pod)) for pod in removed.values())
        return filter_with_nominated_pods(
            self.pod_class, name, leaving, self.nominated.get(name, ()), self.resources_of
        )


def filter_with_nominated_pods(
    pod_class: PodClass, name: str, removed: Shifts, nominated: Sequence[Pod], resources_of: ResourcesOf
) -> Refusal | None:
    """RunFilterPluginsWithNominatedPods: Filter with the nominated pods added, then without them."""
    if nominated:
        added = tuple((pod, resources_of(pod)) for pod in nominated)
        refusal = pod_class.refuse_after(name, removed, added)
        if refusal is not None:
            return refusal
    return pod_class.refuse_after(name, removed)
