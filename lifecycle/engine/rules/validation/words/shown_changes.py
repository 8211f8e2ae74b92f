"""How a refusal shows what would change: the lines that differ."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_LONGEST_LINE, _MOST_LINES = 500, 40


def show_change(before: Mapping[str, Any], after: Mapping[str, Any], fields: Sequence[str]) -> str:
    """What would change of some fields, line by line, in the form that the API server gives it."""
    from difflib import unified_diff

    old, new = (
        json.dumps({field: spec.get(field) for field in fields}, indent=1, sort_keys=True, default=str)
        for spec in (before, after)
    )
    lines = list(unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1))[2:]
    return "\n".join(line[:_LONGEST_LINE] for line in lines[:_MOST_LINES])
