"""How large an object may be: what one request to an API server holds, and one value of its etcd."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

REQUEST_MOST_BYTES = 3 * 1024 * 1024
STORED_MOST_BYTES = 3 * 512 * 1024
"""etcd's --max-request-bytes."""


def measure_bytes(data: Mapping[str, Any]) -> int:
    """An object's size as JSON."""
    return len(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode())
