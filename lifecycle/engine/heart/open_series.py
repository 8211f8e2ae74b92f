"""The series of events that are open, as plain data, by key.

What one source tells of one object, with one event type, takes its tokens from one bucket: the spam filter of
client-go (`EventSourceObjectSpamFilter`). Series of one bucket are therefore counted together.

`last_ms` and `count`: when a series was told last, and how often by then. `paid_ms`: the instant at which the
bucket will be full again. The correlator has it too, but may forget an object before its series are closed.
`is_silent`: the source is not heard at present.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..objects.meta import Subject
from .correlator import Correlator, text_of

Json = dict[str, Any]
ABOUT = "subject type reason message words source field_path".split()
"""What a series says and about which object. `words`: its message as it is told, perhaps combined."""


class OpenSeries:
    """All that are open, in the order in which they were opened."""

    __slots__ = ("_buckets", "by_key")

    def __init__(self) -> None:
        self.by_key: dict[str, Json] = {}
        # By bucket: the keys of the open series.
        self._buckets: dict[str, list[str]] = {}

    def add(self, key: str, series: Json) -> None:
        """Note a series that has been opened."""
        self.by_key[key] = series
        self._buckets.setdefault(_bucket_of(series), []).append(key)

    def drop(self, key: str) -> Json:
        """Drop a series that is closed, and return it."""
        series = self.by_key.pop(key)
        bucket = _bucket_of(series)
        self._buckets[bucket].remove(key)
        if not self._buckets[bucket]:
            del self._buckets[bucket]
        return series

    def list_paid(self, uid: str, teller: str) -> list[Json]:
        """The series of one object and teller. `teller`: the source's name and the event type."""
        keys = self._buckets.get(f"{uid} {teller}") if self._buckets else None
        return [self.by_key[key] for key in keys] if keys else []

    def list_beside(self, series: Json) -> list[Json]:
        """The series of the same bucket, this one included."""
        return [self.by_key[key] for key in self.list_keys_beside(series)]

    def list_keys_beside(self, series: Json) -> list[str]:
        """The keys of the series of the same bucket, this one included."""
        return self._buckets[_bucket_of(series)]

    def list_of(self, uids: Collection[str], source: str, is_silent: bool) -> list[Json]:
        """The series that a source tells of some objects."""
        return [
            series
            for series in self.by_key.values()
            if (series["is_silent"], series["source"]) == (is_silent, source)
            and Subject(*series["subject"]).uid in uids
        ]

    def detail_of(self, series: Json) -> Json:
        """What a row says so that its reader can go on counting (see `series`)."""
        others = self.list_beside(series)
        detail: Json = {"period_ms": series["period_ms"], "paid_ms": series["paid_ms"]}
        if len(others) > 1:
            detail["beside"] = [[one["last_ms"], one["period_ms"]] for one in others if one is not series]
            detail["turn"] = [one is series for one in others].index(True)
        return detail

    def load(self, by_key: Mapping[str, Json]) -> None:
        """Go on with a saved `by_key`."""
        self.by_key, self._buckets = {}, {}
        for key, series in by_key.items():
            self.add(key, dict(series))


def settle(bucket: list[Json], correlator: Correlator, until_ms: int) -> None:
    """Count up to an instant what has been told of the series of one bucket. There is at least one."""
    from .series import count_repeats

    rhythms = [(one["last_ms"], one["period_ms"]) for one in bucket]
    told, paid_ms = count_repeats(bucket[0]["paid_ms"], rhythms, until_ms)
    teller, uid = _teller_of(bucket[0]), Subject(*bucket[0]["subject"]).uid
    for series, number in zip(bucket, told, strict=True):
        period_ms = series["period_ms"]
        observed = max(until_ms - series["last_ms"], 0) // period_ms
        if observed:
            is_combined = series["words"] != series["message"]
            text = text_of(series["message"], series["field_path"], is_combined)
            latest_ms = series["last_ms"] + observed * period_ms
            correlator.note(uid, teller, series["reason"], text, series["count"] + observed, latest_ms)
        series["count"] += number
        series["last_ms"] += number * period_ms
    share(bucket, paid_ms)
    correlator.settle(uid, teller, paid_ms)


def share(bucket: list[Json], paid_ms: int) -> None:
    """Another event has taken a token from the bucket of these series."""
    for series in bucket:
        series["paid_ms"] = paid_ms


def _teller_of(series: Json) -> str:
    return f"{series['source']} {series['type']}"


def _bucket_of(series: Json) -> str:
    return f"{Subject(*series['subject']).uid} {_teller_of(series)}"
