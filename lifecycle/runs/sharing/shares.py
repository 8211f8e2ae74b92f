"""Whose turn it is: of those who wait, first the user who has had least of this worker lately.

Pure: the time is handed in, in seconds that nobody sets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter

# What a user has had counts half after this long.
HALF_LIFE_SECONDS = 1.0
# Less than this is nothing.
FORGOTTEN_SECONDS = 1e-4


@dataclass(frozen=True, slots=True)
class Due:
    """A cluster that wants a turn, and whose it is."""

    cluster: int
    owner: int


@dataclass(slots=True)
class Shares:
    """What each user has had lately, in seconds of this worker."""

    had: dict[int, tuple[float, float]] = field(default_factory=dict)

    def lately(self, owner: int, now: float) -> float:
        """What a user has had lately."""
        seconds, at = self.had.get(owner, (0.0, now))
        left: float = seconds * 0.5 ** ((now - at) / HALF_LIFE_SECONDS)
        return left

    def charge(self, owner: int, seconds: float, now: float) -> None:
        """A turn of one of the user's clusters took so long."""
        self.had[owner] = (self.lately(owner, now) + seconds, now)
        self.had = {one: had for one, had in self.had.items() if self.lately(one, now) > FORGOTTEN_SECONDS}

    def order(self, due: Iterable[Due], now: float) -> list[Due]:
        """Who has had least comes first; what one user has waiting stays in its order."""
        return sorted(due, key=lambda one: round(self.lately(one.owner, now), 3))

    def before(self, due: Iterable[Due], owner: int, now: float) -> list[Due]:
        """Those who are to go before a further cluster of this user: others, who have had less."""
        most = self.lately(owner, now)
        others = [one for one in due if one.owner != owner and self.lately(one.owner, now) < most]
        return self.order(others, now)


def split(due: Iterable[Due], most: float, least: float, together: float) -> dict[int, float]:
    """Seconds for a turn of each user's clusters: every user has the same part of `together`."""
    counts: dict[int, int] = {}
    for owner in map(attrgetter("owner"), due):
        counts[owner] = counts.get(owner, 0) + 1
    return {owner: min(most, max(together / len(counts) / count, least)) for owner, count in counts.items()}
