"""Exports beside each other leave half of the process to everybody else, whoever does the work for them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest

from lifecycle import limits
from lifecycle.export import formats


def wait_for_a_database() -> Iterator[bytes]:
    """What takes time, but none of this process."""
    for _ in range(2):
        time.sleep(0.02)
        yield b"row"


@pytest.mark.parametrize(("exports", "share"), [(1, 0), (2, 3), (4, 7)])
async def test_the_more_there_are_the_longer_each_rests(monkeypatch, exports, share):
    rests: list[float] = []

    async def rest(seconds: float) -> None:
        rests.append(seconds)

    monkeypatch.setattr(limits.exports, "count", lambda: exports)
    monkeypatch.setattr(asyncio, "sleep", rest)
    assert [chunk async for chunk in formats._in_thread(wait_for_a_database())] == [b"row", b"row"]
    assert len(rests) == 2 and all(one >= 0.02 * share for one in rests)
    assert bool(share) == any(rests)
