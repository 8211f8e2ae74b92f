"""How a caller names an instant: milliseconds, a duration (90s), a clock (00:01:30), an RFC 3339 time."""

import re

from lifecycle.engine.heart.timing import parse_milliseconds
from lifecycle.engine.objects.times import parse_time
from lifecycle.late_patterns import late_pattern

_WHOLE = late_pattern(r"-?\d{1,18}")
_CLOCK = late_pattern(r"(?:(\d{1,6})d\s*)?(\d{1,2}):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?", re.ASCII)


def parse_clock(text: str) -> int | None:
    """Milliseconds since the epoch of a clock as pages show it, `1d 00:03:07.4`; None for anything else."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[:4])
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + int((match[5] or "0").ljust(3, "0"))


def parse_instant(text: str, epoch_ms: int) -> int:
    """Milliseconds since the cluster's epoch. Raises ValueError saying what would be right."""
    if _WHOLE.fullmatch(text):
        return int(text)
    if (at_ms := parse_clock(text)) is not None:
        return at_ms
    for parse in (parse_milliseconds, lambda text: parse_time(text, epoch_ms)):
        try:
            return parse(text)
        except (ValueError, OverflowError):
            continue
    raise ValueError(
        f"{text!r} is no instant; write milliseconds since the epoch (90000), a duration (90s),"
        " a clock (00:01:30) or a time (2026-01-01T00:01:30Z)"
    )
