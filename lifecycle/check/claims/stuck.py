"""`nothing-stuck`: what was begun comes to an end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle.check.scene import CRITICAL, SERIOUS, End, Scene, Violation
from lifecycle.engine.heart.trace import Row
from lifecycle.simulation.readiness import is_well
from lifecycle.verdicts import judge_rollout

CLAIM = "nothing-stuck"


class NothingStuck:
    """Looks at the end at what has not come to one."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._last: dict[str, Row] = {}

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """What was said last of each workload's pods."""
        for row in rows:
            owner = self._scene.find_workload(row)
            if owner is not None:
                self._last[owner.title] = row

    def finish(self, end: End) -> Iterable[Violation]:
        """A violation for each workload that is not rolled out, or has failed."""
        for place in end.unwell:
            one, data = self._scene.workloads[place], self._scene.cluster.get(*place)
            if data is None or is_well(data):
                continue
            rollout = judge_rollout(one.kind, data)
            if rollout is not None and rollout.is_done:
                continue
            last = self._last.get(one.title)
            said = rollout.text if rollout is not None else f"{one.kind} {one.name} is not complete"
            severity = (
                CRITICAL
                if one.place in self._scene.available and not self._scene.available[one.place].now
                else SERIOUS
            )
            at_ms, seq = (last.at_ms, last.seq) if last is not None else (self._scene.begin_ms, None)
            yield Violation(CLAIM, one.title, severity, at_ms, said.strip(), seq)
