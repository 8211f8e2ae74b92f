"""The runs of a container, from the rows of its history: from when until when, and how they ended."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.plots.theme import clock
from lifecycle.engine.objects.pods.container import RUNNING, TERMINATED
from lifecycle.models import Cluster, Transition

MOST_RUNS = 100
"""So many are listed, the latest."""


@dataclass(slots=True)
class ContainerRun:
    """One run. `attempt`: how many there were before it. While it runs it has no exit code and no end."""

    attempt: int
    started_ms: int | None = None
    ended_ms: int | None = None
    exit_code: int | None = None

    @property
    def told(self) -> str:
        """`exit 1, 00:00:03.0 to 00:00:12.4`"""
        start = clock(self.started_ms) if self.started_ms is not None else "–"
        if self.ended_ms is None:
            return f"since {start}"
        return f"exit {self.exit_code}, {start} to {clock(self.ended_ms)}"


def read_runs(cluster: Cluster, uid: str, container: str) -> list[ContainerRun]:
    """The latest of them, the first run first."""
    rows = Transition.objects.filter(
        cluster=cluster, uid=uid, field=f"container.{container}.state", seq__lte=cluster.seq
    )
    told = rows.order_by("-seq").values_list("new", "detail")[: 3 * MOST_RUNS]
    runs: dict[int, ContainerRun] = {}
    for new, detail in reversed(told):
        if new not in (RUNNING, TERMINATED) or not detail:
            continue
        attempt = detail.get("restartCount") or 0
        run = runs.setdefault(attempt, ContainerRun(attempt))
        run.started_ms = detail.get("startedAt_ms")
        if new == TERMINATED:
            run.ended_ms, run.exit_code = detail.get("finishedAt_ms"), detail.get("exitCode")
    return sorted(runs.values(), key=lambda run: run.attempt)[-MOST_RUNS:]
