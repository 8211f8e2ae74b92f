"""What one sender knows of a Service's endpoints, and how a request that it sends now would fare.

Endpoints are counted by how they stand, so that a change of one costs the same whatever their number. Which
of them are used: rules/network/service_routing, here by counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_tuples import NamedTuple

from ..rules.network.requests import NOBODY, NOT_READY, SERVED, TIMED_OUT
from ..rules.network.service_routing import is_last_resort, is_ready

READY, LAST_RESORT, ELSEWHERE = "ready", "lastResort", "elsewhere"
"""Taken first; taken where nobody is ready; on another node than the one that alone counts."""
_KINDS_OF_ANSWER = 6

Standing = tuple[str, bool | None, bool | None]
"""How an endpoint stands in a view: which, and whether it is kept for this node, for this zone (None: for
nobody)."""


class Target(NamedTuple):
    """An endpoint as it stands in a slice, with the ports of that slice."""

    data: Mapping[str, Any]
    ports: list[dict[str, Any]]


class Counts(NamedTuple):
    """Of so many endpoints that are used, how many give each answer (by outcome)."""

    answers: tuple[int, ...]
    among: int


class View:
    """One sender's knowledge. `since_ms`: when it began to send, with the first endpoint; or None."""

    __slots__ = (
        "_counts",
        "_standings",
        "history",
        "is_local",
        "is_off",
        "known",
        "moves",
        "node",
        "since_ms",
        "tallies",
        "zone",
    )

    def __init__(self, node: str = "", zone: str = "", is_local: bool = False) -> None:
        self.node, self.zone, self.is_local = node, zone, is_local
        self.known: dict[str, Target] = {}
        self._standings: dict[str, Standing] = {}
        self.tallies: dict[Standing, list[int]] = {}
        self.since_ms: int | None = None
        # What its node is sent gets no answer: the machine is off.
        self.is_off = False
        self._counts: Counts | None = None
        # Only of requests that take time: how endpoints stood, and which were used, since when.
        self.moves: dict[str, list[tuple[int, Standing | None]]] = {}
        self.history: list[tuple[int, tuple[Standing, ...], int]] = []

    # --- changing ---------------------------------------------------------------------------------------

    def take(self, key: str, target: Target | None, outcome: int) -> None:
        """Learn how an endpoint stands now; None: it is gone. `outcome`: how it answers."""
        old, new = self.find_standing(key), self.stand(target) if target is not None else None
        if new is None or target is None:
            self.known.pop(key, None)
            self._standings.pop(key, None)
        else:
            self.known[key], self._standings[key] = target, new
        if old == new:
            return
        if old is not None:
            self._count(old, outcome, -1)
        if new is not None:
            self._count(new, outcome, 1)

    def move(self, key: str, old: int, new: int) -> None:
        """An endpoint answers otherwise than it did."""
        standing = self.find_standing(key)
        if standing is not None:
            self._count(standing, old, -1)
            self._count(standing, new, 1)

    def _count(self, standing: Standing, outcome: int, number: int) -> None:
        tally = self.tallies.get(standing)
        if tally is None:
            tally = self.tallies[standing] = [0] * _KINDS_OF_ANSWER
        tally[outcome] += number
        if number < 0 and not any(tally):
            del self.tallies[standing]
        self._counts = None

    def find_standing(self, key: str) -> Standing | None:
        """How an endpoint stands as it is known; None for one that is not used in any case."""
        return self._standings.get(key)

    def stand(self, target: Target) -> Standing | None:
        """How an endpoint stands seen from here; None for one that takes no new connections."""
        data = target.data
        # Those that end are taken by kube-proxy alone: ingress-nginx and CoreDNS leave out who is not ready.
        is_last = bool(self.node) and is_last_resort(data)
        role = READY if is_ready(data) else LAST_RESORT if is_last else None
        if role is None:
            return None
        if self.is_local and data.get("nodeName") != self.node:
            return (ELSEWHERE, None, None)
        hints = data.get("hints")
        if not hints or role != READY:
            return (role, None, None)
        return (role, _is_for(hints.get("forNodes"), self.node), _is_for(hints.get("forZones"), self.zone))

    # --- asking -----------------------------------------------------------------------------------------

    def list_used(self) -> tuple[Standing, ...]:
        """How endpoints that are used stand: all that are ready, those kept for near ones, or the last."""
        ready = tuple(one for one in self.tallies if one[0] == READY)
        if not ready:
            return tuple(one for one in self.tallies if one[0] == LAST_RESORT)
        for hint in (1, 2):
            if all(one[hint] is not None for one in ready):
                near = tuple(one for one in ready if one[hint])
                if near:
                    return near
        return ready

    def count(self) -> Counts:
        """How the endpoints that are used answer; among 0: there are none."""
        if self._counts is None:
            tallies = [self.tallies[one] for one in self.list_used()]
            answers = tuple(map(sum, zip(*tallies, strict=True))) if tallies else (0,) * _KINDS_OF_ANSWER
            self._counts = Counts(answers, sum(answers))
        return self._counts

    def count_outcomes(self, keeps_alive: bool) -> Counts:
        """How requests fare: of so many parts of them, how many in each way.

        Senders that keep connections open find one that is taken as long as anybody takes any.
        """
        counts = self.count()
        if self.is_off or not counts.among:
            # To nobody it is refused; to what is only elsewhere no answer comes (KUBE-FW, DROP).
            lost = TIMED_OUT if self.is_off or self.tallies else NOBODY
            return Counts(tuple(int(one == lost) for one in range(_KINDS_OF_ANSWER)), 1)
        if keeps_alive:
            taken = counts.answers[: NOT_READY + 1]
            if any(taken):
                return Counts((*taken, 0, 0, 0, 0), sum(taken))
        return counts

    def has_trouble(self, keeps_alive: bool) -> bool:
        """Whether any request fares otherwise than well."""
        counts = self.count_outcomes(keeps_alive)
        return counts.answers[SERVED] != counts.among


def _is_for(hints: Any, name: str) -> bool | None:
    return any(one.get("name") == name for one in hints) if hints else None
