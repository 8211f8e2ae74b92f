"""Claims about how many pods are available: a rollout's own budget, disruption budgets, being whole again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle.check.scene import CRITICAL, MINOR, SERIOUS, End, Level, Scene, Violation
from lifecycle.check.settled import BUDGET, Workload
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.rules.telling.verdicts import tell_span
from lifecycle.verdicts import read_size

_HEALTHY, _NEEDED = "currentHealthy", "desiredHealthy"
LEAST_MS = 1_000
"""Counts of a status follow each other within an instant's work: what is shorter than this is no shortage."""
AWAY_MS = 60_000
"""What has more than one pod is to serve again within this time, whatever happens."""


def grade(workload: Workload, severity: str) -> str:
    """How grave it is that a workload has too few pods for a while: of one that nobody asks, minor."""
    return severity if workload.services else MINOR


class RolloutBudget:
    """Never below `replicas - maxUnavailable` while a rollout goes on."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """The scene counts."""

    def finish(self, end: End) -> Iterable[Violation]:
        """A violation for each workload that had too few."""
        for one in self._scene.trial.workloads:
            level = self._scene.available.get(one.place)
            if level is None or level.below_ms < LEAST_MS:
                continue
            severity = grade(one, CRITICAL if not level.least else SERIOUS)
            text = (
                f"{level.least} of {read_size(one.data).wanted} pods available at worst; its strategy allows"
                f" {level.floor} at least; {tell_span(level.below_ms)} below that"
            )
            yield Violation(
                "rollout-keeps-its-budget", one.title, severity, level.least_at_ms, text, level.least_seq,
                level.below_ms,
            )  # fmt: skip


class BudgetKept:
    """No PodDisruptionBudget has fewer healthy pods than it wants."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._levels: dict[tuple[str, str], Level] = {}
        self._short = set[tuple[str, str]]()
        for one in scene.settled.budgets:
            status, meta = one.get("status") or {}, one["metadata"]
            if not status.get("expectedPods"):
                # It selects nobody: there is nothing that it could keep.
                continue
            level = Level(status.get(_HEALTHY) or 0, status.get(_NEEDED) or 0, scene.begin_ms)
            if level.now < level.floor:
                # It was not kept before anything was done.
                level.floor = level.now
                self._short.add((meta["namespace"], meta["name"]))
            self._levels[meta["namespace"], meta["name"]] = level

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """What budgets count."""
        for row in rows:
            if isinstance(row, Transition) and row.field in (_HEALTHY, _NEEDED):
                level = self._levels.get((row.subject.namespace or "", row.subject.name))
                if level is None:
                    continue
                if row.field == _NEEDED:
                    level.settle(row.at_ms)
                    needed = int(row.new or 0)
                    is_short = (row.subject.namespace, row.subject.name) in self._short
                    level.floor = min(level.floor, needed) if is_short else needed
                else:
                    level.tell(int(row.new or 0), row.at_ms, row.seq)

    def finish(self, end: End) -> Iterable[Violation]:
        """A violation for each budget that was not kept."""
        for place, level in self._levels.items():
            level.settle(end.now_ms)
            if level.below_ms < LEAST_MS:
                continue
            severity = CRITICAL if not level.least else SERIOUS
            text = (
                f"budget {place[1]}: {level.least} healthy pods at worst, {level.floor} needed;"
                f" {tell_span(level.below_ms)} below that"
            )
            yield Violation(
                "budget-kept", self._find_covered(place), severity, level.least_at_ms, text,
                level.least_seq, level.below_ms,
            )  # fmt: skip

    def _find_covered(self, place: tuple[str, str]) -> str:
        """The workload that a budget is for; the budget itself where it is for several."""
        covered = [one for one in self._scene.settled.workloads if place in one.budgets]
        return covered[0].title if len(covered) == 1 else f"{BUDGET}/{place[0]}/{place[1]}"


class WholeAgain:
    """Whole again within the ordeal's time; and what has several pods serves again within a minute."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """The scene counts."""

    def finish(self, end: End) -> Iterable[Violation]:
        """A violation for each workload that is not whole, or was away for long."""
        for one in self._scene.settled.workloads:
            level = self._scene.available.get(one.place)
            if level is None:
                continue
            wanted = self._scene.count_wanted(one)
            if level.zero_ms > AWAY_MS and wanted > 0:
                severity = grade(one, SERIOUS) if wanted > 1 else MINOR
                text = f"none of {wanted} pods available for {tell_span(level.zero_ms)}"
                yield Violation(
                    "whole-again",
                    one.title,
                    severity,
                    level.least_at_ms,
                    text,
                    level.least_seq,
                    level.zero_ms,
                )
            elif one.place in end.unwell and level.now < wanted:
                span = tell_span(end.now_ms - self._scene.begin_ms)
                text = f"{level.now} of {wanted} pods available, and not whole again after {span}"
                severity = MINOR if level.now and level.now >= self._find_needed(one) else SERIOUS
                lacks = wanted - level.now
                yield Violation(
                    "whole-again", one.title, severity, level.least_at_ms, text, level.least_seq, lacks
                )

    def _find_needed(self, workload: Workload) -> int:
        """How many pods its budgets need."""
        budgets = [self._scene.cluster.get(BUDGET, *place) for place in workload.budgets]
        return max(((one or {}).get("status") or {}).get(_NEEDED) or 0 for one in [None, *budgets])
