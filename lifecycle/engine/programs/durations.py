"""Durations as people write them in behaviours, and drawing one by key.

`3s`, `1m30s` and `250ms` are fixed; `2s..6s` is uniform, both ends included; `{normal: [3s, 500ms]}` is a
normal distribution (mean, standard deviation). Every draw is rounded to whole milliseconds, never below 0.
Randomness is handed in: this module holds none.
"""

from __future__ import annotations

from collections.abc import Callable

from lifecycle.lean_dataclasses import dataclass

from ..heart.timing import parse_milliseconds
from ..objects.shortened import shorten

Draw = Callable[..., float]
"""`draw(purpose, *key)` gives a number in [0, 1), always the same for the same purpose and key."""

_SMALLEST_CHANCE = 1e-12
_WANTED = "a duration such as 3s, a range such as 2s..6s, or {normal: [3s, 500ms]}"


@dataclass(frozen=True, slots=True)
class Duration:
    """A span of virtual time: uniform between two bounds, or normal around `low_ms` with a deviation."""

    low_ms: int
    high_ms: int
    deviation_ms: int | None = None

    @classmethod
    def fixed(cls, milliseconds: int) -> Duration:
        """Make a span that is always the same, in ms."""
        return cls(milliseconds, milliseconds)

    @classmethod
    def between(cls, low_ms: int, high_ms: int) -> Duration:
        """Make a span that is uniform between two bounds, in ms."""
        return cls(low_ms, high_ms)

    @classmethod
    def normal(cls, mean_ms: int, deviation_ms: int) -> Duration:
        """Make a span that is normal around a mean, in ms."""
        return cls(mean_ms, mean_ms, deviation_ms)

    @property
    def is_fixed(self) -> bool:
        """Whether chance has no part in it."""
        return self.low_ms == self.high_ms and not self.deviation_ms

    def draw_ms(self, draw: Draw, purpose: str, *key: object) -> int:
        """One value in whole milliseconds; a fixed duration asks for no chance at all."""
        if self.is_fixed:
            return self.low_ms
        chance = draw(purpose, *key)
        if self.deviation_ms:
            from statistics import NormalDist

            # The inverse of the distribution is not defined at 0 itself.
            bell = NormalDist(self.low_ms, self.deviation_ms)
            return max(round(bell.inv_cdf(max(chance, _SMALLEST_CHANCE))), 0)
        return self.low_ms + int(chance * (self.high_ms - self.low_ms + 1))


NOTHING = Duration.fixed(0)


def read_duration(value: object) -> Duration:
    """Read what a behaviour gives as a duration. Raises ValueError, saying what would be right."""
    if value == 0 and not isinstance(value, bool):
        return Duration.fixed(0)
    if isinstance(value, str):
        return _read_text(value)
    if isinstance(value, dict) and set(value) == {"normal"}:
        return _read_normal(value["normal"])
    raise ValueError(f"{shorten(value)} is not a duration; write {_WANTED}")


def _read_text(text: str) -> Duration:
    low, dots, high = text.strip().partition("..")
    if not dots:
        return Duration.fixed(parse_milliseconds(low))
    low_ms, high_ms = parse_milliseconds(low.strip()), parse_milliseconds(high.strip())
    if high_ms < low_ms:
        raise ValueError(f"{shorten(text)} ends before it begins; write the smaller bound first")
    return Duration.between(low_ms, high_ms)


def _read_normal(value: object) -> Duration:
    if not (isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)):
        raise ValueError(
            f"normal: {shorten(value)} must be [mean, standard deviation], for example [3s, 500ms]"
        )
    return Duration.normal(parse_milliseconds(value[0]), parse_milliseconds(value[1]))
