"""`bench crash`: N probed pods in a crash loop for an hour cost by their restarts, not by their probes."""

from typing import Any

from lifecycle.benches import workload
from lifecycle.benches.engine import Counter
from lifecycle.benches.heap_loop import compare_rows, run_heap_loop
from lifecycle.benches.report import Report, computed
from lifecycle.engine import Changes
from lifecycle.engine.heart.trace import Transition

HOUR_MS = 3_600_000
LIVES_SECONDS = 60
PASSES = 3
PROBE = {"exec": {"command": ["true"]}, "periodSeconds": 1}


class Restarts(Counter):
    """Counts restarts beside what every counter counts."""

    restarts = 0

    def take(self, changes: Changes) -> None:
        super().take(changes)
        for row in changes.rows:
            self.restarts += isinstance(row, Transition) and row.field.endswith(".restartCount")


def run(pods: int, nodes: int) -> Report:
    """The same hour twice: with a readiness and a liveness probe a second, and without any."""
    probed, plain = Restarts(), Restarts()
    # The first loop of a process takes up to twice as long.
    loop_seconds = min(computed(lambda: run_heap_loop(pods))[0] for _ in range(PASSES))
    plain_seconds = _hour(pods, nodes, {}, plain)
    seconds = _hour(pods, nodes, {"readinessProbe": PROBE, "livenessProbe": PROBE}, probed)
    each, each_plain = seconds / probed.restarts, plain_seconds / plain.restarts
    return Report(
        bench="crash",
        work={"pods": pods, "nodes": nodes, "virtual_ms": HOUR_MS, "restarts": probed.restarts},
        figures={
            "seconds": round(seconds, 3),
            "seconds_without_probes": round(plain_seconds, 3),
            "microseconds_per_restart": round(each * 1e6, 1),
            # Every run lives as long, and each of its seconds has two checks.
            "checks": 2 * LIVES_SECONDS * (probed.restarts + pods),
            "rows": probed.rows,
            "versions": probed.versions,
        },
        limit_what="a restart of the same pods without probes, microseconds",
        limit_value=round(each_plain * 1e6, 1),
        ratio=round(each_plain / each, 3),
        row_ratio=compare_rows(loop_seconds, pods, probed.rows, seconds),
    )


def _hour(pods: int, nodes: int, probes: dict[str, Any], counter: Restarts) -> float:
    """The processor seconds of the hour from the creation on."""
    engine = workload.make_engine(pods, nodes)
    command = ["sh", "-c", f"sleep {LIVES_SECONDS}; exit 1"]
    workload.create(engine, workload.make_deployment(pods, image="busybox:1.36", command=command, **probes))
    spent, _ = computed(lambda: workload.run(engine, HOUR_MS, counter.take))
    return spent
