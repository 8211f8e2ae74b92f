"""Seeing what a StatefulSet's decision needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...objects.selector import Selector
from ...objects.workloads.controller_revision import CONTROLLER_REVISION_KIND, ControllerRevision
from ...objects.workloads.stateful_set import STATEFUL_SET_KIND, StatefulSet
from ...releases.gates import is_enabled
from ...releases.switches import MAX_UNAVAILABLE_ROUNDS_UP, STATEFUL_SET_EVENTS_IN_LOWER_CASE
from ...rules.actions import Decision, Tried
from ...rules.event_sources import STATEFUL_SET
from ..act import Act
from ..owner.orphans import list_by_age
from ..owner.pods import PodOwnerController, PodOwners
from ..owner.revisions import Revisions
from .claims import CLAIM, Claims

if TYPE_CHECKING:
    from .decide.members import Members
    from .decide.seen import Options, Seen

GATE = "MaxUnavailableStatefulSet"


class StatefulSetController(PodOwnerController[StatefulSet]):
    """Keys are StatefulSets. Claims that change are looked at with the next change of a set or its pods."""

    name, kind, source = "statefulset", STATEFUL_SET_KIND.id, STATEFUL_SET
    owner_class = StatefulSet

    def __init__(self, context: Context, act: Act, pods: PodOwners) -> None:
        self._members: dict[str, Members] = {}
        self._claims = Claims(context.store)
        # uids of the sets whose claims have a stem, by namespace and stem.
        self._by_stem: dict[tuple[str, str], str] = {}
        super().__init__(context, act, pods)
        self.revisions = Revisions(context.store, self.kind, context.clock.epoch_ms)
        context.store.listen(CLAIM, self._on_claim)

    @cached_property
    def _options(self) -> Options:
        from .decide.seen import Options

        switches = self._context.switches
        return Options(
            has_max_unavailable=is_enabled(self._context.features, GATE),
            rounds_up=switches[MAX_UNAVAILABLE_ROUNDS_UP],
            in_lower_case=switches[STATEFUL_SET_EVENTS_IN_LOWER_CASE],
        )

    def restore(self) -> None:
        """Build what is derived again: the claims, then the sets with their pods."""
        self._claims.restore()
        super().restore()

    def selector_of(self, owner: StatefulSet) -> Selector:
        """Which pods the set looks for."""
        return owner.spec.selector

    def belongs(self, owner: StatefulSet, dependent: StoredObject) -> bool:
        """Whether a pod has the name of one of the set's."""
        from .decide.identity import ordinal_of

        return ordinal_of(owner.meta.name, dependent.meta.name) is not None

    def describe(self, owner: StatefulSet) -> None:
        """Count the set's pods; a changed spec may want other owners of its claims."""
        meta, spec = owner.meta, owner.spec
        namespace = meta.namespace or ""
        members = self._members.get(meta.uid)
        if members is None:
            from .decide.members import Members

            members = self._members[meta.uid] = Members(
                self.kind, namespace, meta.name, self._context.clock.epoch_ms
            )
            self._tally.follow(meta.uid, members)
        members.claim_names = spec.claim_names
        members.describe(spec.selector, spec.min_ready_seconds, lambda: self.list_controlled(meta.uid))
        if spec.claim_names:
            members.dirty.update(dict.fromkeys(members.present))
            for name in spec.claim_names:
                self._by_stem[namespace, f"{name}-{meta.name}"] = meta.uid

    def forget(self, uid: str) -> None:
        """Drop what is known of a set that is gone."""
        self._tally.leave(uid)
        self._members.pop(uid, None)
        self._by_stem = {stem: holder for stem, holder in self._by_stem.items() if holder != uid}

    def list_strays(self, owner: StatefulSet) -> Sequence[Pod]:
        """Pods that match the selector no more, or have no name of the set's."""
        strays = self._members[owner.meta.uid].strays
        return list_by_age(self._store.pods.get, strays) if strays else ()

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        found = self._claims.follow(old, new)
        uid = self._by_stem.get(found[:2]) if found is not None else None
        if found is None or uid is None:
            return
        members, ordinal = self._members[uid], found[2]
        members.dirty[ordinal] = None
        if new is None and ordinal not in members:
            # A pod may have waited for the end of the claim that its former self left behind.
            self.enqueue(found[0], members.key[2])

    # --- seeing ---------------------------------------------------------------------------------------

    def decide(self, owner: StatefulSet, tried: Tried) -> Decision:
        """One step; the look goes on until there is nothing left to do but to wait."""
        from .decide import decide
        from .decide.replicas import needs_claims

        assert self.revisions is not None, "StatefulSets have revisions"
        if owner.meta.deletion_ms is not None and self.revisions.has_free(owner, owner.spec.selector):
            # It wants to adopt its history before all else, may not any more, and so counts no pods.
            return Decision(is_failure=True)
        members = self._members[owner.meta.uid]
        members.advance(self._context.clock.now_ms)
        # What this look has written of it so far counts.
        present = self._store.find(owner.meta.uid)
        seen = self._see(present if isinstance(present, StatefulSet) else owner, members, tried)
        if members.dirty:
            for ordinal in members.dirty:
                members.mismatched.put(ordinal, needs_claims(seen, ordinal))
            members.dirty.clear()
        return decide(seen)

    def _see(self, owner: StatefulSet, members: Members, tried: Tried) -> Seen:
        from .decide.seen import Seen

        assert self.revisions is not None, "StatefulSets have revisions"
        namespace, name, spec = owner.meta.namespace or "", owner.meta.name, owner.spec

        def find_revision(name: str) -> ControllerRevision | None:
            found = self._store.get(CONTROLLER_REVISION_KIND.id, namespace, name)
            return found if isinstance(found, ControllerRevision) else None

        return Seen(
            owner,
            members,
            self._store.pods,
            self.revisions.list_of(owner, spec.selector),
            {template: self._claims.of(namespace, f"{template}-{name}") for template in spec.claim_names},
            find_revision,
            self._options,
            tried,
        )
