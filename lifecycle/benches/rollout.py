"""`bench rollout`: a rolling update of N Ready pods of a workload to another image, against a heap loop."""

from typing import Any

from lifecycle.benches import workload
from lifecycle.benches.engine import REQUEST_PASSES, Counter
from lifecycle.benches.heap_loop import STEPS, compare_rows, run_heap_loop
from lifecycle.benches.report import Report, computed
from lifecycle.engine import Cluster as Engine
from lifecycle.engine import Command

IMAGE = workload.WEB | {"container": "web", "image": "nginx:1.28"}
PASSES = 3
MAKE = {"Deployment": workload.make_deployment, "StatefulSet": workload.make_stateful_set}


def run(pods: int, nodes: int, kind: str = "Deployment") -> Report:
    """Bring the pods of a workload of that kind up first; only the update is measured.

    The limit is the best of its passes: the first of a process takes up to twice as long.
    """
    limit_seconds = min(computed(lambda: run_heap_loop(2 * pods))[0] for _ in range(PASSES))
    seconds, counter, virtual_ms = _measure(pods, nodes, kind)
    return Report(
        bench="rollout",
        work={"pods": pods, "nodes": nodes, "kind": kind},
        figures={
            "seconds": round(seconds, 3),
            "pods_per_second": round(pods / seconds),
            "rows": counter.rows,
            "versions": counter.versions,
            "virtual_ms": virtual_ms,
            "requests_ratio": workload.compare_requests(
                lambda service: _measure(pods, nodes, kind, service)[0], REQUEST_PASSES
            ),
        },
        limit_what=f"bare heap loop of {STEPS} timed steps a pod that comes or goes, pods/s",
        limit_value=round(pods / limit_seconds),
        ratio=round(limit_seconds / seconds, 4),
        row_ratio=compare_rows(limit_seconds, 2 * pods, counter.rows, seconds),
    )


def _measure(
    pods: int, nodes: int, kind: str, service: dict[str, Any] | None = None
) -> tuple[float, Counter, int]:
    """One update in a new engine: its seconds, what was told, and the virtual ms that it took."""
    engine, counter = workload.make_engine(pods, nodes), Counter()
    if service is not None:
        workload.create(engine, service)
    workload.create(engine, MAKE[kind](pods))
    workload.run(engine, workload.LIMIT_MS, lambda changes: None, workload.is_ready(engine, pods, kind))
    started_ms = engine.now_ms
    seconds, _ = computed(lambda: _roll(engine, pods, counter, kind))
    return seconds, counter, engine.now_ms - started_ms


def _roll(engine: Engine, pods: int, counter: Counter, kind: str) -> None:
    result = engine.submit(Command(id="roll", kind="setImage", payload={**IMAGE, "kind": kind}))
    if not result.ok:
        raise RuntimeError(f"the engine refused the bench's image: {result.status}")
    counter.take(engine.take_changes())
    until_ms = engine.now_ms + workload.LIMIT_MS
    workload.run(engine, until_ms, counter.take, lambda: _is_over(engine, pods, kind))
    if not _is_over(engine, pods, kind):
        raise RuntimeError(f"not all {pods} pods were replaced")


def _is_over(engine: Engine, pods: int, kind: str) -> bool:
    found: dict[str, Any] = engine.get(kind, "default", "web") or {}
    status = found.get("status", {})
    wanted = ("replicas", "updatedReplicas", "readyReplicas")
    return engine.is_idle() and all(status.get(name) == pods for name in wanted)
