"""How much one JSON text may make, judged before it is read: reading is what costs.

3 MiB, as much as a request to an API server may hold, are over a million empty lists: half a gigabyte and
twelve seconds of everything that looks at them. No object in use comes near these bounds: Argo CD's whole
install.yaml has 64,000 values in 2 MB. Kubernetes' own are 10,000 levels, and no number of values.
"""

from __future__ import annotations

import json
import re
from typing import Any

from lifecycle.late_patterns import late_pattern

MOST_LEVELS = 100
MOST_VALUES = 250_000
"""Names of fields are counted, too."""
# Possessive: a text that never ends is not tried again from its middle.
_TEXTS = late_pattern(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKETS = late_pattern(r"[\[\]{}]")


def find_excess(text: str) -> str:
    """Why a JSON text is not read: it is nested too deep, or says too much; "" when it may be."""
    # Most texts are short of either bound even if all their signs count, those within quotes, too.
    if _count_signs(text) <= MOST_VALUES and _count_opened(text) <= MOST_LEVELS:
        return ""
    bare = _TEXTS.sub("", text)
    if _count_signs(bare) > MOST_VALUES:
        return f"more than {MOST_VALUES:,} values are too many to be read at once; give them in parts"
    if _count_opened(bare) > MOST_LEVELS and _count_levels(bare) > MOST_LEVELS:
        return f"exceeded max depth: nested more than {MOST_LEVELS} levels deep; write it flatter"
    return ""


def count_values(text: str) -> int:
    """How many values a JSON text says, names of fields included."""
    return _count_signs(_TEXTS.sub("", text))


def _count_signs(text: str) -> int:
    return text.count(",") + text.count(":") + _count_opened(text)


def _count_opened(text: str) -> int:
    return text.count("[") + text.count("{")


def _count_levels(bare: str) -> int:
    level = most = 0
    for found in _BRACKETS.finditer(bare):
        level += 1 if found[0] in "[{" else -1
        most = max(most, level)
    return most


def read_json(text: str) -> Any:
    """What a JSON text in somebody's object says. Raises ValueError for none, and for too much."""
    if excess := find_excess(text):
        raise ValueError(excess)
    return json.loads(text)
