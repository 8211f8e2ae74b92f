"""How full nodes are: one value for all that have as much and give as much, and what follows, found once.

Models what the scheduler knows of a node's resources: allocatable less what its pods ask for, and the scores
by resources of the plugins NodeResourcesFit (LeastAllocated) and NodeResourcesBalancedAllocation. Most nodes
of a cluster are as full as some other is or was, and most pods ask for as much as the one before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..objects.pods.pod import HostPort
from ..rules.placement.refusals import TOO_MANY_PODS, Refusal, make_shortage

_USUAL_PODS = 110
_MOST_KEPT = 8_000
"""So many answers about the nodes of one shape are kept; then all are forgotten, and found anew."""


class Load(NamedTuple):
    """What one pod takes of a node. `assumed`: CPU and memory that it counts for where it asks for none."""

    requests: Mapping[str, int]
    assumed: tuple[int, int]
    ports: tuple[HostPort, ...]


class Verdict(NamedTuple):
    """What a node's resources say to one more pod: why not, or how empty and how evenly used it would be."""

    load: Load
    refusal: Refusal | None
    empty: int
    even: int


class Fill:
    """How full a node is. Never written to: what comes or goes leads to another.

    `free` is what nobody asked for, by resource; below 0 where a node has become less than its pods ask for.
    """

    __slots__ = ("_next", "_verdicts", "assumed", "count", "free", "shape")

    def __init__(self, shape: Shape, free: Mapping[str, int], assumed: tuple[int, int], count: int) -> None:
        self.shape, self.free, self.assumed, self.count = shape, free, assumed, count
        # Both by the identity of a load, which they hold; of those that go, by that times -1.
        self._next: dict[int, tuple[Load, Fill]] = {}
        self._verdicts: dict[int, Verdict] = {}

    def after(self, load: Load, sign: int) -> Fill:
        """With one pod more (+1) or fewer (-1)."""
        known = self._next.get(sign * id(load))
        return known[1] if known is not None and known[0] is load else self._find_after(load, sign)

    def _find_after(self, load: Load, sign: int) -> Fill:
        free = dict(self.free)
        for resource, amount in load.requests.items():
            free[resource] = free.get(resource, 0) - sign * amount
        cpu, memory = self.assumed
        assumed = (cpu + sign * load.assumed[0], memory + sign * load.assumed[1])
        found = self.shape.find(free, assumed, self.count + sign)
        self.shape.note_answer()
        self._next[sign * id(load)] = (load, found)
        return found

    def judge(self, load: Load) -> Verdict:
        """Whether one more pod fits, and what the node scores then."""
        known = self._verdicts.get(id(load))
        return known if known is not None and known.load is load else self._find_verdict(load)

    def _find_verdict(self, load: Load) -> Verdict:
        refusal = self.find_shortage(load, {}, 0)
        found = Verdict(load, refusal, *(self.score(load) if refusal is None else (0, 0)))
        self.shape.note_answer()
        self._verdicts[id(load)] = found
        return found

    def forget(self) -> None:
        """Let go of all answers."""
        self._next, self._verdicts = {}, {}

    def find_shortage(self, load: Load, freed: Mapping[str, int], fewer: int) -> Refusal | None:
        """What there would be too little of for one more pod, if so much were free besides, of fewer pods."""
        has, free = self.shape.has, self.free
        reasons = [TOO_MANY_PODS] if self.count - fewer >= self.shape.pods else []
        is_final = False
        for resource, amount in load.requests.items():
            if amount and amount > free.get(resource, 0) + freed.get(resource, 0):
                reasons.append(f"Insufficient {resource}")
                is_final |= amount > has.get(resource, 0)
        return make_shortage(reasons, is_final) if reasons else None

    def score(self, load: Load) -> tuple[int, int]:
        """How empty the node would be with the pod (0 to 100), and how evenly CPU and memory would be used.

        Evenness counts for nobody who asks for neither: such pods would all go to one node.
        """
        cpu, memory = self.shape.has.get("cpu", 0), self.shape.has.get("memory", 0)
        parts = empty = 0
        for size, used, more in zip((cpu, memory), self.assumed, load.assumed, strict=True):
            if size:
                parts += 1
                left = size - used - more
                empty += left * 100 // size if left > 0 else 0
        if parts == 2:
            empty //= 2
        wanted_cpu, wanted_memory = load.requests.get("cpu", 0), load.requests.get("memory", 0)
        if not wanted_cpu and not wanted_memory:
            return empty, 0
        if parts < 2:
            return empty, 100
        of_cpu = (cpu - self.free.get("cpu", 0) + wanted_cpu) / cpu
        of_memory = (memory - self.free.get("memory", 0) + wanted_memory) / memory
        gap = (of_cpu if of_cpu < 1 else 1.0) - (of_memory if of_memory < 1 else 1.0)
        return empty, int((1 - abs(gap) / 2) * 100)


class Shape:
    """Nodes that have as much of everything: `has` is what is allocatable on each."""

    def __init__(self, has: Mapping[str, int]) -> None:
        self.has = has
        self.pods = has.get("pods", _USUAL_PODS)
        self._fills: dict[tuple[object, ...], Fill] = {}
        self._kept = 0

    def find(self, free: Mapping[str, int], assumed: tuple[int, int], count: int) -> Fill:
        """The one value for nodes of this shape that are so full."""
        key = (*free.items(), assumed, count)
        found = self._fills.get(key)
        if found is None:
            found = self._fills[key] = Fill(self, free, assumed, count)
        return found

    def could_ever_hold(self, load: Load) -> bool:
        """Whether a pod would fit on such a node if nobody else were there."""
        has = self.has
        return self.pods > 0 and all(amount <= has.get(one, 0) for one, amount in load.requests.items())

    def note_answer(self) -> None:
        """One more answer is kept about these nodes."""
        self._kept += 1
        if self._kept > _MOST_KEPT:
            for fill in self._fills.values():
                fill.forget()
            self._fills, self._kept = {}, 0


class Shapes:
    """All shapes of a cluster's nodes."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[str, int], ...], Shape] = {}

    def find(self, has: Mapping[str, int]) -> Shape:
        """The shape of nodes that have so much."""
        key = tuple(has.items())
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Shape(has)
        return found
