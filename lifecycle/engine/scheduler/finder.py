"""Finds the node for one pod (schedulePod), with regard to the pods that are nominated to nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from ..objects.node import Node
from ..objects.pods.pod import Pod, PodSpec
from ..rules.placement.host_ports import list_host_ports
from ..rules.placement.refusals import VOLUMES, Refusal, find_refusal
from ..rules.pods.resources import allotted_requests, assumed_requests, effective_requests
from .classes import PodClasses
from .default_preemption import filter_with_nominated_pods
from .matching_pods import MatchingPods
from .node_info import NodeInfo
from .node_resources_fit import PodResources
from .pod_class import PodClass
from .snapshot import Snapshot
from .volume_binding import IN_USE, PodVolumes


class Nominator:
    """The pods with a nominated node: their victims are still terminating there."""

    def __init__(self) -> None:
        self._by_node: dict[str, dict[str, Pod]] = {}

    def __bool__(self) -> bool:
        """Whether any pod has a nominated node."""
        return bool(self._by_node)

    def change(self, old: Pod | None, new: Pod | None) -> None:
        """A pod that is not bound has another nominated node, or none."""
        for pod, is_now in ((old, False), (new, True)):
            node_name = pod.status.nominated_node_name if pod is not None else ""
            if pod is None or not node_name:
                continue
            if is_now:
                self._by_node.setdefault(node_name, {})[pod.meta.uid] = pod
            elif node_name in self._by_node:
                self._by_node[node_name].pop(pod.meta.uid, None)
                if not self._by_node[node_name]:
                    del self._by_node[node_name]

    def list_above(self, pod: Pod) -> Mapping[str, Sequence[Pod]]:
        """By node, the pods nominated to it with at least the priority of a pod; without that pod."""
        if not self._by_node:
            return {}
        found = {
            name: [one for uid, one in pods.items() if uid != pod.meta.uid and is_above(one, pod)]
            for name, pods in self._by_node.items()
        }
        return {name: pods for name, pods in found.items() if pods}

    def list_below(self, pod: Pod, node_name: str) -> Sequence[Pod]:
        """The pods that are nominated to a node and have a lower priority than a pod."""
        return [one for one in self._by_node.get(node_name, {}).values() if not is_above(one, pod)]


def is_above(one: Pod, other: Pod) -> bool:
    """Whether a pod has at least the priority of another."""
    return one.spec.priority >= other.spec.priority


class NodeFinder:
    """Finds nodes. It changes no object."""

    def __init__(
        self, snapshot: Snapshot, matching_pods: MatchingPods, classes: PodClasses, nominator: Nominator
    ) -> None:
        self._snapshot, self._matching_pods, self._classes, self._nominator = (
            snapshot,
            matching_pods,
            classes,
            nominator,
        )

    def find_named(self, pod: Pod, spec: PodSpec, name: str, volumes: PodVolumes | None) -> NodeInfo | None:
        """The only node that a pod may go to, as for a pod of a DaemonSet, if it fits.

        None also if rules about other pods or volumes matter; then the usual way decides.
        """
        node_info = self._snapshot.by_name.get(name)
        has_rules = (
            spec.topology_spread_constraints
            or self._matching_pods.with_terms
            or self._nominator.list_above(pod)
        )
        if node_info is None or has_rules or _is_about_others(spec) or volumes is not None:
            return None
        pod_resources = PodResources(effective_requests(spec), assumed_requests(spec), list_host_ports(spec))
        return (
            None
            if find_refusal(spec, node_info.node) or node_info.find_fit(pod_resources).refusal
            else node_info
        )

    def class_of(
        self, pod: Pod, spec: PodSpec, names: Collection[str] | None, volumes: PodVolumes | None
    ) -> PodClass:
        """The class of a pod; a class of its own if it names its nodes, or its volumes restrict them."""
        if names is None and volumes is None:
            return self._classes.find(pod, spec)
        suits = _read_volumes(volumes) if volumes is not None else None
        state = self._classes.read(pod, spec)
        return PodClass(state, self._snapshot, self._matching_pods, suits, names, is_kept=False)

    def find(self, pod: Pod, pod_class: PodClass) -> NodeInfo | None:
        """The nominated node of the pod if it fits there now, else the node with the best score."""
        own = pod.status.nominated_node_name
        if not own and not self._nominator:
            return pod_class.best()
        above = self._nominator.list_above(pod)
        node_info = self._snapshot.by_name.get(own)
        if (
            node_info
            and filter_with_nominated_pods(pod_class, own, (), above.get(own, ()), self.resources_of) is None
        ):
            return node_info
        for name, nominated in above.items():
            if name in self._snapshot.by_name and pod_class.refusal_of(name) is None:
                refusal = filter_with_nominated_pods(pod_class, name, (), nominated, self.resources_of)
                if refusal is not None:
                    pod_class.exclude(name, refusal)
        return pod_class.best()

    def resources_of(self, pod: Pod) -> PodResources:
        """What a pod takes of its node: its requests, or what is allocated if a resize exceeds the node."""
        spec = pod.spec
        pod_resources = spec.notes.pod_resources
        if pod_resources is None:
            pod_resources = PodResources(
                effective_requests(spec), assumed_requests(spec), list_host_ports(spec)
            )
            spec.notes.pod_resources = pod_resources
        assert isinstance(pod_resources, PodResources), pod_resources
        node_info = self._snapshot.by_name.get(pod.node_name) if pod.meta.generation > 1 else None
        if node_info is not None and node_info.lacks(pod_resources.requests):
            return PodResources(allotted_requests(pod), pod_resources.non_zero_requests, pod_resources.ports)
        return pod_resources


def _is_about_others(spec: PodSpec) -> bool:
    return bool(spec.affinity.get("podAffinity") or spec.affinity.get("podAntiAffinity"))


def _read_volumes(volumes: PodVolumes) -> Callable[[Node], Refusal | None]:
    def suits(node: Node) -> Refusal | None:
        if volumes.is_in_use:
            return Refusal(VOLUMES, (IN_USE,), False)
        reasons = volumes.why_not(node)
        return Refusal(VOLUMES, tuple(reasons)) if reasons else None

    return suits
