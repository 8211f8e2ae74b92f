"""Frames that cannot go at once become one; nothing in them is lost or told twice."""

from typing import Any

import pytest

from lifecycle import frames
from lifecycle.runs import publisher
from lifecycle.runs.celery import broker


def frame(first: int, last: int, rv: int, *uids: str, **more: Any) -> frames.Frame:
    """Rows `first` to `last`, by turns transitions and events, and the summaries of some objects."""
    rows = [{"type": "event" if seq % 2 else "transition", "seq": seq} for seq in range(first, last + 1)]
    made = {
        "epoch_id": "one",
        "from": first - 1,
        "seq": last,
        "at_ms": last * 10,
        "transitions": [row for row in rows if row["type"] == "transition"],
        "events": [row for row in rows if row["type"] == "event"],
        "objects": [{"uid": uid, "rv": rv} for uid in uids],
        "rv_from": rv - 1,
        "rv": rv,
    }
    return made | more


def test_two_frames_that_follow_each_other_become_one():
    joined = frames.join(frame(1, 3, 5, "a", "b"), frame(4, 5, 6, "b", "c"))
    assert (joined["from"], joined["seq"], joined["rv_from"], joined["rv"]) == (0, 5, 4, 6)
    assert [row["seq"] for row in joined["transitions"]] == [2, 4]
    assert [row["seq"] for row in joined["events"]] == [1, 3, 5]
    assert {summary["uid"]: summary["rv"] for summary in joined["objects"]} == {"a": 5, "b": 6, "c": 6}


@pytest.mark.parametrize(
    "later",
    [
        pytest.param(frame(6, 7, 6), id="rows lie between"),
        pytest.param(frame(4, 5, 9), id="versions lie between"),
        pytest.param(frame(4, 5, 6, epoch_id="two"), id="another history"),
    ],
)
def test_a_frame_that_does_not_follow_stays_alone(later):
    assert frames.join(frame(1, 3, 5), later) == later


@pytest.mark.parametrize(
    "first, later",
    [
        pytest.param(frame(1, 3, 5, refetch=True), frame(4, 5, 6), id="the first was too large"),
        pytest.param(frame(1, 3, 5), frame(4, 5, 6, refetch=True), id="the second was too large"),
        pytest.param(frame(1, 1500, 5), frame(1501, 2001, 6), id="together they are"),
    ],
)
def test_too_much_is_asked_for_again(first, later):
    joined = frames.join(first, later)
    assert joined["refetch"] and (joined["from"], joined["seq"]) == (0, later["seq"])
    assert not joined["transitions"] + joined["events"] + joined["objects"]


@pytest.fixture
def sent(monkeypatch) -> list[tuple[str, int, int]]:
    """What went out: group, from, seq."""
    out: list[tuple[str, int, int]] = []

    async def send(group: str, message: dict[str, Any]) -> None:
        out.append((group, message["from"], message["seq"]))

    monkeypatch.setattr(publisher, "_send", send)
    return out


class Time:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


async def test_under_load_frames_widen(monkeypatch, sent):
    """Web servers ask for a second between frames: what comes in it goes as one, each cluster for itself."""
    time = Time()
    monkeypatch.setattr(publisher, "time", time)
    broker.ask_for_pace(1.0)
    sender = publisher._Sender()
    for seq in (1, 2, 3, 4):
        sender.put("a", frame(seq, seq, seq))
        sender.put("b", frame(seq, seq, seq)) if seq == 3 else None
        await sender.send_due()
        time.now += 0.3
    assert sent == [("a", 0, 1), ("b", 2, 3)]
    time.now += 0.1
    await sender.send_due()
    assert sent[2:] == [("a", 1, 4)] and not sender.waiting
    sender.loop.close()


async def test_who_waits_is_looked_at_once_and_not_for_each_frame(monkeypatch, sent):
    """A hundred clusters that may not send yet: the sender sleeps until the first may."""
    time = Time()
    monkeypatch.setattr(publisher, "time", time)
    broker.ask_for_pace(1.0)
    sender = publisher._Sender()
    for number in range(100):
        sender.put(f"group {number}", frame(1, 1, 1))
        assert await sender.send_due() is None
        time.now += 0.001
    sender.something.clear()
    for number in range(100):
        sender.put(f"group {number}", frame(2, 2, 2))
    assert await sender.send_due() == pytest.approx(0.9)
    sender.something.clear()
    for number in range(100):
        sender.put(f"group {number}", frame(3, 3, 3))
    assert not sender.something.is_set() and len(sent) == 100
    sender.loop.close()


async def test_when_nobody_asks_for_fewer_frames_nothing_is_remembered(monkeypatch, sent):
    sender = publisher._Sender()
    monkeypatch.setattr(publisher, "PACE_LOOK_SECONDS", -1.0)
    sender.put("a", frame(1, 1, 1))
    await sender.send_due()
    sender.put("b", frame(1, 1, 1))
    await sender.send_due()
    assert set(sender.sent_at) == {"b"}
    sender.loop.close()


async def test_when_all_keep_up_every_frame_goes_at_once(sent):
    sender = publisher._Sender()
    for seq in (1, 2):
        sender.put("a", frame(seq, seq, seq))
        await sender.send_due()
    assert sent == [("a", 0, 1), ("a", 1, 2)]
    sender.loop.close()


def test_what_a_web_server_asked_for_is_forgotten(redis_url):
    assert broker.frame_pace() == 0.0
    broker.ask_for_pace(0.4)
    assert broker.frame_pace() == 0.4
    assert 0 < broker.client().pttl(f"{broker.PREFIX}pace") <= broker.PACE_MS
