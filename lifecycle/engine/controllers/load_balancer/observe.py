"""Seeing Services that want a load balancer or do so no longer, and when the cloud has answered."""

from __future__ import annotations

from ...api.context import Context
from ...api.identity import count_up
from ...heart.agenda import Timer
from ...heart.chance import PART
from ...objects.meta import StoredObject
from ...rules.network.services import LOAD_BALANCER
from ..act import Act
from ..loop_controller import LoopController
from .decide import ENSURE, FINALIZER, SOURCE, decide_end, decide_start, find_task

TIMER = "loadBalancer"
_COUNTER = "loadBalancer"


class LoadBalancerController(LoopController):
    """Keys are Services."""

    name, kind, source = "loadBalancer", "Service", SOURCE

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        # uids of Services for which the cloud is at work; read from the agenda when first asked for.
        self._asked: set[str] | None = None
        context.loop.on_timer(TIMER, self._on_answer)
        context.store.listen(self.kind, self._on_service)

    def restore(self) -> None:
        """What waits stands in the agenda."""
        self._asked = None

    def _waiting(self) -> set[str]:
        if self._asked is None:
            timers = self._context.agenda.timers()
            self._asked = {timer.target for timer in timers if timer.kind == TIMER}
        return self._asked

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and (
            (new.spec or {}).get("type") == LOAD_BALANCER or FINALIZER in new.meta.finalizers
        ):
            self._enqueue_object(new)

    def sync(self, namespace: str, name: str) -> None:
        """Ask the cloud for what is to be done, unless it is at work for the Service already."""
        service = self.find(namespace, name)
        task = find_task(service) if service is not None else ""
        if service is None or not task or service.meta.uid in self._waiting():
            return
        uid, number = service.meta.uid, service.resource_version
        self._waiting().add(uid)
        self._do(decide_start(service, task))
        delay_ms = self._context.draw_ms("load_balancer_provision", f"{uid}{PART}{number}")
        self._context.later(delay_ms, TIMER, uid, task)

    def _on_answer(self, timer: Timer) -> None:
        self._waiting().discard(timer.target)
        service = self._store.find(timer.target)
        if service is None:
            return
        if find_task(service) == timer.payload:
            self._do(decide_end(service, timer.payload, self._address(service, timer.payload)))
        else:
            # It is wanted otherwise by now.
            self._enqueue_object(service)

    def _address(self, service: StoredObject, task: str) -> str:
        """An address of 198.18.0.0/15, unless the Service asks for another."""
        if task != ENSURE:
            return ""
        wanted = (service.spec or {}).get("loadBalancerIP")
        if wanted:
            return str(wanted)
        number = count_up(self._store, _COUNTER)
        return f"198.{18 + (number >> 16 & 1)}.{number >> 8 & 255}.{number & 255}"
