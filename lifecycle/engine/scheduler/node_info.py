"""What is free on every node, kept at each binding and end, who is on it, and which ports are taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ..objects.node import Node
from ..objects.pods.pod import HostPort
from ..rules.placement.host_ports import has_clash
from ..rules.placement.refusals import NO_PORTS, Refusal
from .node_resources_fit import Load, Shape, Verdict


class NodeRoom:
    """One node: what nobody uses of what it has, and who is on it."""

    __slots__ = ("fill", "node", "number", "ports", "uids")

    def __init__(self, node: Node, number: int, shape: Shape) -> None:
        # Pods may share a port that was given to them past the scheduler.
        self.ports: Counter[HostPort] = Counter()
        self.uids: dict[str, None] = {}
        self.node, self.number = node, number
        self.fill = shape.find(shape.has, (0, 0), 0)

    def take(self, node: Node, shape: Shape) -> None:
        """The node as it is now."""
        self.node, fill = node, self.fill
        if shape is fill.shape:
            return
        had, has, free = fill.shape.has, shape.has, dict(fill.free)
        for resource in {**had, **has}:
            free[resource] = free.get(resource, 0) + has.get(resource, 0) - had.get(resource, 0)
        self.fill = shape.find(free, fill.assumed, fill.count)

    def change(self, uid: str, load: Load, sign: int) -> None:
        """Add (+1) or take away (-1) a pod."""
        self.fill = self.fill.after(load, sign)
        if load.ports:
            self._take_ports(load.ports, sign)
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
        """Have a pod that is here stand behind the others."""
        del self.uids[uid]
        self.uids[uid] = None

    def judge(self, load: Load) -> Verdict:
        """Whether one more pod fits, and what the node scores then."""
        if load.ports and has_clash(load.ports, self.ports):
            return Verdict(load, NO_PORTS, 0, 0)
        return self.fill.judge(load)

    def refuse_after(self, load: Load, gone: Iterable[Load], come: Iterable[Load]) -> Refusal | None:
        """What there would be too little of if some pods had gone from the node, and others come."""
        ports, freed, fewer = Counter(self.ports), dict[str, int](), 0
        for loads, sign in ((gone, 1), (come, -1)):
            for one in loads:
                fewer += sign
                for port in one.ports:
                    ports[port] -= sign
                for resource, amount in one.requests.items():
                    freed[resource] = freed.get(resource, 0) + sign * amount
        if load.ports and has_clash(load.ports, [port for port, count in ports.items() if count > 0]):
            return NO_PORTS
        return self.fill.find_shortage(load, freed, fewer)

    def list_missing(self, load: Load) -> list[str]:
        """How much of what would have to be free besides: `1500m more cpu`."""
        fill = self.fill
        missing = ["the end of a pod"] if fill.count >= fill.shape.pods else []
        for resource, amount in load.requests.items():
            lack = amount - fill.free.get(resource, 0)
            if amount and lack > 0:
                missing.append(f"{lack}{'m' if resource == 'cpu' else ''} more {resource}")
        return missing

    def lacks(self, requests: Mapping[str, int]) -> bool:
        """Whether the node has less CPU or memory than that, whoever else is there."""
        has = self.fill.shape.has
        return requests.get("cpu", 0) > has.get("cpu", 0) or requests.get("memory", 0) > has.get("memory", 0)


def is_same_room(old: Node, new: Node) -> bool:
    """Whether what decides on who fits is as it was: labels, taints and what is allocatable."""
    if old.spec is not new.spec or old.meta is not new.meta:
        return False
    return old.status.allocatable == new.status.allocatable
