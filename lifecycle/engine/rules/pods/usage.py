"""What containers use of CPU and memory: now, and as far ahead as it is known. Computed, never ticked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol


class Program(Protocol):
    """What is asked of a running program."""

    @property
    def usage_points(self) -> Sequence[tuple[int, int, int]]:
        """Known beforehand: from an instant (ms) on so much CPU (milli) and memory (bytes)."""

    def usage(self, now_ms: int) -> tuple[int, int]:
        """CPU in milli and memory in bytes at an instant."""


User = tuple[Program | None, Mapping[str, int]]
"""A container: its program while it runs, and its limits."""
Amount = Callable[[User, int], int]
"""What a container uses at an instant (ms)."""


def memory_of(user: User, at_ms: int) -> int:
    """Bytes: never more than the limit, whatever the program asks for (QOS-08)."""
    program, limits = user
    if program is None:
        return 0
    memory = program.usage(at_ms)[1]
    return min(memory, limits.get("memory", memory))


def sum_usage(users: Iterable[User], now_ms: int, amount: Amount) -> Iterator[tuple[int, int]]:
    """What containers use together: (instant, amount) now and whenever it is known to change.

    With 100 from now on, and beside it 20 that become 50 in 5 s: (0, 120), (5000, 150).
    """
    used, changes = 0, dict[int, int]()
    for user in users:
        before = amount(user, now_ms)
        used += before
        points = user[0].usage_points if user[0] is not None else ()
        for at_ms in sorted({point[0] for point in points if point[0] > now_ms}):
            after = amount(user, at_ms)
            changes[at_ms] = changes.get(at_ms, 0) + after - before
            before = after
    yield now_ms, used
    for at_ms in sorted(changes):
        used += changes[at_ms]
        yield at_ms, used


def next_crossing_ms(
    series: Iterable[tuple[int, int]], capacity: int, amounts: Sequence[int], is_below: Sequence[bool]
) -> int | None:
    """When what is left of a capacity is first below other amounts than it is now said to be.

    `is_below`: for each of the amounts, whether it is known that less is left. None: not as far as is known.
    """
    for at_ms, used in series:
        left = max(capacity - used, 0)
        if [left < amount for amount in amounts] != list(is_below):
            return at_ms
    return None
