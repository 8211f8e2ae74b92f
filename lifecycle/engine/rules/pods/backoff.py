"""Crash-loop and pull delays of one kubelet: 0, then 10 s doubling to 300 s, forgotten after ten minutes.

Models the kubelet's back-off manager with both feature gates: reduced delays, and a cap of the node's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...heart.timing import (
    BACK_OFF_INITIAL_MS,
    BACK_OFF_MAX_MS,
    BACK_OFF_RESET_MS,
    REDUCED_BACK_OFF_INITIAL_MS,
    REDUCED_BACK_OFF_MAX_MS,
    read_duration_ms,
)
from ...objects.pods.container import TERMINATED, ContainerStatus
from ...releases.gates import is_enabled

_HITCH_MS = 2_000
"""So much later than its look a worker may start a container."""
_SECOND_MS = 1_000
"""What a status is exact to."""


def decide_limits(features: Mapping[str, bool], configuration: Mapping[str, Any] | None) -> tuple[int, int]:
    """(first delay, cap) in ms of a node's crash-loop back-off (BACKOFF-01 to -07)."""
    reduced = is_enabled(features, "ReduceDefaultCrashLoopBackOffDecay")
    first_ms = REDUCED_BACK_OFF_INITIAL_MS if reduced else BACK_OFF_INITIAL_MS
    cap_ms = REDUCED_BACK_OFF_MAX_MS if reduced else BACK_OFF_MAX_MS
    if is_enabled(features, "KubeletCrashLoopBackOffMax") and configuration:
        own = (configuration.get("crashLoopBackOff") or {}).get("maxContainerRestartPeriod")
        own_ms = read_duration_ms(own)
        if own_ms is not None:
            cap_ms = own_ms
    return min(first_ms, cap_ms), cap_ms


def decide_delay(former_ms: int, ran_ms: int) -> int:
    """The delay before the next start of a container that ended after running for `ran_ms`.

    `former_ms` is the delay the back-off has grown to; a run of more than ten minutes forgets
    it (RESTART-05).
    """
    return 0 if ran_ms > BACK_OFF_RESET_MS else former_ms


def decide_next_delay(delay_ms: int, first_ms: int, cap_ms: int) -> int:
    """What the delay grows to: 0 → 10 s → 20 s → … → 300 s."""
    return first_ms if delay_ms == 0 else min(delay_ms * 2, cap_ms)


def is_held_back(status: ContainerStatus) -> bool:
    """Whether a container that has ended waits before it starts again; after its first end it does not."""
    end = status.state
    if end is None or end.type != TERMINATED or end.finished_ms is None or not status.restart_count:
        return False
    return decide_delay(BACK_OFF_INITIAL_MS, end.finished_ms - (end.started_ms or 0)) > 0


def find_pending_delay(status: ContainerStatus) -> int | None:
    """How long a container that still shows its last end waits, by how long it waited for that run.

    0 where it does not; None where its status does not tell: a kubelet may have delays of its own. A worker
    looks again after one and a half times the delay at the latest: 13 s between two runs are a delay of 10 s,
    and the next one is 20 s; 18 s are neither.
    """
    end, before = status.state, status.last_state
    if not is_held_back(status):
        return 0
    if end is None or before is None or before.finished_ms is None or end.started_ms is None:
        return None
    ran_ms, paused_ms = before.finished_ms - (before.started_ms or 0), end.started_ms - before.finished_ms
    # The run before this one was started at once: it was the first, or a long one that made all forgotten.
    if status.restart_count == 1 or not decide_delay(BACK_OFF_INITIAL_MS, ran_ms):
        return BACK_OFF_INITIAL_MS
    waited = [one for one in _list_delays() if one - _SECOND_MS <= paused_ms <= one * 3 // 2 + _HITCH_MS]
    return decide_next_delay(waited[-1], BACK_OFF_INITIAL_MS, BACK_OFF_MAX_MS) if waited else None


def _list_delays() -> Iterator[int]:
    """Those of a usual kubelet, one after the other."""
    delay_ms = BACK_OFF_INITIAL_MS
    while delay_ms < BACK_OFF_MAX_MS:
        yield delay_ms
        delay_ms = decide_next_delay(delay_ms, BACK_OFF_INITIAL_MS, BACK_OFF_MAX_MS)
    yield BACK_OFF_MAX_MS


def duration_text(delay_ms: int) -> str:
    """A delay as Go prints it: `10s`, `1m20s`, `5m0s`."""
    seconds = delay_ms // 1000
    if seconds < 60:
        return f"{seconds}s"
    return f"{seconds // 60}m{seconds % 60}s"
