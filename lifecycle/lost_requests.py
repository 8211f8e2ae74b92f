"""What was lost of the requests to a Service, from its recorded rows `requests.<sender>`: sums and words.

A row says which share, in thousandths, is lost from its instant on; `detail.atOnceMs` of one says how many
ms' worth were lost at that instant, of `atOnceOfMs` that were under way. What was lost in a span is the sum
of both. It is what is to be expected: which pod a connection meets is chance, and so the number varies.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from lifecycle.engine.objects.selector import Selector
from lifecycle.engine.programs.request_plan import REQUESTS, read_requests
from lifecycle.engine.rules.network.requests import (
    DNS,
    FIRST_LOST,
    INGRESS,
    LOAD_BALANCER_SENDER,
    NOT_READY,
    OUTCOMES,
    PODS,
    SENDERS,
    find_range,
    find_variance,
)
from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.lean_tuples import NamedTuple

Json = Mapping[str, Any]

FIELD = "requests."
"""How the fields of these rows begin; the sender's name is the rest."""
AT_ONCE, AT_ONCE_OF, LOST_SO_FAR = "atOnceMs", "atOnceOfMs", "lostMs"
WHOLE = 1000
BY_CHANCE = "by the chance of which pod a connection meets"
LARGEST_PART = 12
_PER_SECOND = 1000
_HOW = {"refused": "refused", "reset": "reset", "timedOut": "timed out", "nobody": "sent to nobody"}
_THROUGH = {
    PODS: "from pods",
    INGRESS: "through the ingress",
    LOAD_BALANCER_SENDER: "through the load balancer",
    DNS: "by DNS names",
}
_SHARES = {
    round(WHOLE * part / of): f"{part} of {of}" for of in range(LARGEST_PART, 1, -1) for part in range(1, of)
}
"""By thousandths the smallest numbers that say the same."""


class Stretch(NamedTuple):
    """From one row until the next, or until now: which share was lost, and how most of it."""

    start_ms: int
    end_ms: int | None
    lost: int
    reason: str | None
    outcomes: Mapping[str, int]
    seq: int | None

    @property
    def unready(self) -> int:
        """Which share was served by pods that are not ready."""
        return self.outcomes.get(OUTCOMES[NOT_READY], 0)


class Lump(NamedTuple):
    """Requests under way that were lost at one instant: so many ms' worth of all, of so many under way."""

    at_ms: int
    lost_ms: int
    of_ms: int
    reason: str | None
    seq: int | None


class Sums(NamedTuple):
    """What was lost in a span, how much that varies by chance, and what was sent: in ms' worth of all."""

    lost_ms: Fraction
    variance_ms: Fraction
    sent_ms: Fraction

    def count_requests(self, per_second: int) -> tuple[int, int, int, int]:
        """Requests: how many were lost of how many, by chance from how few to how many."""
        lost, sent = (ceil(one * per_second / _PER_SECOND) for one in (self.lost_ms, self.sent_ms))
        return lost, max(lost, sent), *find_range(*self, per_second)


@dataclass(slots=True)
class Course:
    """How the requests of one kind of senders fared.

    `before`: the share that was lost before the first row that is known; None where there was none.
    """

    stretches: list[Stretch] = field(default_factory=list)
    lumps: list[Lump] = field(default_factory=list)
    before: int | None = None

    def feed(self, row: Json) -> None:
        """Take its next row."""
        at_ms, detail, reason = row["at_ms"], row["detail"] or {}, row["reason"]
        outcomes = {name: detail[name] for name in OUTCOMES if detail.get(name)}
        if not self.stretches:
            self.before = row["old"]
        if at_once_ms := detail.get(AT_ONCE):
            of_ms = max(detail.get(AT_ONCE_OF) or 0, at_once_ms)
            # Where the share changes as well the reason is that of the share.
            how = reason if row["old"] == row["new"] else None
            self.lumps.append(Lump(at_ms, at_once_ms, of_ms, how, row["seq"]))
            if self.stretches and outcomes == self.stretches[-1].outcomes:
                return
            # Where the share that is lost is the same the reason is that of what was under way.
            reason = (
                max(OUTCOMES[FIRST_LOST:], key=lambda name: outcomes.get(name, 0)) if row["new"] else None
            )
        self.end(at_ms)
        if row["new"] is not None:
            self.stretches.append(Stretch(at_ms, None, row["new"], reason, outcomes, row["seq"]))

    def end(self, at_ms: int) -> None:
        """What held ends; of several rows of one instant the last holds."""
        if self.stretches and self.stretches[-1].end_ms is None:
            last = self.stretches.pop()
            if last.start_ms < at_ms:
                self.stretches.append(last._replace(end_ms=at_ms))

    def list_stretches(self, from_ms: int | None, to_ms: int) -> Iterator[Stretch]:
        """Those of a span, cut to it; None: from the first row on."""
        if from_ms is not None and self.before is not None and self.stretches:
            first = Stretch(from_ms, self.stretches[0].start_ms, self.before, None, {}, None)
            yield from _cut([first], from_ms, to_ms)
        yield from _cut(self.stretches, from_ms, to_ms)

    def find_at(self, at_ms: int) -> Stretch | None:
        """The stretch that an instant is in."""
        index = bisect_right(self.stretches, at_ms, key=lambda one: one.start_ms) - 1
        found = self.stretches[index] if index >= 0 else None
        return found if found and (found.end_ms is None or at_ms < found.end_ms) else None

    def list_lumps(self, from_ms: int | None, to_ms: int) -> list[Lump]:
        """Those of a span."""
        return [one for one in self.lumps if (from_ms or 0) <= one.at_ms <= to_ms]

    def sum_up(self, from_ms: int | None, to_ms: int) -> Sums:
        """What the requests of a span came to."""
        lost_ms, variance_ms, sent_ms = Fraction(0), Fraction(0), 0
        for one in self.list_stretches(from_ms, to_ms):
            took_ms = (to_ms if one.end_ms is None else one.end_ms) - one.start_ms
            lost = Fraction(one.lost * took_ms, WHOLE)
            lost_ms, sent_ms = lost_ms + lost, sent_ms + took_ms
            variance_ms += find_variance(lost, took_ms)
        for lump in self.list_lumps(from_ms, to_ms):
            lost_ms, variance_ms = (
                lost_ms + lump.lost_ms,
                variance_ms + find_variance(lump.lost_ms, lump.of_ms),
            )
        return Sums(lost_ms, variance_ms, Fraction(sent_ms))

    def sum_lost(self, from_ms: int | None, to_ms: int) -> Fraction:
        """How many ms' worth of the requests of a span were lost."""
        return self.sum_up(from_ms, to_ms).lost_ms

    def sum_unready(self, from_ms: int | None, to_ms: int) -> Fraction:
        """How many ms' worth of the requests of a span were served by pods that are not ready."""
        return Fraction(
            sum(
                one.unready * ((to_ms if one.end_ms is None else one.end_ms) - one.start_ms)
                for one in self.list_stretches(from_ms, to_ms)
            ),
            WHOLE,
        )


def _cut(stretches: Iterable[Stretch], from_ms: int | None, to_ms: int) -> Iterator[Stretch]:
    for one in stretches:
        start_ms = one.start_ms if from_ms is None else max(one.start_ms, from_ms)
        end_ms = None if one.end_ms is None else min(one.end_ms, to_ms)
        if start_ms < (to_ms if end_ms is None else end_ms):
            yield one._replace(start_ms=start_ms, end_ms=end_ms)


class Courses:
    """How all requests to one Service fared, by who sends them."""

    def __init__(self, rows: Iterable[Json] = ()) -> None:
        self.by_sender: dict[str, Course] = {}
        for row in rows:
            self.feed(row)

    def feed(self, row: Json) -> None:
        """Take the Service's next row; those of other fields say nothing here."""
        if row["field"].startswith(FIELD):
            sender = row["field"].removeprefix(FIELD)
            self.by_sender.setdefault(sender, Course()).feed(row)
        elif row["field"] == "exists" and row["new"] == "deleted":
            for course in self.by_sender.values():
                course.end(row["at_ms"])

    def list_senders(self) -> list[str]:
        """Who sends, in the order of the contract."""
        return [one for one in SENDERS if one in self.by_sender]

    def sum_up(self, from_ms: int | None, to_ms: int) -> Sums:
        """What all requests of a span came to; all kinds of senders send alike."""
        found = [one.sum_up(from_ms, to_ms) for one in self.by_sender.values()]
        if not found:
            return Sums(Fraction(0), Fraction(0), Fraction(0))
        return Sums(*(sum(part, Fraction(0)) / len(found) for part in zip(*found, strict=True)))

    def sum_lost(self, from_ms: int | None, to_ms: int) -> Fraction:
        """How many ms' worth of all requests of a span were lost."""
        return self.sum_up(from_ms, to_ms).lost_ms


def round_lost(lost_ms: Fraction | int) -> int:
    """Whole ms; what is not nothing is at least one."""
    return max(round(lost_ms), 1) if lost_ms else 0


def sum_up(
    courses: Courses, from_ms: int | None, to_ms: int, per_second: int | None = None
) -> dict[str, Any]:
    """`lostMs` of all senders, and of each by its name; in requests too where it is known how many."""
    parts = {name: courses.by_sender[name].sum_up(from_ms, to_ms) for name in courses.list_senders()}
    whole = _show(courses.sum_up(from_ms, to_ms), per_second)
    return {**whole, **{name: _show(sums, per_second) for name, sums in parts.items()}}


def _show(sums: Sums, per_second: int | None) -> dict[str, int]:
    told = {"lostMs": round_lost(sums.lost_ms)}
    if per_second is None:
        return told
    counts = dict(zip(("lost", "sent", "lowest", "highest"), sums.count_requests(per_second), strict=True))
    return {**told, **counts}


def find_per_second(service: Json) -> int | None:
    """How many requests a second a stored Service says that it gets."""
    text = ((service.get("metadata") or {}).get("annotations") or {}).get(REQUESTS)
    return read_requests(text)[0].per_second if isinstance(text, str) and text else None


def selects(service: Json, labels: Json) -> bool:
    """Whether a Service selects pods with these labels."""
    return Selector.of_labels((service.get("spec") or {}).get("selector")).matches(labels)


# --- words ------------------------------------------------------------------------------------------------


def tell_share(lost: int) -> str:
    """`2 of 3` requests, `every` one, or `41.2 %`."""
    if lost >= WHOLE:
        return "all"
    return _SHARES.get(lost) or f"{lost / 10:g} %"


def tell_outcome(reason: str | None) -> str:
    """What became of most of those that were lost."""
    return _HOW.get(reason or "", "lost")


def tell_sender(sender: str) -> str:
    """Who sends."""
    return _THROUGH.get(sender, sender)


def tell_worth(lost_ms: Fraction | int) -> str:
    """`80ms`, `1.4s`, `2m 05s`."""
    from lifecycle.engine.rules.telling.verdicts import tell_span

    lost = round_lost(lost_ms)
    if lost < 950:
        return f"{lost}ms"
    return f"{lost / 1000:.1f}s" if lost < 60_000 else tell_span(lost)


def tell_amount(lost_ms: Fraction | int, per_second: int | None = None) -> str:
    """`1.4s of all requests`, or `280 requests (1.4s of all)`."""
    if not per_second:
        return f"{tell_worth(lost_ms)} of all requests"
    count = -(-lost_ms * per_second // _PER_SECOND)
    return f"{count:,} request{'' if count == 1 else 's'} ({tell_worth(lost_ms)} of all)"


def tell_counts(lost: int, sent: int, lowest: int, highest: int) -> str:
    """`84 of 4,400 requests (67 to 101 by the chance of which pod a connection meets)`"""
    chance = f" ({lowest:,} to {highest:,} {BY_CHANCE})" if lowest < highest else ""
    return f"{lost:,} of {sent:,} request{'' if sent == 1 else 's'}{chance}"


def tell_sums(sums: Sums, per_second: int | None = None) -> str:
    """The same of sums, or `1.4s of all requests`."""
    return tell_counts(*sums.count_requests(per_second)) if per_second else tell_amount(sums.lost_ms)


def tell_loss(service: Json, sums: Json) -> str:
    """`1.4s of all requests`, or `280 requests (1.4s of all)`, of sums as the engine tells them."""
    worth, count = tell_worth(sums["lostMs"]), sums["lost"]
    if find_per_second(service) is None:
        return f"{worth} of all requests"
    return f"{count:,} request{'' if count == 1 else 's'} ({worth} of all)"


def tell_exact_loss(sums: Json) -> str:
    """The same with how many there were, and from how few to how many are lost by chance."""
    if "sent" not in sums:
        return f"{tell_worth(sums['lostMs'])} of all requests"
    return tell_counts(sums["lost"], sums["sent"], sums["lowest"], sums["highest"])


def tell_exactly(at_ms: int) -> str:
    """An instant as the page's clock shows it, with tenths."""
    from lifecycle.engine.rules.telling.verdicts import tell_instant

    return f"{tell_instant(at_ms)}.{at_ms // 100 % 10}"


def tell_lost(courses: Courses, from_ms: int | None, to_ms: int, per_second: int | None = None) -> list[str]:
    """`lost 1.4s of all requests, worst 2 of 3 refused from … to …`, of each sender that lost any."""
    told = []
    for sender in courses.list_senders():
        course = courses.by_sender[sender]
        sums = course.sum_up(from_ms, to_ms)
        if sums.lost_ms:
            through = f" {tell_sender(sender)}" if len(courses.by_sender) > 1 else ""
            told.append(f"lost {tell_sums(sums, per_second)}{through}, {tell_worst(course, from_ms, to_ms)}")
    return told


def tell_worst(course: Course, from_ms: int | None, to_ms: int) -> str:
    """The stretch that lost most; or what was under way, where nothing else was lost."""
    bad = [one for one in course.list_stretches(from_ms, to_ms) if one.lost]
    if not bad:
        lump = max(course.list_lumps(from_ms, to_ms), key=lambda one: one.lost_ms)
        return f"under way and {tell_outcome(lump.reason)} at {tell_exactly(lump.at_ms)}"
    worst = max(
        bad, key=lambda one: one.lost * ((to_ms if one.end_ms is None else one.end_ms) - one.start_ms)
    )
    told = f"worst {tell_share(worst.lost)} {tell_outcome(worst.reason)}"
    if worst.end_ms is None:
        return f"{told} since {tell_exactly(worst.start_ms)}"
    start, end = tell_exactly(worst.start_ms), tell_exactly(worst.end_ms)
    return f"{told} at {start}" if start == end else f"{told} from {start} to {end}"


def tell_now(courses: Courses) -> list[str]:
    """`2 of 3 refused since …`, of each sender that loses requests now."""
    told = []
    for sender in courses.list_senders():
        last = courses.by_sender[sender].stretches[-1:]
        if last and last[0].end_ms is None and last[0].lost:
            through = f" {tell_sender(sender)}" if len(courses.by_sender) > 1 else ""
            share = f"{tell_share(last[0].lost)} {tell_outcome(last[0].reason)}"
            told.append(f"{share}{through} since {tell_exactly(last[0].start_ms)}")
    return told
