"""What one user may do at once, so that nobody's work keeps the others waiting."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable
from threading import Lock


class Places:
    """How many of something each user has at once, in this process."""

    def __init__(self) -> None:
        self._taken: Counter[int] = Counter()
        self._lock = Lock()

    def is_full(self, user_id: int, most: int) -> bool:
        """Whether the user has as many as one may have."""
        with self._lock:
            return self._taken[user_id] >= most

    def take(self, user_id: int, holder: object) -> Callable[[], object]:
        """A place until what is returned is called, or the holder is gone."""
        with self._lock:
            self._taken[user_id] += 1
        return weakref.finalize(holder, self._leave, user_id)

    def _leave(self, user_id: int) -> None:
        with self._lock:
            self._taken[user_id] -= 1


exports = Places()
