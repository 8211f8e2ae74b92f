"""A DaemonSet's nodes and the pods on them: what changed since the last look, and how all of them stand.

Derived from nodes and pods alone: after a load it is built again from them. Work follows what changed: a look
weighs the nodes that changed, or where a pod did, and no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from ...objects.names import REVISION_LABEL
from ...objects.node import Node
from ...objects.pods.pod import FAILED, Pod
from ...objects.pods.template import PodTemplate
from ...objects.selector import Selector
from ...objects.workloads.daemon_set import DaemonSet
from ...rules.workloads.daemon_pods import (
    NO_FIT,
    Fit,
    decide_fit,
    find_target,
    make_daemon_template,
    tolerate_trouble,
)
from .decide.node_state import Hold, Rules, decide_node_state
from .decide.sums import Sums
from .nodes import Nodes


class Places:
    """The nodes of one DaemonSet."""

    def __init__(self, daemon_set: DaemonSet, nodes: Nodes, pods: Mapping[str, Pod]) -> None:
        """`pods`: all pods there are, by uid."""
        self.key = daemon_set.key
        self._nodes = nodes
        self._pods = pods
        # uids of its pods by the node that each is on or meant for, which the other map says.
        self._by_node: dict[str, dict[str, None]] = {}
        self._targets: dict[str, str] = {}
        # Nodes that fit in some way, and those to be weighed anew.
        self._fits: dict[str, Fit] = {}
        self._changed: dict[str, None] = {}
        self._digests: dict[str, str] = {}
        self._rules: Rules | None = None
        self._template: PodTemplate | None = None
        self.sums = Sums()
        self.digests: Counter[str] = Counter()
        """How many pods there are of each revision, by its hash."""
        self.strays: dict[str, None] = {}
        """uids of pods whose labels no longer match the selector."""
        self.describe(daemon_set)

    def describe(self, daemon_set: DaemonSet) -> None:
        """Take in a new spec: which nodes it is for."""
        self._spec = daemon_set.spec
        self._selector: Selector = daemon_set.spec.selector
        self._tolerant = tolerate_trouble(daemon_set.spec.template)
        self._rules = self._template = None
        self._fits.clear()
        for node in self._nodes.by_name.values():
            self.fit(node)

    # --- what changes -------------------------------------------------------------------------------------

    def fit(self, node: Node) -> Fit:
        """A node is new, or other than before: what it is to the set now."""
        name, fit = node.meta.name, decide_fit(self._tolerant, node)
        if fit == NO_FIT:
            self._fits.pop(name, None)
        else:
            self._fits[name] = fit
        self._changed[name] = None
        return fit

    def drop(self, name: str) -> None:
        """A node is gone."""
        self._fits.pop(name, None)
        self._changed[name] = None

    def holds_bound(self, name: str) -> bool:
        """Whether a pod of the set is bound to a node, ended ones counted."""
        return any(self._pods[uid].node_name for uid in self._by_node.get(name, ()) if uid in self._pods)

    def change(self, old: Pod | None, new: Pod | None) -> bool:
        """Follow one write to a pod of the set: a look is asked for by all that is told of."""
        pod = new if new is not None else old
        assert pod is not None, "a change has an old or a new pod"
        uid = pod.meta.uid
        before = self._targets.get(uid, "")
        target = find_target(new) if new is not None else ""
        if before != target:
            self._move(uid, before, target)
        if target:
            self._changed[target] = None
        if new is None or old is None or old.meta is not new.meta:
            self._label(uid, new)
        return True

    def bind(self, old: Pod, new: Pod) -> bool:
        """Follow that the scheduler has bound a pod to the node that it was for."""
        return self.change(old, new)

    def _move(self, uid: str, before: str, target: str) -> None:
        if before:
            members = self._by_node[before]
            del members[uid], self._targets[uid]
            if not members:
                del self._by_node[before]
            self._changed[before] = None
        if target:
            self._by_node.setdefault(target, {})[uid] = None
            self._targets[uid] = target

    def _label(self, uid: str, new: Pod | None) -> None:
        former = self._digests.pop(uid, None)
        if former is not None:
            self.digests[former] -= 1
            if not self.digests[former]:
                del self.digests[former]
        self.strays.pop(uid, None)
        if new is None:
            return
        labels = new.meta.labels
        digest = labels.get(REVISION_LABEL)
        if digest is not None:
            self._digests[uid] = digest
            self.digests[digest] += 1
        if not self._selector.matches(labels):
            self.strays[uid] = None

    # --- how it stands ------------------------------------------------------------------------------------

    def settle(self, rules: Rules, now_ms: int, hold: Callable[[str], Hold | None]) -> Sums:
        """Weigh what changed, or ripened; with other rules all. `hold`: until when a failed pod is kept."""
        if rules != self._rules:
            self._rules, self._template = rules, None
            names: Iterable[str] = dict.fromkeys((*self._fits, *self._by_node))
            self.sums = Sums()
        else:
            names = dict.fromkeys((*self._changed, *self.sums.take_ripe(now_ms)))
        self._changed = {}
        for name in names:
            self._weigh(name, rules, now_ms, hold)
        return self.sums

    def _weigh(self, name: str, rules: Rules, now_ms: int, hold: Callable[[str], Hold | None]) -> None:
        fit = self._fits.get(name, NO_FIT) if name in self._nodes.by_name else None
        strays = self.strays
        uids = [uid for uid in self._by_node.get(name, ()) if uid not in strays]
        pods = [pod for pod in map(self._pods.get, uids) if pod is not None]
        has_failed = any(pod.status.phase == FAILED and pod.meta.deletion_ms is None for pod in pods)
        node_state = decide_node_state(pods, fit, rules, now_ms, hold(name) if has_failed else None)
        self.sums.put(name, self._nodes.rank(name), node_state)

    def make_template(self) -> PodTemplate:
        """What its pods are made from, read once a revision."""
        assert self._rules is not None, "nodes were weighed before"
        if self._template is None:
            rules = self._rules
            self._template = make_daemon_template(self._spec.template, rules.generation, rules.digest)
        return self._template
