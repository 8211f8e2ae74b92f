"""Instants (whole milliseconds since the cluster's epoch) and their RFC 3339 spelling in the API.

The epoch is handed in as milliseconds since 1970-01-01 UTC. API times are cut to whole seconds, as in
Kubernetes; MicroTime keeps its fraction.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from lifecycle.late_patterns import late_pattern

from .shortened import shorten

_START = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_SECOND = (datetime.min.replace(tzinfo=UTC) - _START) // timedelta(seconds=1)
_LAST_SECOND = (datetime.max.replace(tzinfo=UTC) - _START) // timedelta(seconds=1)
_RFC_3339 = late_pattern(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)",
)


def format_time(instant_ms: int, epoch_ms: int) -> str:
    """The API time of an instant, cut to seconds: `2026-01-01T00:00:02Z`."""
    return _format_second((epoch_ms + instant_ms) // 1000)


@lru_cache(maxsize=4096)
def _format_second(second: int) -> str:
    # What happens together carries the same few seconds, many times over.
    # Whoever writes a status may write any time; what lies beyond the calendar is shown at its end.
    moment = _START + timedelta(seconds=min(max(second, _FIRST_SECOND), _LAST_SECOND))
    return moment.replace(tzinfo=None).isoformat() + "Z"


def format_micro_time(instant_ms: int, epoch_ms: int) -> str:
    """The MicroTime of an instant: `2026-01-01T00:00:02.500000Z`."""
    return f"{format_time(instant_ms, epoch_ms)[:-1]}.{(epoch_ms + instant_ms) % 1000:03}000Z"


def floor_to_second(instant_ms: int, epoch_ms: int) -> int:
    """The instant that the API tells of: the beginning of its second."""
    return (epoch_ms + instant_ms) // 1000 * 1000 - epoch_ms


@lru_cache(maxsize=4096)
def parse_utc_ms(text: str) -> int:
    """Milliseconds since 1970 of an RFC 3339 time. Raises ValueError naming the text."""
    match = _RFC_3339.fullmatch(text)
    if match is None:
        raise ValueError(f"{shorten(text)} is not an RFC 3339 time such as 2026-01-01T00:00:00Z")
    day, clock, fraction, zone = match.groups()
    moment = datetime.fromisoformat(f"{day}T{clock}{'+00:00' if zone in 'Zz' else zone}")
    whole = (moment - _START) // timedelta(milliseconds=1)
    return whole + int((fraction or "0").ljust(3, "0")[:3])


def parse_time(text: str, epoch_ms: int) -> int:
    """The instant of an API time (negative before the epoch). Raises ValueError naming the text."""
    return parse_utc_ms(text) - epoch_ms


def parse_time_or_none(text: str | None, epoch_ms: int) -> int | None:
    """The instant of an API time, None for an absent one."""
    return parse_utc_ms(text) - epoch_ms if text else None
