"""What clients make of many events: the figures are client-go's (events_cache.go, event_broadcaster.go)."""

from __future__ import annotations

import json

import pytest

from lifecycle.engine.heart.trace import EventRow, Trace
from lifecycle.engine.objects.meta import Subject

WEB = Subject("Deployment", "default", "web", "uid-web", None, "apps")
MINUTE = 60_000


def tell(trace: Trace, at_ms: int, message: str, reason: str = "Scaling", source: str = "controller") -> None:
    trace.at_ms = at_ms
    trace.event(WEB, "Normal", reason, message, source)


def told(trace: Trace) -> list[tuple[str, int]]:
    """(message, count) of every row."""
    return [(row.message, row.count) for row in trace.entries if isinstance(row, EventRow)]


def combined(message: str) -> str:
    return f"(combined from similar events): {message}"


def test_the_tenth_message_for_one_reason_is_combined() -> None:
    """Recorded in deploy-undo-previous: nine stand alone, and four more count up one event."""
    trace = Trace()
    for number in range(1, 14):
        tell(trace, number * 1000, f"m{number}")
    assert told(trace)[:9] == [(f"m{number}", 1) for number in range(1, 10)]
    assert told(trace)[9:] == [(combined(f"m{number}"), number - 9) for number in range(10, 14)]
    rows = [row for row in trace.entries if isinstance(row, EventRow)]
    assert len({row.event_id for row in rows[9:]}) == 1
    assert [row.last_ms for row in rows[9:]] == [10_000, 11_000, 12_000, 13_000]
    assert {row.first_ms for row in rows[9:]} == {10_000}


def test_the_same_message_counts_up_its_own_event() -> None:
    trace = Trace()
    for at_ms in (0, 5_000, 9_000):
        tell(trace, at_ms, "again")
    tell(trace, 9_000, "other")
    assert told(trace) == [("again", 1), ("again", 2), ("again", 3), ("other", 1)]
    first, *_, last, other = [row for row in trace.entries if isinstance(row, EventRow)]
    assert (last.event_id, last.first_ms, last.last_ms) == (first.event_id, 0, 9_000)
    assert other.event_id != first.event_id


@pytest.mark.parametrize(
    "gap_ms, is_combined",
    [
        pytest.param(10 * MINUTE, True, id="ten minutes after the ninth"),
        pytest.param(10 * MINUTE + 1, False, id="later: counted anew"),
    ],
)
def test_messages_are_alike_within_ten_minutes(gap_ms: int, is_combined: bool) -> None:
    trace = Trace()
    for number in range(9):
        tell(trace, 0, f"m{number}")
    tell(trace, gap_ms, "last")
    assert told(trace)[-1] == (combined("last") if is_combined else "last", 1)


def test_messages_for_other_reasons_are_not_alike() -> None:
    trace = Trace()
    for number in range(20):
        tell(trace, 0, f"m{number}", reason=f"Reason{number % 3}")
    assert not [message for message, _ in told(trace) if message.startswith("(combined")]


def test_a_source_tells_25_events_about_an_object_and_then_one_in_five_minutes() -> None:
    trace = Trace()
    for number in range(40):
        tell(trace, 0, f"m{number}", reason=f"Reason{number % 5}")
    assert len(told(trace)) == 25
    tell(trace, 5 * MINUTE - 1, "too early")
    assert len(told(trace)) == 25
    tell(trace, 5 * MINUTE, "in time")
    tell(trace, 5 * MINUTE, "one too many")
    assert len(told(trace)) == 26


@pytest.mark.parametrize(
    "closed_ms, count",
    [
        pytest.param(100_000, 21, id="all of them"),
        pytest.param(120_000, 25, id="the burst is spent"),
        # Recorded in probe-named-port-unknown: 25 of 36.
        pytest.param(175_000, 25, id="dropped"),
        pytest.param(299_000, 25, id="dropped for five minutes"),
        pytest.param(300_000, 61, id="the next one tells of all"),
    ],
)
def test_of_a_long_series_the_burst_is_told(closed_ms: int, count: int) -> None:
    trace = Trace()
    trace.open_event_series("key", WEB, "Warning", "Unhealthy", "no", "kubelet", None, 5_000)
    trace.at_ms = closed_ms
    trace.close_series("key")
    assert told(trace) == [("no", 1), ("no", count)]


def test_what_is_dropped_is_counted() -> None:
    trace = Trace()
    for _ in range(30):
        tell(trace, 0, "again")
    tell(trace, 5 * MINUTE, "again")
    assert told(trace)[-2:] == [("again", 25), ("again", 31)]


def test_the_scheduler_tells_each_version_of_a_pod_twice_at_most() -> None:
    """Recorded in delete-pending-unschedulable: one event of the first version, a series of the second."""
    trace = Trace()
    for version in (1, 2, 2, 2):
        trace.event_of_version(WEB, "Warning", "FailedScheduling", "no room", "default-scheduler", version)
    assert told(trace) == [("no room", 1), ("no room", 1), ("no room", 2)]
    first, second, again = [row for row in trace.entries if isinstance(row, EventRow)]
    assert again.event_id == second.event_id != first.event_id


def test_it_goes_on_where_it_was_saved() -> None:
    trace, other = Trace(), Trace()
    for number in range(9):
        tell(trace, 0, f"m{number}")
    trace.take()
    other.load(json.loads(json.dumps(trace.save())))
    for one in (trace, other):
        tell(one, 1000, "tenth")
    assert told(other) == told(trace) == [(combined("tenth"), 1)]


def test_a_series_keeps_the_words_it_began_with():
    """Recorded by v1.35 (own-several-drain-graces): the words are no part of what makes a series."""
    trace = Trace()
    for words in ("no room", "a taint"):
        trace.event_of_version(WEB, "Warning", "FailedScheduling", words, "default-scheduler", 1)
    assert [row.message for row in trace.entries] == ["no room", "no room"]


def test_nothing_is_kept_of_what_is_gone() -> None:
    trace = Trace()
    for source in ("controller", "kubelet"):
        tell(trace, 0, "here", source=source)
    trace.event_of_version(WEB, "Warning", "FailedScheduling", "no room", "default-scheduler", 1)
    trace.correlator.forget(WEB.uid)
    assert trace.save()["correlator"] == {"sources": {}, "series": {}}
