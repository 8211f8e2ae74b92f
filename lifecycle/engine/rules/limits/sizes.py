"""How large an object may be: what one request to an API server holds, and one value of its etcd.

What is stored is measured as it is completed: defaults of a schema make much of little.
"""

from __future__ import annotations

import json
from typing import Any

from ...heart.errors import Unknown

REQUEST_MOST_BYTES = 3 * 1024 * 1024
STORED_MOST_BYTES = 3 * 512 * 1024
"""etcd's --max-request-bytes."""


def measure_bytes(data: Any) -> int:
    """A value's size as JSON."""
    return len(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode())


def require_storable(size_bytes: int) -> None:
    """Raise Unknown, in etcd's words, for more than it stores as one value."""
    if size_bytes > STORED_MOST_BYTES:
        raise Unknown("etcdserver: request is too large")


class Room:
    """What may still be added to an object before it is too large to be stored."""

    __slots__ = ("used_bytes",)

    def __init__(self) -> None:
        self.used_bytes = 0

    def take(self, name: str, value: Any) -> None:
        """Count a field before it is made. Raises Unknown as `require_storable` does."""
        self.used_bytes += len(name) + measure_bytes(value)
        require_storable(self.used_bytes)
