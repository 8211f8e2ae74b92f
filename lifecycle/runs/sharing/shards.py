"""Which worker serves which clusters. A shard is a share of all clusters and one Celery queue.

Workers beat in the database. A shard whose worker has been silent for 3 s, or that nobody has, goes to a
worker with room: its clusters get a higher fence, so a worker that was only slow can commit nothing more,
and their clocks are moved on by the time nobody served them: virtual time stood. A wall clock that was set is
taken the same way, forwards by more than that silence or backwards: virtual time goes on from where it was.
"""

import logging
import math
import socket
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import Error, connection, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from lifecycle.models import Cluster, Shard, Worker
from lifecycle.models.rows import Rows
from lifecycle.runs import metrics

log = logging.getLogger(__name__)

SILENCE = timedelta(seconds=3)
# Of two beats at once the one that waited for the other comes with an older time.
SLACK = timedelta(seconds=1)
BEAT_SECONDS = 0.5
# Workers gone for this long are forgotten.
FORGOTTEN = timedelta(hours=1)

_CLUSTERS = Rows(Cluster)
# What most turns need to know, in one query: the row, and whether the inbox holds anything.
_INBOX = ("has_commands", "has_pinned", "has_controls")
ROW_AND_INBOX = f"""
    SELECT {_CLUSTERS.columns("cluster")},
        EXISTS (SELECT 1 FROM lifecycle_command AS command
            WHERE command.cluster_id = cluster.id AND command.state = 'pending') AS has_commands,
        EXISTS (SELECT 1 FROM lifecycle_command AS command
            WHERE command.cluster_id = cluster.id AND command.state = 'pending'
            AND command.pinned_ms IS NOT NULL) AS has_pinned,
        EXISTS (SELECT 1 FROM lifecycle_runcontrol AS control
            WHERE control.cluster_id = cluster.id AND control.applied_at IS NULL) AS has_controls
    FROM lifecycle_cluster AS cluster WHERE cluster.id = %s AND cluster.failure = ''
"""


def queue_of(shard: int) -> str:
    """The Celery queue of a shard."""
    return f"engine.{shard}"


def shard_of(cluster_id: int) -> int:
    """The shard a new cluster belongs to."""
    return cluster_id % settings.SHARDS


def make_shards() -> None:
    """The rows of all shards; safe to call by many at once."""
    Shard.objects.bulk_create([Shard(number=n) for n in range(settings.SHARDS)], ignore_conflicts=True)


def beat(worker: str, hot_clusters: int = 0) -> list[int]:
    """Say that `worker` lives, take the shards it should have, and return all it has.

    Claims are at most its fair share; shards above that are let go for others.
    """
    with transaction.atomic():
        now = _database_now()
        _follow_clock(now)
        _note_alive(worker, now, hot_clusters)
        shards = list(Shard.objects.select_for_update().order_by("number"))
        # Asked after the wait for the shards: whoever had them may have beaten for the first time.
        alive = set(
            Worker.objects.filter(seen_at__range=(now - SILENCE, now + SILENCE)).values_list(
                "name", flat=True
            )
        )
        share = math.ceil(len(shards) / len(alive))
        mine = [shard for shard in shards if shard.worker == worker]
        _serve_on(mine, worker, now)
        for shard in mine[share:]:
            _let_go(shard)
        free = [shard for shard in shards if shard.worker not in alive]
        claimed = free[: max(0, share - len(mine))]
        for shard in claimed:
            _claim(shard, worker, now)
        if claimed:
            log.info("shards claimed", extra={"count": len(claimed), "worker": worker})
        return [shard.number for shard in shards if shard.worker == worker]


def row_and_inbox(cluster_id: int) -> Cluster | None:
    """The row of a cluster that can be served, with what the inbox has (`has_…`); None: it cannot."""
    with connection.cursor() as cursor:
        cursor.execute(ROW_AND_INBOX, [cluster_id])
        row = cursor.fetchone()
    if row is None:
        return None
    cluster, inbox = _CLUSTERS.read(row[: len(_CLUSTERS)]), row[len(_CLUSTERS) :]
    for name, holds in zip(_INBOX, inbox, strict=True):
        setattr(cluster, name, bool(holds))
    return cluster


def take(cluster: Cluster, worker: str) -> bool:
    """Make `worker` the only one that writes a cluster of its shards; False when the shard is not its own.

    A cluster that was made while its shard moved has a fence the shard's last worker may hold as well, and
    so may a transaction of our own that broke off unanswered: raised once more, neither commits after this.
    """
    if not Shard.objects.filter(number=cluster.shard, worker=worker).exists():
        return False
    return bool(Cluster.objects.filter(pk=cluster.pk, fence=cluster.fence).update(fence=F("fence") + 1))


def worker_name(pid: int) -> str:
    """What a worker process of this machine is called."""
    return f"{socket.gethostname()}-{pid}"


def give_up(worker: str) -> None:
    """A worker is known to be dead: its shards need not wait. Time stood since its last beat."""
    with transaction.atomic():
        _count_losses(Shard.objects.filter(worker=worker).values("number"))
        Shard.objects.filter(worker=worker).update(worker="")
        Worker.objects.filter(name=worker).delete()


def leave(worker: str) -> None:
    """A clean goodbye: the worker's shards are free at once."""
    with transaction.atomic():
        Shard.objects.filter(worker=worker).update(worker="", served_until=Now())
        Worker.objects.filter(name=worker).delete()


_offset: float | None = None


def wall() -> float:
    """Seconds since 1970 by the clock that all beats go by, whatever becomes of this machine's own."""
    return time.time() if _offset is None else time.monotonic() + _offset


def _follow_clock(now: datetime) -> None:
    """Where the database has a clock of its own, go by it until the next beat."""
    global _offset
    _offset = now.timestamp() - time.monotonic() if connection.vendor == "postgresql" else None


def _database_now() -> datetime:
    """One clock for all workers: the database's."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT statement_timestamp()")
            now: datetime = cursor.fetchone()[0]
            return now
    return timezone.now()


def _note_alive(worker: str, now: datetime, hot_clusters: int) -> None:
    Worker.objects.filter(seen_at__lt=now - FORGOTTEN).delete()
    Worker.objects.update_or_create(
        name=worker,
        defaults={"seen_at": now, "hot_clusters": hot_clusters, "figures": metrics.figures()},
        create_defaults={"started_at": now, "seen_at": now, "hot_clusters": hot_clusters},
    )


def _serve_on(mine: list[Shard], worker: str, now: datetime) -> None:
    served = []
    for shard in mine:
        gap = timedelta(0) if shard.served_until is None else now - shard.served_until
        if -SLACK <= gap <= SILENCE:
            served.append(shard.number)
            continue
        # After a long gap of our own (a laptop that slept, a stopped process) time stood as well.
        _claim(shard, worker, now)
        _say_step(shard, gap)
    # In one statement: while a worker says that it lives, its turns wait for the same processor.
    Shard.objects.filter(number__in=served).update(served_until=now)


def _let_go(shard: Shard) -> None:
    shard.worker = ""
    shard.save(update_fields=["worker"])


def _claim(shard: Shard, worker: str, now: datetime) -> None:
    # Less than nothing where the wall clock was set back meanwhile.
    stood = timedelta(0) if shard.served_until is None else now - shard.served_until
    if shard.worker:
        # It was not given back: whoever had it is gone, or did nothing else for too long.
        _count_losses([shard.number])
    shard.worker, shard.fence, shard.served_until = worker, shard.fence + 1, now
    shard.save()
    clusters = Cluster.objects.filter(shard=shard.number)
    clusters.update(fence=F("fence") + 1)
    clusters.filter(anchor_wall__isnull=False).update(anchor_wall=F("anchor_wall") + stood)
    clusters.filter(next_wake_at__isnull=False).update(next_wake_at=F("next_wake_at") + stood)


def _count_losses(shards: Any) -> None:
    """Their workers were lost, perhaps because of a command that is still in the inbox."""
    Cluster.objects.filter(shard__in=shards, failure="").update(losses=F("losses") + 1)


def _say_step(shard: Shard, gap: timedelta) -> None:
    seconds = round(gap.total_seconds())
    way = f"back by {-seconds} s" if seconds < 0 else f"forward by {seconds} s, or the machine slept"
    log.warning("the wall clock went %s", way, extra={"shard": shard.number})
    note = f"The wall clock went {way}: the cluster's time goes on from where it was"
    Cluster.objects.filter(shard=shard.number, anchor_wall__isnull=False).update(clock_note=note)


class Steward(threading.Thread):
    """The heartbeat of a worker: a thread of its own, so that a long turn does not silence it."""

    def __init__(self, worker: str, count_hot: Callable[[], int]) -> None:
        super().__init__(name="steward", daemon=True)
        self.worker = worker
        self.count_hot = count_hot
        self.shards: tuple[int, ...] = ()
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.is_set():
            try:
                self.shards = tuple(beat(self.worker, self.count_hot()))
            except Error as problem:
                # Beaten again soon; after 3 s of this others take the shards, and we are fenced off.
                log.warning("no heartbeat: %s", problem, extra={"worker": self.worker})
                connection.close()
            self.stopped.wait(BEAT_SECONDS)
        connection.close()

    def stop(self) -> None:
        """Beat no more; the shards are free at once."""
        self.stopped.set()
        self.join(timeout=5)
        leave(self.worker)
