"""`bench batch`: one Job of N completions, so many at a time, each counted once, against a heap loop.

Beside it a CronJob that runs every hour, through all the slots of a year: its time, and what memory grows by
once the first tenth has filled what is kept.
"""

from typing import Any

from lifecycle.benches import workload
from lifecycle.benches.engine import Counter, History
from lifecycle.benches.heap_loop import STEPS, compare_rows, run_heap_loop
from lifecycle.benches.report import Report, computed, peak_rss_mb
from lifecycle.engine import Changes, Cluster
from lifecycle.engine.objects.names import BEHAVIOR

LIVES = "5s..60s"
HOUR_MS = 3_600_000
HOURLY: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "hourly", "namespace": "default"},
    "spec": {
        "schedule": "0 * * * *",
        "jobTemplate": {
            "spec": {
                "template": {
                    "spec": {
                        "restartPolicy": "OnFailure",
                        "containers": [
                            {"name": "main", "image": "busybox:1.36", "command": ["sleep", "30"]},
                        ],
                    }
                }
            }
        },
    },
}
PASSES = 3


class _JobCounter(Counter):
    """Counts the Jobs that were made, too."""

    jobs = 0

    def take(self, changes: Changes) -> None:
        super().take(changes)
        self.jobs += sum(one.type == "ADDED" and one.new.kind.id == "Job" for one in changes.versions)


def run(pods: int, parallelism: int, nodes: int, slots: int) -> Report:
    """Measure the CronJob, then the Job, plain and Indexed, and the limit in turns: of each the best pass."""
    hourly = _measure_hourly(slots)
    limits: list[float] = []
    plain: list[tuple[float, int, int, int]] = []
    indexed: list[tuple[float, int, int, int]] = []
    for _ in range(PASSES):
        limits.append(computed(lambda: run_heap_loop(pods))[0])
        plain.append(_measure(pods, parallelism, nodes, "NonIndexed"))
        indexed.append(_measure(pods, parallelism, nodes, "Indexed"))
    seconds, rows, versions, virtual_ms = min(plain)
    cron_rows, cron_seconds = int(hourly["cron_rows"]), hourly["cron_seconds"]
    return Report(
        bench="batch",
        work={"pods": pods, "parallelism": parallelism, "nodes": nodes, "slots": slots},
        figures={
            "seconds": round(seconds, 3),
            "pods_per_second": round(pods / seconds),
            "microseconds_per_pod": round(seconds / pods * 1e6, 1),
            "microseconds_per_indexed_pod": round(min(indexed)[0] / pods * 1e6, 1),
            "rows": rows,
            "versions": versions,
            "virtual_ms": virtual_ms,
            **hourly,
            "cron_row_ratio": compare_rows(min(limits), pods, cron_rows, cron_seconds),
        },
        limit_what=f"bare heap loop of {STEPS} timed steps a pod, pods/s",
        limit_value=round(pods / min(limits)),
        ratio=round(min(limits) / seconds, 4),
        row_ratio=compare_rows(min(limits), pods, rows, seconds),
    )


def _measure(pods: int, parallelism: int, nodes: int, mode: str) -> tuple[float, int, int, int]:
    """One pass of a new engine: its seconds, the rows and versions told, how far it came in virtual ms."""
    history = History()
    engine = workload.make_engine(parallelism, nodes)
    history.take(engine.take_changes())
    seconds, _ = computed(lambda: _to_its_end(engine, _make_job(pods, parallelism, mode), history))
    return seconds, history.rows, history.versions, engine.now_ms


def _measure_hourly(slots: int) -> dict[str, float]:
    """Go through so many slots of an hourly CronJob; RuntimeError when one was missed or came twice."""
    engine, counter = workload.make_engine(110, 3), _JobCounter()
    workload.create(engine, HOURLY)
    head = max(1, slots // 10)
    began, _ = computed(lambda: workload.run(engine, head * HOUR_MS, counter.take))
    held_mb = peak_rss_mb()
    went_on, _ = computed(lambda: workload.run(engine, slots * HOUR_MS + HOUR_MS // 2, counter.take))
    if counter.jobs != slots:
        raise RuntimeError(f"{slots} slots made {counter.jobs} Jobs")
    return {
        "cron_seconds": round(began + went_on, 3),
        "microseconds_per_slot": round((began + went_on) / slots * 1e6, 1),
        "cron_rows": counter.rows,
        "cron_growth_mb": round(peak_rss_mb() - held_mb, 1),
    }


def _to_its_end(engine: Cluster, job: dict[str, Any], history: History) -> None:
    workload.create(engine, job)
    workload.run(engine, workload.LIMIT_MS, history.take, engine.is_idle)
    status = (engine.get("Job", "default", "batch") or {}).get("status", {})
    if status.get("succeeded") != job["spec"]["completions"] or "completionTime" not in status:
        raise RuntimeError(f"the Job is not complete: {status}")


def _make_job(pods: int, parallelism: int, mode: str) -> dict[str, Any]:
    annotations = {BEHAVIOR: f"main: {{runs: [{{for: {LIVES}, exit: 0}}]}}"}
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
