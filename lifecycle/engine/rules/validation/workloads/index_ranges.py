"""Indexes as an Indexed Job writes them, `0,2-4`: what is wrong with such a text, and how many they are."""

from __future__ import annotations

import re

from lifecycle.late_patterns import late_pattern

_NUMBER = late_pattern(r"[-+]?[0-9]{1,18}", re.ASCII)
Range = tuple[int, int]
"""The first and the last index of a run of them."""


def count_indexes(text: str, completions: int) -> int:
    """How many indexes a text names. Raises ValueError in the API server's words."""
    total, last = 0, None
    for part in text.split(",") if text else ():
        first, end = read_range(part, completions)
        if last is not None and last >= first:
            raise ValueError(f"non-increasing order, previous: {last}, current: {first}")
        total, last = total + end - first + 1, end
    return total


def read_range(text: str, completions: int) -> Range:
    """`3` or `3-5`, all below `completions`. Raises ValueError, in the API server's words."""
    ends = text.split("-")
    if len(ends) > 2:
        quoted = f'the fragment "{text}"'
        raise ValueError(
            f"{quoted} violates the requirement that an index interval can have at most two parts separated"
            " by '-'"
        )
    numbers = [_read_index(end, completions) for end in ends]
    if len(numbers) == 2 and numbers[0] >= numbers[1]:
        raise ValueError(f"non-increasing order, previous: {numbers[0]}, current: {numbers[1]}")
    return numbers[0], numbers[-1]


def _read_index(text: str, completions: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f'cannot convert string to integer for index: "{text}"')
    if int(text) >= completions:
        raise ValueError(f'too large index: "{text}"')
    return int(text)


def find_common_index(one: str, other: str, completions: int) -> int | None:
    """The first index that two texts share. What cannot be read in them counts for nothing."""
    ours, theirs = _list_ranges(one, completions), _list_ranges(other, completions)
    while ours and theirs:
        (first, end), (start, last) = ours[0], theirs[0]
        if first <= last and start <= end:
            return max(first, start)
        (ours if first <= start else theirs).pop(0)
    return None


def _list_ranges(text: str, completions: int) -> list[Range]:
    found = []
    for part in text.split(",") if text else ():
        try:
            found.append(read_range(part, completions))
        except ValueError:
            continue
    return found
