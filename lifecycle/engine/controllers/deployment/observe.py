"""Seeing what a Deployment's decision needs."""

from __future__ import annotations

from collections.abc import Sequence

from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.selector import Selector
from ...objects.workloads.deployment import RECREATE, Deployment
from ...objects.workloads.replica_set import REPLICA_SET_KIND, ReplicaSet
from ...releases.switches import ROLLBACK_EVENTS, SCALING_EVENTS_NAME_FORMER_SIZE
from ...rules.actions import Decision, Tried
from ...store.audience import Useless
from ..act import Act
from ..owner.controller import OwnerController
from ..owner.orphans import Free
from ..owner.tally import Tally
from .decide import decide
from .decide.reasons import SOURCE
from .decide.revisions import find_new
from .decide.rollout import Options, Seen, new_set_name


class DeploymentController(OwnerController[Deployment]):
    """Keys are Deployments. A change of a controlled ReplicaSet enqueues its Deployment."""

    name, kind, source = "deployment", "Deployment", SOURCE
    owner_class = Deployment
    most_retries = 15

    def __init__(self, context: Context, act: Act, tally: Tally) -> None:
        self._tally = tally
        self._free = Free()
        # uids of the Deployments that wait for the end of all old pods.
        self._recreating: dict[str, None] = {}
        switches = context.switches
        self._options = Options(
            switches[SCALING_EVENTS_NAME_FORMER_SIZE], switches[ROLLBACK_EVENTS], context.clock.epoch_ms
        )
        super().__init__(context, act, self._free.list)
        context.store.listen("ReplicaSet", self._on_replica_set)
        context.store.listen_to_shape("Pod", self._on_pod, Useless.LIFE)

    def restore(self) -> None:
        """Build what is derived again: which sets are free, then what the Deployments look for."""
        for replica_set in self._store.list("ReplicaSet"):
            self._free.follow(None, replica_set)
        super().restore()

    def selector_of(self, owner: Deployment) -> Selector:
        """Which sets the Deployment looks for."""
        return owner.spec.selector

    def describe(self, owner: Deployment) -> None:
        """Keep whether the Deployment is of those that the end of a pod concerns."""
        if owner.spec.strategy_type == RECREATE:
            self._recreating[owner.meta.uid] = None
        else:
            self._recreating.pop(owner.meta.uid, None)

    def forget(self, uid: str) -> None:
        """Drop what is known of a Deployment that is gone."""
        self._recreating.pop(uid, None)

    def list_strays(self, owner: Deployment) -> Sequence[ReplicaSet]:
        """Those of its sets that match no more: all are asked, they are few."""
        matches = owner.spec.selector.matches
        return [entry for entry in self._list_controlled(owner) if not matches(entry.meta.labels)]

    # --- what a change can affect ---------------------------------------------------------------------

    def _on_replica_set(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        self._free.follow(old, new)
        namespace, owner = some.meta.namespace or "", some.meta.controller
        if owner is not None and owner.kind_id == self.kind:
            self.enqueue(namespace, owner.name)
        if old is not None and old.meta is not some.meta:
            former = old.meta.controller
            if former is not None and former.kind_id == self.kind and former is not owner:
                self.enqueue(namespace, former.name)
        if new is not None and owner is None and (old is None or old.meta is not new.meta):
            self.note_orphan(new)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """The last old pod's end lets a Recreate go on."""
        if new is not None or old is None or not self._recreating:
            return
        owner = old.meta.controller
        if owner is None or owner.kind_id != REPLICA_SET_KIND.id:
            return
        namespace = old.meta.namespace or ""
        replica_set = self._store.get("ReplicaSet", namespace, owner.name)
        above = replica_set.meta.controller if replica_set is not None else None
        if above is None:
            return
        deployment = self._store.get("Deployment", namespace, above.name)
        if deployment is not None and deployment.meta.uid in self._recreating:
            self.enqueue(namespace, above.name)

    # --- seeing ---------------------------------------------------------------------------------------

    def decide(self, owner: Deployment, tried: Tried) -> Decision:
        """One step; after a refused set, what is said of it."""
        controlled = self._list_controlled(owner)
        kept = [entry for entry in controlled if owner.spec.selector.matches(entry.meta.labels)]
        by_owner = self._tally.by_owner
        unfinished = {
            entry.meta.uid: by_owner[entry.meta.uid].unfinished
            for entry in kept
            if entry.meta.uid in by_owner
        }
        refused = next(iter(tried.refusals), None)
        seen = Seen(owner, kept, unfinished, self._find_taken(owner, kept), self._options, refused)
        return decide(seen, self._context.clock.now_ms)

    def _list_controlled(self, deployment: Deployment) -> list[ReplicaSet]:
        uid = deployment.meta.uid
        found = []
        for child in self._store.index.children.get(uid, ()):
            entry = self._store.find(child)
            if isinstance(entry, ReplicaSet):
                owner = entry.meta.controller
                if owner is not None and owner.uid == uid:
                    found.append(entry)
        return found

    def _find_taken(self, deployment: Deployment, controlled: list[ReplicaSet]) -> ReplicaSet | None:
        """A set that is not the Deployment's new one but has its name."""
        if find_new(deployment.spec.template, controlled) is not None:
            return None
        other = self._store.get("ReplicaSet", deployment.meta.namespace, new_set_name(deployment))
        return other if isinstance(other, ReplicaSet) else None
