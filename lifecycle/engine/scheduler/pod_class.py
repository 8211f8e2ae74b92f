"""Filter and Score of all nodes for the pods of one template (an equivalence class).

Kubernetes filters and scores each node for each pod. Here the results are kept, and for the next pod only
changed nodes are filtered again. Nodes that differ only in their own resources are in one line, as a heap;
the best node is the best of the first nodes of all lines. Scores and weights are those of the default
profile.
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
from .matching_pods import Group, MatchingPods, make_group
from .node_info import NodeInfo
from .node_lines import Description, Line
from .node_resources_fit import PodResources
from .pod_topology import PodTopology
from .pre_filter import PreFilterState
from .scoring import ScoredLine, score_lines
from .snapshot import Snapshot
from .topology_domains import Weights

Suits = Callable[[Node], Refusal | None]
"""A further filter of nodes, as by volumes."""
Shifts = tuple[tuple[Pod, PodResources], ...]
_NOWHERE = (None, None)


class SeenNode:
    """What Filter and Score of most plugins say about a node, until its labels, taints or spec change."""

    __slots__ = ("counted", "domains", "fixed", "image_score", "node", "refusal")

    def __init__(self, node: Node, state: PreFilterState, topology: PodTopology) -> None:
        self.node = node
        self.refusal = find_refusal(state.spec, node)
        self.domains = tuple(one.find_domain(node) for one in topology.counts)
        self.counted = tuple(one.is_counted(node) for one in topology.counts)
        unwelcome = count_unwelcome(state.spec, node) if node.spec.taints else 0
        preference = weigh_preferences(state.spec, node) if state.has_preferences else 0
        self.fixed: Description = (*self.domains, unwelcome, preference)
        self.image_score = 0


class PodClass:
    """Follows nodes and matching pods for the pods of one template."""

    def __init__(
        self,
        state: PreFilterState,
        snapshot: Snapshot,
        matching_pods: MatchingPods,
        suits: Suits | None = None,
        names: Collection[str] | None = None,
        is_kept: bool = True,
    ) -> None:
        """`suits`: a further filter. `names`: the only nodes that the pod may go to (PreFilterResult).

        With `is_kept` False the class is used once and follows no changes.
        """
        self.state = state
        self._snapshot, self._matching_pods, self._suits, self._names = snapshot, matching_pods, suits, names
        self._is_kept = is_kept
        self._lines: dict[Description, Line] = {}
        # By node: its line and its entry there, or None and the reason of Filter.
        self._where: dict[str, tuple[Line | None, object]] = {}
        self.refused: Counter[Refusal] = Counter()
        # The last scores, and of how many nodes; None if they must be calculated again.
        self._scored: Sequence[ScoredLine] | None = None
        self._scored_size = 0
        # The number of nodes in lines.
        self._size = 0
        self._groups: dict[Group, Weights] = {}
        self._build()
        if is_kept:
            matching_pods.watch(self, self.topology.counts_plain_pods)

    def close(self) -> None:
        """Stop following changes."""
        self._matching_pods.forget(self)
        for group in self._groups:
            group.watchers.remove(self)
        self._groups = {}

    # --- following ----------------------------------------------------------------------------------------

    def _build(self) -> None:
        state, snapshot = self.state, self._snapshot
        self.topology = PodTopology(state, self._matching_pods.with_terms.values())
        self._groups = {}
        self._seen: dict[str, SeenNode] = {}
        self._lines, self._where, self._scored, self._size = {}, {}, None, 0
        self.refused.clear()
        self._changed: dict[str, None] = {}
        self._by_hostname: dict[str, dict[str, None]] = {}
        self._is_stale = False
        for name, node_info in snapshot.by_name.items():
            self._enter(name, SeenNode(node_info.node, state, self.topology))
        for group in self._matching_pods.list_groups(state.namespaces):
            self.on_group(group)
        for name in snapshot.by_name:
            self._place(name)
        self._position, self._images_version = snapshot.position, snapshot.images_version
        self._changed.clear()

    def follow(self) -> None:
        """Take in all changes since the last call."""
        snapshot = self._snapshot
        if self._is_stale or (self._images_version != snapshot.images_version and self._knows_an_image()):
            for group in self._groups:
                group.watchers.remove(self)
            self._build()
            return
        behind = snapshot.position - self._position
        if behind == 1:
            self._changed[snapshot.last] = None
        elif behind:
            names = snapshot.list_since(self._position)
            self._changed.update(dict.fromkeys((*snapshot.by_name, *self._seen) if names is None else names))
        self._position = snapshot.position
        self._images_version = snapshot.images_version
        if self._changed:
            changed, self._changed = self._changed, {}
            for name in changed:
                self._place(name)

    def _knows_an_image(self) -> bool:
        # The score of an image that is gone is corrected with the next change of its node.
        return any(image in self._snapshot.images for image in self.state.images)

    def on_group(self, group: Group) -> None:
        """Count a group of pods if it matches a constraint or term."""
        weights = self.topology.weigh(group)
        if weights is None:
            self._is_stale = True
        elif weights:
            self._groups[group] = weights
            if self._is_kept:
                group.watchers.append(self)
            for name in group.pods_by_node:
                self.on_change(
                    group, name, group.pods_by_node[name], group.not_terminating_by_node.get(name, 0)
                )

    def on_change(self, group: Group, node_name: str, all_pods: int, not_terminating: int) -> None:
        """Pods of a counted group were added to a node, removed, or are terminating."""
        seen = self._seen.get(node_name)
        if seen is None:
            return
        counts = self.topology.counts
        for place, weight in self._groups[group]:
            domain = seen.domains[place]
            if domain is None or not seen.counted[place]:
                continue
            found = counts[place]
            by = weight * (all_pods if found.counts_terminating else not_terminating)
            if by:
                found.add(domain, by)
                if found.matters_to_all:
                    self._scored = None
                if found.is_narrow and found.key:
                    self._changed.update(self._by_hostname[domain])
        self._changed[node_name] = None
        if not group.pods_by_node:
            del self._groups[group]

    def _enter(self, name: str, seen: SeenNode) -> None:
        self._seen[name], self._scored = seen, None
        for found, domain, is_counted in zip(self.topology.counts, seen.domains, seen.counted, strict=True):
            if domain is None:
                continue
            if found.is_narrow and found.key:
                self._by_hostname.setdefault(domain, {})[name] = None
            if is_counted:
                found.add_node(domain)
        for group, weights in self._groups.items():
            self._count(group, weights, name, seen, 1)
        state = self.state
        if self._snapshot.images:
            seen.image_score = state.score_images(name, self._snapshot.images, len(self._snapshot.by_name))

    def _leave(self, name: str) -> None:
        seen, self._scored = self._seen.pop(name), None
        for group, weights in self._groups.items():
            self._count(group, weights, name, seen, -1)
        for found, domain, is_counted in zip(self.topology.counts, seen.domains, seen.counted, strict=True):
            if domain is None:
                continue
            if found.is_narrow and found.key:
                self._by_hostname[domain].pop(name, None)
            if is_counted:
                found.remove_node(domain)

    def _count(self, group: Group, weights: Weights, name: str, seen: SeenNode, sign: int) -> None:
        all_pods, not_terminating = (
            group.pods_by_node.get(name, 0),
            group.not_terminating_by_node.get(name, 0),
        )
        for place, weight in weights:
            found, domain = self.topology.counts[place], seen.domains[place]
            by = sign * weight * (all_pods if found.counts_terminating else not_terminating)
            if by and domain is not None and seen.counted[place]:
                found.add(domain, by)

    def _place(self, name: str) -> None:
        """Filter a node again, and put it into its line."""
        node_info, seen = self._snapshot.by_name.get(name), self._seen.get(name)
        if node_info is None:
            if seen is not None:
                self._leave(name)
                self._put(name, None, None)
            return
        node = node_info.node
        if seen is None:
            seen = self._see(name, node)
        elif seen.node is not node:
            if seen.node.spec is not node.spec or seen.node.meta is not node.meta:
                self._leave(name)
                seen = self._see(name, node)
            seen.node = node
        found = node_info.find_fit(self.state.pod_resources)
        refusal = seen.refusal or found.refusal
        if self._names is not None and name not in self._names:
            refusal = NOT_NAMED
        elif refusal is None and self._suits is not None:
            refusal = self._suits(node)
        if refusal is not None:
            self._put(name, None, refusal)
            return
        key = self.topology.describe(seen.fixed)
        line = self._lines.get(key)
        if line is None:
            line, self._scored = self._lines.setdefault(key, Line(key)), None
        # Of equal scores, the node with the fewest pods, then the one that joined first.
        score = found.least_allocated + found.balanced_allocation + seen.image_score
        self._put(name, line, (-score, node_info.resources.count, node_info.number, name))

    def _see(self, name: str, node: Node) -> SeenNode:
        seen = SeenNode(node, self.state, self.topology)
        self._enter(name, seen)
        return seen

    def _put(self, name: str, line: Line | None, entry: object) -> None:
        before = self._where.get(name)
        if before is not None:
            old, was = before
            if old is line is not None:
                self._where[name] = (line, entry)
                # Usually the best node of the line has just got a pod.
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
        self._size += 1
        line.size += 1
        heappush(line.heap, entry)  # type: ignore[misc]

    def _take_out(self, line: Line | None, entry: object) -> None:
        if line is None:
            self._unrefuse(entry)
            return
        self._size -= 1
        line.size -= 1
        if not line.size:
            del self._lines[line.key]
            self._scored = None

    def _unrefuse(self, refusal: object) -> None:
        assert isinstance(refusal, Refusal)
        self.refused[refusal] -= 1
        if not self.refused[refusal]:
            del self.refused[refusal]

    # --- results ------------------------------------------------------------------------------------------

    def exclude(self, name: str, refusal: Refusal) -> None:
        """Reject a node until the next `follow`."""
        self._put(name, None, refusal)
        self._changed[name] = None

    def best(self) -> NodeInfo | None:
        """The node with the best score of those that pass Filter; None if there is none."""
        best: tuple[int, int, int, str] | None = None
        least, where = 0, self._where
        for one in self.score_lines():
            heap = one.line.heap
            # Old entries stay in the heap until they come to its top.
            while where.get((entry := heap[0])[3], _NOWHERE)[1] is not entry:
                heappop(heap)
            minus_score = entry[0] - one.total
            if best is None or minus_score < least or (minus_score == least and entry[1:] < best[1:]):
                best, least = entry, minus_score
        return self._snapshot.by_name[best[3]] if best is not None else None

    def score_lines(self) -> Sequence[ScoredLine]:
        """The lines of nodes that pass Filter, with the scores that their nodes share."""
        scored, topology = self._scored, self.topology
        if scored is not None:
            size = sum([one.line.size for one in scored]) if topology.has_filters else self._size
            if size == self._scored_size:
                return scored
        lines = list(self._lines.values())
        if topology.has_filters:
            lines = [one for one in lines if topology.filter(topology.amounts_of(one.key)) is None]
        self._scored = score_lines(self.state, topology, lines)
        self._scored_size = sum([one.size for one in lines])
        return self._scored

    def count_fitting(self) -> int:
        """The number of nodes that pass Filter."""
        return sum(one.line.size for one in self.score_lines())

    def list_refusals(self) -> Counter[Refusal]:
        """The reasons of Filter, with the number of nodes for each."""
        found = Counter(self.refused)
        for line in self._lines.values():
            refusal = self.topology.filter(self.topology.amounts_of(line.key))
            if refusal is not None:
                found[refusal] += line.size
        return found

    def refusal_of(self, name: str) -> Refusal | None:
        """Why a node fails Filter; None if it passes."""
        line, entry = self._where[name]
        if line is None:
            assert isinstance(entry, Refusal)
            return entry
        return self.topology.filter(self.topology.amounts_of(line.key))

    def refuse_by_pods(self, name: str) -> Refusal | None:
        """Why a node fails Filter of PodTopologySpread or InterPodAffinity, whatever other plugins say."""
        return self.topology.filter(self.topology.amounts_at(self._seen[name].domains, {}))

    def image_score_of(self, name: str) -> int:
        """The ImageLocality score of a node, 0 to 100."""
        return self._seen[name].image_score

    def names(self) -> Sequence[str]:
        """The names of all nodes, in the order in which they joined."""
        return list(self._snapshot.by_name)

    def line_of(self, name: str) -> Line | None:
        """The line of a node; None if another plugin than those of pod topology rejects it."""
        return self._where[name][0]

    def refuse_after(self, name: str, removed: Shifts = (), added: Shifts = ()) -> Refusal | None:
        """Why a node fails Filter if some pods are removed from it and others added; None if it passes."""
        seen, node_info = self._seen[name], self._snapshot.by_name[name]
        refusal = (
            seen.refusal
            or node_info.refuse_after(
                self.state.pod_resources,
                [pod_resources for _, pod_resources in removed],
                [pod_resources for _, pod_resources in added],
            )
            or (self._suits(node_info.node) if self._suits is not None else None)
        )
        if refusal is not None:
            return refusal
        shifts = self._shift(seen, removed, -1, {})
        shifts = self._shift(seen, added, 1, shifts)
        amounts = self.topology.amounts_at(seen.domains, shifts)
        return self.topology.filter(amounts, seen.domains, shifts)

    def _shift(self, seen: SeenNode, pods: Shifts, sign: int, shifts: dict[int, int]) -> dict[int, int]:
        for pod, _pod_resources in pods:
            for place, weight in self.topology.weigh(make_group(pod)) or ():
                found = self.topology.counts[place]
                is_there = found.counts_terminating or pod.meta.deletion_ms is None
                if is_there and seen.counted[place]:
                    shifts[place] = shifts.get(place, 0) + sign * weight
        return shifts
