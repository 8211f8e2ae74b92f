"""`bench engine`: N pods of one Deployment to Ready in memory, everything recorded, against a heap loop."""

from typing import Any

from lifecycle.benches import workload
from lifecycle.benches.heap_loop import STEPS, compare_rows, run_heap_loop
from lifecycle.benches.report import Report, computed
from lifecycle.engine import Changes, Cluster

PASSES = 5
# With requests and without, in turns.
REQUEST_PASSES = 3


class Counter:
    """Counts what is taken from an engine, and drops it."""

    def __init__(self) -> None:
        self.rows = self.versions = 0

    def take(self, changes: Changes) -> None:
        self.rows += changes.row_count
        self.versions += len(changes.versions)


class History(Counter):
    """Keeps every transition, event and version."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[Changes] = []

    def take(self, changes: Changes) -> None:
        super().take(changes)
        self._kept.append(changes)


def run(pods: int, nodes: int) -> Report:
    """Measure both in this process, in turns: of each the best pass, as it is what the machine can do."""
    limits: list[float] = []
    measured: list[tuple[float, int, int, int]] = []
    for _ in range(PASSES):
        limits.append(computed(lambda: run_heap_loop(pods))[0])
        measured.append(_measure(pods, nodes))
    limit_seconds = min(limits)
    seconds, rows, versions, virtual_ms = min(measured)
    return Report(
        bench="engine",
        work={"pods": pods, "nodes": nodes},
        figures={
            "seconds": round(seconds, 3),
            "pods_per_second": round(pods / seconds),
            "microseconds_per_pod": round(seconds / pods * 1e6, 1),
            "rows": rows,
            "versions": versions,
            "virtual_ms": virtual_ms,
            "requests_ratio": workload.compare_requests(
                lambda service: _measure(pods, nodes, service)[0], REQUEST_PASSES
            ),
        },
        limit_what=f"bare heap loop of {STEPS} timed steps a pod, pods/s",
        limit_value=round(pods / limit_seconds),
        ratio=round(limit_seconds / seconds, 4),
        row_ratio=compare_rows(limit_seconds, pods, rows, seconds),
    )


def _measure(pods: int, nodes: int, service: dict[str, Any] | None = None) -> tuple[float, int, int, int]:
    """One pass of a new engine: its seconds, the rows and versions told, how far it came in virtual ms."""
    history = History()
    engine = workload.make_engine(pods, nodes)
    if service is not None:
        workload.create(engine, service)
    history.take(engine.take_changes())
    seconds, _ = computed(lambda: _to_ready(engine, pods, history))
    return seconds, history.rows, history.versions, engine.now_ms


def _to_ready(engine: Cluster, pods: int, history: History) -> None:
    workload.create(engine, workload.make_deployment(pods))
    history.take(engine.take_changes())
    workload.run(engine, workload.LIMIT_MS, history.take, workload.is_ready(engine, pods))
    if not workload.is_ready(engine, pods)():
        raise RuntimeError(f"not all {pods} pods became Ready")
