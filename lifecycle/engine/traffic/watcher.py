"""The endpoints of Services as their pods answer: asked when a slice changes, when a pod says so, in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..api.connections import ACCEPTS, Answer
from ..api.context import Context
from ..heart.agenda import Timer
from .followers import Change
from .service import Endpoint, ServiceTraffic
from .view import Target

ANSWER = "traffic.answer"
_ANSWERS = Answer(ACCEPTS)


class Watcher:
    """`services`: those that are watched, by uid. `on_change`: told when an endpoint answers otherwise."""

    def __init__(
        self,
        context: Context,
        services: dict[str, ServiceTraffic],
        on_change: Callable[[ServiceTraffic], None],
    ) -> None:
        self._context = context
        self._connections = context.connections
        self._services = services
        self._on_change = on_change
        # By a pod's uid the Services that it is an endpoint of.
        self._by_pod: dict[str, dict[str, None]] = {}
        self._connections.watched = self._by_pod
        self._connections.on_pod = self._on_pod
        self._connections.on_end = self._on_end
        context.loop.on_timer(ANSWER, self._on_answer)

    def take_changes(self, service: ServiceTraffic, changes: Sequence[Change], place: str) -> list[Change]:
        """Follow the endpoints that stand otherwise in a slice, unless they stand in another by now."""
        taken: list[Change] = []
        for key, target in changes:
            endpoint = service.endpoints.get(key)
            if target is not None:
                if endpoint is None:
                    endpoint = self._watch(service, key, target)
                endpoint.place, endpoint.port = place, service.find_port_of(target)
                endpoint.is_serving = (target.data.get("conditions") or {}).get("serving") is not False
                self._ask(service, endpoint)
            elif endpoint is None or endpoint.place != place:
                continue
            else:
                endpoint.place = ""
            taken.append((key, target))
        return taken

    def _watch(self, service: ServiceTraffic, key: str, target: Target) -> Endpoint:
        is_pod = (target.data.get("targetRef") or {}).get("kind") == "Pod"
        endpoint = service.endpoints[key] = Endpoint(key, is_pod, service.find_port_of(target))
        endpoint.node = str(target.data.get("nodeName") or "")
        endpoint.address = next(iter(target.data.get("addresses") or ()), "")
        if is_pod:
            self._by_pod.setdefault(key, {})[service.uid] = None
        return endpoint

    def unwatch(self, service: ServiceTraffic, endpoint: Endpoint) -> None:
        """Nobody is to hear of an endpoint of a Service any more."""
        if endpoint.timer is not None:
            self._context.agenda.cancel(endpoint.timer)
        of_pod = self._by_pod.get(endpoint.key)
        if of_pod is not None:
            of_pod.pop(service.uid, None)
            if not of_pod:
                del self._by_pod[endpoint.key]

    def _on_pod(self, uid: str) -> None:
        """A pod may answer otherwise than it did."""
        for service_uid in list(self._by_pod.get(uid, ())):
            service = self._services[service_uid]
            endpoint = service.endpoints[uid]
            service.settle(self._context.clock.now_ms)
            # What was lost when its program ended is told with how it answers then.
            if self._ask(service, endpoint) or any(one.at_once for one in service.senders.values()):
                self._on_change(service)

    def _on_end(self, uid: str) -> None:
        """A program has ended; how its pod answers then is asked when that is known."""
        now_ms = self._context.clock.now_ms
        for service_uid in self._by_pod.get(uid, ()):
            service = self._services[service_uid]
            endpoint = service.endpoints[uid]
            service.settle(now_ms)
            service.follow_connections(endpoint, self._find_answer(endpoint), now_ms)

    def _ask(self, service: ServiceTraffic, endpoint: Endpoint) -> bool:
        """Ask what a connection to an endpoint meets; whether that is otherwise than before."""
        now_ms = self._context.clock.now_ms
        # What is no pod is taken to answer.
        answer = self._find_answer(endpoint) if endpoint.is_pod else _ANSWERS
        if endpoint.timer is not None:
            self._context.agenda.cancel(endpoint.timer)
            endpoint.timer = None
        if answer.until_ms is not None and answer.until_ms > now_ms:
            endpoint.timer = self._context.later(
                answer.until_ms - now_ms, ANSWER, f"{service.uid}|{endpoint.key}"
            )
        return service.answer(endpoint, answer, now_ms)

    def _find_answer(self, endpoint: Endpoint) -> Answer:
        return self._connections.find_answer(endpoint.key, endpoint.port, endpoint.node, endpoint.address)

    def _on_answer(self, timer: Timer) -> None:
        uid, _, key = timer.target.partition("|")
        service = self._services.get(uid)
        endpoint = service.endpoints.get(key) if service is not None else None
        if service is not None and endpoint is not None:
            endpoint.timer = None
            service.settle(self._context.clock.now_ms)
            if self._ask(service, endpoint):
                self._on_change(service)

    def clear(self) -> None:
        """No endpoint is followed."""
        self._by_pod.clear()

    def restore(self, service: ServiceTraffic) -> None:
        """Its endpoints are there again."""
        for endpoint in service.endpoints.values():
            if endpoint.is_pod:
                self._by_pod.setdefault(endpoint.key, {})[service.uid] = None
