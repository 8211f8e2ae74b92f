"""Components of the cluster that are away, by command, and back after a time.

While the API server is away nobody decides anything: controllers and scheduler do nothing, clients are
refused, kubelets run on with what they heard last and kube-proxies keep their rules. When it is back all that
waited is seen to, as by components that start again. The controller of CronJobs may be away by itself. While
DNS is away nobody finds a Service by its name; while the registry is away no image is pulled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..api.context import API_SERVER, COMPONENTS, CRON_JOB_KEYS, CRON_JOBS, Context
from ..heart.agenda import Timer
from ..heart.errors import BadRequest
from ..heart.timing import read_duration_ms
from ..kinds.namespace import NAMESPACE
from ..objects.meta import StoredObject
from ..objects.shortened import shorten
from .node.outages import Outages

DOWN, OVER = "down", "component.back"


class Restarting(Protocol):
    """A controller whose process may be started anew."""

    def begin_anew(self) -> None:
        """It starts, and has heard of nothing yet."""


class Components:
    """`control_plane`: whose keys and timers nobody sees to while no API server is there."""

    __slots__ = ("_context", "_controllers", "_give_up", "_outages", "_parts")

    def __init__(
        self,
        context: Context,
        outages: Outages,
        control_plane: Sequence[str],
        give_up: Callable[[], None],
        controllers: Sequence[Restarting],
    ) -> None:
        """`give_up` ends what clients have under way; `controllers` begin anew at the return."""
        self._context = context
        self._outages = outages
        self._parts: Mapping[str, Sequence[str]] = {API_SERVER: control_plane, CRON_JOBS: (CRON_JOB_KEYS,)}
        self._give_up = give_up
        self._controllers = controllers
        context.loop.on_timer(OVER, self._on_over)

    def run(self, payload: dict[str, Any]) -> tuple[int, StoredObject]:
        """`{component, kind: down, for}`. One that is away already comes back as now said.

        The answer shows the namespace of the cluster's own parts. Raises BadRequest.
        """
        name, for_ms = payload["component"], read_duration_ms(payload.get("for"))
        if name not in COMPONENTS:
            raise BadRequest(f"fault.component {shorten(name)}: use one of {', '.join(COMPONENTS)}")
        if payload.get("kind") != DOWN:
            raise BadRequest(f"fault.kind {shorten(payload.get('kind'))}: of a component, use {DOWN}")
        if payload.get("for") is not None and (for_ms is None or for_ms < 0):
            raise BadRequest(f"fault.for {shorten(payload['for'])}: use a duration such as 30s")
        context = self._context
        is_new = name not in context.away
        number = context.away.get(name)
        if number is not None:
            context.agenda.cancel(number)
        context.away[name] = None if for_ms is None else context.later(for_ms, OVER, name)
        if is_new:
            self._begin(name)
        return 200, context.store.require(NAMESPACE.kind.id, None, "kube-system")

    def _begin(self, name: str) -> None:
        if name == API_SERVER:
            self._outages.lose_api_server()
            self._give_up()
        self._context.loop.hold(self._parts.get(name, ()))

    def _on_over(self, timer: Timer) -> None:
        name = timer.target
        del self._context.away[name]
        if name == API_SERVER:
            self._outages.find_api_server()
        # What is away in another way still waits.
        kept = {part for one in self._context.away for part in self._parts.get(one, ())}
        self._context.loop.release(one for one in self._parts.get(name, ()) if one not in kept)
        for controller in self._controllers if name == API_SERVER else ():
            controller.begin_anew()

    def save(self) -> dict[str, int | None]:
        """Plain data."""
        return dict(self._context.away)

    def load(self, data: Mapping[str, int | None]) -> None:
        """Go on from what `save` described; the loop remembers what waits."""
        self._context.away.clear()
        self._context.away.update(data)
