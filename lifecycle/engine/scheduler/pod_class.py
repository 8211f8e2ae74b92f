"""The nodes in the order in which pods of one template want them: filters and scores of the default profile.

Nodes that are alike to such a pod in all but their load stand in one line, the best first. What is left to be
looked at for each pod is one head a line, and the nodes that changed since the pod before: its cost does not
grow with the nodes. Scores are those of Kubernetes with their weights, over all nodes that fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from heapq import heappop, heappush, heapreplace

from ..objects.node import Node
from ..objects.pods.pod import Pod
from ..rules.placement.node_filters import count_unwelcome, weigh_preferences
from ..rules.placement.refusals import Refusal, find_refusal
from .diagnosis import NOT_NAMED
from .matching_pods import Census, Group, make_group
from .node_info import NodeRoom
from .node_resources_fit import Load
from .pod_topology import Description, Neighbors, Weights
from .pre_filter import Wishes
from .scoring import Line, Raw, ScoredLine, score_lines
from .snapshot import Rooms

Suits = Callable[[Node], Refusal | None]
"""What else there is against a node."""
Shifts = tuple[tuple[Pod, Load], ...]
_NOWHERE = (None, None)


class Seen:
    """A node as a class of pods saw it last."""

    __slots__ = ("counted", "domains", "fixed", "image_score", "node", "refusal")

    def __init__(self, node: Node, wishes: Wishes, neighbors: Neighbors) -> None:
        self.node = node
        self.refusal = find_refusal(wishes.spec, node)
        self.domains = tuple(one.domain_of(node) for one in neighbors.sums)
        self.counted = tuple(one.is_counted(node) for one in neighbors.sums)
        unwelcome = count_unwelcome(wishes.spec, node) if node.spec.taints else 0
        preference = weigh_preferences(wishes.spec, node) if wishes.has_preferences else 0
        self.fixed: Description = (*self.domains, unwelcome, preference)
        self.image_score = 0


class PodClass:
    """Follows the nodes, and the pods that are counted, for pods of one template."""

    def __init__(
        self,
        wishes: Wishes,
        rooms: Rooms,
        census: Census,
        suits: Suits | None = None,
        names: Collection[str] | None = None,
        is_kept: bool = True,
    ) -> None:
        """`suits`: what else there may be against a node. `names`: the only nodes that are asked.

        One that is not `is_kept` is for this moment, and told of nothing.
        """
        self.wishes = wishes
        self._rooms, self._census, self._suits, self._names = rooms, census, suits, names
        self._is_kept = is_kept
        self._lines: dict[Raw, Line] = {}
        # By node: the line it stands in and its entry there, or why it stands in none.
        self._where: dict[str, tuple[Line | None, object]] = {}
        self.refused: Counter[Refusal] = Counter()
        # The last scores, and how many nodes they are of; None since what they follow from has changed.
        self._scored: Sequence[ScoredLine] | None = None
        self._scored_size = 0
        # How many nodes stand in lines.
        self._standing = 0
        self._groups: dict[Group, Weights] = {}
        self._build()
        if is_kept:
            census.watch(self, self.neighbors.is_about_others)

    def close(self) -> None:
        """Follow nothing more."""
        self._census.forget(self)
        for group in self._groups:
            group.watchers.remove(self)
        self._groups = {}

    # --- following ----------------------------------------------------------------------------------------

    def _build(self) -> None:
        wishes, rooms = self.wishes, self._rooms
        self.neighbors = Neighbors(wishes, self._census.with_terms.values())
        self._groups = {}
        self._seen: dict[str, Seen] = {}
        self._lines, self._where, self._scored, self._standing = {}, {}, None, 0
        self.refused.clear()
        self._changed: dict[str, None] = {}
        self._by_hostname: dict[str, dict[str, None]] = {}
        self._is_stale = False
        for name, room in rooms.by_name.items():
            self._enter(name, Seen(room.node, wishes, self.neighbors))
        for group in self._census.list_of(wishes.namespaces):
            self.on_group(group)
        for name in rooms.by_name:
            self._place(name)
        self._position, self._images_version = rooms.position, rooms.images_version
        self._changed.clear()

    def follow(self) -> None:
        """Take in what has changed since the last look."""
        rooms = self._rooms
        if self._is_stale or (self._images_version != rooms.images_version and self._knows_an_image()):
            for group in self._groups:
                group.watchers.remove(self)
            self._build()
            return
        behind = rooms.position - self._position
        if behind == 1:
            self._changed[rooms.last] = None
        elif behind:
            names = rooms.list_since(self._position)
            self._changed.update(dict.fromkeys((*rooms.by_name, *self._seen) if names is None else names))
        self._position = rooms.position
        self._images_version = rooms.images_version
        if self._changed:
            changed, self._changed = self._changed, {}
            for name in changed:
                self._place(name)

    def _knows_an_image(self) -> bool:
        # What was true for an image that is gone is forgotten with the next node that changes.
        return any(image in self._rooms.images for image in self.wishes.images)

    def on_group(self, group: Group) -> None:
        """Count a group, if it is one of those that matter."""
        weights = self.neighbors.weigh(group)
        if weights is None:
            self._is_stale = True
        elif weights:
            self._groups[group] = weights
            if self._is_kept:
                group.watchers.append(self)
            for name in group.here:
                self.on_change(group, name, group.here[name], group.staying.get(name, 0))

    def on_change(self, group: Group, node_name: str, here: int, staying: int) -> None:
        """Pods of a group that matters have come or gone, or begin to end."""
        seen = self._seen.get(node_name)
        if seen is None:
            return
        sums = self.neighbors.sums
        for place, weight in self._groups[group]:
            domain = seen.domains[place]
            if domain is None or not seen.counted[place]:
                continue
            found = sums[place]
            by = weight * (here if found.counts_ending else staying)
            if by:
                found.add(domain, by)
                if found.matters_to_all:
                    self._scored = None
                if found.is_narrow and found.key:
                    self._changed.update(self._by_hostname[domain])
        self._changed[node_name] = None
        if not group.here:
            del self._groups[group]

    def _enter(self, name: str, seen: Seen) -> None:
        self._seen[name], self._scored = seen, None
        for found, domain, is_counted in zip(self.neighbors.sums, seen.domains, seen.counted, strict=True):
            if domain is None:
                continue
            if found.is_narrow and found.key:
                self._by_hostname.setdefault(domain, {})[name] = None
            if is_counted:
                found.enter(domain)
        for group, weights in self._groups.items():
            self._count(group, weights, name, seen, 1)
        wishes = self.wishes
        if self._rooms.images:
            seen.image_score = wishes.score_images(name, self._rooms.images, len(self._rooms.by_name))

    def _leave(self, name: str) -> None:
        seen, self._scored = self._seen.pop(name), None
        for group, weights in self._groups.items():
            self._count(group, weights, name, seen, -1)
        for found, domain, is_counted in zip(self.neighbors.sums, seen.domains, seen.counted, strict=True):
            if domain is None:
                continue
            if found.is_narrow and found.key:
                self._by_hostname[domain].pop(name, None)
            if is_counted:
                found.leave(domain)

    def _count(self, group: Group, weights: Weights, name: str, seen: Seen, sign: int) -> None:
        here, staying = group.here.get(name, 0), group.staying.get(name, 0)
        for place, weight in weights:
            found, domain = self.neighbors.sums[place], seen.domains[place]
            by = sign * weight * (here if found.counts_ending else staying)
            if by and domain is not None and seen.counted[place]:
                found.add(domain, by)

    def _place(self, name: str) -> None:
        """Have a node stand where it belongs now."""
        room, seen = self._rooms.by_name.get(name), self._seen.get(name)
        if room is None:
            if seen is not None:
                self._leave(name)
                self._put(name, None, None)
            return
        node = room.node
        if seen is None:
            seen = self._see(name, node)
        elif seen.node is not node:
            if seen.node.spec is not node.spec or seen.node.meta is not node.meta:
                self._leave(name)
                seen = self._see(name, node)
            seen.node = node
        found = room.judge(self.wishes.load)
        refusal = seen.refusal or found.refusal
        if self._names is not None and name not in self._names:
            refusal = NOT_NAMED
        elif refusal is None and self._suits is not None:
            refusal = self._suits(node)
        if refusal is not None:
            self._put(name, None, refusal)
            return
        key = self.neighbors.describe(seen.fixed)
        line = self._lines.get(key)
        if line is None:
            line, self._scored = self._lines.setdefault(key, Line(key)), None
        # Of equals the one with the fewest pods, then the one that joined first.
        score = found.empty + found.even + seen.image_score
        self._put(name, line, (-score, room.fill.count, room.number, name))

    def _see(self, name: str, node: Node) -> Seen:
        seen = Seen(node, self.wishes, self.neighbors)
        self._enter(name, seen)
        return seen

    def _put(self, name: str, line: Line | None, entry: object) -> None:
        before = self._where.get(name)
        if before is not None:
            old, was = before
            if old is line is not None:
                self._where[name] = (line, entry)
                # Usually it is the best of its line that has just been taken.
                if line.heap[0] is was:
                    heapreplace(line.heap, entry)  # type: ignore[misc]
                else:
                    heappush(line.heap, entry)  # type: ignore[misc]
                return
            self._take_out(old, was)
        if entry is None:
            self._where.pop(name, None)
            return
        self._where[name] = (line, entry)
        if line is None:
            assert isinstance(entry, Refusal)
            self.refused[entry] += 1
            return
        self._standing += 1
        line.size += 1
        heappush(line.heap, entry)  # type: ignore[misc]

    def _take_out(self, line: Line | None, entry: object) -> None:
        if line is None:
            self._unrefuse(entry)
            return
        self._standing -= 1
        line.size -= 1
        if not line.size:
            del self._lines[line.key]
            self._scored = None

    def _unrefuse(self, refusal: object) -> None:
        assert isinstance(refusal, Refusal)
        self.refused[refusal] -= 1
        if not self.refused[refusal]:
            del self.refused[refusal]

    # --- asking -------------------------------------------------------------------------------------------

    def exclude(self, name: str, refusal: Refusal) -> None:
        """Hold something against a node until the next look."""
        self._put(name, None, refusal)
        self._changed[name] = None

    def best(self) -> NodeRoom | None:
        """The best of the nodes that take the pod; None when there is none."""
        best: tuple[int, int, int, str] | None = None
        least, where = 0, self._where
        for one in self.score_lines():
            heap = one.line.heap
            # An entry stands in one line alone, and there as long as nothing of the node has changed.
            while where.get((entry := heap[0])[3], _NOWHERE)[1] is not entry:
                heappop(heap)
            minus_score = entry[0] - one.total
            if best is None or minus_score < least or (minus_score == least and entry[1:] < best[1:]):
                best, least = entry, minus_score
        return self._rooms.by_name[best[3]] if best is not None else None

    def score_lines(self) -> Sequence[ScoredLine]:
        """The lines of nodes that take the pod, with the scores that all nodes of one have."""
        scored, neighbors = self._scored, self.neighbors
        if scored is not None:
            size = sum([one.line.size for one in scored]) if neighbors.is_choosy else self._standing
            if size == self._scored_size:
                return scored
        lines = list(self._lines.values())
        if neighbors.is_choosy:
            lines = [one for one in lines if neighbors.refuse(neighbors.amounts_of(one.key)) is None]
        self._scored = score_lines(self.wishes, neighbors, lines)
        self._scored_size = sum([one.size for one in lines])
        return self._scored

    def count_fitting(self) -> int:
        """How many nodes take the pod."""
        return sum(one.line.size for one in self.score_lines())

    def list_refusals(self) -> Counter[Refusal]:
        """Why nodes do not take the pod, and how many say so."""
        found = Counter(self.refused)
        for line in self._lines.values():
            refusal = self.neighbors.refuse(self.neighbors.amounts_of(line.key))
            if refusal is not None:
                found[refusal] += line.size
        return found

    def refusal_of(self, name: str) -> Refusal | None:
        """What is held against a node; None when it takes the pod."""
        line, entry = self._where[name]
        if line is None:
            assert isinstance(entry, Refusal)
            return entry
        return self.neighbors.refuse(self.neighbors.amounts_of(line.key))

    def refuse_by_pods(self, name: str) -> Refusal | None:
        """What the pods that are there have against a node, whatever else there is."""
        return self.neighbors.refuse(self.neighbors.amounts_at(self._seen[name].domains, {}))

    def image_score_of(self, name: str) -> int:
        """How much of the pod's images a node has, 0 to 100."""
        return self._seen[name].image_score

    def names(self) -> Sequence[str]:
        """The nodes that are followed, in the order in which they joined."""
        return list(self._rooms.by_name)

    def line_of(self, name: str) -> Line | None:
        """The line that a node stands in; None where something of its own keeps it out of all."""
        return self._where[name][0]

    def refuse_after(self, name: str, gone: Shifts = (), come: Shifts = ()) -> Refusal | None:
        """What would be held against a node if some pods had gone from it, and others come."""
        seen, room = self._seen[name], self._rooms.by_name[name]
        refusal = (
            seen.refusal
            or room.refuse_after(self.wishes.load, [load for _, load in gone], [load for _, load in come])
            or (self._suits(room.node) if self._suits is not None else None)
        )
        if refusal is not None:
            return refusal
        shifts = self._shift(seen, gone, -1, {})
        shifts = self._shift(seen, come, 1, shifts)
        amounts = self.neighbors.amounts_at(seen.domains, shifts)
        return self.neighbors.refuse(amounts, seen.domains, shifts)

    def _shift(self, seen: Seen, pods: Shifts, sign: int, shifts: dict[int, int]) -> dict[int, int]:
        for pod, _load in pods:
            for place, weight in self.neighbors.weigh(make_group(pod)) or ():
                found = self.neighbors.sums[place]
                is_there = found.counts_ending or pod.meta.deletion_ms is None
                if is_there and seen.counted[place]:
                    shifts[place] = shifts.get(place, 0) + sign * weight
        return shifts
