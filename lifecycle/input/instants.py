"""How a caller names an instant: milliseconds, a duration such as `90s`, or an RFC 3339 time."""

import re

from lifecycle.engine.heart.timing import parse_milliseconds
from lifecycle.engine.objects.times import parse_time

_WHOLE = re.compile(r"-?\d{1,18}")


def parse_instant(text: str, epoch_ms: int) -> int:
    """Milliseconds since the cluster's epoch. Raises ValueError saying what would be right."""
    if _WHOLE.fullmatch(text):
        return int(text)
    for parse in (parse_milliseconds, lambda text: parse_time(text, epoch_ms)):
        try:
            return parse(text)
        except (ValueError, OverflowError):
            continue
    raise ValueError(
        f"{text!r} is no instant; write milliseconds since the epoch (90000), a duration (90s)"
        " or a time (2026-01-01T00:01:30Z)"
    )
