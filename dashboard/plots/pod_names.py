"""Names of pods as rows of a picture show them, below the name of their workload."""

from __future__ import annotations

import re
from itertools import takewhile

_NUMBERS = re.compile(r"(\d+)")
_LONGEST_STEM = 58
_CUT_LENGTH = _LONGEST_STEM + 5
"""So long is each name whose stem was cut: five letters are drawn."""

LONGEST_LABEL, LABEL_HEAD = 18, 9
"""Letters of a label that stands alone, and those before the gap."""


def shorten_name(name: str, workload: str) -> str:
    """What is the pod's own: `7-x2x9c` of `work-7-x2x9c`, also where the name of its workload was cut."""
    if not workload or name.startswith(f"{workload}-"):
        return name.removeprefix(f"{workload}-") if workload else name
    if len(name) != _CUT_LENGTH:
        return name
    pairs = zip(name[:_LONGEST_STEM], workload, strict=False)
    length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return name[length:].removeprefix("-")


def count_up(name: str) -> list[tuple[int, str]]:
    """Puts `web-2` before `web-10`."""
    parts = _NUMBERS.split(name)
    return [(int(part) if index % 2 else 0, part) for index, part in enumerate(parts)]


def cut_name(name: str) -> str:
    """A long name without its middle, as pods of one workload differ at their ends: `shop/brok…2-dj5fb`."""
    if len(name) <= LONGEST_LABEL:
        return name
    return f"{name[:LABEL_HEAD]}…{name[LABEL_HEAD + 1 - LONGEST_LABEL :]}"
