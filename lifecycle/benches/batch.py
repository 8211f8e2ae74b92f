"""`bench batch`: one Job of N completions, so many at a time, each counted once, against a heap loop."""

from typing import Any

from lifecycle.benches import workload
from lifecycle.benches.engine import History
from lifecycle.benches.heap_loop import STEPS, run_heap_loop
from lifecycle.benches.report import Report, computed

LIVES = "5s..60s"
PASSES = 3


def run(pods: int, parallelism: int, nodes: int) -> Report:
    """Measure the Job, plain and Indexed, and the limit in turns: of each the best pass."""
    limits: list[float] = []
    plain: list[tuple[float, int, int, int]] = []
    indexed: list[tuple[float, int, int, int]] = []
    for _ in range(PASSES):
        limits.append(computed(lambda: run_heap_loop(pods))[0])
        plain.append(_measure(pods, parallelism, nodes, "NonIndexed"))
        indexed.append(_measure(pods, parallelism, nodes, "Indexed"))
    seconds, rows, versions, virtual_ms = min(plain)
    return Report(
        bench="batch",
        work={"pods": pods, "parallelism": parallelism, "nodes": nodes},
        figures={
            "seconds": round(seconds, 3),
            "pods_per_second": round(pods / seconds),
            "microseconds_per_pod": round(seconds / pods * 1e6, 1),
            "microseconds_per_indexed_pod": round(min(indexed)[0] / pods * 1e6, 1),
            "rows": rows,
            "versions": versions,
            "virtual_ms": virtual_ms,
        },
        limit_what=f"bare heap loop of {STEPS} timed steps a pod, pods/s",
        limit_value=round(pods / min(limits)),
        ratio=round(min(limits) / seconds, 4),
    )


def _measure(pods: int, parallelism: int, nodes: int, mode: str) -> tuple[float, int, int, int]:
    """One pass of a new engine: its seconds, the rows and versions told, how far it came in virtual ms."""
    history = History()
    engine = workload.make_engine(parallelism, nodes)
    history.take(engine.take_changes())
    seconds, _ = computed(lambda: _to_its_end(engine, _make_job(pods, parallelism, mode), history))
    return seconds, history.rows, history.versions, engine.now_ms


def _to_its_end(engine: workload.Engine, job: dict[str, Any], history: History) -> None:
    workload.create(engine, job)
    workload.run(engine, workload.LIMIT_MS, history.take, engine.is_idle)
    status = (engine.get("Job", "default", "batch") or {}).get("status", {})
    if status.get("succeeded") != job["spec"]["completions"] or "completionTime" not in status:
        raise RuntimeError(f"the Job is not complete: {status}")


def _make_job(pods: int, parallelism: int, mode: str) -> dict[str, Any]:
    annotations = {"podline.dev/behavior": f"main: {{runs: [{{for: {LIVES}, exit: 0}}]}}"}
    resources = {"requests": {"cpu": "100m", "memory": "64Mi"}}
    containers = [{"name": "main", "image": "busybox:1.36", "resources": resources}]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "batch", "namespace": "default"},
        "spec": {
            "completions": pods,
            "parallelism": parallelism,
            "completionMode": mode,
            "template": {
                "metadata": {"annotations": annotations},
                "spec": {"restartPolicy": "Never", "containers": containers},
            },
        },
    }
