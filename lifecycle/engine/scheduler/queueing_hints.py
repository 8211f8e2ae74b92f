"""Which changes may help a pod that no node took: it is tried again for these alone.

Models the queueing hints of the scheduler's plugins: those are asked that kept the pod from a node. As in
Kubernetes, a pod that others keep away from their nodes is not helped when one of them goes; and whatever
changes of a node's taints, pods are tried again that were refused by plugins which look at new nodes, but not
at taints (kubernetes/kubernetes#109437).
"""

from __future__ import annotations

from collections.abc import Collection

from ..objects.node import Node
from ..objects.pods.pod import Pod
from ..rules.placement.host_ports import has_clash, list_host_ports
from ..rules.placement.node_filters import has_untolerated, wants_node
from ..rules.placement.refusals import (
    CORDON,
    FIT,
    NODE_AFFINITY,
    POD_AFFINITY,
    PORTS,
    SPREAD,
    TAINTS,
    VOLUMES,
)
from ..rules.placement.terms import Constraint, Term
from ..rules.pods.resources import effective_requests
from .node_resources_fit import Shape
from .pre_filter import Wishes

CLAIM_CHANGED, VOLUME_CHANGED, CLASS_MADE = "claim", "volume", "class"
_BLIND_TO_TAINTS = frozenset((NODE_AFFINITY, PORTS, FIT, VOLUMES, POD_AFFINITY))
_KEEPING_AWAY = ("NoSchedule", "NoExecute")
# What the scheduler says of a pod that such a change may help.
_WORDS: dict[str, tuple[str, ...]] = {
    CLAIM_CHANGED: ("persistentvolumeclaim", "PersistentVolume", "persistent volumes", "pvc(s)"),
    VOLUME_CHANGED: ("persistent volumes to bind", "PersistentVolume's node affinity", "pvc(s)"),
    CLASS_MADE: ("unbound immediate", "persistent volumes to bind"),
}
Plugins = Collection[str]


def is_helped_by_storage(hint: str, message: str) -> bool:
    """Whether a pod of which that was said may be helped by a claim, a volume or a class."""
    return any(words in message for words in _WORDS[hint])


def is_helped_by_end(plugins: Plugins, wishes: Wishes, gone: Pod) -> bool:
    """Whether the end of a pod that had a node, or was promised one, may help."""
    if FIT in plugins:
        return True
    if PORTS in plugins and has_clash(wishes.load.ports, list_host_ports(gone.spec)):
        return True
    if SPREAD in plugins and _is_spread_with(wishes, gone):
        return True
    return POD_AFFINITY in plugins and _are_all_about(wishes.terms.apart, wishes, gone)


def is_helped_by_binding(plugins: Plugins, wishes: Wishes, bound: Pod) -> bool:
    """Whether another pod that has got a node may help."""
    if SPREAD in plugins and _is_spread_with(wishes, bound):
        return True
    return POD_AFFINITY in plugins and _are_all_about(wishes.terms.near, wishes, bound)


def is_helped_by_labels(plugins: Plugins, wishes: Wishes, old: Pod, new: Pod) -> bool:
    """Whether new labels of a pod that has a node may help."""
    if SPREAD in plugins and new.meta.namespace == wishes.namespace:
        before, after = old.meta.labels, new.meta.labels
        if any(one.matches(before) != one.matches(after) for one in wishes.hard):
            return True
    if POD_AFFINITY not in plugins:
        return False
    near, apart = wishes.terms.near, wishes.terms.apart
    comes = not _are_all_about(near, wishes, old) and _are_all_about(near, wishes, new)
    return comes or (_are_all_about(apart, wishes, old) and not _are_all_about(apart, wishes, new))


def is_helped_by_resize(plugins: Plugins, wishes: Wishes, old: Pod, new: Pod) -> bool:
    """Whether it may help that a pod that has a node asks for something else now."""
    before, after = effective_requests(old.spec), effective_requests(new.spec)
    wanted = (name for name, amount in wishes.load.requests.items() if amount)
    return FIT in plugins and any(after.get(name, 0) < before.get(name, 0) for name in wanted)


def is_helped_by_node(plugins: Plugins, wishes: Wishes, old: Node | None, new: Node) -> bool:
    """Whether a new node may help, or what has changed of one."""
    if old is not None and _has_other_taints(old, new) and not _BLIND_TO_TAINTS.isdisjoint(plugins):
        return True
    return any(one in plugins and ask(wishes, old, new) for one, ask in _OF_NODES.items())


def is_helped_by_lost_node(plugins: Plugins, wishes: Wishes, gone: Node) -> bool:
    """Whether it may help that a node is gone: the least number of pods may be another then."""
    return SPREAD in plugins and _has_labels(wishes.hard, gone)


def is_helped_by_itself(plugins: Plugins, wishes: Wishes, old: Pod, new: Pod) -> bool:
    """Whether a change of the waiting pod may help: what it tolerates, or asks for."""
    if old.spec.tolerations != new.spec.tolerations:
        honors = SPREAD in plugins and any(one.honors_taints for one in wishes.hard)
        if honors or not {CORDON, TAINTS}.isdisjoint(plugins):
            return True
    before, after = old.meta.labels, new.meta.labels
    if SPREAD in plugins and any(one.matches(before) != one.matches(after) for one in wishes.hard):
        return True
    return FIT in plugins and effective_requests(old.spec) != effective_requests(new.spec)


def _is_spread_with(wishes: Wishes, pod: Pod) -> bool:
    is_near = pod.meta.namespace == wishes.namespace
    return is_near and any(one.matches(pod.meta.labels) for one in wishes.hard)


def _are_all_about(terms: Collection[Term], wishes: Wishes, pod: Pod) -> bool:
    namespace = pod.meta.namespace or ""
    space = wishes.labels_of(namespace)
    return bool(terms) and all(one.matches(namespace, pod.meta.labels, space) for one in terms)


def _has_labels(constraints: Collection[Constraint], node: Node) -> bool:
    return all(one.key in node.meta.labels for one in constraints)


# --- of nodes, plugin by plugin ---------------------------------------------------------------------------


def _has_other_taints(old: Node, new: Node) -> bool:
    """A cordon that begins is no such change, though the taint that follows it is."""
    return old.spec.taints != new.spec.taints or (old.spec.unschedulable and not new.spec.unschedulable)


def _is_uncordoned(wishes: Wishes, old: Node | None, new: Node) -> bool:
    return not new.spec.unschedulable and (old is None or old.spec.unschedulable)


def _is_tolerated_now(wishes: Wishes, old: Node | None, new: Node) -> bool:
    was_kept_away = old is None or has_untolerated(wishes.spec, old, _KEEPING_AWAY)
    return was_kept_away and not has_untolerated(wishes.spec, new, _KEEPING_AWAY)


def _is_wanted_now(wishes: Wishes, old: Node | None, new: Node) -> bool:
    return wants_node(wishes.spec, new) and (old is None or not wants_node(wishes.spec, old))


def _is_larger(wishes: Wishes, old: Node | None, new: Node) -> bool:
    if not Shape(new.status.allocatable).could_ever_hold(wishes.load):
        return False
    if old is None:
        return True
    before, after = old.status.allocatable, new.status.allocatable
    wanted = ("pods", *(name for name, amount in wishes.load.requests.items() if amount))
    return any(after.get(name, 0) > before.get(name, 0) for name in wanted)


def _is_new(wishes: Wishes, old: Node | None, new: Node) -> bool:
    return old is None


def _may_be_spread(wishes: Wishes, old: Node | None, new: Node) -> bool:
    matches = _has_labels(wishes.hard, new)
    if old is None or matches != _has_labels(wishes.hard, old):
        return matches or old is not None
    return matches and (_are_moved(wishes.hard, old, new) or old.spec.taints != new.spec.taints)


def _are_moved(rules: Collection[Constraint] | Collection[Term], old: Node, new: Node) -> bool:
    return any(old.meta.labels.get(one.key) != new.meta.labels.get(one.key) for one in rules)


def _may_be_near(wishes: Wishes, old: Node | None, new: Node) -> bool:
    near, apart = wishes.terms.near, wishes.terms.apart
    if old is None:
        return bool(apart) or any(one.key in new.meta.labels for one in near)
    has, had = new.meta.labels, old.meta.labels
    is_nearer = any(one.key in has and has[one.key] != had.get(one.key) for one in near)
    return is_nearer or any(one.key in had and had[one.key] != has.get(one.key) for one in apart)


_OF_NODES = {
    CORDON: _is_uncordoned,
    TAINTS: _is_tolerated_now,
    NODE_AFFINITY: _is_wanted_now,
    PORTS: _is_new,
    FIT: _is_larger,
    VOLUMES: lambda wishes, old, new: old is None or old.meta.labels != new.meta.labels,
    SPREAD: _may_be_spread,
    POD_AFFINITY: _may_be_near,
}
