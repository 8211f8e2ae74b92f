"""When a CronJob runs: five fields as cron has them, or one of cron's words.

Read and counted as the parser that Kubernetes uses (robfig/cron v3) does, its ways at changes of the clock
included; libraries for Python read more than it does and count otherwise there. Local times that a clock
skips do not come, those that it repeats come twice. Where it skips a midnight to the east of Greenwich, or
half an hour, a search that comes from before may miss a day, or run into one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC as UTC_ZONE
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass, field

from ...objects.time_zones import UTC, load_zone

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_NAMES = (
    "jan feb mar apr may jun jul aug sep oct nov dec".split(),
    "sun mon tue wed thu fri sat".split(),
)
Bounds = tuple[int, int, dict[str, int]]
"""The lowest and the highest value of a field, and the names that stand for values."""
_FIELDS: tuple[Bounds, ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, {name: number for number, name in enumerate(_NAMES[0], 1)}),
    (0, 6, {name: number for number, name in enumerate(_NAMES[1])}),
)
_WORDS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EVERY = "@every "
_DURATION_PART = late_pattern(r"([0-9]*)(?:\.([0-9]*))?([^0-9.]*)", re.ASCII)
_UNIT_NS = {
    "ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6,
    "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9,
}  # fmt: skip
_LARGEST = 2**63 - 1
_YEARS_AHEAD = 5
_MOST_KNOWN = 256
_MINUTE, _HOUR, _MINUTE_MS = timedelta(minutes=1), timedelta(hours=1), 60_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC_ZONE)


@dataclass(frozen=True, slots=True)
class Every:
    """`@every 90s`: so many seconds after the last time."""

    seconds: int

    def next_after(self, utc_ms: int) -> int | None:
        """The next time after an instant, both in ms since 1970."""
        return (utc_ms // 1000 + self.seconds) * 1000

    def last_until(self, utc_ms: int, after_ms: int) -> int | None:
        """The last time up to an instant, counted on from an earlier one; None if there is none."""
        first_ms = (after_ms // 1000 + self.seconds) * 1000
        step_ms = self.seconds * 1000
        return None if first_ms > utc_ms else utc_ms - (utc_ms - first_ms) % step_ms


@dataclass(frozen=True, slots=True)
class Fields:
    """What five fields allow. A day is right by its number and its weekday, or, where neither is left open
    by a plain `*`, by one of them (CRON-SCHED-14)."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    is_open: bool
    zone: ZoneInfo
    # Each look at a CronJob asks several times for what follows the same few instants.
    known: dict[int, int | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def next_after(self, utc_ms: int) -> int | None:
        """The next time after an instant, both in ms since 1970; None if there is none within five years."""
        seconds, known = utc_ms // 1000, self.known
        if seconds not in known:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            known[seconds] = self.find_next(seconds)
        return known[seconds]

    def find_next(self, utc_seconds: int) -> int | None:
        """The same after a whole second, worked out anew."""
        if not (self.minutes and self.hours and self.months):
            return None
        try:
            found = self._seek(self._at(_EPOCH + timedelta(seconds=utc_seconds + 1)))
        except (OverflowError, ValueError):
            # The calendar ends with the year 9999.
            return None
        return None if found is None else round((found - _EPOCH) / timedelta(milliseconds=1))

    def last_until(self, utc_ms: int, after_ms: int) -> int | None:
        """The last time up to an instant, and after an earlier one; None if there is none."""
        found = self.next_after(after_ms)
        if found is None or found > utc_ms:
            return None
        # There may be one in every minute: halve what is left.
        low, high = found // _MINUTE_MS, utc_ms // _MINUTE_MS
        while low < high:
            middle = (low + high + 1) // 2
            found = self.next_after(middle * _MINUTE_MS - 1)
            if found is not None and found <= utc_ms:
                low = found // _MINUTE_MS
            else:
                high = middle - 1
        return low * _MINUTE_MS

    def _at(self, instant: datetime) -> datetime:
        return instant.astimezone(self.zone)

    def _seek(self, moment: datetime) -> datetime | None:
        """Field by field, the largest first; what carries into a larger one has all looked at again."""
        last_year = moment.year + _YEARS_AHEAD
        # Once a field has moved on, all smaller ones are at their beginning.
        is_moved = False
        while moment.year <= last_year:
            for seek in (self._seek_month, self._seek_day, self._seek_hour, self._seek_minute):
                moment, has_moved, carries = seek(moment, is_moved)
                is_moved = is_moved or has_moved
                if carries:
                    break
            else:
                if not moment.second:
                    return moment
                is_moved = True
                moment = self._later(moment, timedelta(seconds=60 - moment.second))
        return None

    def _seek_month(self, moment: datetime, is_moved: bool) -> tuple[datetime, bool, bool]:
        has_moved = False
        while moment.month not in self.months:
            if not (is_moved or has_moved):
                moment = self._day_of(moment.year, moment.month, 1)
            has_moved = True
            year, month = moment.year + moment.month // 12, moment.month % 12 + 1
            moment = self._on(year, month, moment.day, moment)
            if moment.month == 1:
                return moment, True, True
        return moment, has_moved, False

    def _seek_day(self, moment: datetime, is_moved: bool) -> tuple[datetime, bool, bool]:
        has_moved = False
        while not self._is_day(moment):
            if not (is_moved or has_moved):
                moment = self._day_of(moment.year, moment.month, moment.day)
            has_moved = True
            next_day = moment.date() + timedelta(days=1)
            moment = self._on(next_day.year, next_day.month, next_day.day, moment)
            # Where midnight is skipped the day begins an hour late, or not yet.
            if moment.hour > 12:
                moment = self._later(moment, (24 - moment.hour) * _HOUR)
            elif moment.hour:
                moment = self._later(moment, -moment.hour * _HOUR)
            if moment.day == 1:
                return moment, True, True
        return moment, has_moved, False

    def _is_day(self, moment: datetime) -> bool:
        by_number, by_weekday = moment.day in self.days, moment.isoweekday() % 7 in self.weekdays
        return (by_number and by_weekday) if self.is_open else (by_number or by_weekday)

    def _seek_hour(self, moment: datetime, is_moved: bool) -> tuple[datetime, bool, bool]:
        has_moved = False
        while moment.hour not in self.hours:
            if not (is_moved or has_moved):
                moment = self._day_of(moment.year, moment.month, moment.day, moment.hour)
            has_moved = True
            moment = self._later(moment, _HOUR)
            if not moment.hour:
                return moment, True, True
        return moment, has_moved, False

    def _seek_minute(self, moment: datetime, is_moved: bool) -> tuple[datetime, bool, bool]:
        has_moved = False
        while moment.minute not in self.minutes:
            if not (is_moved or has_moved):
                moment = self._later(moment, timedelta(seconds=-moment.second))
            has_moved = True
            moment = self._next_minute(moment)
            if not moment.minute:
                return moment, True, True
        return moment, has_moved, False

    def _next_minute(self, moment: datetime) -> datetime:
        """The minute that fits, or the next hour; a minute later where the clock is changed before that."""
        ahead = min((minute for minute in self.minutes if minute > moment.minute), default=60)
        found = self._later(moment, (ahead - moment.minute) * _MINUTE)
        is_even = found.utcoffset() == moment.utcoffset()
        return found if is_even else self._later(moment, _MINUTE)

    def _later(self, moment: datetime, by: timedelta) -> datetime:
        """So much real time later."""
        return self._at(moment.astimezone(UTC_ZONE) + by)

    def _on(self, year: int, month: int, day: int, clock: datetime) -> datetime:
        """The time of day of another moment on a day."""
        return self._day_of(year, month, day, clock.hour, clock.minute, clock.second)

    def _day_of(
        self, year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0
    ) -> datetime:
        """A local time as Go finds it: one that is skipped by an offset that holds near to it."""
        # Days beyond a month's end are those of the next one.
        wanted = datetime(year, month, 1, hour, minute, second, tzinfo=UTC_ZONE) + timedelta(days=day - 1)
        offset = self._at(wanted).utcoffset() or timedelta()
        return self._at(wanted - (self._at(wanted - offset).utcoffset() or timedelta()))


Schedule = Every | Fields


@lru_cache(maxsize=256)
def read_schedule(text: str, zone: str = UTC) -> Schedule:
    """A schedule, in the time zone it names itself, else in `zone`.

    Raises ValueError, in the words of the parser that Kubernetes uses.
    """
    if not text:
        raise ValueError("empty spec string")
    if text.startswith(("TZ=", "CRON_TZ=")):
        zone, text = _read_zone(text)
    if text.startswith(_EVERY):
        return Every(max(1, _read_duration_ns(text) // 10**9))
    if text.startswith("@") and text not in _WORDS:
        raise ValueError(f"unrecognized descriptor: {text}")
    fields = _WORDS.get(text, text).split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
    minutes, hours, days, months, weekdays = map(_read_field, fields, _FIELDS)
    is_open = days[1] or weekdays[1]
    return Fields(minutes[0], hours[0], days[0], months[0], weekdays[0], is_open, load_zone(zone))


def _read_zone(text: str) -> tuple[str, str]:
    """The zone that a schedule begins with, and the rest of it."""
    zone, space, rest = text.partition("=")[2].partition(" ")
    if not space:
        raise ValueError("invalid schedule format: runtime error: slice bounds out of range [:-1]")
    try:
        load_zone(zone or UTC)
    except ValueError as problem:
        raise ValueError(f"provided bad location {zone}: {problem}") from None
    return zone or UTC, rest.strip()


def _read_field(text: str, bounds: Bounds) -> tuple[frozenset[int], bool]:
    """The values that a field allows, and whether it is left open."""
    ranges = [_read_range(part, *bounds) for part in text.split(",") if part]
    values: Iterable[int] = (value for allowed, _is_star in ranges for value in allowed)
    return frozenset(values), any(is_star for _allowed, is_star in ranges)


def _read_range(text: str, low: int, high: int, names: dict[str, int]) -> tuple[range, bool]:
    """`*`, `5`, `1-5`, each with `/step`; and whether it is a plain `*`."""
    bounds, *steps = text.split("/")
    ends = bounds.split("-")
    is_star = ends[0] in ("*", "?")
    if is_star:
        first, last = low, high
    else:
        first = _read_number(ends[0], names)
        if len(ends) > 2:
            raise ValueError(f"too many hyphens: {text}")
        last = _read_number(ends[1], names) if len(ends) == 2 else first
    if len(steps) > 1:
        raise ValueError(f"too many slashes: {text}")
    step = _read_number(steps[0], {}) if steps else 1
    if steps and len(ends) == 1:
        last = high
    if first < low:
        raise ValueError(f"beginning of range ({first}) below minimum ({low}): {text}")
    if last > high:
        raise ValueError(f"end of range ({last}) above maximum ({high}): {text}")
    if first > last:
        raise ValueError(f"beginning of range ({first}) beyond end of range ({last}): {text}")
    if step == 0:
        raise ValueError(f"step of range should be a positive number: {text}")
    return range(first, last + 1, step), is_star and step == 1


def _read_number(text: str, names: dict[str, int]) -> int:
    named = names.get(text.lower())
    if named is not None:
        return named
    if not re.fullmatch(r"[-+]?[0-9]+", text):
        raise ValueError(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
    # A number of thousands of digits is not worth reading.
    if len(text) > 20 or abs(int(text)) > _LARGEST:
        raise ValueError(
            f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": value out of range'
        )
    if int(text) < 0:
        raise ValueError(f"negative number ({int(text)}) not allowed: {text}")
    return int(text)


def _read_duration_ns(text: str) -> int:
    duration = text.removeprefix(_EVERY)
    try:
        return _parse_duration_ns(duration)
    except ValueError as problem:
        raise ValueError(f"failed to parse duration {text}: time: {problem}") from None


def _parse_duration_ns(text: str) -> int:
    """A duration as Go has them, in ns, cut at each part. Raises ValueError in Go's words."""
    rest, total = text.removeprefix(text[:1] if text[:1] in ("-", "+") else ""), 0
    if rest == "0":
        return 0
    if not rest:
        raise ValueError(f'invalid duration "{text}"')
    while rest:
        found = _DURATION_PART.match(rest)
        assert found is not None, "the pattern matches anything"
        whole, part, unit = found.groups()
        if not (whole or part):
            raise ValueError(f'invalid duration "{text}"')
        if not unit:
            raise ValueError(f'missing unit in duration "{text}"')
        if unit not in _UNIT_NS:
            raise ValueError(f'unknown unit "{unit}" in duration "{text}"')
        # No duration has more digits than these.
        digits, fraction = whole.lstrip("0")[:20] or "0", (part or "0")[:20]
        total += int(digits) * _UNIT_NS[unit] + int(fraction) * _UNIT_NS[unit] // 10 ** len(fraction)
        if total > _LARGEST:
            raise ValueError(f'invalid duration "{text}"')
        rest = rest[found.end() :]
    return -total if text.startswith("-") else total
