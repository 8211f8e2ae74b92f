"""`no-restart-storm`: what happens to one part does not restart the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle.check.scene import CRITICAL, SERIOUS, End, Scene, Violation
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.verdicts import read_size

CLAIM = "no-restart-storm"
AGAIN = 3
"""So many restarts of one container are a storm."""


class RestartStorm:
    """Counts restarts by workload and pod."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._found: dict[str, dict[str, list[Row]]] = {}

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """Restart counts."""
        for row in rows:
            if not isinstance(row, Transition) or not row.field.endswith(".restartCount") or row.old is None:
                continue
            owner = self._scene.find_workload(row)
            if owner is not None and int(row.new or 0) > int(row.old):
                self._found.setdefault(owner.title, {}).setdefault(row.subject.uid, []).append(row)

    def finish(self, end: End) -> Iterable[Violation]:
        """A violation for each workload whose pods restarted together, or one again and again."""
        for one in self._scene.settled.workloads:
            if one.place not in self._scene.available:
                # What a Job tries again, it counts itself.
                continue
            pods = self._found.get(one.title, {})
            # Of one container: where a machine starts anew, each of a pod does so once.
            most = max((max(_count_by_container(rows)) for rows in pods.values()), default=0)
            wanted = read_size(one.data).wanted
            are_all = wanted > 1 and len(pods) >= wanted
            if most < AGAIN and not are_all:
                continue
            first = min((rows[0] for rows in pods.values()), key=lambda row: row.seq)
            times = sum(map(len, pods.values()))
            text = f"{times} restarts in {len(pods)} of {wanted} pods"
            severity = CRITICAL if are_all and most >= AGAIN else SERIOUS
            yield Violation(CLAIM, one.title, severity, first.at_ms, text, first.seq, times)


def _count_by_container(rows: Sequence[Row]) -> Sequence[int]:
    """How often each container of a pod restarted."""
    fields = [row.field for row in rows if isinstance(row, Transition)]
    return [fields.count(one) for one in dict.fromkeys(fields)]
