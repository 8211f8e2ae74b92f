"""Spans of time and sizes as tools take them."""

from __future__ import annotations

import re

LONGEST_MS = 10**13
LARGEST = 1 << 50
_SLEEP = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([smhd]?)")
_SLEEP_MS = {"": 1000, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def sleep_milliseconds(text: str) -> int | None:
    """`1.5`, `10s` and `2m` in ms, three hundred years at most; None for what is no time."""
    match = _SLEEP.fullmatch(text)
    return None if match is None else round(min(float(match[1]) * _SLEEP_MS[match[2]], LONGEST_MS))


def read_size(text: str) -> int | None:
    """`250M` in bytes, as stress and head take it."""
    match = re.fullmatch(r"(\d+)([bBkKmMgG]?)i?[bB]?", text)
    if match is None:
        return None
    return min(int(match[1]) << {"": 0, "b": 0, "k": 10, "m": 20, "g": 30}[match[2].lower()], LARGEST)
