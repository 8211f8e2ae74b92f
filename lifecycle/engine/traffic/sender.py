"""One kind of senders of a Service: what becomes of their requests, summed up without rounding.

A fluid: between two changes each part of the requests fares alike, so only changes cost anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil, lcm
from operator import add
from typing import Any

from ..rules.network.requests import FIRST_LOST, NOBODY, NOT_READY, OUTCOMES, SERVED, find_variance
from .view import View

_PER_MILLE = 1000
_ALL_WELL = (0, None, 0)
_PARTS = 1_000_000


class Sender:
    """`views`: by node where the nodes know (kube-proxy), else one by the name "". They send alike."""

    __slots__ = (
        "_sums",
        "_telling",
        "_variances",
        "at_once",
        "at_once_of_ms",
        "is_stranded",
        "name",
        "sending",
        "sent_ms",
        "settled_ms",
        "told",
        "views",
    )

    def __init__(self, name: str, now_ms: int) -> None:
        self.name = name
        self.views: dict[str, View] = {}
        self.sending: list[View] = []
        # They send, and no node is left that takes anything.
        self.is_stranded = False
        self.settled_ms, self.sent_ms = now_ms, 0
        # Parts that did not fare well: by outcome and denominator, in ms.
        self._sums: dict[tuple[int, int], int] = {}
        # How much it varies by chance what was lost: by denominator, in ms.
        self._variances: dict[int, int] = {}
        # What was lost at once, by outcome in ms' worth, and is not told yet; of how many under way.
        self.at_once: dict[int, Fraction] = {}
        self.at_once_of_ms = 0
        # What the last row said: the value, why, and which share was served by pods that are not ready.
        self.told: tuple[int, str | None, int] | None = None
        self._telling: tuple[int, Fraction] | None = None

    @property
    def is_sending(self) -> bool:
        """Whether any requests are sent now."""
        return bool(self.sending) or self.is_stranded

    def stop(self) -> None:
        """It sends no more."""
        self.sending, self.is_stranded = [], False

    # --- summing up -------------------------------------------------------------------------------------

    def settle(self, now_ms: int, keeps_alive: bool) -> None:
        """Add what has become of the requests since it was last done; the views are as they were then."""
        took_ms, self.settled_ms = now_ms - self.settled_ms, now_ms
        if not took_ms or not self.is_sending:
            return
        self.sent_ms += took_ms
        self._telling = None
        lost, of = 0, 1
        for outcome, (number, denominator) in self._list_parts(keeps_alive):
            self._add(outcome, denominator, number * took_ms)
            if outcome >= FIRST_LOST:
                common = lcm(of, denominator)
                lost, of = lost * (common // of) + number * (common // denominator), common
        if 0 < lost < of:
            # `find_variance` of the same, in whole numbers: this is done at every change.
            self._vary(of * of, took_ms * lost * (of - lost))

    def lose_at_once(self, outcome: int, share_ms: Fraction, of_ms: int) -> None:
        """Requests that were under way have failed: so many ms' worth of one view's, of so many of all."""
        part = share_ms / max(len(self.sending), 1)
        self._add(outcome, part.denominator, part.numerator)
        before = sum(self.at_once.values(), Fraction(0))
        # Whoever met one endpoint that ends at this instant did not meet another: all of it varies as one.
        varied = find_variance(before, self.at_once_of_ms)
        self.at_once_of_ms = max(self.at_once_of_ms, of_ms)
        more = find_variance(before + part, self.at_once_of_ms) - varied
        self._vary(more.denominator, more.numerator)
        self.at_once[outcome] = self.at_once.get(outcome, Fraction(0)) + part
        # They were taken for served when they were sent.
        self._telling = None

    def _add(self, outcome: int, denominator: int, number: int) -> None:
        key = (outcome, denominator)
        self._sums[key] = self._sums.get(key, 0) + number

    def _vary(self, denominator: int, number: int) -> None:
        self._variances[denominator] = self._variances.get(denominator, 0) + number

    def _list_parts(self, keeps_alive: bool) -> Iterable[tuple[int, tuple[int, int]]]:
        """What does not fare well now: by outcome, as (number, denominator) of all requests."""
        if self.is_stranded:
            yield NOBODY, (1, 1)
        for view in self.sending:
            if view.has_trouble(keeps_alive):
                answers, among = view.count_outcomes(keeps_alive)
                for outcome, number in enumerate(answers):
                    if number and outcome != SERVED:
                        yield outcome, (number, among * len(self.sending))

    def sum_up(self) -> dict[str, Fraction]:
        """How many ms' worth of its requests fared in which way, until it was last settled."""
        sums = [Fraction(0)] * len(OUTCOMES)
        for (outcome, denominator), number in self._sums.items():
            sums[outcome] += Fraction(number, denominator)
        sums[SERVED] = self.sent_ms - sum(sums, Fraction(0))
        return dict(zip(OUTCOMES, sums, strict=True))

    def sum_outcomes(self) -> dict[str, int]:
        """How many ms' worth of its requests fared in which way but well; not nothing is at least one."""
        sums = self.sum_up()
        return {name: max(round(sums[name]), 1) for name in OUTCOMES[NOT_READY:] if sums[name]}

    def sum_lost(self) -> Fraction:
        """How many ms' worth of its requests were lost."""
        if self._telling is None or self._telling[0] != self.settled_ms:
            lost = sum(
                (
                    Fraction(number, denominator)
                    for (outcome, denominator), number in self._sums.items()
                    if outcome >= FIRST_LOST
                ),
                Fraction(0),
            )
            self._telling = self.settled_ms, lost
        return self._telling[1]

    def count_lost_ms(self) -> int:
        """The same in whole ms, at least one where it is not nothing.

        In many small parts of a ms it is nearly the same, and costs no fractions of large denominators; only
        where the nearest whole number hangs on what is left out they are added up.
        """
        parts = [
            number * _PARTS // denominator
            for (outcome, denominator), number in self._sums.items()
            if outcome >= FIRST_LOST and number
        ]
        if not parts:
            return 0
        whole, rest = divmod(sum(parts), _PARTS)
        if abs(rest - _PARTS // 2) <= len(parts):
            return max(round(self.sum_lost()), 1)
        return max(whole + (rest > _PARTS // 2), 1)

    def sum_variance(self) -> Fraction:
        """How much it varies by chance what was lost."""
        return sum((Fraction(number, part) for part, number in self._variances.items()), Fraction(0))

    # --- telling ----------------------------------------------------------------------------------------

    def has_news(self, keeps_alive: bool) -> bool:
        """Whether something may have to be told."""
        if self.at_once:
            return True
        if self.told is None:
            return self.is_sending
        if self.told != _ALL_WELL or self.is_stranded:
            return True
        return any(view.has_trouble(keeps_alive) for view in self.sending)

    def take_news(self, keeps_alive: bool) -> tuple[int | None, int, str | None, dict[str, int]] | None:
        """What a row is to say now: the value told before, and what `describe` says. None: nothing new."""
        # Where nobody sends any more nothing is lost, but what was under way.
        if not (self.is_sending or self.at_once or (self.told and self.told != _ALL_WELL)):
            return None
        value, reason, detail = self.describe(keeps_alive)
        at_once, self.at_once = self.at_once, {}
        of_ms, self.at_once_of_ms = self.at_once_of_ms, 0
        old, before = (None, None) if self.told is None else (self.told[0], self.told[:2])
        telling = value, reason, detail[OUTCOMES[NOT_READY]]
        if self.told == telling and not at_once:
            return None
        self.told = telling
        if at_once:
            # Requests that were under way: no share of those that are sent now.
            detail |= {"atOnceMs": ceil(sum(at_once.values(), Fraction(0))), "atOnceOfMs": of_ms}
            if before == (value, reason):
                reason = OUTCOMES[max(at_once, key=lambda outcome: at_once[outcome])]
        if lost_ms := self.count_lost_ms():
            detail["lostMs"] = lost_ms
        return old, value, reason, detail

    def describe(self, keeps_alive: bool) -> tuple[int, str | None, dict[str, int]]:
        """The share that is lost now in thousandths, the outcome that most of it has, all outcomes."""
        counts, whole = self._count(keeps_alive)
        lost = sum(counts[FIRST_LOST:])
        most = max(range(FIRST_LOST, len(OUTCOMES)), key=lambda one: (counts[one], -one))
        detail = {name: to_per_mille(count, whole) for name, count in zip(OUTCOMES, counts, strict=True)}
        return to_per_mille(lost, whole), OUTCOMES[most] if lost else None, detail

    def _count(self, keeps_alive: bool) -> tuple[list[int], int]:
        """How requests fare now: by outcome so many of a whole."""
        counts = [0] * len(OUTCOMES)
        if not self.sending:
            counts[NOBODY if self.is_stranded else SERVED] = 1
            return counts, 1
        by_among: dict[int, list[int]] = {}
        for view in self.sending:
            answers, among = view.count_outcomes(keeps_alive)
            tally = by_among.get(among)
            by_among[among] = list(answers) if tally is None else list(map(add, tally, answers))
        whole = lcm(*by_among)
        for among, tally in by_among.items():
            for outcome, number in enumerate(tally):
                counts[outcome] += number * (whole // among)
        return counts, whole * len(self.sending)

    # --- save and load ----------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Plain data of what the slices do not tell."""
        return {
            "name": self.name,
            "settled_ms": self.settled_ms,
            "sent_ms": self.sent_ms,
            "sums": [[*key, number] for key, number in self._sums.items()],
            "variances": list(self._variances.items()),
            "at_once": [[outcome, *part.as_integer_ratio()] for outcome, part in self.at_once.items()],
            "at_once_of_ms": self.at_once_of_ms,
            "told": list(self.told) if self.told is not None else None,
            "since": {name: view.since_ms for name, view in self.views.items() if view.since_ms is not None},
        }

    def load(self, data: dict[str, Any]) -> None:
        """Go on from what `save` described; the views are there."""
        self.settled_ms, self.sent_ms = data["settled_ms"], data["sent_ms"]
        self._sums = {(one[0], one[1]): one[2] for one in data["sums"]}
        self._variances = {one[0]: one[1] for one in data["variances"]}
        self.at_once = {one[0]: Fraction(one[1], one[2]) for one in data["at_once"]}
        self.at_once_of_ms = data["at_once_of_ms"]
        told = data["told"]
        self.told = (told[0], told[1], told[2]) if told is not None else None
        for name, since_ms in data["since"].items():
            if name in self.views:
                self.views[name].since_ms = since_ms


def to_per_mille(count: int, whole: int) -> int:
    """A share in thousandths; what is not nothing is at least one, what is not all is not all."""
    if count in (0, whole):
        return _PER_MILLE if count else 0
    return min(max((count * _PER_MILLE + whole // 2) // whole, 1), _PER_MILLE - 1)
