"""The history of a cluster: transitions and events, numbered together without gaps.

A transition is one field of one subject changing at one instant; an event is a Kubernetes Event as the
real component would emit it. Both name what led to them: the number of another row, or a command.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lifecycle.lean_tuples import NamedTuple

from ..objects.meta import StoredObject, Subject
from ..objects.shortened import NOTE_LIMIT, cut_note
from .agenda import Cause
from .correlator import Correlator, Said
from .open_series import ABOUT, OpenSeries, settle, share


class Transition(NamedTuple):
    """One field of one subject changing at one instant (`at_ms`)."""

    seq: int
    at_ms: int
    subject: Subject
    field: str
    old: Any
    new: Any
    reason: str | None
    message: str | None
    cause: Cause
    detail: dict[str, Any] | None


class EventRow(NamedTuple):
    """A Kubernetes Event about a subject. A series has a row when it opens and one when it closes."""

    seq: int
    at_ms: int
    subject: Subject
    field_path: str | None
    event_type: str
    reason: str
    message: str
    source: str
    count: int  # type: ignore[assignment]
    first_ms: int
    last_ms: int
    number: int
    cause: Cause
    detail: dict[str, Any] | None

    @property
    def event_id(self) -> str:
        """What the rows of one series share: the name of the Event object."""
        return f"{self.subject.name}.{self.number:x}"


Row = Transition | EventRow
_make = tuple.__new__
# What a row tells of an open series: fields of an EventRow, from its path to its cause.
_TOLD = "field_path type reason words source count first_ms last_ms number seq".split()
Change = tuple[str, Any, Any, str | None, str | None, dict[str, Any] | None]
"""What becomes a transition: field, old, new, reason, message, detail."""


class Version(NamedTuple):
    """One write that changed something. `old` is None for ADDED; a DELETED one keeps its last state.

    Its transitions share all but what changed, so they are one entry until somebody reads them; those of a
    deletion stand alone. `seq` is the first one's.
    """

    resource_version: int
    at_ms: int
    type: str
    old: StoredObject | None
    new: StoredObject
    seq: int
    cause: Cause
    changes: Sequence[Change]


Entry = Version | Transition | EventRow


def list_rows(entries: Iterable[Entry]) -> list[Row]:
    """One row for each transition and each event, in order."""
    rows: list[Row] = []
    for entry in entries:
        if not isinstance(entry, Version):
            rows.append(entry)
            continue
        _number, at_ms, _type, _old, written, seq, cause, changes = entry
        subject = written.subject
        for field, old, new, reason, message, detail in changes:
            row = (seq, at_ms, subject, field, old, new, reason, message, cause, detail)
            rows.append(_make(Transition, row))
            seq += 1
    return rows


TRANSITION_KEYS = (
    "seq", "at_ms", "kind", "namespace", "name", "uid", "owner",
    "field", "old", "new", "reason", "message", "cause", "detail", "group",
)  # fmt: skip
"""The keys of a transition in the order of `docs/formats.md`, behind its `type`."""

EVENT_KEYS = (
    "seq", "at_ms", "kind", "namespace", "name", "uid", "fieldPath", "eventType", "reason", "message",
    "source", "count", "first_ms", "last_ms", "eventId", "cause", "detail", "group",
)  # fmt: skip
"""The keys of an event in the order of `docs/formats.md`, behind its `type`."""


def transition_values(row: Transition) -> tuple[Any, ...]:
    """What a transition says, in the order of TRANSITION_KEYS."""
    return (row.seq, row.at_ms, *row.subject[:5], *row[3:], row.subject.group)


def event_values(row: EventRow) -> tuple[Any, ...]:
    """What an event says, in the order of EVENT_KEYS."""
    # An event names no owner, and its number as the name of an object.
    subject, ending = row.subject, (row.event_id, row.cause, row.detail)
    return (row.seq, row.at_ms, *subject[:4], *row[3:11], *ending, subject.group)


def row_to_json(row: Row) -> dict[str, Any]:
    """The trace's object of a row."""
    if isinstance(row, Transition):
        return {"type": "transition"} | dict(zip(TRANSITION_KEYS, transition_values(row), strict=True))
    return {"type": "event"} | dict(zip(EVENT_KEYS, event_values(row), strict=True))


def make_merge_patch(old: Any, new: Any) -> Any:
    """The JSON merge patch (RFC 7386) that turns one object into another."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    patch: dict[str, Any] = {}
    for name, value in new.items():
        if name not in old:
            patch[name] = value
        elif old[name] is not value and old[name] != value:
            patch[name] = make_merge_patch(old[name], value)
    for name in old:
        if name not in new:
            patch[name] = None
    return patch


class Trace:
    """Numbers rows, and keeps their entries until they are taken.

    `cause` is what is being acted on now; who goes on from a row it has written sets it to that row. `led` is
    the row of the store's last write that others go on from.
    """

    __slots__ = ("at_ms", "cause", "correlator", "entries", "event_count", "led", "seq", "series")

    def __init__(self) -> None:
        self.at_ms = 0
        self.seq = 0
        self.event_count = 0
        self.cause: Cause = None
        self.led: Cause = None
        self.entries: list[Entry] = []
        self.series = OpenSeries()
        self.correlator = Correlator()

    def transition(
        self,
        subject: Subject,
        field: str,
        old: Any,
        new: Any,
        reason: str | None = None,
        message: str | None = None,
        detail: dict[str, Any] | None = None,
    ) -> int:
        """Write one transition; its number is returned."""
        seq = self.seq = self.seq + 1
        self.entries.append(
            _make(
                Transition,
                (seq, self.at_ms, subject, field, old, new, reason, message, self.cause, detail),
            )
        )
        return seq

    def event(
        self,
        subject: Subject,
        event_type: str,
        reason: str,
        message: str,
        source: str,
        field_path: str | None = None,
        detail: dict[str, Any] | None = None,
    ) -> int:
        """Tell one event as a client does: counted, combined with others or dropped where there are many.

        Returns its number, 0 when it is dropped.
        """
        teller = f"{source} {event_type}"
        beside = self._settle_beside(subject.uid, teller)
        found = self.correlator.observe(subject.uid, teller, reason, message, field_path, self.at_ms)
        if found is None:
            return 0
        said, message = found
        for series in beside:
            if series["number"] == said[0]:
                # It has been combined with what a series counts.
                series["count"] = said[1]
        seq = self.plain_event(subject, event_type, reason, message, source, field_path, detail, said)
        if beside:
            share(beside, self.correlator.paid_ms(subject.uid, teller))
            self._go_on(beside)
        return seq

    def event_of_version(
        self, subject: Subject, event_type: str, reason: str, message: str, source: str, version: int
    ) -> None:
        """Tell one event as the scheduler does, of a version of an object: at first, and a second time."""
        # What is said but once needs no words kept.
        words = "" if event_type == "Normal" else message
        found = self.correlator.observe_version(subject.uid, version, words, self.at_ms)
        if found is not None:
            said, first = found
            self.plain_event(subject, event_type, reason, first or message, source, said=said)

    def plain_event(
        self,
        subject: Subject,
        event_type: str,
        reason: str,
        message: str,
        source: str,
        field_path: str | None = None,
        detail: dict[str, Any] | None = None,
        said: Said | None = None,
    ) -> int:
        """Write one event, whatever was told before; its number. `said`: what the same event said so far."""
        if len(message) > NOTE_LIMIT:
            message = cut_note(message)
        seq = self.seq = self.seq + 1
        at_ms, count, first_ms = self.at_ms, 1, self.at_ms
        if said is None:
            number = self.event_count = self.event_count + 1
        else:
            number, count, first_ms = self._numbered(said)
        self.entries.append(
            _make(
                EventRow,
                (
                    seq,
                    at_ms,
                    subject,
                    field_path,
                    event_type,
                    reason,
                    message,
                    source,
                    count,
                    first_ms,
                    at_ms,
                    number,
                    self.cause,
                    detail,
                ),
            )
        )
        return seq

    def open_event_series(
        self,
        key: str,
        subject: Subject,
        event_type: str,
        reason: str,
        message: str,
        source: str,
        field_path: str | None,
        period_ms: int,
    ) -> None:
        """Begin a repeating event: a row now; its count grows with the period until it is closed.

        A series that is open under the key with the same text goes on; with another text it is closed
        first. None opens about an object of which its source has told too much already.
        """
        message = cut_note(message)
        known = self.series.by_key.get(key)
        if known is not None:
            if (known["reason"], known["message"], known["period_ms"]) == (reason, message, period_ms):
                return
            self.close_series(key, until_ms=self.at_ms - 1)
        teller = f"{source} {event_type}"
        beside = self._settle_beside(subject.uid, teller)
        found = self.correlator.observe(subject.uid, teller, reason, message, field_path, self.at_ms)
        if found is None:
            return
        said, words = found
        number, count, first_ms = self._numbered(said)
        about = (list(subject), event_type, reason, message, cut_note(words), source, field_path)
        series: dict[str, Any] = dict(zip(ABOUT, about, strict=True))
        series |= {"period_ms": max(period_ms, 1), "first_ms": first_ms, "last_ms": self.at_ms}
        series |= {"count": count, "number": number, "seq": self.cause, "is_silent": False}
        self.series.add(key, series)
        share([*beside, series], self.correlator.paid_ms(subject.uid, teller))
        series["seq"] = self._tell_series(series, self.series.detail_of(series))
        self._go_on(beside)

    def close_series(self, *keys: str, until_ms: int | None = None) -> None:
        """End series: a row each with the final count. `until_ms` is the last possible repetition (now)."""
        by_key = self.series.by_key
        if not by_key:
            return
        closing = {key: by_key[key] for key in keys if key in by_key}
        beside = {key: None for series in closing.values() for key in self.series.list_keys_beside(series)}
        for series in closing.values():
            self._settle(series, self.at_ms if until_ms is None else until_ms)
        for key, series in closing.items():
            self.series.drop(key)
            if not series["is_silent"]:
                self._tell_series(series, {"period_ms": series["period_ms"]})
        self._go_on([by_key[key] for key in beside if key in by_key])

    def silence(self, uids: Collection[str], source: str) -> None:
        """Nobody hears of these objects from a source any more: its series go on, and are told no further."""
        for series in self.series.list_of(uids, source, is_silent=False):
            self._settle(series, self.at_ms - 1)
            self._tell_series(series, {"period_ms": series["period_ms"]})
            series["is_silent"] = True

    def speak(self, uids: Collection[str], source: str) -> None:
        """A source is heard again: what was lost meanwhile is counted with what is told next."""
        silent = self.series.list_of(uids, source, is_silent=True)
        for series in silent:
            self._settle(series, self.at_ms)
            series["is_silent"] = False
        self._go_on(silent)

    def say_anew(self, keys: Iterable[str]) -> None:
        """Say how series go on whose rows do not, as those of an older engine."""
        found = [self.series.by_key[key] for key in keys if key in self.series.by_key]
        for series in found:
            self._settle(series, self.at_ms)
        self._go_on(found)

    def _numbered(self, said: Said) -> Said:
        """What the same event said so far, with the number it has or gets now."""
        if not said[0]:
            said[0] = self.event_count = self.event_count + 1
        return said

    def _settle_beside(self, uid: str, teller: str) -> list[dict[str, Any]]:
        """The open series that pay with what is about to be told, counted up to now."""
        beside = self.series.list_paid(uid, teller)
        if beside:
            settle(beside, self.correlator, self.at_ms - 1)
        return beside

    def _settle(self, series: dict[str, Any], until_ms: int) -> None:
        settle(self.series.list_beside(series), self.correlator, until_ms)

    def _go_on(self, bucket: Iterable[dict[str, Any]]) -> None:
        """Write how the series of a bucket go on, now that more or fewer series take tokens from it."""
        for series in bucket:
            if not series["is_silent"]:
                self._tell_series(series, self.series.detail_of(series))

    def _tell_series(self, series: dict[str, Any], detail: dict[str, Any]) -> int:
        seq = self.seq = self.seq + 1
        row = (seq, self.at_ms, Subject(*series["subject"]), *(series[name] for name in _TOLD), detail)
        self.entries.append(_make(EventRow, row))
        return seq

    def take(self) -> tuple[list[Entry], int]:
        """What was written since the last take, and how many rows that is."""
        entries, self.entries = self.entries, []
        # Numbers have no gaps.
        return entries, self.seq - entries[0].seq + 1 if entries else 0

    def save(self) -> dict[str, Any]:
        """Plain data; entries are taken before."""
        return {
            "seq": self.seq,
            "event_count": self.event_count,
            "open_series": self.series.by_key,
            "correlator": self.correlator.save(),
        }

    def load(self, data: dict[str, Any]) -> None:
        """Go on from what `save` described."""
        self.seq = data["seq"]
        self.event_count = data["event_count"]
        self.series.load(data["open_series"])
        if "correlator" in data:
            self.correlator.load(data["correlator"])
