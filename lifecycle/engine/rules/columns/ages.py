"""Durations and ages as kubectl prints them: `40s`, `3m20s`, `2d9h`, `<unknown>`."""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass

from ...objects.times import floor_to_second, parse_time_or_none

UNKNOWN_AGE = "<unknown>"

_MINUTE, _HOUR = 60, 3600


def human_duration(duration_ms: int) -> str:
    """A duration in at most two units, coarser the longer it is. Below -2 s: `<invalid>`.

    Clocks may disagree by just under two seconds, so -1,999 ms still reads `0s`.
    """
    seconds = duration_ms // 1000 if duration_ms >= 0 else -(-duration_ms // 1000)
    if seconds < -1:
        return "<invalid>"
    if seconds < 2 * _MINUTE:
        return f"{max(seconds, 0)}s"
    if seconds < 10 * _MINUTE:
        return _two(seconds // _MINUTE, "m", seconds % _MINUTE, "s")
    if seconds < 3 * _HOUR:
        return f"{seconds // _MINUTE}m"
    hours = seconds // _HOUR
    if hours < 8:
        return _two(hours, "h", seconds // _MINUTE % 60, "m")
    if hours < 48:
        return f"{hours}h"
    days = hours // 24
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    if days < 2 * 365:
        return f"{days}d"
    if days < 8 * 365:
        return _two(days // 365, "y", days % 365, "d")
    return f"{days // 365}y"


def _two(big: int, big_unit: str, small: int, small_unit: str) -> str:
    return f"{big}{big_unit}{small}{small_unit}" if small else f"{big}{big_unit}"


def age_text(since_ms: int | None, now_ms: int, epoch_ms: int = 0) -> str:
    """The age of something from its instant; `<unknown>` without one.

    API times are whole seconds, so the instant is cut down first: created at 2.3 s, at 5.2 s it is 3 s old.
    """
    if since_ms is None:
        return UNKNOWN_AGE
    return human_duration(now_ms - floor_to_second(since_ms, epoch_ms))


@dataclass(frozen=True, slots=True)
class Ages:
    """Ages of the times in API objects, at one instant of a cluster whose instant 0 is `epoch_ms`."""

    now_ms: int
    epoch_ms: int

    def instant_of(self, text: str | None) -> int | None:
        """The instant of a time, in ms; None where there is none."""
        return parse_time_or_none(text, self.epoch_ms)

    def age_of(self, text: str | None) -> str:
        """How long ago a time was: `40s`."""
        return age_text(self.instant_of(text), self.now_ms, self.epoch_ms)
