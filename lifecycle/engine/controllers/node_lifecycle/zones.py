"""The zones of a cluster: how many of their nodes are well, and whose turn it is to be tainted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.node import Node
from ...rules.nodes.health import (
    INITIAL,
    Disruption,
    Limiter,
    Rates,
    decide_disruption,
    decide_zone_state,
    is_counted,
    ready_status,
    zone_of,
)


class Zone:
    """One zone. `ready`, `not_ready`: how many of its nodes; `waiting`: those to be tainted, in order."""

    __slots__ = ("limiter", "not_ready", "ready", "state", "waiting")

    def __init__(self, limiter: Limiter) -> None:
        self.state = INITIAL
        self.limiter = limiter
        self.ready = self.not_ready = 0
        self.waiting: dict[str, None] = {}


class Zones:
    """All zones, by their names."""

    def __init__(self, rates: Rates, threshold: float) -> None:
        self._rates = rates
        self._threshold = threshold
        # Of each node its zone, and whether it counts there as ready; None: it does not count.
        self._members: dict[str, tuple[str, bool | None]] = {}
        self.by_name: dict[str, Zone] = {}

    def of(self, node: Node) -> Zone:
        """The zone of a node."""
        return self._zone(zone_of(node))

    def _zone(self, name: str) -> Zone:
        zone = self.by_name.get(name)
        if zone is None:
            zone = self.by_name[name] = Zone(Limiter(self._rates.usual))
        return zone

    def take(self, name: str, node: Node | None) -> bool:
        """Follow a node that has come, changed or gone: whether it counts otherwise than before."""
        now = (zone_of(node), ready_status(node) == "True" if is_counted(node) else None) if node else None
        before = self._members.get(name)
        if now == before:
            return False
        if before is not None:
            self._count(*before, -1)
            if now is None or now[0] != before[0]:
                self.by_name[before[0]].waiting.pop(name, None)
            del self._members[name]
        if now is not None:
            self._members[name] = now
            self._count(*now, 1)
        return True

    def _count(self, name: str, is_ready: bool | None, change: int) -> None:
        zone = self._zone(name)
        if is_ready is not None:
            zone.ready += change if is_ready else 0
            zone.not_ready += 0 if is_ready else change

    def judge(self, now_ms: int) -> Disruption:
        """Find out how disrupted the zones are, and set the pace in each."""
        found = {
            name: decide_zone_state(zone.ready, zone.not_ready, self._threshold)
            for name, zone in self.by_name.items()
            if zone.ready or zone.not_ready
        }
        before = {name: zone.state for name, zone in self.by_name.items()}
        disruption = decide_disruption(before, found)
        if disruption.stands_still:
            return disruption
        for name, state in found.items():
            zone = self.by_name[name]
            if disruption.stops:
                zone.waiting.clear()
                zone.limiter = zone.limiter.swap(0.0, now_ms)
            elif disruption.resumes or zone.state != state:
                rate = self._rates.of(state, zone.ready + zone.not_ready)
                zone.limiter = zone.limiter.swap(rate, now_ms)
            zone.state = state
        return disruption

    def save(self) -> dict[str, Any]:
        """Plain data; who counts where follows from the nodes."""
        return {
            name: [zone.state, zone.limiter.rate, zone.limiter.free_ms, list(zone.waiting)]
            for name, zone in self.by_name.items()
        }

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from what `save` described."""
        for name, (state, rate, free_ms, waiting) in data.items():
            zone = self._zone(name)
            zone.state, zone.limiter = state, Limiter(rate, free_ms)
            zone.waiting = dict.fromkeys(waiting)
