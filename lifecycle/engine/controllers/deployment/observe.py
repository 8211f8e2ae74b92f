"""Seeing what a Deployment's decision needs, and having the decision done."""

from __future__ import annotations

from collections.abc import Callable

from ...api.context import Context
from ...heart.errors import AlreadyExists, ApiError
from ...objects.deployment import RECREATE, Deployment
from ...objects.meta import StoredObject
from ...objects.replica_set import ReplicaSet
from ...rules.actions import Action, Create, RecheckAt
from ..selector_index import SelectorIndex
from ..tally import Tally
from .decide import decide, decide_claims, decide_create_failure
from .decide.revisions import by_creation, find_new
from .decide.rollout import Options, Seen, new_set_name

Act = Callable[[Action], None]


class DeploymentController:
    """Keys are Deployments. A change of a controlled ReplicaSet enqueues its Deployment."""

    name = "deployment"

    def __init__(self, context: Context, act: Act, tally: Tally) -> None:
        self._context = context
        self._store = context.store
        self._act = act
        self._tally = tally
        self._selectors = SelectorIndex()
        # ReplicaSets without a controller that a Deployment may adopt: uids by the Deployment's uid.
        self._orphans: dict[str, dict[str, None]] = {}
        # All ReplicaSets without a controller: uids by namespace.
        self._free: dict[str, dict[str, None]] = {}
        self._busy: tuple[str, str, str] | None = None
        manager = context.settings.controller_manager
        self._options = Options(
            bool(manager.get("scalingEventsNameFormerSize", False)),
            bool(manager.get("deploymentRollbackEvents", True)),
        )
        context.loop.register(self.name, self.sync, "controller_sync")
        context.store.listen("Deployment", self._on_deployment)
        context.store.listen("ReplicaSet", self._on_replica_set)
        context.store.listen_to_shape("Pod", self._on_pod, is_told_of_readiness=False)

    def restore(self) -> None:
        """Build what is derived again, after a cluster was loaded."""
        for entry in self._store.list("ReplicaSet"):
            self._note_free(entry, entry.meta.controller is None)
        for deployment in self._store.list("Deployment"):
            assert isinstance(deployment, Deployment), deployment.key
            self._describe(deployment)

    # --- what a change can affect ---------------------------------------------------------------------

    def _on_deployment(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self._selectors.remove(old.meta.uid)
            self._orphans.pop(old.meta.uid, None)
            return
        assert isinstance(new, Deployment), new.key
        if new.key == self._busy:
            return
        if old is None:
            self._describe(new)
        self._enqueue(new.meta.namespace or "", new.meta.name)

    def _describe(self, deployment: Deployment) -> None:
        meta, spec = deployment.meta, deployment.spec
        namespace = meta.namespace or ""
        self._selectors.add(meta.uid, namespace, meta.name, spec.selector)
        for uid in self._free.get(namespace, ()):
            free = self._store.find(uid)
            if free is not None and spec.selector.matches(free.meta.labels):
                self._orphans.setdefault(meta.uid, {})[uid] = None

    def _note_free(self, replica_set: StoredObject, is_free: bool) -> None:
        free = self._free.setdefault(replica_set.meta.namespace or "", {})
        if is_free:
            free[replica_set.meta.uid] = None
        else:
            free.pop(replica_set.meta.uid, None)

    def _on_replica_set(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        namespace = some.meta.namespace or ""
        owner = some.meta.controller
        if old is None or new is None or old.meta is not new.meta:
            self._note_free(some, new is not None and owner is None)
        if owner is not None and owner.kind == "Deployment":
            self._enqueue(namespace, owner.name)
        if old is not None and old.meta is not some.meta:
            former = old.meta.controller
            if former is not None and former.kind == "Deployment" and former is not owner:
                self._enqueue(namespace, former.name)
        if new is None or owner is not None or (old is not None and old.meta is new.meta):
            return
        for uid, name in self._selectors.matching(namespace, new.meta.labels):
            self._orphans.setdefault(uid, {})[new.meta.uid] = None
            self._enqueue(namespace, name)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """The last old pod's end lets a Recreate go on."""
        if new is not None or old is None:
            return
        owner = old.meta.controller
        if owner is None or owner.kind != "ReplicaSet":
            return
        namespace = old.meta.namespace or ""
        replica_set = self._store.get("ReplicaSet", namespace, owner.name)
        above = replica_set.meta.controller if replica_set is not None else None
        if above is None:
            return
        deployment = self._store.get("Deployment", namespace, above.name)
        if isinstance(deployment, Deployment) and deployment.spec.strategy_type == RECREATE:
            self._enqueue(namespace, above.name)

    def _enqueue(self, namespace: str, name: str) -> None:
        self._context.loop.enqueue(self.name, namespace, name)

    # --- a look at one key ----------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """Claim ReplicaSets, take one step, report."""
        deployment = self._store.get("Deployment", namespace, name)
        if not isinstance(deployment, Deployment):
            return
        self._busy = deployment.key
        try:
            seen = self._see(deployment)
            self._do(seen, decide(seen, self._context.clock.now_ms))
        finally:
            self._busy = None

    def _see(self, deployment: Deployment) -> Seen:
        controlled = self._controlled(deployment)
        waiting = self._orphans.pop(deployment.meta.uid, None)
        orphans = [
            entry
            for entry in map(self._store.find, waiting or ())
            if isinstance(entry, ReplicaSet) and entry.meta.controller is None
        ]
        kept, claims = decide_claims(deployment, controlled, by_creation(orphans))
        if claims:
            for action in claims:
                self._act(action)
            kept = self._controlled(deployment)
        by_owner = self._tally.by_owner
        unfinished = {
            entry.meta.uid: by_owner[entry.meta.uid].unfinished
            for entry in kept
            if entry.meta.uid in by_owner
        }
        return Seen(deployment, kept, unfinished, self._taken(deployment, kept), self._options)

    def _controlled(self, deployment: Deployment) -> list[ReplicaSet]:
        uid = deployment.meta.uid
        found = []
        for child in self._store.index.children.get(uid, ()):
            entry = self._store.find(child)
            if isinstance(entry, ReplicaSet):
                owner = entry.meta.controller
                if owner is not None and owner.uid == uid:
                    found.append(entry)
        return found

    def _taken(self, deployment: Deployment, controlled: list[ReplicaSet]) -> ReplicaSet | None:
        """A set that is not the Deployment's new one but has its name."""
        if find_new(deployment.spec.template, controlled) is not None:
            return None
        other = self._store.get("ReplicaSet", deployment.meta.namespace, new_set_name(deployment))
        return other if isinstance(other, ReplicaSet) else None

    def _do(self, seen: Seen, actions: list[Action]) -> None:
        deployment, loop = seen.deployment, self._context.loop
        namespace, name = deployment.meta.namespace or "", deployment.meta.name
        for action in actions:
            if isinstance(action, RecheckAt):
                loop.enqueue_at(self.name, namespace, name, action.at_ms, action.is_progress)
                continue
            try:
                self._act(action)
            except ApiError as refusal:
                if not isinstance(action, Create) or isinstance(refusal, AlreadyExists):
                    raise
                now_ms = self._context.clock.now_ms
                for next_action in decide_create_failure(
                    deployment, action.new.meta.name, refusal.message, now_ms
                ):
                    self._act(next_action)
                loop.retry(self.name, namespace, name)
                return
        loop.forget(self.name, namespace, name)
