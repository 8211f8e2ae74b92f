"""Seeing what a ReplicaSet's decision needs, and having the decision done."""

from __future__ import annotations

from collections.abc import Callable

from ...api.context import Context
from ...heart.errors import ApiError
from ...objects.meta import StoredObject
from ...objects.pod import Pod
from ...objects.replica_set import ReplicaSet
from ...rules.actions import Action, RecordEvent, Update
from ..selector_index import SelectorIndex
from ..tally import OwnerTally, Tally
from .decide import (
    FAILED_CREATE,
    SOURCE,
    Counts,
    Surplus,
    calculate_status,
    can_adopt,
    count_missing,
    decide_claims,
    decide_creations,
    decide_deletions,
    is_same_status,
    owner_reference,
    slow_start,
)

Act = Callable[[Action], None]


class ReplicaSetController:
    """Keys are ReplicaSets. A pod's change enqueues its owner only when it changes a count."""

    name = "replicaset"

    def __init__(self, context: Context, act: Act, tally: Tally) -> None:
        self._context = context
        self._store = context.store
        self._act = act
        self._tally = tally
        self._selectors = SelectorIndex()
        # Pods without a controller that a set may adopt: pod uids by the set's uid.
        self._orphans: dict[str, dict[str, None]] = {}
        # The key being synced: its own writes need no further look.
        self._busy: tuple[str, str, str] | None = None
        gates = context.features
        self._use_cost = gates.get("PodDeletionCost", True)
        self._use_logarithm = gates.get("LogarithmicScaleDown", True)
        self._counts_terminating = gates.get("DeploymentReplicaSetTerminatingReplicas", True)
        context.loop.register(self.name, self.sync, "controller_sync")
        context.store.listen_to_shape("Pod", self._on_pod)
        context.store.listen("ReplicaSet", self._on_replica_set)

    def restore(self) -> None:
        """Build what is derived again, after a cluster was loaded."""
        for replica_set in self._store.list("ReplicaSet"):
            assert isinstance(replica_set, ReplicaSet), replica_set.key
            self._describe(replica_set)
            self._tally.by_owner[replica_set.meta.uid].advance(self._context.clock.now_ms)

    # --- what a change can affect ---------------------------------------------------------------------

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        for owner in self._tally.on_pod_change(old, new):
            if owner.key != self._busy:
                self._context.loop.enqueue(self.name, owner.key[1], owner.key[2])
        if new is None or (old is not None and old.meta is new.meta) or new.meta.controller is not None:
            return
        namespace = new.meta.namespace or ""
        for uid, name in self._selectors.matching(namespace, new.meta.labels):
            self._orphans.setdefault(uid, {})[new.meta.uid] = None
            self._context.loop.enqueue(self.name, namespace, name)

    def _on_replica_set(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self._selectors.remove(old.meta.uid)
            self._orphans.pop(old.meta.uid, None)
            self._tally.by_owner.pop(old.meta.uid, None)
            return
        assert isinstance(new, ReplicaSet), new.key
        if new.key == self._busy:
            return
        if old is None or old.spec is not new.spec:
            self._describe(new)
        self._context.loop.enqueue(self.name, new.meta.namespace or "", new.meta.name)

    def _describe(self, replica_set: ReplicaSet) -> None:
        """Take a new or changed spec: its selector, and what its pods are measured by."""
        meta, spec = replica_set.meta, replica_set.spec
        namespace = meta.namespace or ""
        is_first = meta.uid not in self._tally.by_owner
        tally = self._tally.of(owner_reference(replica_set), namespace)
        tally.describe_owner(
            spec.selector, spec.template.labels, spec.min_ready_seconds, lambda: self._controlled(meta.uid)
        )
        if not is_first:
            return
        self._selectors.add(meta.uid, namespace, meta.name, spec.selector)
        for uid in self._store.index.orphan_pods.get(namespace, ()):
            pod = self._store.pods.get(uid)
            if pod is not None and can_adopt(replica_set, pod):
                self._orphans.setdefault(meta.uid, {})[uid] = None

    def _controlled(self, uid: str) -> list[Pod]:
        children = self._store.index.children.get(uid, ())
        owned = [pod for pod in map(self._store.pods.get, children) if pod is not None]
        return [pod for pod in owned if pod.meta.controller and pod.meta.controller.uid == uid]

    # --- a look at one key ----------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """Claim pods, make their number right, report."""
        replica_set = self._store.get("ReplicaSet", namespace, name)
        if not isinstance(replica_set, ReplicaSet):
            return
        loop, now_ms = self._context.loop, self._context.clock.now_ms
        tally = self._tally.by_owner[replica_set.meta.uid]
        self._busy = replica_set.key
        try:
            self._claim(replica_set, tally)
            missing = count_missing(replica_set, tally.active)
            failure = self._manage(replica_set, tally, missing) if missing else None
            tally.advance(now_ms)
            self._report(replica_set, tally, failure, now_ms)
        finally:
            self._busy = None
        due_ms = tally.next_due_ms
        if due_ms is not None:
            loop.enqueue_at(self.name, namespace, name, due_ms)
        if failure is not None:
            loop.retry(self.name, namespace, name)
            return
        loop.forget(self.name, namespace, name)
        if missing and count_missing(replica_set, tally.active):
            loop.enqueue(self.name, namespace, name)

    def _claim(self, replica_set: ReplicaSet, tally: OwnerTally) -> None:
        waiting = self._orphans.pop(replica_set.meta.uid, None)
        if not waiting and not tally.strays:
            return
        orphans, strays = self._pods(waiting or ()), self._pods(tally.strays)
        for action in decide_claims(replica_set, orphans, strays):
            self._act(action)

    def _manage(self, replica_set: ReplicaSet, tally: OwnerTally, missing: int) -> str | None:
        """Create or delete; the message of the first refusal."""
        if missing < 0:
            surplus = self._surplus(replica_set, tally, -missing)
            for action in decide_deletions(replica_set, surplus, -missing, self._context.clock.now_ms):
                self._act(action)
            return None
        failures: list[str] = []
        orders = iter(decide_creations(replica_set, missing))

        def create() -> bool:
            try:
                self._act(next(orders))
            except ApiError as refusal:
                message = f"Error creating: {refusal.message}"
                failures.append(message)
                self._act(RecordEvent(replica_set, "Warning", FAILED_CREATE, message, SOURCE))
                return False
            return True

        slow_start(missing, create)
        return failures[0] if failures else None

    def _report(self, replica_set: ReplicaSet, tally: OwnerTally, failure: str | None, now_ms: int) -> None:
        counts = Counts(
            tally.active,
            tally.labeled,
            tally.ready,
            tally.available,
            tally.terminating if self._counts_terminating else None,
        )
        status = calculate_status(replica_set, counts, failure, now_ms)
        if not is_same_status(replica_set.status, status):
            self._act(Update(replica_set.with_status(status)))

    # --- seeing ---------------------------------------------------------------------------------------

    def _pods(self, uids: object) -> list[Pod]:
        """The pods of those uids that still exist, oldest first whatever order they were noted in."""
        assert isinstance(uids, dict | tuple), uids
        pods = [pod for pod in map(self._store.pods.get, uids) if pod is not None]
        return sorted(pods, key=lambda pod: (pod.meta.creation_ms or 0, pod.meta.name))

    def _surplus(self, replica_set: ReplicaSet, tally: OwnerTally, count: int) -> Surplus:
        """More candidates than `count`, the first of the whole ranking among them; all if all are to go.

        Pods that are not running and ready rank before all others; of these, the ones on the nodes with
        the most related pods. So only as many nodes are looked at as needed, fullest first.
        """
        related = self._related_by_node(replica_set, tally)
        uids = dict.fromkeys(tally.unranked)
        if count >= tally.active or tally.costed:
            for members in tally.ranked.values():
                uids.update(members)
        elif len(uids) <= count:
            fullest = sorted(tally.ranked, key=lambda node: -related[node])
            last = 0
            for node in fullest:
                if len(uids) > count and related[node] != last:
                    break
                uids.update(tally.ranked[node])
                last = related[node]
        if count >= tally.active:
            candidates = self._pods(uids)
        else:
            candidates = [pod for pod in map(self._store.pods.get, uids) if pod is not None]
        return Surplus(candidates, related, self._use_cost, self._use_logarithm)

    def _related_by_node(self, replica_set: ReplicaSet, tally: OwnerTally) -> dict[str, int]:
        """Active pods by node, of all sets with the same controller; of this one alone without one."""
        owner = replica_set.meta.controller
        if owner is None:
            return tally.nodes
        counts = dict(tally.nodes)
        for uid in self._store.index.children.get(owner.uid, ()):
            other = self._tally.by_owner.get(uid)
            if other is not None and other is not tally:
                for node, number in other.nodes.items():
                    counts[node] = counts.get(node, 0) + number
        return counts
