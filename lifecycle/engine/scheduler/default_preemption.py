"""The search for a node on which a pod could be if less important ones went: the plugin DefaultPreemption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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
from .node_resources_fit import Load
from .pod_class import PodClass, Shifts

PodsOf = Callable[[str], Sequence[Pod]]
LoadOf = Callable[[Pod], Load]


@dataclass(slots=True)
class Search:
    """What a search is made with. `pods_of`: who is on a node. `promised`: who is to come to it, and at least
    as important. `first`: the place of the node with which it begins, of those where it may help.
    """

    priority: int
    pod_class: PodClass
    pods_of: PodsOf
    load_of: LoadOf
    budgets: Sequence[Budget]
    promised: Mapping[str, Sequence[Pod]]
    now_ms: int
    first: int = 0

    def find(self, names: Sequence[str]) -> tuple[Candidate | None, Counter[str]]:
        """The best node of these and who has to go from it; else why each does not help, in words."""
        wanted, whole, broken = count_candidates(len(names)), list[Candidate](), list[Candidate]()
        reasons = Counter[str]()
        for step in range(len(names)):
            found = self._try(names[(self.first + step) % len(names)])
            if isinstance(found, Candidate):
                (broken if found.violations else whole).append(found)
                if whole and len(whole) + len(broken) >= wanted:
                    break
            else:
                reasons.update(found)
        candidates = [*whole, *broken]
        return (pick_candidate(candidates, self.now_ms) if candidates else None), reasons

    def _try(self, name: str) -> Candidate | Sequence[str]:
        """Who has to go from one node: all less important ones, less those who fit in beside the pod."""
        lower = [pod for pod in self.pods_of(name) if pod.spec.priority < self.priority]
        if not lower:
            return (NO_VICTIMS,)
        gone = {pod.meta.uid: pod for pod in lower}
        refusal = self._refuse(name, gone)
        if refusal is not None:
            return refusal.reasons
        violating, others = split_by_budgets(sort_by_importance(lower, self.now_ms), self.budgets)
        violations = sum([not self._spare(name, gone, pod) for pod in violating])
        for pod in others:
            self._spare(name, gone, pod)
        victims = sort_by_importance(gone.values(), self.now_ms)
        return Candidate(name, tuple(victims), violations) if victims else ()

    def _spare(self, name: str, gone: dict[str, Pod], pod: Pod) -> bool:
        """Let a pod stay after all, if there is room for it too."""
        del gone[pod.meta.uid]
        if self._refuse(name, gone) is None:
            return True
        gone[pod.meta.uid] = pod
        return False

    def _refuse(self, name: str, gone: Mapping[str, Pod]) -> Refusal | None:
        leaving = tuple((pod, self.load_of(pod)) for pod in gone.values())
        return refuse_with_promised(self.pod_class, name, leaving, self.promised.get(name, ()), self.load_of)


def refuse_with_promised(
    pod_class: PodClass, name: str, gone: Shifts, promised: Sequence[Pod], load_of: LoadOf
) -> Refusal | None:
    """What is held against a node, with those that are to come to it and also without them."""
    if promised:
        come = tuple((pod, load_of(pod)) for pod in promised)
        refusal = pod_class.refuse_after(name, gone, come)
        if refusal is not None:
            return refusal
    return pod_class.refuse_after(name, gone)
