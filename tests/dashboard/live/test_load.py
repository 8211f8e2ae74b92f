"""Many browsers and slow ones: asked once for all, frames widened, nothing piled up."""

from __future__ import annotations

import asyncio

import pytest

from dashboard.live import load
from dashboard.live.catch_up import Shared
from lifecycle.runs.celery import broker


@pytest.mark.parametrize(
    "pace, late_seconds, expected",
    [
        pytest.param(0.0, 0.02, 0.0, id="in time"),
        pytest.param(0.0, 0.2, 0.1, id="late for the first time"),
        pytest.param(0.1, 0.2, 0.2, id="still late"),
        pytest.param(0.8, 0.2, 1.0, id="a second at most"),
        pytest.param(1.0, 0.05, 1.0, id="just so"),
        pytest.param(1.0, 0.0, 0.5, id="better"),
        pytest.param(0.1, 0.0, 0.0, id="well again"),
    ],
)
def test_frames_widen_while_the_loop_is_late(pace, late_seconds, expected):
    assert load.decide_pace(pace, late_seconds) == expected


async def test_a_late_loop_asks_for_wider_frames(monkeypatch):
    """Two late wakes in a row count, one may be chance."""
    asked: list[float] = []
    wakes = iter([0.2, 0.0, 0.2, 0.2, 0.2, 0.0])

    class Loop:
        now = 0.0

        def time(self) -> float:
            return self.now

    loop = Loop()

    async def sleep(seconds: float) -> None:
        late = next(wakes, None)
        if late is None:
            raise asyncio.CancelledError
        loop.now += seconds + late

    monkeypatch.setattr(load.asyncio, "sleep", sleep)
    monkeypatch.setattr(load.asyncio, "get_running_loop", lambda: loop)
    monkeypatch.setattr(broker, "ask_for_pace", asked.append)

    async def at_once(work, *arguments):
        work(*arguments)

    monkeypatch.setattr(load.asyncio, "to_thread", at_once)
    with pytest.raises(asyncio.CancelledError):
        await load.Load()._look()
    assert asked == [0.1, 0.2, 0.1]


async def test_a_page_that_is_loaded_again_is_looked_after_at_once():
    """The last browser leaves and the next one joins before the loop has come round."""
    looks = load.Load()
    looks.join()
    looks.leave()
    looks.join()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert looks.looking is not None and not looks.looking.done()
    looks.leave()


async def test_what_many_ask_at_once_is_asked_once(monkeypatch):
    shared, asked = Shared(seconds=60), []

    async def answer() -> int:
        asked.append(1)
        await asyncio.sleep(0)
        return len(asked)

    assert await asyncio.gather(*[shared.ask("a", answer) for _ in range(5)]) == [1] * 5
    assert await shared.ask("b", answer) == 2
    shared.seconds = -1.0
    assert await shared.ask("a", answer) == 3


async def test_one_who_goes_away_takes_no_answer_from_the_others():
    shared, gate = Shared(seconds=60), asyncio.Event()

    async def answer() -> str:
        await gate.wait()
        return "here"

    first, second = (asyncio.create_task(shared.ask("a", answer)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    gate.set()
    assert await second == "here"
