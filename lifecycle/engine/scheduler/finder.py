"""The node for one pod: of all, or of those that it names, with regard to who is promised what."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from ..objects.node import Node
from ..objects.pods.pod import Pod, PodSpec
from ..rules.placement.host_ports import list_host_ports
from ..rules.placement.refusals import VOLUMES, Refusal, find_refusal
from ..rules.pods.resources import allotted_requests, assumed_requests, effective_requests
from .classes import Classes
from .default_preemption import refuse_with_promised
from .matching_pods import Census
from .node_info import NodeRoom
from .node_resources_fit import Load
from .pod_class import PodClass
from .snapshot import Rooms
from .volume_binding import IN_USE, PodVolumes


class Promises:
    """Pods that wait for a node on which others end for them, by that node."""

    def __init__(self) -> None:
        self._by_node: dict[str, dict[str, Pod]] = {}

    def __bool__(self) -> bool:
        """Whether anybody is promised anything."""
        return bool(self._by_node)

    def change(self, old: Pod | None, new: Pod | None) -> None:
        """A pod that has no node is promised another one, or none."""
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
        """By node who is promised it and at least as important as a pod, which is left out."""
        if not self._by_node:
            return {}
        found = {
            name: [one for uid, one in pods.items() if uid != pod.meta.uid and is_above(one, pod)]
            for name, pods in self._by_node.items()
        }
        return {name: pods for name, pods in found.items() if pods}

    def list_below(self, pod: Pod, node_name: str) -> Sequence[Pod]:
        """Who is promised a node and less important than a pod."""
        return [one for one in self._by_node.get(node_name, {}).values() if not is_above(one, pod)]


def is_above(one: Pod, other: Pod) -> bool:
    """Whether a pod is at least as important as another."""
    return one.spec.priority >= other.spec.priority


class Finder:
    """Finds nodes. It changes nothing."""

    def __init__(self, rooms: Rooms, census: Census, classes: Classes, promises: Promises) -> None:
        self._rooms, self._census, self._classes, self._promises = rooms, census, classes, promises

    def find_named(self, pod: Pod, spec: PodSpec, name: str, volumes: PodVolumes | None) -> NodeRoom | None:
        """The one node that a pod names, as a DaemonSet's does, where no rule about other pods matters."""
        room = self._rooms.by_name.get(name)
        has_rules = (
            spec.topology_spread_constraints or self._census.with_terms or self._promises.list_above(pod)
        )
        if room is None or has_rules or _is_about_others(spec) or volumes is not None:
            return None
        load = Load(effective_requests(spec), assumed_requests(spec), list_host_ports(spec))
        return None if find_refusal(spec, room.node) or room.judge(load).refusal else room

    def class_of(
        self, pod: Pod, spec: PodSpec, names: Collection[str] | None, volumes: PodVolumes | None
    ) -> PodClass:
        """The class of a pod; one of its own where it names its nodes, or its volumes are somewhere."""
        if names is None and volumes is None:
            return self._classes.find(pod, spec)
        suits = _read_volumes(volumes) if volumes is not None else None
        wishes = self._classes.read(pod, spec)
        return PodClass(wishes, self._rooms, self._census, suits, names, is_kept=False)

    def find(self, pod: Pod, pod_class: PodClass) -> NodeRoom | None:
        """The node that a pod was promised, if it takes the pod by now; else the best one."""
        own = pod.status.nominated_node_name
        if not own and not self._promises:
            return pod_class.best()
        above = self._promises.list_above(pod)
        room = self._rooms.by_name.get(own)
        if room and refuse_with_promised(pod_class, own, (), above.get(own, ()), self.load_of) is None:
            return room
        for name, promised in above.items():
            if name in self._rooms.by_name and pod_class.refusal_of(name) is None:
                refusal = refuse_with_promised(pod_class, name, (), promised, self.load_of)
                if refusal is not None:
                    pod_class.exclude(name, refusal)
        return pod_class.best()

    def load_of(self, pod: Pod) -> Load:
        """What a pod takes of its node: what it asks for, unless a resize asks for more than there is."""
        spec = pod.spec
        load = spec.notes.load
        if load is None:
            load = Load(effective_requests(spec), assumed_requests(spec), list_host_ports(spec))
            spec.notes.load = load
        assert isinstance(load, Load), load
        room = self._rooms.by_name.get(pod.node_name) if pod.meta.generation > 1 else None
        if room is not None and room.lacks(load.requests):
            return Load(allotted_requests(pod), load.assumed, load.ports)
        return load


def _is_about_others(spec: PodSpec) -> bool:
    return bool(spec.affinity.get("podAffinity") or spec.affinity.get("podAntiAffinity"))


def _read_volumes(volumes: PodVolumes) -> Callable[[Node], Refusal | None]:
    def suits(node: Node) -> Refusal | None:
        if volumes.is_in_use:
            return Refusal(VOLUMES, (IN_USE,), False)
        reasons = volumes.why_not(node)
        return Refusal(VOLUMES, tuple(reasons)) if reasons else None

    return suits
