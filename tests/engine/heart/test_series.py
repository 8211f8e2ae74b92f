"""What has been told of an event that repeats, at any instant, by its latest row alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifecycle.engine.heart.correlator import pay
from lifecycle.engine.heart.series import count_repeats, is_open, tell_at
from lifecycle.engine.heart.trace import EventRow, Trace
from lifecycle.engine.objects.meta import Subject

POD = Subject("Pod", "default", "p", "uid-p", None, "")
MINUTE = 60_000
PERIODS = [1_000, 5_000, 10_000, 7_000, 300_000, 450_000]


def open_one(trace: Trace, key: str, period_ms: int = 5_000, message: str = "") -> None:
    trace.open_event_series(key, POD, "Warning", "Unhealthy", message or key, "kubelet", None, period_ms)


def latest_rows(trace: Trace) -> dict[int, EventRow]:
    return {row.number: row for row in trace.entries if isinstance(row, EventRow)}


def read_all(trace: Trace, now_ms: int) -> dict[int, tuple[int, int]]:
    """(count, last) of every event at an instant, as its readers compute them."""
    return {
        number: tell_at(row.count, row.last_ms, row.detail, now_ms)
        for number, row in latest_rows(trace).items()
    }


def test_a_series_has_a_row_when_it_opens_and_one_when_it_closes_also_where_it_did_not_repeat() -> None:
    trace = Trace()
    open_one(trace, "a")
    trace.at_ms = 4_999
    trace.close_series("a")
    first, last = trace.entries
    assert isinstance(first, EventRow) and isinstance(last, EventRow)
    assert first.detail == {"period_ms": 5_000, "paid_ms": 300_000} and is_open(first.detail)
    assert last.detail == {"period_ms": 5_000} and not is_open(last.detail)
    assert [(row.count, row.first_ms, row.last_ms) for row in (first, last)] == [(1, 0, 0)] * 2
    assert first.event_id == last.event_id


@pytest.mark.parametrize(
    "now_ms, expected",
    [
        pytest.param(0, (1, 0), id="when it opens"),
        pytest.param(4_999, (1, 0), id="before it repeats"),
        pytest.param(15_000, (4, 15_000), id="each repetition"),
        pytest.param(60 * MINUTE, (721, 3_600_000), id="an hour: each 300 s, with those that were dropped"),
        pytest.param(60 * MINUTE + 299_999, (721, 3_600_000), id="not before the next is let through"),
    ],
)
def test_an_open_series_is_told_as_the_real_server_would_show_it(
    now_ms: int, expected: tuple[int, int]
) -> None:
    trace = Trace()
    open_one(trace, "a")
    assert read_all(trace, now_ms) == {1: expected}


def test_the_same_event_goes_on_where_its_last_series_ended() -> None:
    """client-go counts by reason, message and path: a probe that fails again is the same event."""
    trace = Trace()
    open_one(trace, "a")
    trace.at_ms = 10_000
    trace.close_series("a")
    trace.at_ms = 60_000
    open_one(trace, "a")
    (row,) = latest_rows(trace).values()
    assert (row.count, row.first_ms, row.last_ms) == (4, 0, 60_000)
    assert read_all(trace, 65_000) == {1: (5, 65_000)}


def test_series_about_one_object_share_what_may_be_told() -> None:
    """Recorded in probe-named-port-unknown: of two that come each 2 s, 13 and 12 are told."""
    trace = Trace()
    open_one(trace, "readiness", 2_000)
    trace.at_ms = 800
    open_one(trace, "liveness", 2_000)
    assert sorted(count for count, _ in read_all(trace, 35_000).values()) == [12, 13]


def test_what_a_cut_off_kubelet_tells_is_counted_once_it_is_heard_again() -> None:
    trace = Trace()
    open_one(trace, "a")
    trace.at_ms = 12_000
    trace.silence([POD.uid], "kubelet")
    assert read_all(trace, 40_000) == {1: (3, 10_000)}
    trace.at_ms = 41_000
    trace.speak([POD.uid], "kubelet")
    assert read_all(trace, 41_000) == {1: (9, 40_000)}
    assert read_all(trace, 45_000) == {1: (10, 45_000)}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["open", "open", "tell", "close", "wait", "silence", "speak", "save"]),
        st.integers(0, 3),
        st.sampled_from(PERIODS),
        st.one_of(st.integers(0, 20_000), st.integers(0, 40 * MINUTE)),
    ),
    max_size=14,
)


def follow(trace: Trace, steps: list[tuple[str, int, int, int]]) -> Trace:
    for what, number, period_ms, wait_ms in steps:
        key = f"k{number}"
        if what == "open":
            open_one(trace, key, period_ms)
        elif what == "tell":
            trace.event(POD, "Warning", "BackOff", key, "kubelet")
        elif what == "close":
            trace.close_series(key, until_ms=trace.at_ms - number % 2)
        elif what == "silence":
            trace.silence([POD.uid], "kubelet")
        elif what == "speak":
            trace.speak([POD.uid], "kubelet")
        elif what == "save":
            rows = trace.entries
            trace.entries = []
            saved = json.loads(json.dumps(trace.save()))
            at_ms, trace = trace.at_ms, Trace()
            trace.load(saved)
            trace.entries, trace.at_ms = rows, at_ms
        trace.at_ms += wait_ms
    return trace


@pytest.mark.slow
@given(STEPS, st.integers(0, 3 * 60 * MINUTE))
def test_what_a_reader_computes_is_what_closing_would_write(steps: Any, later_ms: int) -> None:
    trace = follow(Trace(), steps)
    trace.speak([POD.uid], "kubelet")
    trace.at_ms += later_ms
    read = read_all(trace, trace.at_ms)
    trace.close_series(*trace.series.by_key)
    assert not any(is_open(row.detail) for row in latest_rows(trace).values())
    assert read_all(trace, trace.at_ms + 60 * MINUTE) == read


@pytest.mark.slow
@given(STEPS)
def test_counts_and_times_only_grow(steps: Any) -> None:
    trace = follow(Trace(), steps)
    known: dict[int, tuple[int, int]] = {}
    for row in trace.entries:
        assert isinstance(row, EventRow)
        for number, (count, last_ms) in known.items():
            if number == row.number:
                assert row.count >= count and row.last_ms >= last_ms and row.last_ms <= row.at_ms
        known[row.number] = row.count, row.last_ms


@pytest.mark.slow
@given(
    st.integers(0, 26),
    st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from(PERIODS)), min_size=1, max_size=3),
    st.integers(0, 6 * 60 * MINUTE),
)
def test_the_sum_is_that_of_each_repetition_one_by_one(owed: int, series: Any, until_ms: int) -> None:
    paid_ms = owed * 290_000
    ticks = sorted(
        (last_ms + number * period_ms, place, number)
        for place, (last_ms, period_ms) in enumerate(series)
        for number in range(1, max(until_ms - last_ms, 0) // period_ms + 1)
    )
    told, due_ms = [0] * len(series), paid_ms
    for at_ms, place, number in ticks:
        paid = pay(due_ms, at_ms)
        if paid is not None:
            due_ms, told[place] = paid, number
    assert count_repeats(paid_ms, series, until_ms) == (told, due_ms)


def test_a_series_of_years_is_summed_up_at_once() -> None:
    told, _ = count_repeats(0, [(0, 1_000), (1, 7_000)], 10 * 365 * 24 * 60 * MINUTE)
    assert told[0] > 3 * 10**8
