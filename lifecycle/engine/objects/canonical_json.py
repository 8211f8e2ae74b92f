"""JSON as Go's encoder writes a map: keys sorted, no spaces, what HTML could read escaped."""

from __future__ import annotations

import json
from typing import Any

_ESCAPED = str.maketrans(
    {"&": "\\u0026", "<": "\\u003c", ">": "\\u003e", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def write_json(value: Any) -> str:
    """The text that hashes and comparisons of Kubernetes' own are made of."""
    return escape_json(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def escape_json(text: str) -> str:
    """JSON with what HTML could read in it escaped."""
    return text.translate(_ESCAPED)
