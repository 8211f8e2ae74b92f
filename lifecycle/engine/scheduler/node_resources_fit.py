"""NodeResourcesFit and NodeResourcesBalancedAllocation: whether requests fit on a node, and the scores.

Models Filter, and Score with LeastAllocated and BalancedAllocation over CPU and memory. Nodes with equal
resources in use share one `NodeResources` value, and each of its answers is calculated once.
"""

from __future__ import annotations

from collections.abc import Mapping

from lifecycle.lean_tuples import NamedTuple

from ..objects.pods.pod import HostPort
from ..rules.placement.refusals import TOO_MANY_PODS, Refusal, make_shortage

_USUAL_PODS = 110
_MOST_KEPT = 8_000
"""The number of answers that are kept for nodes with equal allocatable resources; then all are dropped."""


class PodResources(NamedTuple):
    """What one pod takes of a node.

    `requests`: CPU in millicores, others in units or bytes. `non_zero_requests`: CPU and memory for Score,
    with the defaults (100m, 200 Mi) for containers without requests.
    """

    requests: Mapping[str, int]
    non_zero_requests: tuple[int, int]
    ports: tuple[HostPort, ...]


class FitResult(NamedTuple):
    """The answer of a node to one more pod: why it does not fit, or both scores from 0 to 100."""

    pod_resources: PodResources
    refusal: Refusal | None
    least_allocated: int
    balanced_allocation: int


class NodeResources:
    """The resources of a node that are in use. Immutable: adding or removing a pod gives another value.

    `free`: allocatable less the requests of the pods, by resource; it can be negative. `non_zero_requests`:
    the sums for Score. `count`: the number of pods.
    """

    __slots__ = ("_fits", "_next", "allocatable", "count", "free", "non_zero_requests")

    def __init__(
        self,
        allocatable: Allocatable,
        free: Mapping[str, int],
        non_zero_requests: tuple[int, int],
        count: int,
    ) -> None:
        self.allocatable, self.free, self.non_zero_requests, self.count = (
            allocatable,
            free,
            non_zero_requests,
            count,
        )
        # Both by the identity of a PodResources, which they hold; of removed pods, by that times -1.
        self._next: dict[int, tuple[PodResources, NodeResources]] = {}
        self._fits: dict[int, FitResult] = {}

    def after(self, pod_resources: PodResources, sign: int) -> NodeResources:
        """The value with one pod added (+1) or removed (-1)."""
        known = self._next.get(sign * id(pod_resources))
        return (
            known[1]
            if known is not None and known[0] is pod_resources
            else self._find_after(pod_resources, sign)
        )

    def _find_after(self, pod_resources: PodResources, sign: int) -> NodeResources:
        free = dict(self.free)
        for resource, amount in pod_resources.requests.items():
            free[resource] = free.get(resource, 0) - sign * amount
        cpu, memory = self.non_zero_requests
        non_zero_requests = (
            cpu + sign * pod_resources.non_zero_requests[0],
            memory + sign * pod_resources.non_zero_requests[1],
        )
        found = self.allocatable.find(free, non_zero_requests, self.count + sign)
        self.allocatable.note_answer()
        self._next[sign * id(pod_resources)] = (pod_resources, found)
        return found

    def find_fit(self, pod_resources: PodResources) -> FitResult:
        """Whether one more pod fits, and the scores."""
        known = self._fits.get(id(pod_resources))
        return (
            known
            if known is not None and known.pod_resources is pod_resources
            else self._find_fit(pod_resources)
        )

    def _find_fit(self, pod_resources: PodResources) -> FitResult:
        refusal = self.find_shortage(pod_resources, {}, 0)
        found = FitResult(pod_resources, refusal, *(self.score(pod_resources) if refusal is None else (0, 0)))
        self.allocatable.note_answer()
        self._fits[id(pod_resources)] = found
        return found

    def forget(self) -> None:
        """Drop all answers."""
        self._next, self._fits = {}, {}

    def find_shortage(
        self, pod_resources: PodResources, freed: Mapping[str, int], fewer: int
    ) -> Refusal | None:
        """fitsRequest: which resources are insufficient for one more pod; None if it fits.

        `freed`: amounts that are free in addition. `fewer`: the number of pods that are removed.
        """
        amounts, free = self.allocatable.amounts, self.free
        reasons = [TOO_MANY_PODS] if self.count - fewer >= self.allocatable.pods else []
        is_final = False
        for resource, amount in pod_resources.requests.items():
            if amount and amount > free.get(resource, 0) + freed.get(resource, 0):
                reasons.append(f"Insufficient {resource}")
                is_final |= amount > amounts.get(resource, 0)
        return make_shortage(reasons, is_final) if reasons else None

    def score(self, pod_resources: PodResources) -> tuple[int, int]:
        """The scores of LeastAllocated and BalancedAllocation with the pod on the node, each 0 to 100.

        BalancedAllocation does not score pods that request neither CPU nor memory.
        """
        cpu, memory = self.allocatable.amounts.get("cpu", 0), self.allocatable.amounts.get("memory", 0)
        parts = least_allocated = 0
        for size, used, more in zip(
            (cpu, memory), self.non_zero_requests, pod_resources.non_zero_requests, strict=True
        ):
            if size:
                parts += 1
                left = size - used - more
                least_allocated += left * 100 // size if left > 0 else 0
        if parts == 2:
            least_allocated //= 2
        wanted_cpu, wanted_memory = (
            pod_resources.requests.get("cpu", 0),
            pod_resources.requests.get("memory", 0),
        )
        if not wanted_cpu and not wanted_memory:
            return least_allocated, 0
        balance = self._find_balance(wanted_cpu, wanted_memory) if parts == 2 else 100
        if self.allocatable.scores_improvement:
            # Since v1.36: 75 where the pod changes nothing, up to 100 where it evens out what is used.
            without = self._find_balance(0, 0) if parts == 2 else 100
            balance = 50 + (50 + balance - without) // 2
        return least_allocated, balance

    def _find_balance(self, wanted_cpu: int, wanted_memory: int) -> int:
        """How even the use of CPU and memory is with so much more of them: 50 to 100."""
        cpu, memory = self.allocatable.amounts["cpu"], self.allocatable.amounts["memory"]
        of_cpu = (cpu - self.free.get("cpu", 0) + wanted_cpu) / cpu
        of_memory = (memory - self.free.get("memory", 0) + wanted_memory) / memory
        gap = (of_cpu if of_cpu < 1 else 1.0) - (of_memory if of_memory < 1 else 1.0)
        return int((1 - abs(gap) / 2) * 100)


class Allocatable:
    """Nodes with equal allocatable resources. `amounts`: by resource.

    `scores_improvement`: whether BalancedAllocation scores how much better balanced a node gets.
    """

    def __init__(self, amounts: Mapping[str, int], scores_improvement: bool = False) -> None:
        self.amounts = amounts
        self.scores_improvement = scores_improvement
        self.pods = amounts.get("pods", _USUAL_PODS)
        self._known: dict[tuple[object, ...], NodeResources] = {}
        self._kept = 0

    def find(self, free: Mapping[str, int], non_zero_requests: tuple[int, int], count: int) -> NodeResources:
        """The value that such nodes share if so much of them is in use."""
        key = (*free.items(), non_zero_requests, count)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = NodeResources(self, free, non_zero_requests, count)
        return found

    def could_ever_hold(self, pod_resources: PodResources) -> bool:
        """Whether a pod fits on such a node without other pods."""
        amounts = self.amounts
        return self.pods > 0 and all(
            amount <= amounts.get(one, 0) for one, amount in pod_resources.requests.items()
        )

    def note_answer(self) -> None:
        """Count an answer that is kept about these nodes."""
        self._kept += 1
        if self._kept > _MOST_KEPT:
            for resources in self._known.values():
                resources.forget()
            self._known, self._kept = {}, 0


class Allocatables:
    """All different allocatable resources of the nodes of a cluster."""

    def __init__(self, scores_improvement: bool = False) -> None:
        self._scores_improvement = scores_improvement
        self._known: dict[tuple[tuple[str, int], ...], Allocatable] = {}

    def find(self, amounts: Mapping[str, int]) -> Allocatable:
        """The one value for these amounts."""
        key = tuple(amounts.items())
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Allocatable(amounts, self._scores_improvement)
        return found
