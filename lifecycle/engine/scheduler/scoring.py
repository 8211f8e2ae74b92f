"""Score: the scores that all nodes of a line share, with the weights of the default profile.

Each plugin gives 0 to 100. Weights: TaintToleration 3, NodeAffinity 2, PodTopologySpread 2,
InterPodAffinity 2. The scores of NodeResourcesFit, NodeResourcesBalancedAllocation and ImageLocality
(weight 1) differ within a line: `pod_class` adds them.
"""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle.lean_tuples import NamedTuple

from .node_lines import Line
from .pod_topology import PodTopology
from .pre_filter import PreFilterState

TAINT_TOLERATION_WEIGHT, NODE_AFFINITY_WEIGHT = 3, 2
POD_TOPOLOGY_SPREAD_WEIGHT, INTER_POD_AFFINITY_WEIGHT = 2, 2


class ScoredLine(NamedTuple):
    """A line and its scores, 0 to 100 each. `total`: their sum with the weights."""

    line: Line
    total: int
    taint_toleration: int = 0
    node_affinity: int = 0
    pod_topology_spread: int = 0
    inter_pod_affinity: int = 0


def score_lines(state: PreFilterState, topology: PodTopology, lines: Sequence[Line]) -> Sequence[ScoredLine]:
    """The scores of each line. `lines`: those of all nodes that pass Filter."""
    if not lines:
        return ()
    spread, affinity, none = topology.spread, topology.affinity, [0] * len(lines)
    has_counts = spread.has_scores or affinity.has_scores
    all_amounts = [topology.amounts_of(line.key) for line in lines] if has_counts else ()
    preferences: list[int] = [line.key[-1] for line in lines]  # type: ignore[misc]
    columns = (
        _score_taints([line.key[-2] for line in lines]),  # type: ignore[misc]
        _normalize(preferences) if state.has_preferences else none,
        spread.score(lines, all_amounts) if spread.has_scores else none,
        affinity.score(all_amounts) if affinity.has_scores else none,
    )
    return [_add_weights(line, *scores) for line, *scores in zip(lines, *columns, strict=True)]


def _add_weights(line: Line, taints: int, node_affinity: int, spread: int, affinity: int) -> ScoredLine:
    total = (
        TAINT_TOLERATION_WEIGHT * taints
        + NODE_AFFINITY_WEIGHT * node_affinity
        + POD_TOPOLOGY_SPREAD_WEIGHT * spread
        + INTER_POD_AFFINITY_WEIGHT * affinity
    )
    return ScoredLine(line, total, taints, node_affinity, spread, affinity)


def _normalize(raw: Sequence[int]) -> list[int]:
    """DefaultNormalizeScore: the largest becomes 100."""
    most = max(raw)
    return [100 * one // most for one in raw] if most else [0] * len(raw)


def _score_taints(intolerable: Sequence[int]) -> list[int]:
    """The fewer `PreferNoSchedule` taints the pod does not tolerate, the better."""
    return [100 - one for one in _normalize(intolerable)]
