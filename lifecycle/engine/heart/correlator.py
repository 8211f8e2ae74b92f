"""What a client makes of an event before it tells the API server: counts, combines, and at last drops it.

Models the two recorders of client-go. The older one, of the kubelet and the controllers, counts an event that
comes again, combines many that differ in their messages alone, and lets a source tell only so much about one
object. The newer one, of the scheduler, has a series for each version of an object.
The first normal things that a kubelet tells of a pod, which is all that most pods ever cause, it keeps itself
until there is a second one for a reason (kubelet/state/normal_events).
Left out: that caches forget the least used of 4096 entries; the scheduler's last word on a series that is
over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .saved import copy_plain

MOST_ALIKE = 10
"""With so many different messages for one reason they are combined (client-go: defaultAggregateMaxEvents)."""
ALIKE_WITHIN_MS = 600_000
"""Unless one comes later than this after the one before (client-go: defaultAggregateIntervalInSeconds)."""
BURST = 25
"""So many events may a source tell about one object at once (client-go: defaultSpamBurst)."""
EVENT_COST_MS = 300_000
"""One more is let through for each such time that passes (client-go: defaultSpamQPS, 1 in 300 s)."""
MOST_OWED_MS = BURST * EVENT_COST_MS
"""The bucket is empty while it needs this long to be full again."""
COMBINED = "(combined from similar events): "
_MOST_KEPT = 64

Said = list[int]
"""An event that may come again: its number (0 before it is told), how often it was observed, since when."""


class Correlator:
    """What each source has told lately about each object, as plain data."""

    __slots__ = ("_series", "_sources")

    def __init__(self) -> None:
        # By uid, then source and type: when the bucket is full again, and what was said, by reason.
        self._sources: dict[str, dict[str, dict[str, Any]]] = {}
        # By uid: the version that a series is about, what was said of it, and its words.
        self._series: dict[str, tuple[int, Said, str]] = {}

    def observe(
        self, uid: str, source: str, reason: str, message: str, path: str | None, now_ms: int
    ) -> tuple[Said, str] | None:
        """Observe one event; `source` includes its type.

        Returns what was said of it so far and the words it is told in, None when it is dropped.
        """
        record = self._record(uid, source)
        alike = record["reasons"].get(reason)
        if alike is None:
            alike = record["reasons"][reason] = {"messages": [], "last_ms": now_ms, "said": {}}
        is_combined = _is_one_of_many(alike, message, now_ms)
        text, known = text_of(message, path, is_combined), alike["said"]
        said = known.get(text) or _begin(known, text, now_ms)
        # What is dropped is counted all the same.
        said[1] += 1
        due_ms = pay(record["due_ms"], now_ms)
        if due_ms is None:
            return None
        record["due_ms"] = due_ms
        return said, COMBINED + message if is_combined else message

    def is_combining(self, uid: str, source: str, reason: str, now_ms: int) -> bool:
        """Whether one more event for a reason, in words of its own, is combined with those before."""
        alike = self._record(uid, source)["reasons"].get(reason)
        if alike is None or now_ms - alike["last_ms"] > ALIKE_WITHIN_MS:
            return False
        return len(alike["messages"]) >= MOST_ALIKE - 1

    def paid_ms(self, uid: str, source: str) -> int:
        """The instant at which a source's bucket for an object is full again."""
        return int(self._record(uid, source)["due_ms"])

    def settle(self, uid: str, source: str, paid_ms: int) -> None:
        """Set the instant at which a source's bucket for an object is full again: series take tokens too."""
        record = self._sources.get(uid, {}).get(source)
        if record is not None:
            record["due_ms"] = paid_ms

    def note(self, uid: str, source: str, reason: str, text: str, count: int, at_ms: int) -> None:
        """A series has observed the event of a text (`text_of`) so often by now."""
        record = self._sources.get(uid, {}).get(source)
        alike = record["reasons"].get(reason) if record is not None else None
        if alike is not None and text in alike["said"]:
            said = alike["said"][text]
            alike["last_ms"] = max(alike["last_ms"], at_ms)
            said[1] = max(said[1], count)

    def _record(self, uid: str, source: str) -> dict[str, Any]:
        told = self._sources.get(uid)
        if told is None:
            told = self._sources[uid] = {}
        record = told.get(source)
        if record is None:
            record = told[source] = {"due_ms": 0, "reasons": {}}
        return record

    def take_over(self, uid: str, source: str, few: Mapping[str, tuple[int, int, str, str | None]]) -> None:
        """Count from now on what a source kept to itself: (number, instant, message, path) by reason."""
        for reason, (number, at_ms, message, path) in few.items():
            found = self.observe(uid, source, reason, message, path, at_ms)
            assert found is not None and not found[0][0], "so few events are told one by one"
            found[0][0] = number

    def observe_version(self, uid: str, version: int, message: str, now_ms: int) -> tuple[Said, str] | None:
        """Observe an event of the newer recorder: a series for each version of an object, whatever the words.

        Returns what was said and the words it began with. None: nothing is told, since only the first event
        and the second one, with which a series begins, are sent.
        """
        known = self._series.get(uid)
        if known is None or known[0] != version:
            said = [0, 1, now_ms]
            self._series[uid] = (version, said, message)
            return said, message
        said = known[1]
        said[1] += 1
        return (said, known[2] or message) if said[1] == 2 else None

    def begin_anew(self, uid: str, component: str) -> None:
        """A component was restarted: it has forgotten what it told of an object."""
        told = self._sources.get(uid)
        if told is not None:
            self._sources[uid] = {
                source: record for source, record in told.items() if source.partition(" ")[0] != component
            }

    def forget(self, uid: str) -> None:
        """An object is gone, and its uid never comes back."""
        self._sources.pop(uid, None)
        self._series.pop(uid, None)

    def save(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "sources": self._sources,
            "series": {uid: list(entry) for uid, entry in self._series.items()},
        }

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from what `save` described."""
        # Several clusters may go on from what one has saved.
        self._sources = copy_plain(data["sources"])
        # One that an earlier version saved has no words.
        self._series = {uid: (*entry, "")[:3] for uid, entry in data["series"].items()}


def text_of(message: str, path: str | None, is_combined: bool = False) -> str:
    """The key of an event among those of one object, teller and reason."""
    return COMBINED if is_combined else f"{path or ''} {message}"


def pay(due_ms: int, now_ms: int) -> int | None:
    """Take a token: when the bucket will be full again; None where it is empty and the event is dropped."""
    due_ms = (due_ms if due_ms > now_ms else now_ms) + EVENT_COST_MS
    return due_ms if due_ms <= now_ms + MOST_OWED_MS else None


def _is_one_of_many(alike: dict[str, Any], message: str, now_ms: int) -> bool:
    messages: list[str] = alike["messages"]
    if now_ms - alike["last_ms"] > ALIKE_WITHIN_MS:
        messages.clear()
    alike["last_ms"] = now_ms
    if message not in messages:
        messages.append(message)
    if len(messages) < MOST_ALIKE:
        return False
    # Kubernetes drops any one of them; here it is the oldest, so that two runs agree.
    del messages[0]
    return True


def _begin(known: dict[str, Said], text: str, now_ms: int) -> Said:
    if len(known) >= _MOST_KEPT:
        del known[next(iter(known))]
    said = known[text] = [0, 0, now_ms]
    return said
