"""Crash-loop and pull delays of one kubelet: 0, then 10 s doubling to 300 s, forgotten after ten minutes.

Models the kubelet's back-off manager with both feature gates: reduced delays, and a cap of the node's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...heart.timing import (
    BACK_OFF_INITIAL_MS,
    BACK_OFF_MAX_MS,
    BACK_OFF_RESET_MS,
    REDUCED_BACK_OFF_INITIAL_MS,
    REDUCED_BACK_OFF_MAX_MS,
    read_duration_ms,
)
from ...releases.gates import is_enabled


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


def duration_text(delay_ms: int) -> str:
    """A delay as Go prints it: `10s`, `1m20s`, `5m0s`."""
    seconds = delay_ms // 1000
    if seconds < 60:
        return f"{seconds}s"
    return f"{seconds // 60}m{seconds % 60}s"
