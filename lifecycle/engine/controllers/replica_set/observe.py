"""Seeing what a ReplicaSet's decision needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, repeat, takewhile
from operator import add

from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...objects.selector import Selector
from ...objects.workloads.replica_set import ReplicaSet
from ...releases.gates import is_enabled
from ...rules.actions import Decision, Tried
from ..act import Act
from ..owner.orphans import list_by_age
from ..owner.pods import PodOwnerController, PodOwners
from ..owner.tally import OwnerTally
from .decide import SOURCE, Counts, Seen, Surplus, count_missing, decide
from .decide.ranking import first_of_age


class ReplicaSetController(PodOwnerController[ReplicaSet]):
    """Keys are ReplicaSets."""

    name, kind, source = "replicaset", "ReplicaSet", SOURCE
    owner_class: type[ReplicaSet] = ReplicaSet
    tells_terminating = True
    """Whether the kind's status has the number of pods that terminate."""

    def __init__(self, context: Context, act: Act, pods: PodOwners) -> None:
        gates = context.features
        self._gathers_ms = context.timing.spread(self.gathers)[1]
        self._use_cost = is_enabled(gates, "PodDeletionCost")
        self._use_logarithm = is_enabled(gates, "LogarithmicScaleDown")
        is_on = is_enabled(gates, "DeploymentReplicaSetTerminatingReplicas")
        self._counts_terminating = is_on and self.tells_terminating
        super().__init__(context, act, pods)

    def selector_of(self, owner: ReplicaSet) -> Selector:
        """Which pods the set looks for."""
        return owner.spec.selector

    def describe(self, owner: ReplicaSet) -> None:
        """Count the set's pods by its selector, template labels and minReadySeconds."""
        spec, uid = owner.spec, owner.meta.uid
        self.tally_of(owner).describe_owner(
            spec.selector, spec.template.labels, spec.min_ready_seconds, lambda: self.list_controlled(uid)
        )

    def list_strays(self, owner: ReplicaSet) -> Sequence[Pod]:
        """Its active pods that match no more: the tally knows them."""
        strays = self._tally.by_owner[owner.meta.uid].strays
        return list_by_age(self._store.pods.get, strays) if strays else ()

    def belongs(self, owner: ReplicaSet, dependent: StoredObject) -> bool:
        """Whether it is an active pod: one that has finished is nobody's to adopt (FilterActivePods)."""
        return isinstance(dependent, Pod) and dependent.is_active

    def decide(self, owner: ReplicaSet, tried: Tried) -> Decision:
        """The next batch of pods, or the status once there is none."""
        now_ms = self._context.clock.now_ms
        tally = self._tally.by_owner[owner.meta.uid]
        tally.advance(now_ms)
        missing = count_missing(owner, tally.active)
        surplus = self.see_surplus(owner, tally, -missing) if missing < 0 and not tried.calls else None
        counts = Counts(
            tally.active,
            tally.labeled,
            tally.ready,
            tally.available,
            tally.terminating if self._counts_terminating else None,
        )
        return decide(Seen(owner, counts, surplus, tally.next_due_ms, tried, self.source), now_ms)

    # --- seeing ---------------------------------------------------------------------------------------

    def see_surplus(self, replica_set: ReplicaSet, tally: OwnerTally, count: int) -> Surplus:
        """More candidates than `count`, the first of the whole ranking among them; all if all are to go.

        Pods that are not running and ready, and new ones, rank before all others; of these, the ones on the
        nodes with the most related pods, and there those that are ready for the shortest time. So only as
        many nodes are looked at as needed, fullest first.
        """
        new_since_ms = self._context.now_ms - self._gathers_ms if self._gathers_ms else None
        new = self._list_new(new_since_ms) if new_since_ms is not None else []
        related = self._related_by_node(replica_set, tally, new)
        uids = dict.fromkeys(tally.unranked)
        uids.update((pod.meta.uid, None) for pod, owner_uid in new if owner_uid == replica_set.meta.uid)
        if count >= tally.active or tally.costed:
            for members in tally.ranked.values():
                uids.update(dict.fromkeys(members))
        elif len(uids) <= count:
            fullest = sorted(tally.ranked, key=related.__getitem__, reverse=True)
            for _, nodes in groupby(fullest, related.__getitem__):
                alike: dict[str, int] = {}
                for node in nodes:
                    alike.update(tally.ranked[node])
                self._add_youngest(uids, alike, count)
                if len(uids) > count:
                    break
        if count >= tally.active:
            candidates = list_by_age(self._store.pods.get, uids)
        else:
            candidates = [pod for pod in map(self._store.pods.get, uids) if pod is not None]
        use_cost = self._use_cost and tally.costed > 0
        return Surplus(
            candidates,
            related,
            use_cost,
            self._use_logarithm,
            new_since_ms,
            self._context.clock.epoch_ms,
        )

    def _list_new(self, since_ms: int) -> list[tuple[Pod, str]]:
        """Active pods that were made since then, and their controllers' uids."""
        youngest_first = reversed(self._store.pods.values())
        new = takewhile(lambda pod: (pod.meta.creation_ms or 0) >= since_ms, youngest_first)
        return [(pod, pod.meta.controller.uid) for pod in new if pod.is_active and pod.meta.controller]

    def _add_youngest(self, uids: dict[str, None], alike: dict[str, int], count: int) -> None:
        """Of pods that rank alike but for their ages as many as it takes to have more than `count`."""
        now_ms = self._context.clock.now_ms if self._use_logarithm else None
        while alike and len(uids) <= count:
            if len(uids) + len(alike) <= count:
                uids.update(dict.fromkeys(alike))
                return
            first_ms = first_of_age(max(alike.values()), now_ms)
            uids.update(dict.fromkeys([uid for uid, since_ms in alike.items() if since_ms >= first_ms]))
            alike = {uid: since_ms for uid, since_ms in alike.items() if since_ms < first_ms}

    def _related_by_node(
        self, replica_set: ReplicaSet, tally: OwnerTally, new: Sequence[tuple[Pod, str]]
    ) -> dict[str, int]:
        """Active pods on the set's nodes, of all sets with the same controller, but for new ones.

        Without one no pod is related to any (getReplicaSetsWithSameController): then nodes do not count.
        """
        owner, counts = replica_set.meta.controller, tally.nodes
        if owner is None:
            return dict.fromkeys(counts, 0)
        sets = self._store.index.children.get(owner.uid, {})
        for uid in sets:
            other = self._tally.by_owner.get(uid)
            if other is not None and other is not tally and other.nodes:
                numbers = map(other.nodes.get, counts, repeat(0))
                counts = dict(zip(counts, map(add, counts.values(), numbers), strict=True))
        unheard = Counter(pod.node_name for pod, owner_uid in new if owner_uid in sets)
        return {node: number - unheard[node] for node, number in counts.items()} if unheard else counts
