"""Which pods one look at a DaemonSet makes and deletes: first what every node is to have, then the update."""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle.lean_dataclasses import dataclass, field

from ....objects.workloads.daemon_set import DaemonSet
from .node_state import (
    BOTH_READY,
    BOTH_WAITING,
    EMPTY,
    EXCESS,
    GONE,
    NEW_WAITING,
    OLD_LOST,
    OLD_READY,
    UNWANTED,
    WANTED,
)
from .sums import Sums

BURST_REPLICAS = 250
"""The most pods that one look makes, and the most that it deletes."""
_PLACES = (WANTED, UNWANTED, GONE)
_UNAVAILABLE = (EMPTY, EXCESS, NEW_WAITING, OLD_LOST, BOTH_READY, BOTH_WAITING)


@dataclass(slots=True)
class Plan:
    """Nodes that get a pod, pods (uids) that go; of these the ones that ended, by node, which is told.

    `is_stuck`: an update with surge cannot tell what an old pod's node, which is no more, was for.
    """

    nodes: Sequence[str] = ()
    doomed: Sequence[str] = ()
    failed: Sequence[tuple[str, str]] = ()
    succeeded: Sequence[tuple[str, str]] = field(default=())
    is_stuck: bool = False

    @property
    def has_work(self) -> bool:
        """Whether there is anything to make or delete."""
        return bool(self.nodes or self.doomed)


def decide_plan(daemon_set: DaemonSet, sums: Sums) -> Plan:
    """The pods to make and delete now. An update waits until every node has what it is to have."""
    plan = _plan_upkeep(sums)
    if plan.has_work or not daemon_set.spec.is_rolling_update:
        return plan
    surge, unavailable = daemon_set.spec.resolve_room(sums.desired)
    return _plan_surge(sums, surge) if surge else _plan_replacement(sums, unavailable)


def _plan_upkeep(sums: Sums) -> Plan:
    """Pods where there are none; none that ended, are too many or should not be there."""
    failed, succeeded, doomed = [], [], []
    for name in sums.troubled.all():
        node_state = sums.node_states[name]
        failed += [(name, uid) for uid in node_state.failed]
        succeeded += [(name, uid) for uid in node_state.succeeded]
        doomed += [*node_state.failed, *node_state.succeeded, *node_state.surplus]
    return Plan(sums.missing.first(BURST_REPLICAS), doomed[:BURST_REPLICAS], failed, succeeded)


def _plan_replacement(sums: Sums, max_unavailable: int) -> Plan:
    """Old pods go as far as the room allows; those that are not available go anyway (DS-UPD-05).

    3 nodes, maxUnavailable 1: while a new pod is not yet available there is no room, then one old pod goes.
    """
    room = max_unavailable - sum(sums.roles[role] for role in _UNAVAILABLE)
    lost = [name for place in _PLACES for name in sums.candidates(OLD_LOST, place).all()]
    names = [*lost, *_find_first(sums, OLD_READY, max(room, 0))]
    return Plan(doomed=[sums.node_states[name].old for name in names[:BURST_REPLICAS]])


def _find_first(sums: Sums, role: str, count: int) -> list[str]:
    names: list[str] = []
    for place in _PLACES:
        names += sums.candidates(role, place).first(count - len(names))
    return names


def _plan_surge(sums: Sums, max_surge: int) -> Plan:
    """New pods come beside old ones as far as the room allows, and where the old one is not available anyway.

    Where no pod is to run, the old one stays until enough nodes are served without it.
    """
    if len(sums.candidates(OLD_READY, GONE)) or len(sums.candidates(OLD_LOST, GONE)):
        return Plan(is_stuck=True)
    room = max(max_surge - sums.roles[EXCESS] - sums.roles[BOTH_WAITING], 0)
    nodes = [
        *sums.candidates(OLD_LOST, WANTED).all(),
        *sums.candidates(OLD_READY, WANTED).first(room),
    ]
    spare = max(sums.served - sums.desired, 0)
    replaced = [
        *(name for place in _PLACES for name in sums.candidates(BOTH_READY, place).all()),
        *sums.candidates(OLD_LOST, UNWANTED).all(),
        *sums.candidates(OLD_READY, UNWANTED).first(spare),
    ]
    doomed = [sums.node_states[name].old for name in replaced]
    return Plan(nodes[:BURST_REPLICAS], doomed[:BURST_REPLICAS])
