"""Schedules: what they are read as, and when they come, clock changes included."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lifecycle.engine.objects.time_zones import load_zone
from lifecycle.engine.objects.times import format_time, parse_utc_ms
from lifecycle.engine.rules.jobs.schedules import Every, Fields, read_schedule
from tests.seeds import each_once

MINUTE_MS = 60_000


def list_runs(schedule: str, since: str, count: int, zone: str = "UTC") -> list[str]:
    """The next runs, as API times in UTC."""
    read, at_ms, found = read_schedule(schedule, zone), parse_utc_ms(since), []
    for _ in range(count):
        next_ms = read.next_after(at_ms)
        assert next_ms is not None
        assert next_ms > at_ms
        at_ms = next_ms
        found.append(format_time(at_ms, 0))
    return found


def is_same(one: str, other: str) -> bool:
    return read_schedule(one) == read_schedule(other)


@pytest.mark.spec(
    "CRON-SCHED-01", "CRON-SCHED-03", "CRON-SCHED-04", "CRON-SCHED-06", "CRON-SCHED-07", "CRON-SCHED-08"
)
@pytest.mark.parametrize(
    "one, other",
    [
        ("0 3 * * mon", "0 3 * * 1"),
        ("0 0 1 JAN-Mar *", "0 0 1 1,2,3 *"),
        ("0 0 ? * ?", "0 0 * * *"),
        ("0 0-23/2 1 * *", "0 0,2,4,6,8,10,12,14,16,18,20,22 1 * *"),
        ("0 */2 1 * *", "0 0-23/2 1 * *"),
        ("0 5/6 * * *", "0 5,11,17,23 * * *"),
        ("0,30 9-17 * * 1-5", "0,30 9,10,11,12,13,14,15,16,17 * * mon,tue,wed,thu,fri"),
    ],
)
def test_two_ways_to_write_one_schedule(one: str, other: str) -> None:
    assert is_same(one, other)


@pytest.mark.spec("CRON-SCHED-09", "CRON-SCHED-10", "CRON-SCHED-11", "CRON-SCHED-12", "CRON-SCHED-13")
@pytest.mark.parametrize(
    "word, fields",
    [
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 1 *"),
        ("@monthly", "0 0 1 * *"),
        ("@weekly", "0 0 * * 0"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@hourly", "0 * * * *"),
    ],
)
def test_words_stand_for_fields(word: str, fields: str) -> None:
    assert is_same(word, fields)


@pytest.mark.spec("CRON-SCHED-13")
@pytest.mark.parametrize(
    "text, seconds",
    [
        ("@every 1h30m", 5400),
        ("@every 1.5s", 1),
        ("@every 90s", 90),
        ("@every 1ms", 1),
        ("@every -5m", 1),
        ("@every 0", 1),
        ("@every .5h", 1800),
    ],
)
def test_every_so_often_is_counted_in_whole_seconds(text: str, seconds: int) -> None:
    assert read_schedule(text) == Every(seconds)
    assert Every(seconds).next_after(1_500) == 1_000 + seconds * 1000


@pytest.mark.spec("CRON-SCHED-02", "CRON-SCHED-01", "CRON-TZ-05")
@pytest.mark.parametrize(
    "text, problem",
    [
        ("", "empty spec string"),
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("0 * * * * *", "expected exactly 5 fields, found 6: [0 * * * * *]"),
        ("* 24 * * *", "end of range (24) above maximum (23): 24"),
        ("* * 32 * *", "end of range (32) above maximum (31): 32"),
        ("* * * 0 *", "beginning of range (0) below minimum (1): 0"),
        ("* * * * 7", "end of range (7) above maximum (6): 7"),
        ("* * * * fri-mon", "beginning of range (5) beyond end of range (1): fri-mon"),
        ("*/1/2 * * * *", "too many slashes: */1/2"),
        ("-5 * * * *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'),
        ("@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'),
        ("@every 5x", 'failed to parse duration @every 5x: time: unknown unit "x" in duration "5x"'),
        ("@every ", 'failed to parse duration @every : time: invalid duration ""'),
        (
            f"@every {'9' * 30}h",
            f'failed to parse duration @every {"9" * 30}h: time: invalid duration "{"9" * 30}h"',
        ),
        ("TZ=Nowhere * * * * *", "provided bad location Nowhere: unknown time zone Nowhere"),
        ("CRON_TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
    ],
)
def test_what_is_no_schedule_is_refused_in_the_parsers_words(text: str, problem: str) -> None:
    with pytest.raises(ValueError) as refusal:
        read_schedule(text)
    assert str(refusal.value) == problem


@pytest.mark.spec("CRON-SCHED-05", "CRON-SCHED-14", "CRON-TZ-02", "CRON-TZ-03")
@pytest.mark.parametrize(
    "schedule, zone, since, runs",
    [
        # S31
        ("0 3 * * 1", "Etc/UTC", "2024-01-01T04:00:00Z", ["2024-01-08T03:00:00Z", "2024-01-15T03:00:00Z"]),
        ("0 3 * * 1", "Europe/Kyiv", "2024-01-01T04:00:00Z", ["2024-01-08T01:00:00Z"]),
        ("0 3 * * 1", "UTC", "2024-01-01T03:00:00Z", ["2024-01-08T03:00:00Z"]),
        # Every 13th and every Friday.
        (
            "0 0 13 * 5",
            "UTC",
            "2024-02-01T00:00:00Z",
            ["2024-02-02T00:00:00Z", "2024-02-09T00:00:00Z", "2024-02-13T00:00:00Z", "2024-02-16T00:00:00Z"],
        ),
        # A step leaves a field restricted: one of both is enough; a plain * does not.
        ("0 0 */10 * 5", "UTC", "2024-02-09T00:00:00Z", ["2024-02-11T00:00:00Z", "2024-02-16T00:00:00Z"]),
        ("0 0 */1 * 5", "UTC", "2024-02-09T00:00:00Z", ["2024-02-16T00:00:00Z"]),
        ("0 0 29 2 *", "UTC", "2024-03-01T00:00:00Z", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]),
        ("TZ=Asia/Kolkata 30 5 * * *", "UTC", "2024-01-01T00:00:00Z", ["2024-01-02T00:00:00Z"]),
        ("*/20 * * * *", "Asia/Kathmandu", "2024-01-01T00:00:00Z", ["2024-01-01T00:15:00Z"]),
    ],
)  # fmt: skip
def test_the_next_runs(schedule: str, zone: str, since: str, runs: list[str]) -> None:
    assert list_runs(schedule, since, len(runs), zone) == runs


@pytest.mark.spec("CRON-TZ-07")
@pytest.mark.parametrize(
    "schedule, zone, since, runs",
    [
        # 02:30 does not come on 10 March 2024 …
        ("30 2 * * *", "America/New_York", "2024-03-09T12:00:00Z", ["2024-03-11T06:30:00Z"]),
        # … and 01:30 comes twice on 3 November.
        (
            "30 1 * * *",
            "America/New_York",
            "2024-11-02T12:00:00Z",
            ["2024-11-03T05:30:00Z", "2024-11-03T06:30:00Z", "2024-11-04T06:30:00Z"],
        ),
        ("0 1-3 * * *", "Europe/Berlin", "2024-03-31T00:00:00Z", ["2024-03-31T01:00:00Z"]),
        # Half an hour: 02:00 is 02:30.
        ("15 2 * * *", "Australia/Lord_Howe", "2024-10-05T00:00:00Z", ["2024-10-06T15:15:00Z"]),
        # Midnight does not come: the day begins at 01:00.
        ("0 0 * * *", "America/Havana", "2024-03-09T12:00:00Z", ["2024-03-11T04:00:00Z"]),
        ("0 12 10 3 *", "America/Havana", "2024-03-01T12:00:00Z", ["2024-03-10T16:00:00Z"]),
    ],
)  # fmt: skip
def test_clocks_change(schedule: str, zone: str, since: str, runs: list[str]) -> None:
    assert list_runs(schedule, since, len(runs), zone) == runs


def test_a_clock_that_skips_half_an_hour_may_take_a_day_along() -> None:
    """As with robfig/cron: hours counted on from 02:30 lead to 00:30, and days from there to 00:30 again."""
    runs = list_runs("0 0 1,15 * *", "2023-09-20T00:00:00Z", 2, "Australia/Lord_Howe")
    assert runs == ["2023-09-30T13:30:00Z", "2023-10-31T13:00:00Z"]
    assert list_runs("0 0 15 * *", "2023-10-02T00:00:00Z", 1, "Australia/Lord_Howe") == [
        "2023-10-14T13:00:00Z"
    ]


def test_a_day_without_a_midnight_to_the_east_may_be_missed() -> None:
    """As with robfig/cron: on 31 March 2024 the clocks of Beirut went from 00:00 to 01:00."""
    # The search that comes day by day from before goes back an hour there, and then on by a whole day.
    assert list_runs("0 12 * * 0", "2024-03-30T12:00:00Z", 1, "Asia/Beirut") == ["2024-04-07T09:00:00Z"]
    assert list_runs("0 12 * * 0", "2024-03-31T00:00:00Z", 1, "Asia/Beirut") == ["2024-03-31T09:00:00Z"]
    # Hours lead from one day into the next without another look at the day: a Sunday for a Saturday.
    assert list_runs("0 5 * * 6", "2024-03-30T12:00:00Z", 1, "Asia/Beirut") == ["2024-03-31T02:00:00Z"]


@pytest.mark.spec("CRON-SCHED-16")
@pytest.mark.parametrize("schedule", ["59 23 31 2 *", "0 0 31 4,6,9,11 *", ", * * * *", "* * * , *"])
def test_what_never_comes_is_given_up(schedule: str) -> None:
    assert read_schedule(schedule).next_after(parse_utc_ms("2024-01-01T00:00:00Z")) is None


def test_the_calendar_ends() -> None:
    assert read_schedule("0 0 1 1 *").next_after(parse_utc_ms("9999-06-01T00:00:00Z")) is None


# --- against a walk from minute to minute -----------------------------------------------------------------

# Zones whose clocks skip no midnight and no half hour: of both hemispheres, of none, and at odd offsets.
ZONES = (
    "UTC", "Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kathmandu", "America/St_Johns",
    "Pacific/Chatham", "Africa/Casablanca",
)  # fmt: skip


@st.composite
def make_field(draw: st.DrawFn, low: int, high: int) -> str:
    """One field of a schedule."""

    def draw_part() -> str:
        first = draw(st.integers(low, high))
        last = draw(st.integers(first, high))
        step = draw(st.sampled_from(["", "", "/2", "/3", "/7"]))
        return draw(st.sampled_from(["*", "?", str(first), f"{first}-{last}", f"{first}-{last}"])) + step

    return ",".join(draw_part() for _ in range(draw(st.integers(1, 2))))


def is_due(schedule: Fields, at: datetime, zone: ZoneInfo) -> bool:
    """Whether a minute is one of the schedule's: what cron's fields say, nothing else."""
    local = at.astimezone(zone)
    by_number, by_weekday = local.day in schedule.days, local.isoweekday() % 7 in schedule.weekdays
    is_day = (by_number and by_weekday) if schedule.is_open else (by_number or by_weekday)
    is_time = local.hour in schedule.hours and local.minute in schedule.minutes
    return local.month in schedule.months and is_day and is_time


# The months in which the clocks of these zones change come more often than others.
INSTANTS = st.builds(
    lambda year, month, day, minute: datetime(year, month, day, tzinfo=UTC) + timedelta(minutes=minute),
    st.integers(2019, 2030),
    st.one_of(st.sampled_from([3, 4, 9, 10, 11]), st.integers(1, 12)),
    st.integers(1, 28),
    st.integers(0, 1439),
)
MOST_MINUTES = 3 * 1440


@pytest.mark.slow
@given(
    st.tuples(make_field(0, 59), make_field(0, 23), make_field(1, 31), make_field(1, 12), make_field(0, 6)),
    st.sampled_from(ZONES),
    INSTANTS,
)
@example(("30", "2", "*", "*", "*"), "America/New_York", datetime(2024, 3, 10, 6, 29, tzinfo=UTC))
@example(("*/7", "1-2", "*", "*", "*"), "Australia/Sydney", datetime(2024, 4, 6, 14, 20, tzinfo=UTC))
@example(("59", "23", "31", "12", "*"), "Pacific/Chatham", datetime(2024, 12, 31, 10, 13, tzinfo=UTC))
@settings(max_examples=25, deadline=None)
def test_the_next_run_is_the_first_minute_that_fits(
    fields: tuple[str, ...], zone: str, since: datetime
) -> None:
    schedule = read_schedule(" ".join(fields), zone)
    assert isinstance(schedule, Fields)
    since_ms = round(since.timestamp() * 1000)
    found_ms = schedule.next_after(since_ms)
    assert found_ms is None or (found_ms > since_ms and found_ms % MINUTE_MS == 0)
    zone_info, minute = load_zone(zone), since_ms // MINUTE_MS + 1
    expected = next(
        (
            at * MINUTE_MS
            for at in range(minute, minute + MOST_MINUTES)
            if is_due(schedule, datetime.fromtimestamp(at * 60, UTC), zone_info)
        ),
        None,
    )
    if expected is not None:
        assert found_ms == expected
    else:
        # Further away than the walk went; it fits all the same.
        assert found_ms is None or found_ms > (minute + MOST_MINUTES - 1) * MINUTE_MS
        assert found_ms is None or is_due(schedule, datetime.fromtimestamp(found_ms / 1000, UTC), zone_info)
    if found_ms is not None:
        # Looking back from then it is the last one.
        assert schedule.last_until(found_ms, since_ms) == schedule.last_until(found_ms + 59_999, since_ms)
        assert schedule.last_until(found_ms, since_ms) == found_ms
        assert schedule.last_until(found_ms - 1, since_ms) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "schedule, zone",
    each_once(["30 2 * * *", "*/30 1-3 * * 0", "0 0 1,15 3-11 *", "45 23 * * 6"], ZONES),
)
def test_years_of_runs_are_the_minutes_that_fit(schedule: str, zone: str) -> None:
    read, zone_info = read_schedule(schedule, zone), load_zone(zone)
    assert isinstance(read, Fields)
    start, end = datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 3, 1, tzinfo=UTC)
    at_ms: int | None = round(start.timestamp() * 1000) - 1
    runs = []
    while True:
        assert at_ms is not None
        at_ms = read.next_after(at_ms)
        if at_ms is None or at_ms >= end.timestamp() * 1000:
            break
        runs.append(at_ms)
    # All these fields are multiples of a quarter of an hour, and so are all offsets.
    quarters = range(int(start.timestamp()), int(end.timestamp()), 900)
    fitting = [at for at in quarters if is_due(read, datetime.fromtimestamp(at, UTC), zone_info)]
    assert [run // 1000 for run in runs] == fitting
    for last, following in [*pairwise(runs)][::40]:
        assert read.last_until(following - 1, runs[0] - 1) == last
