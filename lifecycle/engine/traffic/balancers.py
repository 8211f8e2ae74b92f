"""Which nodes a cloud's load balancer sends to: it learns late that a node takes requests, or does no more.

With `externalTrafficPolicy: Local` it asks each node's health check port, which is well while the node has a
ready endpoint of its own (pkg/proxy/healthcheck/service_health.go); else a node is well while it is on.
"""

from __future__ import annotations

from typing import Any

from ..api.context import Context
from ..heart.chance import PART
from ..rules.network.requests import LOAD_BALANCER_SENDER
from ..rules.network.services import list_ingress
from .service import ServiceTraffic
from .view import READY, View

TIMER = "traffic.balance"


class Balancer:
    """The load balancer of one Service. `believed`: nodes that it sends to; None while it is being made."""

    __slots__ = ("believed", "coming")

    def __init__(self) -> None:
        self.believed: dict[str, None] | None = None
        # What it will believe of a node: whether it is well, and the timer.
        self.coming: dict[str, tuple[bool, int]] = {}

    def save(self) -> dict[str, Any]:
        """Plain data."""
        believed = None if self.believed is None else list(self.believed)
        return {"believed": believed, "coming": {name: list(one) for name, one in self.coming.items()}}

    @classmethod
    def load(cls, data: dict[str, Any]) -> Balancer:
        """The load balancer that `save` described."""
        balancer = cls()
        believed = data["believed"]
        balancer.believed = None if believed is None else dict.fromkeys(believed)
        balancer.coming = {name: (one[0], one[1]) for name, one in data["coming"].items()}
        return balancer


class Balancers:
    """The load balancers of all Services, by the Service's uid."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.all: dict[str, Balancer] = {}

    def check(self, service: ServiceTraffic, status: Any) -> None:
        """Look at every node as the load balancer does, and have it learn late of what is otherwise."""
        sender = service.senders.get(LOAD_BALANCER_SENDER)
        if sender is None:
            self.drop(service.uid)
            return
        balancer = self.all.setdefault(service.uid, Balancer())
        is_local = service.is_local(LOAD_BALANCER_SENDER)
        well = {name: _is_well(view, is_local) for name, view in sender.views.items()}
        if balancer.believed is None:
            is_known = any(view.since_ms is not None for view in sender.views.values())
            if is_known and any(list_ingress(status)) and any(well.values()):
                balancer.believed = {name: None for name, is_well in well.items() if is_well}
            return
        for name, is_well in well.items():
            self._follow(service.uid, balancer, name, is_well)
        for name in [one for one in balancer.believed if one not in well]:
            # A node that is gone is taken out by who manages the nodes, not by its checks.
            del balancer.believed[name]

    def _follow(self, uid: str, balancer: Balancer, name: str, is_well: bool) -> None:
        assert balancer.believed is not None, uid
        coming = balancer.coming.get(name)
        if coming is not None:
            if coming[0] == is_well:
                return
            self._context.agenda.cancel(coming[1])
            del balancer.coming[name]
        if is_well == (name in balancer.believed):
            return
        now_ms = self._context.clock.now_ms
        lag_ms = self._context.draw_ms("load_balancer", f"{uid}{PART}{name}{PART}{now_ms}")
        if not lag_ms:
            self._believe(balancer, name, is_well)
            return
        balancer.coming[name] = (is_well, self._context.later(lag_ms, TIMER, uid, name))

    def learn(self, uid: str, name: str) -> None:
        """It has learnt how a node is."""
        balancer = self.all.get(uid)
        coming = balancer.coming.pop(name, None) if balancer is not None else None
        if balancer is not None and coming is not None:
            self._believe(balancer, name, coming[0])

    def _believe(self, balancer: Balancer, name: str, is_well: bool) -> None:
        assert balancer.believed is not None, name
        if is_well:
            balancer.believed[name] = None
        else:
            balancer.believed.pop(name, None)

    def drop(self, uid: str) -> None:
        """The Service has none any more."""
        balancer = self.all.pop(uid, None)
        for _is_well, number in balancer.coming.values() if balancer is not None else ():
            self._context.agenda.cancel(number)


def _is_well(view: View, is_local: bool) -> bool:
    if view.is_off:
        return False
    return not is_local or any(standing[0] == READY for standing in view.tallies)
