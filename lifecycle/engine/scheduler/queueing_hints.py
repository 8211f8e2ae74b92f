"""QueueingHint: whether an event may make an unschedulable pod schedulable; else it stays where it is.

Models the hints of the plugins that rejected the pod. As in Kubernetes, a pod rejected by the anti-affinity
of other pods is not queued when one of these is deleted; and a change of taints queues pods rejected by
plugins that register for new nodes, but not for taints (kubernetes/kubernetes#109437).
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
from .node_resources_fit import Allocatable
from .pre_filter import PreFilterState

CLAIM_CHANGED, VOLUME_CHANGED, CLASS_MADE, USER_ENDED = "claim", "volume", "class", "user"
_BLIND_TO_TAINTS = frozenset((NODE_AFFINITY, PORTS, FIT, VOLUMES, POD_AFFINITY))
_KEEPING_AWAY = ("NoSchedule", "NoExecute")
# Parts of the messages of pods that such an event may help.
_WORDS: dict[str, tuple[str, ...]] = {
    CLAIM_CHANGED: ("persistentvolumeclaim", "PersistentVolume", "persistent volumes", "pvc(s)"),
    # Whatever VolumeBinding refused: of volumes it registers each change, without a hint of its own.
    VOLUME_CHANGED: (
        "persistent volumes to bind",
        "PersistentVolume's node affinity",
        "pvc(s)",
        "unbound immediate",
        "is being deleted",
        "bound to non-existent",
    ),
    CLASS_MADE: ("unbound immediate", "persistent volumes to bind"),
    # What VolumeRestrictions refused, which alone registers the ends of pods.
    USER_ENDED: ("access mode already in-use", '" not found'),
}
Plugins = Collection[str]


def is_schedulable_after_storage_change(event: str, message: str) -> bool:
    """Whether a change of a claim, volume or class, or a user's end, may help a pod with this message."""
    return any(words in message for words in _WORDS[event])


def is_schedulable_after_pod_delete(plugins: Plugins, state: PreFilterState, gone: Pod) -> bool:
    """AssignedPodDelete: whether the end of a pod may help that was assigned or nominated to a node."""
    if FIT in plugins:
        return True
    if PORTS in plugins and has_clash(state.pod_resources.ports, list_host_ports(gone.spec)):
        return True
    if SPREAD in plugins and _is_spread_with(state, gone):
        return True
    return POD_AFFINITY in plugins and _are_all_about(state.terms.apart, state, gone)


def is_schedulable_after_pod_add(plugins: Plugins, state: PreFilterState, bound: Pod) -> bool:
    """AssignedPodAdd: whether another pod that is assigned now may help."""
    if SPREAD in plugins and _is_spread_with(state, bound):
        return True
    return POD_AFFINITY in plugins and _are_all_about(state.terms.near, state, bound)


def is_schedulable_after_pod_labels(plugins: Plugins, state: PreFilterState, old: Pod, new: Pod) -> bool:
    """UpdatePodLabel: whether other labels of an assigned pod may help."""
    if SPREAD in plugins and new.meta.namespace == state.namespace:
        before, after = old.meta.labels, new.meta.labels
        if any(one.matches(before) != one.matches(after) for one in state.hard_constraints):
            return True
    if POD_AFFINITY not in plugins:
        return False
    near, apart = state.terms.near, state.terms.apart
    comes = not _are_all_about(near, state, old) and _are_all_about(near, state, new)
    return comes or (_are_all_about(apart, state, old) and not _are_all_about(apart, state, new))


def is_schedulable_after_pod_resize(plugins: Plugins, state: PreFilterState, old: Pod, new: Pod) -> bool:
    """UpdatePodScaleDown: whether lower requests of an assigned pod may help."""
    before, after = effective_requests(old.spec), effective_requests(new.spec)
    wanted = (name for name, amount in state.pod_resources.requests.items() if amount)
    return FIT in plugins and any(after.get(name, 0) < before.get(name, 0) for name in wanted)


def is_schedulable_after_node_change(
    plugins: Plugins, state: PreFilterState, old: Node | None, new: Node
) -> bool:
    """Node add and update: whether a new node, or a change of a node, may help."""
    if old is not None and _has_other_taints(old, new) and not _BLIND_TO_TAINTS.isdisjoint(plugins):
        return True
    return any(one in plugins and ask(state, old, new) for one, ask in _OF_NODES.items())


def is_schedulable_after_node_delete(plugins: Plugins, state: PreFilterState, gone: Node) -> bool:
    """Node delete: whether it may help, as the minimum match of a spread constraint may change."""
    return SPREAD in plugins and _has_labels(state.hard_constraints, gone)


def is_schedulable_after_own_change(plugins: Plugins, state: PreFilterState, old: Pod, new: Pod) -> bool:
    """Whether a change of the unschedulable pod itself may help: tolerations, labels or requests."""
    if old.spec.tolerations != new.spec.tolerations:
        honors = SPREAD in plugins and any(one.honors_taints for one in state.hard_constraints)
        if honors or not {CORDON, TAINTS}.isdisjoint(plugins):
            return True
    before, after = old.meta.labels, new.meta.labels
    if SPREAD in plugins and any(one.matches(before) != one.matches(after) for one in state.hard_constraints):
        return True
    return FIT in plugins and effective_requests(old.spec) != effective_requests(new.spec)


def _is_spread_with(state: PreFilterState, pod: Pod) -> bool:
    is_near = pod.meta.namespace == state.namespace
    return is_near and any(one.matches(pod.meta.labels) for one in state.hard_constraints)


def _are_all_about(terms: Collection[Term], state: PreFilterState, pod: Pod) -> bool:
    namespace = pod.meta.namespace or ""
    space = state.labels_of(namespace)
    return bool(terms) and all(one.matches(namespace, pod.meta.labels, space) for one in terms)


def _has_labels(constraints: Collection[Constraint], node: Node) -> bool:
    return all(one.key in node.meta.labels for one in constraints)


# --- node events, by plugin ------------------------------------------------------------------------------


def _has_other_taints(old: Node, new: Node) -> bool:
    """A cordon is not a change of taints, but the taint that the node controller adds for it is."""
    return old.spec.taints != new.spec.taints or (old.spec.unschedulable and not new.spec.unschedulable)


def _is_uncordoned(state: PreFilterState, old: Node | None, new: Node) -> bool:
    return not new.spec.unschedulable and (old is None or old.spec.unschedulable)


def _is_tolerated_now(state: PreFilterState, old: Node | None, new: Node) -> bool:
    was_kept_away = old is None or has_untolerated(state.spec, old, _KEEPING_AWAY)
    return was_kept_away and not has_untolerated(state.spec, new, _KEEPING_AWAY)


def _is_wanted_now(state: PreFilterState, old: Node | None, new: Node) -> bool:
    return wants_node(state.spec, new) and (old is None or not wants_node(state.spec, old))


def _is_larger(state: PreFilterState, old: Node | None, new: Node) -> bool:
    if not Allocatable(new.status.allocatable).could_ever_hold(state.pod_resources):
        return False
    if old is None:
        return True
    before, after = old.status.allocatable, new.status.allocatable
    wanted = ("pods", *(name for name, amount in state.pod_resources.requests.items() if amount))
    return any(after.get(name, 0) > before.get(name, 0) for name in wanted)


def _is_new(state: PreFilterState, old: Node | None, new: Node) -> bool:
    return old is None


def _may_be_spread(state: PreFilterState, old: Node | None, new: Node) -> bool:
    matches = _has_labels(state.hard_constraints, new)
    if old is None or matches != _has_labels(state.hard_constraints, old):
        return matches or old is not None
    return matches and (_are_moved(state.hard_constraints, old, new) or old.spec.taints != new.spec.taints)


def _are_moved(rules: Collection[Constraint] | Collection[Term], old: Node, new: Node) -> bool:
    return any(old.meta.labels.get(one.key) != new.meta.labels.get(one.key) for one in rules)


def _may_be_near(state: PreFilterState, old: Node | None, new: Node) -> bool:
    near, apart = state.terms.near, state.terms.apart
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
    VOLUMES: lambda state, old, new: old is None or old.meta.labels != new.meta.labels,
    SPREAD: _may_be_spread,
    POD_AFFINITY: _may_be_near,
}
