"""What a worker does for a comparison: run what was given under each release, and find what is behind it.

What goes wrong ends the comparison, in words. A worker that is lost has another one begin anew.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import Error
from django.db.models import F
from django.utils import timezone

from lifecycle import limits
from lifecycle.engine import Changes
from lifecycle.engine.releases.known import find_release
from lifecycle.engine.releases.release import Release
from lifecycle.input.reading import Batch, Reading, read_batches
from lifecycle.input.scenario import IDLE
from lifecycle.models import Comparison
from lifecycle.runs.checks.heartbeats import Heartbeat
from lifecycle.runs.comparisons import endings
from lifecycle.runs.comparisons.films import FilmSink, Lane, choose_lanes
from lifecycle.simulation import Overrides, Plan, make_plan
from lifecycle.simulation.releases.columns import make_columns
from lifecycle.simulation.releases.comparing import Switched, compare_releases
from lifecycle.simulation.run import Outcome, Sink

log = logging.getLogger(__name__)

MOST_ATTEMPTS = 3
LOOK_SECONDS = 0.5
MOST_CPU_SECONDS = 180.0
"""Checks wait for the same workers."""
MOST_ROWS = 1_000_000
REST_MS = 1000
"""So long is shown of how it stays in the end."""


class Stopped(Exception):
    """Nobody wants it any more, or it is more than is done for one; `why` in words, "" for the former."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)
        self.why = why


def work_on(comparison_id: str) -> None:
    """Do a comparison that nobody is at."""
    found = _claim(UUID(comparison_id))
    if found is None:
        return
    try:
        with Heartbeat(lambda: endings.update(found, heard_at=timezone.now())):
            result = _compare(found)
        done = {"state": Comparison.State.DONE, "result": result, "doing": "", "ended_at": timezone.now()}
        endings.update(found, **done)
    except Stopped as stopped:
        if stopped.why:
            endings.fail(found, stopped.why)
    except Error:
        raise
    except Exception as problem:
        log.exception("a comparison failed", extra={"comparison": comparison_id})
        endings.fail(found, f"{type(problem).__name__}: {problem}")


def _claim(pk: UUID) -> Comparison | None:
    found = Comparison.objects.select_related("user").filter(pk=pk).first()
    mine = Comparison.objects.filter(pk=pk, state=Comparison.State.ASKED)
    begun = {"state": Comparison.State.RUNNING, "heard_at": timezone.now(), "runs": 0}
    if found is None or not mine.update(**begun, attempts=F("attempts") + 1):
        return None
    if found.attempts >= MOST_ATTEMPTS:
        endings.fail(found, f"{MOST_ATTEMPTS} times its worker was lost: give less at once")
        return None
    return found


def _compare(comparison: Comparison) -> dict[str, Any]:
    releases = [find_release(one) for one in comparison.releases]
    batches = [Batch({name: text}) for name, text in comparison.files]
    readings = {one: read_batches(batches, release=one) for one in releases}
    films: dict[str, FilmSink] = {}
    guard = Guard(comparison)

    def plan(reading: Reading, release: Release, gates: Switched, switches: Switched) -> Plan:
        overrides = Overrides(kubernetes=release.name, gates=gates, switches=switches)
        made = make_plan(reading.documents, overrides, reading.report.refused, reading.lenient)
        return _bind(made, comparison.user)

    def watch(release: Release, is_retry: bool) -> Sequence[Sink]:
        guard.begin(f"looking for the changes behind it ({release.name})" if is_retry else release.name)
        if is_retry:
            return (guard,)
        films[release.name] = FilmSink()
        return guard, films[release.name]

    found = compare_releases(releases, readings, plan, watch)
    columns = make_columns(found)
    lanes = _finish(films, {one.release.name: one.outcome for one in found.lives if one.outcome is not None})
    told = {pod: None for step in columns["steps"] for one in step["sections"] for pod in one["pods"]}
    return columns | {"lanes": choose_lanes(lanes, told), "runs": guard.runs}


def _finish(films: Mapping[str, FilmSink], outcomes: Mapping[str, Outcome]) -> dict[str, dict[str, Lane]]:
    """All lanes, up to one end: where nothing moves any more all stays as it is."""
    end_ms = max((one.at_ms for one in outcomes.values()), default=0) + REST_MS
    return {
        name: films[name].finish(end_ms if one.why == IDLE else one.at_ms) for name, one in outcomes.items()
    }


def _bind(plan: Plan, user: Any) -> Plan:
    """As many pods at most as the user may have."""
    settings = plan.settings
    bound = limits.bind_settings(user, {"controllerManager": settings.controller_manager})
    settings.controller_manager = bound["controllerManager"]
    settings.manager = {**settings.manager, **settings.controller_manager}
    return plan


class Guard:
    """A sink that stops a run that nobody wants any more, or that becomes too long; it tells of its runs."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._deadline = time.thread_time() + MOST_CPU_SECONDS
        self._looked_at = 0.0
        self._rows = 0
        self.runs = 0

    def begin(self, doing: str) -> None:
        """A run begins."""
        self.runs, self._rows = self.runs + 1, 0
        self._look({"doing": doing, "runs": self.runs - 1})

    def take(self, changes: Changes) -> None:
        """Take in what one instant changed."""
        self._rows += len(changes.rows)
        if self._rows > MOST_ROWS:
            raise Stopped(
                f"more than {MOST_ROWS:,} things happen in one run, which is the most: give less, or an"
                " earlier end (`until` of a Scenario)"
            )
        if time.monotonic() - self._looked_at > LOOK_SECONDS:
            self._look({})

    def _look(self, told: dict[str, Any]) -> None:
        self._looked_at = time.monotonic()
        if time.thread_time() > self._deadline:
            raise Stopped(
                f"it took more than {MOST_CPU_SECONDS / 60:.0f} minutes of a processor: give less, fewer"
                " releases, or an earlier end (`until` of a Scenario)"
            )
        if not endings.update(self._comparison, heard_at=timezone.now(), **told):
            raise Stopped
