"""How much is looked at when objects are held to schemas: their sizes multiply where schemas stand together.

Kubernetes has no such count; it ends a request after a minute.
"""

from __future__ import annotations

MOST_LOOKS = 1_000_000


class TooMuchToCheck(Exception):
    """More than may be looked at."""


class Looks:
    """How often something of one object may still be held to a schema."""

    __slots__ = ("_left",)

    def __init__(self, most: int = MOST_LOOKS) -> None:
        self._left = most

    @property
    def are_spent(self) -> bool:
        """Whether more were asked for than there were."""
        return self._left < 0

    def take(self, count: int = 1) -> None:
        """Raise TooMuchToCheck for more than are left."""
        self._left -= count
        if self._left < 0:
            raise TooMuchToCheck
