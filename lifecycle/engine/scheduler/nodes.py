"""What is free on every node, kept at each binding and end, and how full that makes it.

Models what the scheduler knows of a node: allocatable less what its pods ask for, and the scores by resources
of the plugins NodeResourcesFit (LeastAllocated) and NodeResourcesBalancedAllocation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from ..objects.node import Node
from ..objects.pod import HostPort
from ..rules.host_ports import has_clash
from ..rules.placement.refusals import NO_PORTS, TOO_MANY_PODS, Refusal, make_shortage

_USUAL_PODS = 110


class Load(NamedTuple):
    """What one pod takes of a node. `assumed`: CPU and memory that it counts for where it asks for none."""

    requests: Mapping[str, int]
    assumed: tuple[int, int]
    ports: tuple[HostPort, ...]


class NodeRoom:
    """One node: what nobody uses of what it has, and who is on it."""

    __slots__ = (
        "_capacity", "_has", "_shortages", "assumed_cpu", "assumed_memory", "count", "free", "node", "number",
        "ports", "uids",
    )  # fmt: skip

    def __init__(self, node: Node, number: int) -> None:
        self._has: Mapping[str, int] = {}
        # By resource; pods are counted. Below 0 where the node has become less than its pods ask for.
        self.free: dict[str, int] = {}
        # Pods may share a port that was given to them past the scheduler.
        self.ports: Counter[HostPort] = Counter()
        self.uids: dict[str, None] = {}
        self.count = self.assumed_cpu = self.assumed_memory = 0
        self.number = number
        self.take(node)

    def take(self, node: Node) -> None:
        """The node as it is now."""
        had, has, free = self._has, node.status.allocatable, self.free
        for resource in {**had, **has}:
            free[resource] = free.get(resource, 0) + has.get(resource, 0) - had.get(resource, 0)
        self.node, self._has = node, has
        self._capacity = (has.get("pods", _USUAL_PODS), has.get("cpu", 0), has.get("memory", 0))
        self._shortages: dict[tuple[str, ...], Refusal] = {}

    def change(self, uid: str, load: Load, sign: int) -> None:
        """Add (+1) or take away (-1) a pod."""
        requests, assumed, ports = load
        if ports:
            self._take_ports(ports, sign)
        free = self.free
        for resource, amount in requests.items():
            free[resource] = free.get(resource, 0) - sign * amount
        self.count += sign
        self.assumed_cpu += sign * assumed[0]
        self.assumed_memory += sign * assumed[1]
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

    def refuse(self, load: Load) -> Refusal | None:
        """What the node has too little of for one more pod; None when it fits."""
        if load.ports and has_clash(load.ports, self.ports):
            return NO_PORTS
        free, is_short = self.free, self.count >= self._capacity[0]
        for resource, amount in load.requests.items():
            if amount and amount > free.get(resource, 0):
                is_short = True
        return self._find_shortage(load, {}, 0) if is_short else None

    def refuse_after(self, load: Load, gone: Iterable[Load], come: Iterable[Load]) -> Refusal | None:
        """The same as if some pods had gone from the node, and others come."""
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
        return self._find_shortage(load, freed, fewer)

    def _find_shortage(self, load: Load, freed: Mapping[str, int], fewer: int) -> Refusal | None:
        has, free = self._has, self.free
        reasons = [TOO_MANY_PODS] if self.count - fewer >= self._capacity[0] else []
        is_final = False
        for resource, amount in load.requests.items():
            if amount and amount > free.get(resource, 0) + freed.get(resource, 0):
                reasons.append(f"Insufficient {resource}")
                is_final |= amount > has.get(resource, 0)
        return make_shortage(reasons, is_final) if reasons else None

    def list_missing(self, load: Load) -> list[str]:
        """How much of what would have to be free besides: `1500m more cpu`."""
        missing = ["the end of a pod"] if self.count >= self._capacity[0] else []
        for resource, amount in load.requests.items():
            lack = amount - self.free.get(resource, 0)
            if amount and lack > 0:
                missing.append(f"{lack}{'m' if resource == 'cpu' else ''} more {resource}")
        return missing

    def lacks(self, requests: Mapping[str, int]) -> bool:
        """Whether the node has less CPU or memory than that, whoever else is there."""
        has = self._has
        return requests.get("cpu", 0) > has.get("cpu", 0) or requests.get("memory", 0) > has.get("memory", 0)

    def could_ever_hold(self, load: Load) -> bool:
        """Whether the pod would fit on the node if nobody else were there."""
        return self._capacity[0] > 0 and all(
            amount <= self._has.get(resource, 0) for resource, amount in load.requests.items()
        )

    def score(self, load: Load) -> tuple[int, int]:
        """How empty the node would be with the pod (0 to 100), and how evenly CPU and memory would be used.

        Evenness counts for nobody who asks for neither: such pods would all go to one node.
        """
        requests, free = load.requests, self.free
        return _score(
            self._capacity,
            (free.get("cpu", 0), free.get("memory", 0)),
            (self.assumed_cpu, self.assumed_memory),
            (requests.get("cpu", 0), requests.get("memory", 0)),
            load.assumed,
        )


@lru_cache(4096)
def _score(
    capacity: tuple[int, int, int],
    free: tuple[int, int],
    assumed: tuple[int, int],
    wanted: tuple[int, int],
    wanted_in_any_case: tuple[int, int],
) -> tuple[int, int]:
    """`NodeRoom.score` of pods, CPU and memory: most nodes of a cluster are as full as some other was."""
    _pods, cpu, memory = capacity
    parts = empty = 0
    for size, used, more in zip((cpu, memory), assumed, wanted_in_any_case, strict=True):
        if size:
            parts += 1
            left = size - used - more
            empty += left * 100 // size if left > 0 else 0
    if parts == 2:
        empty //= 2
    if wanted == (0, 0):
        return empty, 0
    if parts < 2:
        return empty, 100
    of_cpu, of_memory = (cpu - free[0] + wanted[0]) / cpu, (memory - free[1] + wanted[1]) / memory
    gap = (of_cpu if of_cpu < 1 else 1.0) - (of_memory if of_memory < 1 else 1.0)
    return empty, int((1 - abs(gap) / 2) * 100)


def pick_rooms(rooms: Mapping[str, NodeRoom], names: Collection[str] | None) -> Mapping[str, NodeRoom]:
    """The rooms of these nodes as far as they are there; None: all."""
    return rooms if names is None else {name: rooms[name] for name in sorted(names) if name in rooms}


def is_same_room(old: Node, new: Node) -> bool:
    """Whether what decides on who fits is as it was: labels, taints and what is allocatable."""
    if old.spec is not new.spec or old.meta is not new.meta:
        return False
    return old.status.allocatable == new.status.allocatable
