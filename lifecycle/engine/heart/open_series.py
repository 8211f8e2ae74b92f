"""The series of events that are open, as plain data, by key; those of one purse are counted together.

`last_ms` and `count`: when it was told last, and how often by then. `paid_ms`: by when all is paid for that
was told from the purse, as the correlator has it, which may forget an object before its series are closed.
`is_silent`: nobody hears of it now.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..objects.meta import Subject
from .correlator import Correlator, text_of
from .series import count_repeats

Json = dict[str, Any]
ABOUT = "subject type reason message words source field_path".split()
"""What a series says, and of whom; `words` are those in which it is told."""


class OpenSeries:
    """All that are open, in the order in which they were opened."""

    __slots__ = ("_purses", "by_key")

    def __init__(self) -> None:
        self.by_key: dict[str, Json] = {}
        # By who pays: the keys of the open series.
        self._purses: dict[str, list[str]] = {}

    def add(self, key: str, series: Json) -> None:
        """One has been opened."""
        self.by_key[key] = series
        self._purses.setdefault(_purse_of(series), []).append(key)

    def drop(self, key: str) -> Json:
        """One is closed."""
        series = self.by_key.pop(key)
        purse = _purse_of(series)
        self._purses[purse].remove(key)
        if not self._purses[purse]:
            del self._purses[purse]
        return series

    def list_paid(self, uid: str, teller: str) -> list[Json]:
        """Those of an object that a source tells of, by its name and the type of its events."""
        keys = self._purses.get(f"{uid} {teller}") if self._purses else None
        return [self.by_key[key] for key in keys] if keys else []

    def list_beside(self, series: Json) -> list[Json]:
        """Those that are paid from the same purse, itself among them."""
        return [self.by_key[key] for key in self.list_keys_beside(series)]

    def list_keys_beside(self, series: Json) -> list[str]:
        """Their keys."""
        return self._purses[_purse_of(series)]

    def list_of(self, uids: Collection[str], source: str, is_silent: bool) -> list[Json]:
        """Those that a source tells of some objects."""
        return [
            series
            for series in self.by_key.values()
            if (series["is_silent"], series["source"]) == (is_silent, source)
            and Subject(*series["subject"]).uid in uids
        ]

    def detail_of(self, series: Json) -> Json:
        """What a row says for those who go on counting (`series`)."""
        others = self.list_beside(series)
        detail: Json = {"period_ms": series["period_ms"], "paid_ms": series["paid_ms"]}
        if len(others) > 1:
            detail["beside"] = [[one["last_ms"], one["period_ms"]] for one in others if one is not series]
            detail["turn"] = [one is series for one in others].index(True)
        return detail

    def load(self, by_key: Mapping[str, Json]) -> None:
        """Go on with what was saved of `by_key`."""
        self.by_key, self._purses = {}, {}
        for key, series in by_key.items():
            self.add(key, dict(series))


def settle(purse: list[Json], correlator: Correlator, until_ms: int) -> None:
    """Count what has been told up to an instant of the series of one purse, of which there are some."""
    rhythms = [(one["last_ms"], one["period_ms"]) for one in purse]
    told, paid_ms = count_repeats(purse[0]["paid_ms"], rhythms, until_ms)
    teller, uid = _teller_of(purse[0]), Subject(*purse[0]["subject"]).uid
    for series, number in zip(purse, told, strict=True):
        period_ms = series["period_ms"]
        observed = max(until_ms - series["last_ms"], 0) // period_ms
        if observed:
            is_combined = series["words"] != series["message"]
            text = text_of(series["message"], series["field_path"], is_combined)
            latest_ms = series["last_ms"] + observed * period_ms
            correlator.note(uid, teller, series["reason"], text, series["count"] + observed, latest_ms)
        series["count"] += number
        series["last_ms"] += number * period_ms
    share(purse, paid_ms)
    correlator.settle(uid, teller, paid_ms)


def share(purse: list[Json], paid_ms: int) -> None:
    """Something was told that is paid from the purse of these."""
    for series in purse:
        series["paid_ms"] = paid_ms


def _teller_of(series: Json) -> str:
    return f"{series['source']} {series['type']}"


def _purse_of(series: Json) -> str:
    return f"{Subject(*series['subject']).uid} {_teller_of(series)}"
