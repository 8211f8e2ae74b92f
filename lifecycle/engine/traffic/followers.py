"""Who follows changes of endpoints, and how much later: kube-proxies, ingress controllers, caches of DNS.

Models the sync of kube-proxy: a first change is followed at once, and from then on one sync a second at most
(pkg/proxy/runner: minSyncPeriod, counted from the end of the last one). Every change of a slice asks for one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ..api.context import Context
from ..heart.agenda import Cause
from ..heart.chance import PART
from ..heart.timing import PROXY_PERIOD_MS
from .view import Target

TIMER = "traffic.follow"
PROXY = "service_proxy"
REST = "endpoints_rest"
_PARTED = 1 / 3
Change = tuple[str, Target | None]
Apply = Callable[["Follower", str, Sequence[Change]], None]


class Follower:
    """`lag`: the latency of the timing table. `node`: of a kube-proxy. Entries wait in order."""

    __slots__ = ("due_ms", "ends_ms", "hears", "lag", "name", "node", "queue", "starts_ms", "syncs", "timer")

    def __init__(self, name: str, lag: str, node: str = "") -> None:
        self.name, self.lag, self.node = name, lag, node
        # (when it has heard of it, the Service's uid, what has changed, and what that follows from)
        self.queue: deque[tuple[int, str, Sequence[Change], Cause]] = deque()
        # The sync under way or awaited: it takes in what was heard by its start. When the last one ended.
        self.timer: tuple[int, bool] | None = None
        self.starts_ms = self.due_ms = 0
        self.ends_ms: int | None = None
        self.syncs = 0
        # Whether it hears from the API server.
        self.hears = True


class Followers:
    """All followers of a cluster, by name."""

    def __init__(self, context: Context, apply: Apply) -> None:
        self._context = context
        self._apply = apply
        self.all: dict[str, Follower] = {}
        timing = context.timing
        # Where the latency is given it is all of it: no sync waits for another.
        self._is_plain = timing.is_instant or PROXY in timing.given
        context.loop.on_timer(TIMER, self._on_timer)

    def part(self, uid: str, changes: Sequence[Change]) -> list[tuple[Sequence[Change], int]]:
        """Of pods that change at once the first may be told alone, and the others by a look after that.

        Measured at a scale-down by three: in one run of three the rules followed the others a second later.
        """
        context = self._context
        if len(changes) < 2 or not context.timing.spreads[REST][1]:
            return [(changes, 0)]
        key = f"{uid}{PART}{context.clock.now_ms}"
        late_ms = context.draw_ms(REST, key)
        if context.chance.draw(REST, key) >= _PARTED:
            return [(changes, late_ms)]
        return [(changes[:1], 0), (changes[1:], late_ms)]

    def tell(
        self, follower: Follower, service: str, changes: Sequence[Change], is_progress: bool, late_ms: int = 0
    ) -> None:
        """Something has changed: the follower hears of it in its time, or so much later."""
        context = self._context
        now_ms = context.clock.now_ms
        lag_ms = late_ms + context.draw_ms(follower.lag, f"{follower.name}{PART}{service}{PART}{now_ms}")
        if not lag_ms and not follower.queue and follower.hears and self._is_at_once(follower):
            self._apply(follower, service, changes)
            return
        heard_ms = now_ms + lag_ms
        if follower.queue:
            # What it heard before it has heard before.
            heard_ms = max(heard_ms, follower.queue[-1][0])
        follower.queue.append((heard_ms, service, changes, context.trace.cause))
        if follower.timer is None and follower.hears:
            self._await(follower, is_progress)
        elif follower.timer is not None and is_progress > follower.timer[1]:
            # That somebody goes is known by the same sync: the run is not idle before that.
            context.agenda.cancel(*follower.timer)
            number = context.later(follower.due_ms - now_ms, TIMER, follower.name)
            follower.timer = number, True

    def _is_at_once(self, follower: Follower) -> bool:
        return self._is_plain or not follower.node

    def _await(self, follower: Follower, is_progress: bool = True) -> None:
        """Set the next sync, for the first of what waits."""
        context, now_ms = self._context, self._context.clock.now_ms
        start_ms = max(follower.queue[0][0], now_ms)
        takes_ms = 0
        if not self._is_at_once(follower):
            if follower.ends_ms is not None:
                start_ms = max(start_ms, follower.ends_ms + PROXY_PERIOD_MS)
            takes_ms = context.draw_ms("service_proxy_sync", f"{follower.name}{PART}{follower.syncs}")
        follower.starts_ms, follower.syncs = start_ms, follower.syncs + 1
        due_ms = follower.due_ms = start_ms + takes_ms
        number = context.later(due_ms - now_ms, TIMER, follower.name, None, is_progress)
        follower.timer = (number, is_progress)

    def _on_timer(self, timer: Any) -> None:
        follower = self.all.get(timer.target)
        if follower is None:
            return
        follower.timer, follower.ends_ms = None, self._context.clock.now_ms
        while follower.queue and follower.queue[0][0] <= follower.starts_ms:
            _heard_ms, service, changes, self._context.trace.cause = follower.queue.popleft()
            self._apply(follower, service, changes)
        if follower.queue and follower.hears:
            self._await(follower)

    def listen(self, follower: Follower, hears: bool) -> None:
        """It is cut off from the API server, or hears of all that has happened since."""
        context, follower.hears = self._context, hears
        if not hears and follower.timer is not None:
            context.agenda.cancel(*follower.timer)
            follower.timer = None
        elif hears and follower.queue and follower.timer is None:
            self._await(follower)

    def drop(self, name: str) -> None:
        """A follower is gone."""
        follower = self.all.pop(name, None)
        if follower is not None and follower.timer is not None:
            self._context.agenda.cancel(*follower.timer)

    def forget(self, service: str) -> None:
        """A Service is gone: what is waiting about it concerns nobody."""
        for follower in self.all.values():
            follower.queue = deque(one for one in follower.queue if one[1] != service)
