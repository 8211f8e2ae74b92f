"""Explains for one pod what Filter and Score say about every node, and what would help.

Calculated from the present objects, with the code that schedules pods. Left out: the volumes of the pod.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from lifecycle.lean_dataclasses import dataclass

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
from .matching_pods import MatchingPods
from .node_info import NodeInfo
from .node_resources_fit import PodResources
from .pod_class import PodClass
from .pre_filter import PreFilterState
from .scoring import (
    INTER_POD_AFFINITY_WEIGHT,
    NODE_AFFINITY_WEIGHT,
    POD_TOPOLOGY_SPREAD_WEIGHT,
    TAINT_TOLERATION_WEIGHT,
    ScoredLine,
)
from .snapshot import Snapshot

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
    """Why one plugin rejects a node, in the scheduler's words, and what would help."""

    plugin: str
    reason: str
    help: str


@dataclass(frozen=True, slots=True)
class NodeVerdict:
    """One node. If the pod fits: `scores` by plugin, weighted, and `rank` from 1; else `obstacles`."""

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
        """The sum of the scores."""
        return sum(points for _plugin, points in self.scores)


def judge_nodes(
    pod: Pod,
    nodes: Iterable[Node],
    pods: Iterable[Pod],
    services: Iterable[StoredObject],
    owner: StoredObject | None,
    labels_of: Callable[[str], Mapping[str, str]],
    scores_improvement: bool = False,
) -> list[NodeVerdict]:
    """The nodes that the pod fits on, the best first, then the others. The pod itself is counted on no node.

    `pods`: all pods. `services`: those of the pod's namespace. `labels_of`: the labels of a namespace.
    `scores_improvement`: how the release of the cluster scores the balance of a node.
    """
    snapshot, matching_pods = Snapshot(scores_improvement), MatchingPods()
    for node in nodes:
        snapshot.update_node(node)
    for one in pods:
        if one.node_name in snapshot.by_name and not one.is_finished and one.meta.uid != pod.meta.uid:
            snapshot.count_pod(one.node_name, one.meta.uid, _resources_of(one), 1)
            matching_pods.add_pod(one, one.node_name)
    state = PreFilterState(pod, pod.spec, list_selectors(pod, services, owner), labels_of)
    pod_class = PodClass(state, snapshot, matching_pods, is_kept=False)
    by_line = {one.line.key: one for one in pod_class.score_lines()}
    taking, others = list[tuple[tuple[int, int, int], NodeVerdict]](), list[NodeVerdict]()
    for name, node_info in snapshot.by_name.items():
        refusal, line = pod_class.refusal_of(name), pod_class.line_of(name)
        if refusal is None and line is not None:
            scores = _list_scores(by_line[line.key], node_info, state, pod_class)
            verdict = NodeVerdict(name, (), scores)
            taking.append(((-verdict.total, node_info.resources.count, node_info.number), verdict))
        else:
            others.append(NodeVerdict(name, tuple(_list_obstacles(node_info, state, pod_class))))
    ranked = [verdict for _order, verdict in sorted(taking, key=lambda one: one[0])]
    return [
        *(NodeVerdict(one.name, (), one.scores, rank) for rank, one in enumerate(ranked, 1)),
        *sorted(others, key=lambda one: len(one.obstacles)),
    ]


def _resources_of(pod: Pod) -> PodResources:
    return PodResources(effective_requests(pod.spec), assumed_requests(pod.spec), list_host_ports(pod.spec))


def _list_scores(
    scored: ScoredLine, node_info: NodeInfo, state: PreFilterState, pod_class: PodClass
) -> tuple[tuple[str, int], ...]:
    least_allocated, balanced_allocation = node_info.resources.score(state.pod_resources)
    return (
        (TAINTS, TAINT_TOLERATION_WEIGHT * scored.taint_toleration),
        (NODE_AFFINITY, NODE_AFFINITY_WEIGHT * scored.node_affinity),
        (FIT, least_allocated),
        (BALANCE, balanced_allocation),
        (SPREAD, POD_TOPOLOGY_SPREAD_WEIGHT * scored.pod_topology_spread),
        (POD_AFFINITY, INTER_POD_AFFINITY_WEIGHT * scored.inter_pod_affinity),
        (IMAGES, pod_class.image_score_of(node_info.node.meta.name)),
    )


def _list_obstacles(node_info: NodeInfo, state: PreFilterState, pod_class: PodClass) -> Iterator[Obstacle]:
    """The reasons of all plugins; the scheduler itself stops at the first plugin that rejects a node."""
    node, spec = node_info.node, state.spec
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
        yield Obstacle(NODE_AFFINITY, NOT_WANTED, _tell_labels(state, node))
    if has_clash(state.pod_resources.ports, node_info.ports):
        ports = ", ".join(f"{port}/{protocol}" for protocol, _at, port in state.pod_resources.ports)
        yield Obstacle(PORTS, NO_FREE_PORTS, f"the end of the pod that has one of {ports}")
    shortage = node_info.refuse_after(state.pod_resources._replace(ports=()), (), ())
    if shortage is not None:
        yield Obstacle(
            FIT, ", ".join(shortage.reasons), ", ".join(node_info.list_missing(state.pod_resources))
        )
    refusal = pod_class.refuse_by_pods(node.meta.name)
    if refusal is not None:
        yield Obstacle(refusal.plugin, refusal.reasons[0], _HELP_OF_PODS.get(refusal, _HELP_OF_OTHERS))


def _tell_labels(state: PreFilterState, node: Node) -> str:
    labels = node.meta.labels
    missing = [
        f"{key}={value}" for key, value in state.spec.node_selector.items() if labels.get(key) != value
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
