"""One Service as requests meet it: its endpoints, who sends to it, and what each sender knows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from ..api.connections import ACCEPTS, REFUSES, SILENT, Answer
from ..objects.meta import StoredObject
from ..programs.request_plan import NOTHING_SAID, REQUESTS, RequestPlan, read_requests
from ..rules.network.requests import (
    DNS,
    INGRESS,
    LOAD_BALANCER_SENDER,
    NOT_READY,
    PODS,
    REFUSED,
    RESET,
    SERVED,
    TIMED_OUT,
    find_port,
    find_range,
)
from .memory import forget_moves, remember, remember_move, sum_share
from .sender import Sender
from .view import Target, View

_OUTCOMES = {REFUSES: REFUSED, SILENT: TIMED_OUT}
BY_NODE = (PODS, LOAD_BALANCER_SENDER)
"""Whose requests go by the rules of a node's kube-proxy."""


class Endpoint:
    """A pod's endpoint: how it answers, what was under way there. `key`: the pod's uid, else an address."""

    __slots__ = (
        "address",
        "closed_ms",
        "dropped_ms",
        "holder",
        "is_pod",
        "is_serving",
        "key",
        "node",
        "opened_ms",
        "outcome",
        "place",
        "port",
        "timer",
    )

    def __init__(self, key: str, is_pod: bool, port: int) -> None:
        self.key, self.is_pod, self.port = key, is_pod, port
        self.node, self.address = "", ""
        self.outcome = SERVED
        # The uid of the slice that it stands in.
        self.place = ""
        self.holder = ""
        self.is_serving = True
        # Since when it takes connections; since when no more; until when what was under way has been dropped.
        self.opened_ms: int | None = None
        self.closed_ms: int | None = None
        self.dropped_ms = 0
        # When it may answer otherwise by itself: the instant.
        self.timer: int | None = None


class ServiceTraffic:
    """The requests of one Service that selects pods."""

    def __init__(self, service: StoredObject) -> None:
        self.uid, self.namespace, self.name = (
            service.meta.uid,
            service.meta.namespace or "",
            service.meta.name,
        )
        self.endpoints: dict[str, Endpoint] = {}
        self.senders: dict[str, Sender] = {}
        # What kube-proxies know where nobody that is counted goes by their rules: programs of pods do.
        self.unsent: Sender | None = None
        self.plan: RequestPlan = NOTHING_SAID
        self.port_name = ""
        self.take(service)

    def take(self, service: StoredObject) -> None:
        """What the Service says now."""
        self.subject, self.spec = service.subject, dict(service.spec or {})
        text = service.meta.annotations.get(REQUESTS)
        self.plan = read_requests(text)[0] if text else NOTHING_SAID
        self.port_name = (find_port(self.spec) or {}).get("name") or ""

    @property
    def keeps_alive(self) -> bool:
        """Whether connections are kept open."""
        return self.plan.keep_alive_ms > 0

    @property
    def reach_ms(self) -> int:
        """How far back somebody may ask who got requests; 0: never, as they take no time."""
        return self.plan.takes_ms + self.plan.keep_alive_ms if self.plan.takes_ms else 0

    def is_local(self, sender: str) -> bool:
        """Whether requests of a sender stay on the node that they come to."""
        field = "externalTrafficPolicy" if sender == LOAD_BALANCER_SENDER else "internalTrafficPolicy"
        return sender in BY_NODE and self.spec.get(field) == "Local"

    def find_port_of(self, target: Target) -> int:
        """The number of the port that requests go to at an endpoint; 0: it has none."""
        found = (one.get("port") for one in target.ports if (one.get("name") or "") == self.port_name)
        return next((port for port in found if port), 0)

    def find_by_node(self) -> Sender | None:
        """One whose views are those of kube-proxies."""
        return next((self.senders[name] for name in BY_NODE if name in self.senders), self.unsent)

    def list_views(self) -> Iterable[tuple[Sender, View]]:
        """Every view of every sender, and of those who are not counted."""
        for sender in (*self.senders.values(), *([self.unsent] if self.unsent is not None else ())):
            for view in sender.views.values():
                yield sender, view

    # --- time -------------------------------------------------------------------------------------------

    def settle(self, now_ms: int) -> None:
        """Sum up until now, before anything changes."""
        for sender in self.senders.values():
            if sender.settled_ms != now_ms:
                sender.settle(now_ms, self.keeps_alive)

    def learn(self, view: View, changes: Sequence[tuple[str, Target | None]], now_ms: int) -> None:
        """A view takes in changes of endpoints; with the first that is used its sender begins to send."""
        reach_ms = self.reach_ms
        for key, target in changes:
            endpoint = self.endpoints.get(key)
            if endpoint is None:
                continue
            if reach_ms:
                was = view.find_standing(key)
                if was != (view.stand(target) if target is not None else None):
                    remember_move(view, key, was, now_ms, reach_ms)
            view.take(key, target, endpoint.outcome)
        if reach_ms:
            remember(view, now_ms, reach_ms)
            forget_moves(view, now_ms, reach_ms)
        if view.since_ms is None and view.count().among:
            view.since_ms = now_ms

    def drop_unknown(self, keys: Iterable[str]) -> list[Endpoint]:
        """Forget endpoints that stand in no slice and that no sender knows any more."""
        gone = []
        for key in keys:
            endpoint = self.endpoints.get(key)
            if endpoint is None or endpoint.place:
                continue
            if not any(key in view.known for _sender, view in self.list_views()):
                gone.append(self.endpoints.pop(key))
        return gone

    # --- how endpoints answer ---------------------------------------------------------------------------

    def answer(self, endpoint: Endpoint, answer: Answer, now_ms: int) -> bool:
        """An endpoint answers so now; whether that is otherwise than before. Settled before."""
        outcome = _OUTCOMES.get(answer.state)
        if outcome is None:
            outcome = SERVED if endpoint.is_serving else NOT_READY
        self.follow_connections(endpoint, answer, now_ms)
        if outcome == endpoint.outcome:
            return False
        for _sender, view in self.list_views():
            view.move(endpoint.key, endpoint.outcome, outcome)
        endpoint.outcome = outcome
        return True

    def follow_connections(self, endpoint: Endpoint, answer: Answer, now_ms: int) -> None:
        """What becomes of those that were open."""
        has_ended = endpoint.holder and answer.holder != endpoint.holder
        if endpoint.closed_ms is None and (has_ended or answer.state != ACCEPTS):
            endpoint.closed_ms = now_ms
        if (has_ended and endpoint.holder not in answer.finished) or (answer.is_dropped and answer.holder):
            self._drop(endpoint, TIMED_OUT if answer.is_off else RESET, now_ms)
        endpoint.holder = answer.holder
        if answer.state == ACCEPTS and (endpoint.closed_ms is not None or endpoint.opened_ms is None):
            endpoint.opened_ms, endpoint.closed_ms = now_ms, None

    def _drop(self, endpoint: Endpoint, outcome: int, now_ms: int) -> None:
        """What was under way at an endpoint fails with it."""
        takes_ms = self.plan.takes_ms
        if not takes_ms or endpoint.opened_ms is None:
            return
        from_ms = max(now_ms - takes_ms, endpoint.opened_ms, endpoint.dropped_ms)
        to_ms = now_ms if endpoint.closed_ms is None else endpoint.closed_ms
        endpoint.dropped_ms = now_ms
        if from_ms >= to_ms:
            return
        for sender in self.senders.values():
            lost = sum(
                (
                    sum_share(view, endpoint.key, from_ms, to_ms, self.plan.keep_alive_ms)
                    for view in sender.sending
                ),
                Fraction(0),
            )
            if lost:
                sender.lose_at_once(outcome, lost, to_ms - from_ms)

    # --- what it comes to -------------------------------------------------------------------------------

    def sum_up(self) -> dict[str, Any]:
        """What was lost so far: `lostMs` and `lost` of all senders, and of each by its name.

        Where it is said how many there are: `sent`, and by chance from `lowest` to `highest` of them lost.
        """
        return {
            **self._tell(self.senders.values()),
            **{name: self._tell([sender]) for name, sender in self.senders.items()},
        }

    def _tell(self, senders: Collection[Sender]) -> dict[str, int]:
        """Each kind of senders sends an equal part."""
        number, per_second = max(len(senders), 1), self.plan.per_second
        lost_ms = sum((one.sum_lost() for one in senders), Fraction(0)) / number
        told = {"lostMs": max(round(lost_ms), 1) if lost_ms else 0, "lost": 0}
        if per_second is None:
            return told
        variance_ms = sum((one.sum_variance() for one in senders), Fraction(0)) / number
        sent_ms = Fraction(sum(one.sent_ms for one in senders), number)
        lowest, highest = find_range(lost_ms, variance_ms, sent_ms, per_second)
        sent, lost = (ceil(one * per_second / 1000) for one in (sent_ms, lost_ms))
        return {**told, "lost": lost, "sent": sent, "lowest": lowest, "highest": highest}


__all__ = ["BY_NODE", "DNS", "INGRESS", "Endpoint", "ServiceTraffic"]
