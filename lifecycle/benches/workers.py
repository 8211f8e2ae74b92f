"""`bench workers`: two engine workers with a fast-forward each, against one, without anyone watching.

Every fast-forward is the same work: a Deployment that is restarted again and again, on a cluster of its own.
Recording goes through one database, so this shows what adding workers is worth.
"""

import time

from django.db import connection

from lifecycle.benches import workload
from lifecycle.benches.installation import Installation, installation
from lifecycle.benches.report import Report
from lifecycle.models import Cluster, Shard
from lifecycle.runs import inbox

WORKERS = 2
PASSES = 5
NODES = 10
# Long enough for a restart of every pod.
RESTART_EVERY_MS = 600_000
PATIENCE_SECONDS = 600.0
# The machine is the workers': whoever looks often takes it from two more than from one.
LOOK_SECONDS = 0.2


def run(pods: int, restarts: int) -> Report:
    """One alone and two at once, in turns: of each the best pass, as it is what the machine can do."""
    with installation(workers=WORKERS) as podline:
        names = _wait_for_workers()
        alone: list[float] = []
        both: list[float] = []
        for number in range(PASSES):
            turns = (alone, [names[number % WORKERS]]), (both, names)
            for rates, workers in turns:
                clusters = [
                    _make_cluster(podline, f"pass-{number}-{len(workers)}-{place}", worker, pods, restarts)
                    for place, worker in enumerate(workers)
                ]
                rates.append(_fast_forward(clusters, restarts))
    one = max(alone)
    return Report(
        bench="workers",
        work={"pods": pods, "restarts": restarts, "workers": WORKERS, "database": connection.vendor},
        figures={
            "rows": sum(cluster.seq for cluster in clusters),
            "rows_per_second": [round(rate) for rate in both],
            "one_alone": [round(rate) for rate in alone],
        },
        limit_what="one worker with one fast-forward, rows/s",
        limit_value=round(one),
        ratio=round(max(both) / one, 3),
    )


def _wait_for_workers() -> list[str]:
    """The names of the workers, once each has shards."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        names = sorted(set(Shard.objects.exclude(worker="").values_list("worker", flat=True)))
        if len(names) == WORKERS:
            return names
        if time.monotonic() > deadline:
            raise RuntimeError(f"{len(names)} of {WORKERS} workers have shards")
        time.sleep(LOOK_SECONDS)


def _make_cluster(podline: Installation, name: str, worker: str, pods: int, restarts: int) -> Cluster:
    """A paused cluster on a shard of that worker, all its commands waiting for their instants."""
    room = {"nodes": {"count": NODES, "cpu": "64", "memory": "256Gi", "pods": 2 * pods}}
    cluster = inbox.create_cluster(podline.owner(), name, settings=room, paused=True)
    shard = Shard.objects.filter(worker=worker).order_by("number").first()
    assert shard is not None, worker
    cluster.shard = shard.number
    cluster.save(update_fields=["shard"])
    inbox.append(cluster, "create", {"object": workload.make_deployment(pods)}, pinned_ms=0)
    for number in range(restarts):
        inbox.append(cluster, "rollout", workload.RESTART, pinned_ms=RESTART_EVERY_MS * (number + 1))
    return cluster


def _fast_forward(clusters: list[Cluster], restarts: int) -> float:
    """Rows a second of all of them together, from the first order to the last arrival."""
    end_ms = RESTART_EVERY_MS * (restarts + 1)
    started = time.monotonic()
    for cluster in clusters:
        inbox.control(cluster, "run", {"untilMs": end_ms})
    for cluster in clusters:
        while (instant_ms := _instant_ms(cluster)) < end_ms:
            if time.monotonic() - started > PATIENCE_SECONDS:
                raise RuntimeError(f"{cluster} stands at {instant_ms} of {end_ms} ms")
            time.sleep(LOOK_SECONDS)
    seconds = time.monotonic() - started
    for cluster in clusters:
        cluster.refresh_from_db()
    return sum(cluster.seq for cluster in clusters) / seconds


def _instant_ms(cluster: Cluster) -> int:
    return Cluster.objects.values_list("instant_ms", flat=True).get(pk=cluster.pk)
