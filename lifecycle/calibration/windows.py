"""When something was, as nearly as a dump tells: between two instants.

A Time of the API has whole seconds, a MicroTime more. What lies between two such instants is known as nearly
as both together: events of one second that are told 2 s later are 1 to 3 s apart.
"""

from __future__ import annotations

from lifecycle.engine.objects.times import parse_utc_ms
from lifecycle.lean_dataclasses import dataclass

SECOND_MS = 1000


@dataclass(frozen=True, slots=True)
class Window:
    """From `low_ms` to `high_ms`, both possible: an instant in ms since 1970, or a duration."""

    low_ms: int
    high_ms: int

    @property
    def width_ms(self) -> int:
        """How much is left open; 0 of what is known to the millisecond."""
        return self.high_ms - self.low_ms

    @property
    def middle_ms(self) -> float:
        """The best single guess."""
        return (self.low_ms + self.high_ms) / 2

    def since(self, earlier: Window) -> Window | None:
        """How long after `earlier` it was; None where it was before."""
        high_ms = self.high_ms - earlier.low_ms
        return None if high_ms < 0 else Window(max(self.low_ms - earlier.high_ms, 0), high_ms)


def read_window(text: str) -> Window:
    """Of an RFC 3339 time. Raises ValueError, naming the text, for anything else."""
    at_ms = parse_utc_ms(text)
    # Without a fraction it was cut to its second (metav1.Time).
    return Window(at_ms, at_ms) if "." in text else Window(at_ms, at_ms + SECOND_MS - 1)
