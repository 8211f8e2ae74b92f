"""What a kubelet keeps of its node's shortages: plain data, savable at any drained instant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...rules.nodes.eviction_settings import CHECK_MS
from .saving import load_row, save_row

_DATA = "shortages first_met held checked_ms check victim wait".split()


class NodePressure:
    """The shortages of one node. Instants in ms.

    `shortages`: resource → what is left of it, and the timer that ends the fault. `first_met`: threshold →
    since when it has been crossed. `held`: resource → the last look that found it short, None while it is.
    `check`: when it looks next, and that timer. `victim`: the pod whose end is waited for until `wait` fires.
    """

    __slots__ = ("check", "checked_ms", "first_met", "held", "shortages", "victim", "wait")

    def __init__(self) -> None:
        self.shortages: dict[str, tuple[int, int | None]] = {}
        self.first_met: dict[str, int] = {}
        self.held: dict[str, int | None] = {}
        self.checked_ms = -CHECK_MS
        self.check: tuple[int, int] | None = None
        self.victim = ""
        self.wait: int | None = None

    def forget(self, cancel: Callable[[int], None]) -> None:
        """The kubelet stops. What it has seen, planned and waited for is gone; what the node lacks is not."""
        if self.check is not None:
            cancel(self.check[1])
        if self.wait is not None:
            cancel(self.wait)
        self.first_met, self.held = {}, {}
        self.check, self.wait, self.victim = None, None, ""

    def timers(self) -> list[int]:
        """The numbers of all timers it waits for."""
        timers = [self.check[1] if self.check is not None else None, self.wait]
        timers += [timer for _available, timer in self.shortages.values()]
        return [timer for timer in timers if timer is not None]

    def save(self) -> list[Any]:
        """Plain data."""
        return save_row(self, _DATA)

    @classmethod
    def load(cls, data: list[Any]) -> NodePressure:
        """The state that `save` described."""
        state = cls()
        load_row(state, data, _DATA)
        shortages = data[0].items()
        state.shortages = {resource: (left, timer) for resource, (left, timer) in shortages}
        return state
