"""Whether pods are ready and then not, again and again, by the last ten minutes of their rows. Pure.

A status says how it is now: of a workload whose pods fail every three minutes mostly that all is there. That
pods go because somebody asks for it, by a rollout, a drain or a smaller size, is no loss.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.lean_tuples import NamedTuple

from .verdicts import tell_instant

WINDOW_MS = 600_000
"""So far back it is looked."""
READY = "ready"
_LOST = ("notReady", "starting", "crashing", "stuck", "unknown")
_AGAIN = 2


def is_loss(old: Any, new: Any) -> bool:
    """Whether a row of a pod's `state` tells that it is not ready any more, and stays."""
    return old == READY and new in _LOST


def take_loss(losses: deque[int], at_ms: int) -> None:
    """Remember one more, and none that is too old to be told."""
    losses.append(at_ms)
    while losses[0] < at_ms - WINDOW_MS:
        losses.popleft()


class Losses(NamedTuple):
    """How many pods were ready and then not, how often in all, and when last."""

    pods: int
    times: int
    last_ms: int

    def tell(self) -> str:
        """`2 pods were ready and then not 8 times in the last 10 minutes, last at 00:12:00`"""
        named = f"{self.pods} pod{'s were' if self.pods > 1 else ' was'}"
        often = f"{self.times} times in the last {WINDOW_MS // 60_000} minutes"
        return f"{named} ready and then not {often}, last at {tell_instant(self.last_ms)}"


def find_losses(losses: Mapping[str, Sequence[int]], now_ms: int) -> Losses | None:
    """Of one workload's living pods, by uid the instants at which each was lost.

    None where none was lost again: many that are lost once have one cause, which is told elsewhere.
    """
    lately = [[at_ms for at_ms in found if at_ms >= now_ms - WINDOW_MS] for found in losses.values()]
    counted = [found for found in lately if found]
    if all(len(found) < _AGAIN for found in counted):
        return None
    return Losses(len(counted), sum(map(len, counted)), max(map(max, counted)))
