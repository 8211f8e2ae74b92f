"""What a run came to, as facts that two runs can be compared by: what each thing was, in order, and when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lifecycle.engine import Changes, Cluster
from lifecycle.engine.heart.trace import EventRow, Transition
from lifecycle.engine.objects.meta import Subject
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.run import Outcome
from lifecycle.simulation.verdicts_at_end import VerdictSink

RUN = ("Run", "", "", "")
WHAT, WHEN = "what", "when"
NOTABLE_MS = 100
"""By so much an instant has to be another one to be told."""


class Place(NamedTuple):
    """An object, and what is looked at of it. `owner`: the controlling one, or ""."""

    kind: str
    namespace: str
    name: str
    owner: str
    topic: str


class Fact(NamedTuple):
    """What it was, in order, and when that began; of what has no instant only what it was."""

    values: tuple[str, ...] = ()
    instants_ms: tuple[int, ...] = ()


class Difference(NamedTuple):
    """`aspect`: WHAT or WHEN."""

    place: Place
    aspect: str


Facts = Mapping[Place, Fact]
NOTHING = Fact()


class FactSink:
    """Follows a run's rows."""

    def __init__(self) -> None:
        self._values: dict[Place, list[tuple[str, int]]] = {}
        self._events: dict[Place, dict[str, tuple[str, int]]] = {}
        self._verdicts = VerdictSink()

    def take(self, changes: Changes) -> None:
        """Take in what one instant changed."""
        self._verdicts.take(changes)
        for row in changes.rows:
            if isinstance(row, Transition):
                place = _place(row.subject, row.field)
                self._values.setdefault(place, []).append((_write(row.new, row.reason), row.at_ms))
            else:
                place = _place(row.subject, f"event {row.reason}")
                # A series has a row when it opens and one when it closes: the last one has the count.
                self._events.setdefault(place, {})[row.event_id] = (_write_event(row), row.first_ms)

    def finish(self, outcome: Outcome, cluster: Cluster) -> dict[Place, Fact]:
        """All facts of the run."""
        events = {place: list(found.values()) for place, found in self._events.items()}
        facts = {place: _make_fact(one) for place, one in (*self._values.items(), *events.items())}
        return facts | dict(_list_verdicts(self._verdicts, cluster)) | dict(list_ends(outcome))


def _place(subject: Subject, topic: str) -> Place:
    return Place(subject.kind, subject.namespace or "", subject.name, subject.owner or "", topic)


def _make_fact(found: Iterable[tuple[str, int]]) -> Fact:
    values, instants_ms = zip(*found, strict=True)
    return Fact(values, instants_ms)


def _write(value: Any, reason: str | None) -> str:
    text = "none" if value is None else str(value)
    return f"{text} ({reason})" if reason and reason != text else text


def _write_event(row: EventRow) -> str:
    # A probe tells what its command wrote, in lines.
    return f"{' '.join(row.message.split())}{f' (x{row.count})' if row.count > 1 else ''}"


def _list_verdicts(verdicts: VerdictSink, cluster: Cluster) -> Iterator[tuple[Place, Fact]]:
    for one in verdicts.tell(cluster):
        yield Place(one.kind, one.namespace, one.name, "", "verdict"), Fact((one.verdict,))
    for lost in verdicts.list_lost(cluster):
        meta = lost.service["metadata"]
        yield Place("Service", meta["namespace"], meta["name"], "", "requests"), Fact((lost.tell(),))


def list_ends(outcome: Outcome) -> Iterator[tuple[Place, Fact]]:
    """What there is to say of the run as a whole."""
    yield Place(*RUN, "end"), Fact((outcome.why,), (outcome.at_ms,))
    for topic, texts in (
        ("expect", outcome.failures),
        ("refused", outcome.refusals),
        ("not reached", outcome.not_reached),
    ):
        if texts:
            yield Place(*RUN, topic), Fact(tuple(texts))


def find_differences(older: Facts, newer: Facts) -> frozenset[Difference]:
    """What is otherwise: what something was, or, where that is the same, when it was so."""
    found = set()
    for place in {*older, *newer}:
        old, new = older.get(place, NOTHING), newer.get(place, NOTHING)
        if old.values != new.values:
            found.add(Difference(place, WHAT))
        elif abs(find_shift_ms(old, new)) >= NOTABLE_MS:
            found.add(Difference(place, WHEN))
    return frozenset(found)


def find_shift_ms(old: Fact, new: Fact) -> int:
    """By how much the instant moved that moved most; below 0 for earlier."""
    shifts = (after - before for before, after in zip(old.instants_ms, new.instants_ms, strict=False))
    return max(shifts, key=abs, default=0)
