"""`bench idle`: one virtual hour of N probed pods in which nothing happens, against their creation."""

from lifecycle.benches import workload
from lifecycle.benches.engine import Counter
from lifecycle.benches.report import Report, computed

HOUR_MS = 3_600_000
PROBE = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 10}


def run(pods: int, nodes: int) -> Report:
    """Create the pods, let what is still moving settle, then measure an hour."""
    engine = workload.make_engine(pods, nodes)
    counter = Counter()

    def settle() -> None:
        workload.create(engine, workload.make_deployment(pods, readinessProbe=PROBE, livenessProbe=PROBE))
        workload.run(engine, workload.LIMIT_MS, counter.take, engine.is_idle)

    creation_seconds, _ = computed(settle)
    rows = counter.rows
    end_ms = engine.now_ms + HOUR_MS
    idle_seconds, _ = computed(lambda: workload.run(engine, end_ms, counter.take))
    return Report(
        bench="idle",
        work={"pods": pods, "nodes": nodes, "virtual_ms": HOUR_MS},
        figures={
            "idle_seconds": round(idle_seconds, 4),
            "creation_seconds": round(creation_seconds, 3),
            "rows": counter.rows - rows,
        },
        limit_what="creation of the same pods, seconds",
        limit_value=round(creation_seconds, 3),
        ratio=round(idle_seconds / creation_seconds, 5),
    )
