"""NodeInfo: a node with its pods, their resources and their host ports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ..objects.node import Node
from ..objects.pods.pod import HostPort
from ..rules.placement.host_ports import has_clash
from ..rules.placement.refusals import NO_PORTS, Refusal
from .node_resources_fit import Allocatable, FitResult, PodResources


class NodeInfo:
    """One node in the snapshot. `number`: rises with each node that joins. `uids`: of the pods on it."""

    __slots__ = ("node", "number", "ports", "resources", "uids")

    def __init__(self, node: Node, number: int, allocatable: Allocatable) -> None:
        # Pods that were bound without the scheduler may share a port.
        self.ports: Counter[HostPort] = Counter()
        self.uids: dict[str, None] = {}
        self.node, self.number = node, number
        self.resources = allocatable.find(allocatable.amounts, (0, 0), 0)

    def update_node(self, node: Node, allocatable: Allocatable) -> None:
        """Replace the Node object."""
        self.node, resources = node, self.resources
        if allocatable is resources.allocatable:
            return
        had, has, free = resources.allocatable.amounts, allocatable.amounts, dict(resources.free)
        for resource in {**had, **has}:
            free[resource] = free.get(resource, 0) + has.get(resource, 0) - had.get(resource, 0)
        self.resources = allocatable.find(free, resources.non_zero_requests, resources.count)

    def change(self, uid: str, pod_resources: PodResources, sign: int) -> None:
        """Add (+1) or remove (-1) a pod."""
        self.resources = self.resources.after(pod_resources, sign)
        if pod_resources.ports:
            self._take_ports(pod_resources.ports, sign)
        if sign > 0:
            self.uids[uid] = None
        else:
            self.uids.pop(uid, None)

    def _take_ports(self, ports: Iterable[HostPort], sign: int) -> None:
        for port in ports:
            self.ports[port] += sign
            if not self.ports[port]:
                del self.ports[port]

    def put_last(self, uid: str) -> None:
        """Move a pod to the end of the list."""
        del self.uids[uid]
        self.uids[uid] = None

    def find_fit(self, pod_resources: PodResources) -> FitResult:
        """Filter of NodePorts and NodeResourcesFit for one more pod, and the scores by resources."""
        if pod_resources.ports and has_clash(pod_resources.ports, self.ports):
            return FitResult(pod_resources, NO_PORTS, 0, 0)
        return self.resources.find_fit(pod_resources)

    def refuse_after(
        self, pod_resources: PodResources, removed: Iterable[PodResources], added: Iterable[PodResources]
    ) -> Refusal | None:
        """Why one more pod does not fit if some pods are removed from the node and others added; or None."""
        ports, freed, fewer = Counter(self.ports), dict[str, int](), 0
        for loads, sign in ((removed, 1), (added, -1)):
            for one in loads:
                fewer += sign
                for port in one.ports:
                    ports[port] -= sign
                for resource, amount in one.requests.items():
                    freed[resource] = freed.get(resource, 0) + sign * amount
        if pod_resources.ports and has_clash(
            pod_resources.ports, [port for port, count in ports.items() if count > 0]
        ):
            return NO_PORTS
        return self.resources.find_shortage(pod_resources, freed, fewer)

    def list_missing(self, pod_resources: PodResources) -> list[str]:
        """What must become free for one more pod: `1500m more cpu`."""
        resources = self.resources
        missing = ["the end of a pod"] if resources.count >= resources.allocatable.pods else []
        for resource, amount in pod_resources.requests.items():
            lack = amount - resources.free.get(resource, 0)
            if amount and lack > 0:
                missing.append(f"{lack}{'m' if resource == 'cpu' else ''} more {resource}")
        return missing

    def lacks(self, requests: Mapping[str, int]) -> bool:
        """Whether less CPU or memory than that is allocatable on the node, even without other pods."""
        has = self.resources.allocatable.amounts
        return requests.get("cpu", 0) > has.get("cpu", 0) or requests.get("memory", 0) > has.get("memory", 0)


def has_same_scheduling_properties(old: Node, new: Node) -> bool:
    """Whether an update of a node left labels, taints and allocatable resources as they were."""
    if old.spec is not new.spec or old.meta is not new.meta:
        return False
    return old.status.allocatable == new.status.allocatable
