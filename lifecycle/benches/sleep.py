"""`bench sleep`: N pods in `while true; do sleep S; done`: an hour costs by its wake-ups, by nothing else."""

from lifecycle.benches import workload
from lifecycle.benches.engine import Counter
from lifecycle.benches.report import Report, computed

HOUR_MS = 3_600_000
OFTEN_SECONDS, SELDOM_SECONDS = 300, 3000


def run(pods: int, nodes: int) -> Report:
    """One virtual hour three times: waking often, waking a tenth as often, never waking."""
    counter = Counter()
    often = _hour(pods, nodes, str(OFTEN_SECONDS), counter)
    seldom = _hour(pods, nodes, str(SELDOM_SECONDS), counter)
    never = _hour(pods, nodes, "infinity", counter)
    often_wakes, seldom_wakes = (pods * HOUR_MS // (1000 * each) for each in (OFTEN_SECONDS, SELDOM_SECONDS))
    each_often, each_seldom = (often - never) / often_wakes, (seldom - never) / seldom_wakes
    return Report(
        bench="sleep",
        work={"pods": pods, "nodes": nodes, "virtual_ms": HOUR_MS, "wakes": often_wakes},
        figures={
            "seconds": round(often, 3),
            "seconds_at_a_tenth_of_the_wakes": round(seldom, 4),
            "seconds_without_wakes": round(never, 4),
            "microseconds_per_wake": round(each_often * 1e6, 2),
            "rows": counter.rows,
            "versions": counter.versions,
        },
        limit_what=f"a wake-up when pods wake every {SELDOM_SECONDS} s, microseconds",
        limit_value=round(each_seldom * 1e6, 2),
        ratio=round(each_often / each_seldom, 3),
    )


def _hour(pods: int, nodes: int, seconds: str, counter: Counter) -> float:
    """The processor seconds of an hour in which all pods do nothing but sleep and wake."""
    engine = workload.make_engine(pods, nodes)
    command = ["sh", "-c", f"while true; do sleep {seconds}; done"]
    workload.create(engine, workload.make_deployment(pods, image="busybox:1.36", command=command))
    workload.run(engine, workload.LIMIT_MS, lambda changes: None, workload.is_ready(engine, pods))
    # The Deployment's last rows come just behind the last pod.
    workload.run(engine, engine.now_ms + 60_000, lambda changes: None)
    end_ms = engine.now_ms + HOUR_MS
    spent, _ = computed(lambda: workload.run(engine, end_ms, counter.take))
    return spent
