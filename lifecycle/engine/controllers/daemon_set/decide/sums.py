"""How all nodes together stand with a DaemonSet, kept node by node, so that no look walks over them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heappop, heappush

from .node_state import BOTH_READY, OLD_LOST, OLD_READY, NodeState

Rank = tuple[int, str]
"""When the node joined, by number, and its name."""


class Ranked:
    """Nodes in the order in which they joined; the first few are found without sorting all."""

    __slots__ = ("_heap", "_ranks")

    def __init__(self) -> None:
        self._ranks: dict[str, Rank] = {}
        self._heap: list[Rank] = []

    def __len__(self) -> int:
        return len(self._ranks)

    def add(self, name: str, rank: Rank) -> None:
        """One more node."""
        self._ranks[name] = rank
        if len(self._heap) > 2 * len(self._ranks) + 16:
            # Most entries are of nodes that are no more among them.
            self._heap = sorted(self._ranks.values())
        else:
            heappush(self._heap, rank)

    def discard(self, name: str) -> None:
        """A node that may be among them is no more; its entry goes when it comes to the front."""
        self._ranks.pop(name, None)

    def first(self, count: int) -> list[str]:
        """The names of the first so many."""
        found: list[Rank] = []
        while self._heap and len(found) < count:
            rank = heappop(self._heap)
            if self._ranks.get(rank[1]) == rank and rank not in found[-1:]:
                found.append(rank)
        for rank in found:
            heappush(self._heap, rank)
        return [name for _number, name in found]

    def all(self) -> list[str]:
        """All their names."""
        return self.first(len(self))


class Sums:
    """The counts of the status, the nodes that ask for something, and those that an update may turn to."""

    def __init__(self) -> None:
        self.node_states: dict[str, NodeState] = {}
        self._ranks: dict[str, Rank] = {}
        self.roles: Counter[str] = Counter()
        self.served = 0
        """Nodes whose old pod is available, or the new one where there is no old one."""
        self.missing, self.troubled = Ranked(), Ranked()
        """Nodes that need a pod; nodes with pods that are to go whatever the template."""
        self._counts = [0] * 6
        self._candidates: dict[tuple[str, str], Ranked] = {}
        self._ripe: list[tuple[int, str]] = []
        self._wake: list[tuple[int, str]] = []

    def put(self, name: str, rank: Rank, new: NodeState | None) -> None:
        """A node stands otherwise than before; None: the set has no business there any more."""
        old = self.node_states.get(name)
        if old == new and self._ranks.get(name) == rank:
            return
        if old is not None:
            del self.node_states[name]
            self._add(old, -1)
            for ranked in self._find_lists(old):
                ranked.discard(name)
        if new is None:
            return
        self.node_states[name], self._ranks[name] = new, rank
        self._add(new, 1)
        for ranked in self._find_lists(new):
            ranked.add(name, rank)
        for heap, due_ms in ((self._ripe, new.ripe_ms), (self._wake, new.wake_ms)):
            if due_ms is not None:
                heappush(heap, (due_ms, name))

    def _add(self, node_state: NodeState, sign: int) -> None:
        self.roles[node_state.role] += sign
        self.served += sign * node_state.is_served
        counts = self._counts
        for index, is_one in enumerate(node_state.counts):
            counts[index] += sign * is_one

    def _find_lists(self, node_state: NodeState) -> list[Ranked]:
        found = [self.missing] if node_state.needs_pod else []
        if node_state.failed or node_state.succeeded or node_state.surplus:
            found.append(self.troubled)
        if node_state.role in (OLD_READY, OLD_LOST, BOTH_READY):
            found.append(self.candidates(node_state.role, node_state.place))
        return found

    @property
    def counts(self) -> Sequence[int]:
        """Nodes: desired, current, misscheduled, ready, available, updated."""
        return self._counts

    @property
    def desired(self) -> int:
        """Nodes that are to run a pod."""
        return self._counts[0]

    def candidates(self, role: str, place: str) -> Ranked:
        """The nodes of a role with an old pod, in a place."""
        return self._candidates.setdefault((role, place), Ranked())

    # --- time ---------------------------------------------------------------------------------------------

    def take_ripe(self, now_ms: int) -> list[str]:
        """Nodes at which time has changed something."""
        found = []
        while self._ripe and self._ripe[0][0] <= now_ms:
            due_ms, name = heappop(self._ripe)
            node_state = self.node_states.get(name)
            if node_state is not None and node_state.ripe_ms == due_ms:
                found.append(name)
        return found

    @property
    def wake_ms(self) -> int | None:
        """When to look at the set at the latest."""
        while self._wake:
            due_ms, name = self._wake[0]
            node_state = self.node_states.get(name)
            if node_state is not None and node_state.wake_ms == due_ms:
                return due_ms
            heappop(self._wake)
        return None
