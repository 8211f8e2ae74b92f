"""Lives through one future: a trial, under one seed of chance."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from lifecycle.check.because import Causes
from lifecycle.check.claims import make_watchers
from lifecycle.check.claims.requests import read_lost_ms
from lifecycle.check.scene import SEVERITIES, End, Scene, Violation
from lifecycle.check.settled import Settled
from lifecycle.check.trials import Trial
from lifecycle.engine import Cluster, Command
from lifecycle.engine.heart.trace import Row
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND
from lifecycle.lean_tuples import NamedTuple

Json = Mapping[str, Any]
STEADY_MS = 30_000
"""So long all has to stay whole before it is believed."""
WHOLE, DEGRADED, STUCK = "whole", "degraded", "stuck"
ENDS = (WHOLE, DEGRADED, STUCK)


class Figures(NamedTuple):
    """What one future came to. `recovery_ms`: None where it was not whole again in time."""

    lost_ms: int
    fewest_available: int
    below_budget_ms: int
    recovery_ms: int | None
    restarts: int


class Future(NamedTuple):
    """One future: its figures, how it ended, what did not hold, what was refused."""

    seed: int
    figures: Figures
    end: str
    violations: tuple[Violation, ...]
    refusals: tuple[str, ...] = ()


def live(
    settled: Settled, trial: Trial, seed: int, see: Callable[[Sequence[Row]], None] | None = None
) -> Future:
    """Live through it. `see` gets all rows, for whoever wants to look closer."""
    with _garbage_left():
        return _Life(settled, trial, seed, see).run()


@contextmanager
def _garbage_left() -> Iterator[None]:
    """A future makes little garbage, and looking for it takes a quarter of the time: it can wait."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Life:
    def __init__(
        self, settled: Settled, trial: Trial, seed: int, see: Callable[[Sequence[Row]], None] | None
    ) -> None:
        self.trial, self.seed, self.see = trial, seed, see
        self.cluster = Cluster.load(settled.saved)
        self.scene = Scene(settled, trial, self.cluster)
        self.scene.know_controllers(self.cluster.list("ReplicaSet") + self.cluster.list("Job"))
        self.watchers = make_watchers(self.scene)
        self.lost_before_ms = self._sum_lost()
        self.refusals: list[str] = []
        self.rows: dict[int, Row] = {}
        self.unwell: set[tuple[str, str, str]] = set()
        self.whole_since_ms: int | None = self.scene.begin_ms
        # What was asked for has yet to come: it is not over because nobody has begun.
        self.asked_ms = self.scene.begin_ms
        self.keys = {one.place: one for one in settled.workloads}
        for place in self.keys:
            self._look_at(place)

    def run(self) -> Future:
        """All steps, then on until all is whole and stays so, or the time is over."""
        self._submit("chance", {"seed": self.seed})
        for number, step in enumerate(self.trial.steps):
            self._live_until(self.scene.begin_ms + step.at_ms)
            self._submit(step.kind, step.payload, f"step {number + 1}", step.refused)
        lasts_ms = self.scene.begin_ms + self.trial.lasts_ms
        limit_ms = max(self.cluster.now_ms, lasts_ms) + self.trial.ordeal.within_ms
        while self.cluster.now_ms < limit_ms and not self._is_over():
            self._live_until(limit_ms, self._is_over)
        return self._finish()

    def _live_until(self, instant_ms: int, stop: Callable[[], bool] = lambda: False) -> None:
        def look(cluster: Cluster) -> bool:
            self._take()
            return stop()

        while self.cluster.now_ms < instant_ms and not stop():
            # Nobody may wake when it has been whole for long enough: the clock is stopped there.
            over_ms = self._find_over_ms()
            is_ahead = over_ms is not None and self.cluster.now_ms < over_ms < instant_ms
            self.cluster.run_until(over_ms if over_ms is not None and is_ahead else instant_ms, stop=look)
        self._take()

    def _submit(self, kind: str, payload: Json, subject: str = "", wanted: str | None = None) -> None:
        result = self.cluster.submit(Command(id=subject or kind, kind=kind, payload=dict(payload)))
        if not result.ok and wanted is None and subject:
            self.refusals.append(f"{subject}: {(result.status or {}).get('message') or result.code}")
        self._take()
        if kind != "chance":
            self.asked_ms = self.cluster.now_ms

    def _take(self) -> None:
        changes = self.cluster.take_changes()
        if not changes.versions and not changes.row_count:
            self._follow()
            return
        rows, lost = changes.rows, set(self.scene.lost_nodes)
        self.rows.update((row.seq, row) for row in rows)
        self.scene.take(changes, rows)
        for watcher in self.watchers:
            watcher.take(rows, self.cluster.now_ms)
        if self.see is not None:
            self.see(rows)
        changed = {version.new.key for version in changes.versions}
        if self.scene.lost_nodes != lost:
            changed |= {place for place in self.keys if place[0] == DAEMON_SET_KIND.id}
        for place in sorted(changed & self.keys.keys()):
            self._look_at(place)
        self._follow()

    def _look_at(self, place: tuple[str, str, str]) -> None:
        (self.unwell.discard if self.scene.is_whole(place) else self.unwell.add)(place)

    def _follow(self) -> None:
        # A pod on a lost node goes on ending for ever: only who planned a change waits for old pods.
        is_going = self.trial.ordeal.is_planned and bool(self.scene.going)
        if self.unwell or is_going:
            self.whole_since_ms = None
        elif self.whole_since_ms is None:
            self.whole_since_ms = self.cluster.now_ms

    def _find_over_ms(self) -> int | None:
        """When it is over if nothing else happens."""
        if self.whole_since_ms is None:
            return None
        steady_ms = max(self.whole_since_ms, self.asked_ms) + STEADY_MS
        return max(steady_ms, self.scene.begin_ms + self.trial.lasts_ms)

    def _is_over(self) -> bool:
        over_ms = self._find_over_ms()
        return over_ms is not None and self.cluster.now_ms >= over_ms and not self._is_draining()

    def _is_draining(self) -> bool:
        return any(self.cluster.is_draining(one["metadata"]["name"]) for one in self.scene.settled.nodes)

    def _sum_lost(self) -> int:
        places = {place for one in self.scene.settled.workloads for place in one.services}
        return sum(read_lost_ms(self.scene, place) for place in sorted(places))

    def _finish(self) -> Future:
        now_ms = self.cluster.now_ms
        for level in self.scene.available.values():
            level.settle(now_ms)
        is_whole = not self.unwell and not self._is_draining()
        whole_ms = None
        if is_whole and self.whole_since_ms is not None:
            whole_ms = max(self.whole_since_ms - self.scene.begin_ms, 0)
        end = End(now_ms, self._name_end(is_whole), whole_ms, tuple(sorted(self.unwell)))
        faults = self.scene.settled.faults
        found = [
            one
            for watcher in self.watchers
            for one in watcher.finish(end)
            if (one.claim, one.object) not in faults
        ]
        causes = Causes(self.trial, self.rows)
        violations = [
            one._replace(severity=self._temper(one.severity), because=tuple(causes.tell(one.seq)))
            for one in found
        ]
        return Future(self.seed, self._sum_up(whole_ms), end.state, tuple(violations), tuple(self.refusals))

    def _temper(self, severity: str) -> str:
        """What an ordeal says is never graver than it says."""
        return max(severity, self.trial.ordeal.gravest or severity, key=SEVERITIES.index)

    def _name_end(self, is_whole: bool) -> str:
        unwell = self.unwell.union(one.place for one in self.trial.workloads if self.scene.is_unwell(one))
        if is_whole and not unwell:
            return WHOLE
        served = [self._is_served(one) for one in unwell if one in self.scene.available]
        is_served = bool(served) and all(served)
        return DEGRADED if is_served and not self._is_draining() else STUCK

    def _is_served(self, place: tuple[str, str, str]) -> bool:
        """Whether any of its pods is available; what never came up is so for a moment at most."""
        return self.scene.available[place].now > 0 and self.scene.count_wanted(self.keys[place]) > 0

    def _sum_up(self, whole_ms: int | None) -> Figures:
        levels = [
            self.scene.available[one.place]
            for one in self.trial.workloads
            if one.place in self.scene.available
        ]
        return Figures(
            lost_ms=self._sum_lost() - self.lost_before_ms,
            fewest_available=min((level.least for level in levels), default=0),
            below_budget_ms=max((level.below_ms for level in levels), default=0),
            recovery_ms=whole_ms,
            restarts=sum(self.scene.restarts.values()),
        )
