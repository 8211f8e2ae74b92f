"""What is free on every node, kept at each binding and end; and the order in which a class of pods sees them.

Pods of one template and owner form a class. A class keeps its nodes in a heap, best first, and follows a log
of changed nodes, so that placing a pod costs by what changed since the class placed its last one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from heapq import heapify, heappop, heappush, heapreplace

from ..objects.node import Node
from ..objects.pod import HostPort, PodSpec
from ..rules.host_ports import has_clash, list_host_ports
from ..rules.node_filters import why_not

Entry = tuple[int, int, int, str, int]


class NodeRoom:
    """One node: what nobody uses of what it has, and which owners' pods it holds."""

    __slots__ = ("_capacity", "_has", "count", "free", "node", "number", "owners", "ports", "version")

    def __init__(self, node: Node, number: int) -> None:
        self._has: Mapping[str, int] = {}
        # By resource; pods are counted. Below 0 where the node has become less than its pods ask for.
        self.free: dict[str, int] = {}
        self.owners: dict[str, int] = {}
        # Pods may share a port that was given to them past the scheduler.
        self.ports: Counter[HostPort] = Counter()
        self.count = 0
        self.version = 0
        self.number = number
        self.take(node)

    def take(self, node: Node) -> None:
        """The node as it is now."""
        had, has, free = self._has, node.status.allocatable, self.free
        for resource in {**had, **has}:
            free[resource] = free.get(resource, 0) + has.get(resource, 0) - had.get(resource, 0)
        self.node, self._has = node, has
        # Pods, CPU and memory, to divide by.
        self._capacity = (
            max(has.get("pods", 110), 1),
            max(has.get("cpu", 1), 1),
            max(has.get("memory", 1), 1),
        )

    def lacks(self, requests: Mapping[str, int]) -> list[str]:
        """What the node has too little of, in the scheduler's words; empty when the pod fits."""
        missing = []
        if self.count >= self._has.get("pods", 110):
            missing.append("Too many pods")
        for resource, amount in requests.items():
            if amount and amount > self.free.get(resource, 0):
                missing.append(f"Insufficient {resource}")
        return missing

    def has_ports(self, ports: tuple[HostPort, ...]) -> bool:
        """Whether nobody has taken one of these ports."""
        return not has_clash(ports, self.ports)

    def is_too_small(self, requests: Mapping[str, int]) -> bool:
        """Whether the pod would not fit on the empty node either."""
        return any(amount > self._has.get(resource, 0) for resource, amount in requests.items())

    def fits(self, requests: Mapping[str, int]) -> bool:
        """Whether the pod fits."""
        free, has_room = self.free, self.count < self._has.get("pods", 110)
        for resource, amount in requests.items():
            if amount and amount > free.get(resource, 0):
                has_room = False
        return has_room

    def load(self) -> int:
        """How full the node is, in thousandths: the mean over CPU, memory and pod slots."""
        pods, cpu, memory = self._capacity
        has, free = self._has, self.free
        total = self.count * 1000 // pods
        total += (has.get("cpu", 0) - free.get("cpu", 0)) * 1000 // cpu
        total += (has.get("memory", 0) - free.get("memory", 0)) * 1000 // memory
        return total // 3

    def change(self, requests: Mapping[str, int], ports: tuple[HostPort, ...], owner: str, sign: int) -> None:
        """Add (+1) or take away (-1) a pod."""
        for port in ports:
            self.ports[port] += sign
            if not self.ports[port]:
                del self.ports[port]
        free = self.free
        for resource, amount in requests.items():
            free[resource] = free.get(resource, 0) - sign * amount
        self.count += sign
        if owner:
            left = self.owners.get(owner, 0) + sign
            if left:
                self.owners[owner] = left
            else:
                self.owners.pop(owner, None)
        self.version += 1


def pick_rooms(rooms: Mapping[str, NodeRoom], names: Collection[str] | None) -> Mapping[str, NodeRoom]:
    """The rooms of these nodes as far as they are there; None: all."""
    return rooms if names is None else {name: rooms[name] for name in sorted(names) if name in rooms}


class PodClass:
    """The nodes in the order in which pods of one template and owner want them."""

    __slots__ = ("_let_in", "heap", "owner", "ports", "position", "requests", "spec")

    def __init__(self, spec: PodSpec, owner: str, requests: Mapping[str, int]) -> None:
        self.spec = spec
        self.owner = owner
        self.requests = requests
        self.ports = list_host_ports(spec)
        self.heap: list[Entry] = []
        self.position = -1
        # Nodes as they were when the pods of the class were found to be let in.
        self._let_in: dict[str, Node] = {}

    def follow(self, rooms: Mapping[str, NodeRoom], log: list[str]) -> None:
        """Take in the nodes that changed since the last look."""
        behind = len(log) - self.position
        if self.position < 0 or behind > 2 * len(rooms) + 16:
            self.heap = [entry for entry in map(self._entry, rooms.values()) if entry is not None]
            heapify(self.heap)
        elif behind:
            for name in log[self.position :] if behind == 1 else dict.fromkeys(log[self.position :]):
                room = rooms.get(name)
                entry = self._entry(room) if room is not None else None
                if entry is None:
                    continue
                if self.heap and self.heap[0][3] == name:
                    # The node as it was when the last pod was placed on it.
                    heapreplace(self.heap, entry)
                else:
                    heappush(self.heap, entry)
        self.position = len(log)

    def _entry(self, room: NodeRoom) -> Entry | None:
        node = room.node
        if self._let_in.get(node.meta.name) is not node:
            if why_not(self.spec, node):
                return None
            self._let_in[node.meta.name] = node
        # Siblings apart first, then the emptier node, then the order in which nodes joined.
        return (room.owners.get(self.owner, 0), room.load(), room.number, node.meta.name, room.version)

    def best(
        self, rooms: Mapping[str, NodeRoom], suits: Callable[[Node], bool] | None = None
    ) -> NodeRoom | None:
        """The best node with room; None when there is none. A node without room returns when it changes.

        `suits`: what else is asked of a node, by the last pod of its class that is placed.
        """
        heap = self.heap
        while heap:
            _siblings, _load, _number, name, version = heap[0]
            room = rooms.get(name)
            if (
                room is not None
                and room.version == version
                and room.fits(self.requests)
                and (not self.ports or room.has_ports(self.ports))
                and (suits is None or suits(room.node))
            ):
                return room
            heappop(heap)
        return None
