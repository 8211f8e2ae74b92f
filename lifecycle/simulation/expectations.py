"""Claims about a run, watched while it goes on.

Each is looked at once an instant has drained: when its object has changed, or at a border of its time; one
of requests at every instant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from lifecycle.engine.heart.trace import Row
from lifecycle.input.expressions import Cluster, Verdict
from lifecycle.input.scenario import Expect, LaneClaim, format_duration
from lifecycle.lean_dataclasses import dataclass

if TYPE_CHECKING:
    from lifecycle.input.sequences import Entry, Lane

Key = tuple[str, str, str]


@dataclass(slots=True)
class Watch:
    """One claim and what is known of it so far. `failure` is None while nothing speaks against it."""

    expect: Expect
    is_settled: bool = False
    has_existed: bool = False
    failure: str | None = None
    last_seen: str = "the object was never there"

    def look(self, cluster: Cluster, now_ms: int) -> None:
        """Judge the state after the instant `now_ms`."""
        if self.is_settled or now_ms < (self.expect.from_ms or 0):
            return
        end_ms = self.expect.to_ms
        if end_ms is not None and now_ms > end_ms:
            return
        verdict = self.expect.expression.evaluate(cluster)
        self.has_existed = self.has_existed or verdict.exists
        self.last_seen = verdict.seen
        match self.expect.claim:
            case "always":
                self._look_always(verdict, now_ms)
            case "eventually":
                self._look_eventually(verdict)
            case _ if now_ms == end_ms:
                self._settle(None if verdict.holds else f"at {format_duration(now_ms)}: {verdict.seen}")

    def _look_always(self, verdict: Verdict, now_ms: int) -> None:
        """Without `from` the claim starts with its object."""
        has_begun = self.expect.from_ms is not None or self.has_existed
        if has_begun and not verdict.holds:
            self._settle(f"at {format_duration(now_ms)}: {verdict.seen}")

    def _look_eventually(self, verdict: Verdict) -> None:
        # What was never there cannot be gone.
        if verdict.holds and (self.expect.expression.test != "gone" or self.has_existed):
            self._settle(None)

    def _settle(self, failure: str | None) -> None:
        self.is_settled = True
        self.failure = failure

    def finish(self, now_ms: int) -> None:
        """The run has ended at `now_ms`: claims still open are decided."""
        if self.is_settled:
            return
        expect = self.expect
        match expect.claim:
            case "eventually":
                end_ms = now_ms if expect.to_ms is None else min(expect.to_ms, now_ms)
                self._settle(f"not until {format_duration(end_ms)}; last seen: {self.last_seen}")
            case "always" if expect.from_ms is None and not self.has_existed:
                self._settle("there never was such an object")
            case "always" if (expect.from_ms or 0) <= now_ms:
                self._settle(None)
            case _:
                self._settle(f"the run ended at {format_duration(now_ms)}, before it could be seen")


class Watches:
    """All claims of a run, found by the objects they look at."""

    def __init__(
        self, expects: Collection[Expect], sequences: Collection[LaneClaim] = (), is_instant: bool = True
    ) -> None:
        """`is_instant`: whether the run has the timing in whose instants sequences are told."""
        self._sequences = tuple(sequences)
        self._is_instant = is_instant
        self._lanes: dict[Lane, list[Entry]] = {claim.lane: [] for claim in sequences}
        self.all = [Watch(expect) for expect in expects]
        self._by_key: dict[Key, list[Watch]] = {}
        self._sums = [watch for watch in self.all if watch.expect.expression.is_of_requests]
        for watch in self.all:
            self._by_key.setdefault(watch.expect.expression.key, []).append(watch)

    @property
    def borders(self) -> set[int]:
        """Instants at which a claim begins, ends or must hold."""
        times = {time for watch in self.all for time in (watch.expect.from_ms, watch.expect.to_ms)}
        return {time for time in times if time is not None}

    def look_at(self, changed: Collection[Key], cluster: Cluster, now_ms: int) -> None:
        """Judge the claims whose objects have changed."""
        for key in changed:
            for watch in self._by_key.get(key, ()):
                watch.look(cluster, now_ms)
        for watch in self._sums:
            watch.look(cluster, now_ms)

    def look_at_all(self, cluster: Cluster, now_ms: int) -> None:
        for watch in self.all:
            watch.look(cluster, now_ms)

    def take(self, rows: Iterable[Row]) -> None:
        """Add what has happened to the lanes that are claimed."""
        if self._lanes:
            from lifecycle.input.sequences import take_rows

            take_rows(rows, self._lanes)

    def finish(self, now_ms: int) -> list[str]:
        """The failures, in the order of the claims, sequences last: which, when, what was seen."""
        for watch in self.all:
            watch.finish(now_ms)
        failures = [f"{watch.expect.text} failed {watch.failure}" for watch in self.all if watch.failure]
        for claim in self._sequences:
            from lifecycle.input.sequences import find_difference

            wrong = find_difference(claim.entries, self._lanes[claim.lane], self._is_instant)
            if wrong is not None:
                failures.append(f"{claim.text} failed: {wrong}")
        return failures
