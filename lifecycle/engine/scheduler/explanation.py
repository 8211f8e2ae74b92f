"""What the scheduler makes of every node for one pod, in words: why here, why not there, what would help.

Worked out anew from what is there, by the same filters and scores that place pods. Left out: its volumes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..objects.meta import StoredObject
from ..objects.node import Node
from ..objects.pods.pod import Pod
from ..rules.placement.host_ports import NO_FREE_PORTS, has_clash, list_host_ports
from ..rules.placement.node_filters import (
    CORDONED,
    NOT_WANTED,
    UNSCHEDULABLE_TAINT,
    UNTOLERATED,
    tolerates,
    wants_node,
)
from ..rules.placement.refusals import (
    BALANCE,
    CORDON,
    FIT,
    IMAGES,
    NODE_AFFINITY,
    NOT_APART,
    NOT_NEAR,
    POD_AFFINITY,
    PORTS,
    SKEWED,
    SPREAD,
    TAINTS,
    UNLABELLED,
    Refusal,
)
from ..rules.pods.resources import assumed_requests, effective_requests
from .classes import list_selectors
from .matching_pods import Census
from .node_info import NodeRoom
from .node_resources_fit import Load
from .pod_class import PodClass
from .pre_filter import Wishes
from .scoring import AFFINITY_WEIGHT, PULL_WEIGHT, SPREAD_WEIGHT, TAINTS_WEIGHT, ScoredLine
from .snapshot import Rooms

_HELP = {
    CORDON: "uncordon the node",
    SPREAD: "more such pods elsewhere, or fewer in its domain",
}
_HELP_OF_PODS: Mapping[Refusal, str] = {
    UNLABELLED: "give the node the label that the pod is spread by",
    SKEWED: _HELP[SPREAD],
    NOT_NEAR: "a pod that it must be near, in the node's domain",
    NOT_APART: "the end of the pods in its domain that it must be apart from",
}
_HELP_OF_OTHERS = "the end of the pods in its domain that must be apart from it"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What one plugin has against a node, in the scheduler's words, and what would help."""

    plugin: str
    reason: str
    help: str


@dataclass(frozen=True, slots=True)
class NodeVerdict:
    """One node. `scores`: points by plugin with their weights, where it takes the pod; `rank` from 1."""

    name: str
    obstacles: tuple[Obstacle, ...]
    scores: tuple[tuple[str, int], ...] = ()
    rank: int = 0

    @property
    def counted(self) -> list[tuple[str, int]]:
        """The scores that are not 0."""
        return [one for one in self.scores if one[1]]

    @property
    def total(self) -> int:
        """All points."""
        return sum(points for _plugin, points in self.scores)


def judge_nodes(
    pod: Pod,
    nodes: Iterable[Node],
    pods: Iterable[Pod],
    services: Iterable[StoredObject],
    owner: StoredObject | None,
    labels_of: Callable[[str], Mapping[str, str]],
) -> list[NodeVerdict]:
    """The nodes that take a pod, the best first, then the others; the pod itself is on none of them.

    `pods`: those that there are; `services`: of its namespace; `labels_of`: of a namespace.
    """
    rooms, census = Rooms(), Census()
    for node in nodes:
        rooms.take(node)
    for one in pods:
        if one.node_name in rooms.by_name and not one.is_finished and one.meta.uid != pod.meta.uid:
            rooms.occupy(one.node_name, one.meta.uid, _load_of(one), 1)
            census.come(one, one.node_name)
    wishes = Wishes(pod, pod.spec, list_selectors(pod, services, owner), labels_of)
    pod_class = PodClass(wishes, rooms, census, is_kept=False)
    by_line = {one.line.key: one for one in pod_class.score_lines()}
    taking, others = list[tuple[tuple[int, int, int], NodeVerdict]](), list[NodeVerdict]()
    for name, room in rooms.by_name.items():
        refusal, line = pod_class.refusal_of(name), pod_class.line_of(name)
        if refusal is None and line is not None:
            scores = _list_scores(by_line[line.key], room, wishes, pod_class)
            verdict = NodeVerdict(name, (), scores)
            taking.append(((-verdict.total, room.fill.count, room.number), verdict))
        else:
            others.append(NodeVerdict(name, tuple(_list_obstacles(room, wishes, pod_class))))
    ranked = [verdict for _order, verdict in sorted(taking, key=lambda one: one[0])]
    return [
        *(NodeVerdict(one.name, (), one.scores, rank) for rank, one in enumerate(ranked, 1)),
        *sorted(others, key=lambda one: len(one.obstacles)),
    ]


def _load_of(pod: Pod) -> Load:
    return Load(effective_requests(pod.spec), assumed_requests(pod.spec), list_host_ports(pod.spec))


def _list_scores(
    scored: ScoredLine, room: NodeRoom, wishes: Wishes, pod_class: PodClass
) -> tuple[tuple[str, int], ...]:
    empty, even = room.fill.score(wishes.load)
    return (
        (TAINTS, TAINTS_WEIGHT * scored.taints),
        (NODE_AFFINITY, AFFINITY_WEIGHT * scored.affinity),
        (FIT, empty),
        (BALANCE, even),
        (SPREAD, SPREAD_WEIGHT * scored.spread),
        (POD_AFFINITY, PULL_WEIGHT * scored.pulls),
        (IMAGES, pod_class.image_score_of(room.node.meta.name)),
    )


def _list_obstacles(room: NodeRoom, wishes: Wishes, pod_class: PodClass) -> Iterator[Obstacle]:
    """All that is in the way, also what the scheduler does not get to after the first of them."""
    node, spec = room.node, wishes.spec
    if node.spec.unschedulable and not tolerates(spec.tolerations, UNSCHEDULABLE_TAINT):
        yield Obstacle(CORDON, CORDONED, _HELP[CORDON])
    taints = [
        f"{one.key}{f'={one.value}' if one.value else ''}:{one.effect}"
        for one in node.spec.taints
        if one.effect in ("NoSchedule", "NoExecute") and not tolerates(spec.tolerations, one)
    ]
    if taints:
        yield Obstacle(TAINTS, UNTOLERATED, f"a toleration of {', '.join(taints)}")
    if not wants_node(spec, node):
        yield Obstacle(NODE_AFFINITY, NOT_WANTED, _tell_labels(wishes, node))
    if has_clash(wishes.load.ports, room.ports):
        ports = ", ".join(f"{port}/{protocol}" for protocol, _at, port in wishes.load.ports)
        yield Obstacle(PORTS, NO_FREE_PORTS, f"the end of the pod that has one of {ports}")
    shortage = room.refuse_after(wishes.load._replace(ports=()), (), ())
    if shortage is not None:
        yield Obstacle(FIT, ", ".join(shortage.reasons), ", ".join(room.list_missing(wishes.load)))
    refusal = pod_class.refuse_by_pods(node.meta.name)
    if refusal is not None:
        yield Obstacle(refusal.plugin, refusal.reasons[0], _HELP_OF_PODS.get(refusal, _HELP_OF_OTHERS))


def _tell_labels(wishes: Wishes, node: Node) -> str:
    labels = node.meta.labels
    missing = [
        f"{key}={value}" for key, value in wishes.spec.node_selector.items() if labels.get(key) != value
    ]
    return f"the label {', '.join(missing)}" if missing else "labels that its node affinity asks for"


def tell_outcome(pod: Pod, verdicts: Sequence[NodeVerdict]) -> str:
    """One sentence: where the pod would go now, or on how many nodes something is in the way."""
    if not verdicts:
        return "There is no node."
    best = verdicts[0]
    if not best.rank:
        return f"None of {len(verdicts)} nodes takes it now."
    fitting = sum(1 for one in verdicts if one.rank)
    if not pod.node_name:
        return f"{fitting} of {len(verdicts)} nodes take it; {best.name} has the most points."
    own = next((one for one in verdicts if one.name == pod.node_name), None)
    if own is None:
        return f"Its node is gone; {best.name} has the most points now."
    if not own.rank:
        return "Its node would not take it now: what keeps new pods away does not touch those that are there."
    return f"Its node would be choice {own.rank} of {fitting} now."
