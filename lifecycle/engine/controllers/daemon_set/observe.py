"""Seeing what a DaemonSet's decision needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.node import NODE_KIND, Node
from ...objects.pods.pod import Pod
from ...objects.selector import Selector
from ...objects.workloads.controller_revision import CONTROLLER_REVISION_KIND, ControllerRevision
from ...objects.workloads.daemon_set import DaemonSet
from ...rules.actions import Create, Decision, Tried
from ...rules.event_sources import DAEMON_SET
from ..act import Act
from ..loop_controller import Remembering
from ..owner.orphans import list_by_age
from ..owner.pods import PodOwnerController, PodOwners
from ..owner.revisions import Revisions
from .failed_pods import FailedPods
from .nodes import Nodes

if TYPE_CHECKING:
    from .decide.history import History
    from .decide.plan import Plan
    from .places import Places


class DaemonSetController(PodOwnerController[DaemonSet], Remembering):
    """Keys are DaemonSets. A node enqueues those that are to make or delete a pod on it."""

    name, kind, source = "daemonset", "DaemonSet", DAEMON_SET
    owner_class = DaemonSet

    def __init__(self, context: Context, act: Act, pods: PodOwners) -> None:
        self._nodes = Nodes()
        self._places: dict[str, Places] = {}
        self._failed = FailedPods()
        self._plan: Plan | None = None
        super().__init__(context, act, pods)
        epoch_ms = context.clock.epoch_ms
        self._history = Revisions(context.store, self.kind, epoch_ms, self._on_history, lets_go=True)
        self.revisions = self._history
        context.store.listen(NODE_KIND.id, self._on_node)

    def restore(self) -> None:
        """Build what is derived again: first the nodes, then the sets."""
        for node in self._store.list(NODE_KIND.id):
            assert isinstance(node, Node), node.key
            self._nodes.take(None, node)
        super().restore()

    def save(self) -> Any:
        """What is not derived: how long failed pods are kept."""
        return self._failed.save()

    def load(self, data: Any) -> None:
        """Go on from what `save` described."""
        self._failed.load(data)

    def selector_of(self, owner: DaemonSet) -> Selector:
        """Which pods the set looks for."""
        return owner.spec.selector

    def describe(self, owner: DaemonSet) -> None:
        """Which nodes the set is for, and its pods on them."""
        uid = owner.meta.uid
        places = self._places.get(uid)
        if places is not None:
            places.describe(owner)
            return
        from .places import Places

        places = self._places[uid] = Places(owner, self._nodes, self._store.pods)
        self._tally.follow(uid, places)
        for pod in self.list_controlled(uid):
            places.change(None, pod)

    def forget(self, uid: str) -> None:
        """Drop what is known of a set that is gone."""
        super().forget(uid)
        self._places.pop(uid, None)
        self._failed.forget(uid)

    def list_strays(self, owner: DaemonSet) -> Sequence[Pod]:
        """Its pods that match no more."""
        return list_by_age(self._store.pods.get, self._places[owner.meta.uid].strays)

    # --- what a change can affect -----------------------------------------------------------------------

    def _on_history(self, namespace: str, name: str) -> None:
        if not self._is_busy((self.kind, namespace, name)):
            self.enqueue(namespace, name)

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Labels and taints decide; a node that is gone concerns the sets once its pods are (DS-NODE-04)."""
        assert (old is None or isinstance(old, Node)) and (new is None or isinstance(new, Node)), (
            "of its kind"
        )
        self._nodes.take(old, new)
        if new is None:
            assert old is not None, "a write has an old or a new object"
            for places in self._places.values():
                places.drop(old.meta.name)
            return
        if old is not None and (old.meta.labels, old.spec.taints) == (new.meta.labels, new.spec.taints):
            return
        for places in self._places.values():
            self._weigh(places, new)

    def _weigh(self, places: Places, node: Node) -> None:
        """A set looks when a pod is to come or go, and while its status tells of pods that should not be."""
        fit, is_there = places.fit(node), places.holds_bound(node.meta.name)
        asks = not fit.should_continue if is_there else fit.should_run
        daemon_set = self._store.get(*places.key)
        if isinstance(daemon_set, DaemonSet):
            asks |= is_there and daemon_set.status.number_misscheduled > 0
        if asks:
            self.enqueue(*places.key[1:])

    # --- seeing -----------------------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """Look at one set, with a new plan."""
        self._plan = None
        super().sync(namespace, name)

    def decide(self, owner: DaemonSet, tried: Tried) -> Decision:
        """The history first, then pods, then the status. A set that is being deleted does nothing."""
        from .decide.history import decide_history, read_history

        if owner.meta.deletion_ms is not None:
            return Decision()
        revisions = self._history.list_of(owner, owner.spec.selector)
        taken = self._find_taken(owner, revisions)
        history = read_history(owner, revisions, taken)
        pods = self.list_controlled(owner.meta.uid) if len(history.current) > 1 else ()
        refusal = next((one for one in tried.refusals if isinstance(one.action, Create)), None)
        return decide_history(owner, history, taken, pods, refusal) or self._decide(owner, history, tried)

    def _find_taken(
        self, owner: DaemonSet, revisions: Sequence[ControllerRevision]
    ) -> ControllerRevision | None:
        """Whoever has the name of the present template's revision, where the set has no such revision."""
        from .decide.history import name_present

        if any(one.text == owner.spec.template.patch_text for one in revisions):
            return None
        found = self._store.get(CONTROLLER_REVISION_KIND.id, owner.meta.namespace, name_present(owner))
        return found if isinstance(found, ControllerRevision) else None

    def _decide(self, owner: DaemonSet, history: History, tried: Tried) -> Decision:
        from .decide import Seen, decide
        from .decide.node_state import Rules
        from .decide.plan import decide_plan

        now_ms, uid = self._context.clock.now_ms, owner.meta.uid
        places, observed = self._places[uid], owner.status.observed_generation
        spec = owner.spec
        rules = Rules(
            history.digest,
            owner.template_generation,
            spec.min_ready_seconds * 1000,
            spec.allows_surge,
            self._context.clock.epoch_ms,
        )
        sums = places.settle(rules, now_ms, lambda name: self._failed.hold(uid, observed, name, now_ms))
        if self._plan is None:
            self._plan = decide_plan(owner, sums)
            for name in dict.fromkeys(name for name, _uid in self._plan.failed):
                self._failed.note(uid, observed, name, now_ms)
        template, live = places.make_template(), places.digests
        return decide(Seen(owner, history, sums, self._plan, self._store.pods, template, live, tried))
