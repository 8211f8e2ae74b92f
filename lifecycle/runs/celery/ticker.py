"""The ticker: nudges shards whose clusters are due, and repairs what lost messages left behind.

It keeps no state; several of them do no harm.
"""

import logging
import threading
import time

from django.db import Error, connection
from django.db.models import Q
from django.utils import timezone

from lifecycle.models import Cluster, Command, RunControl
from lifecycle.runs import write_ahead_log
from lifecycle.runs.celery import check_tasks, tasks
from lifecycle.runs.checks.endings import list_forgotten
from lifecycle.runs.comparisons.endings import list_lost
from lifecycle.runs.run_clock import moment

log = logging.getLogger(__name__)

# It looks this often, and between that when a wake comes, but never more often than the least.
TICK_SECONDS, LEAST_SECONDS = 0.05, 0.01
# Commands and controls nudge for themselves; this often the ticker looks for forgotten ones.
REPAIR_SECONDS = 0.5
EMPTY_SECONDS = 10.0
# A broker or database that is away is asked again after this long.
AWAY_SECONDS = 0.5


def due_shards(now: float) -> tuple[list[int], float]:
    """The shards with a cluster whose next wake has come, and in how many seconds to look again."""
    soon = Cluster.objects.filter(next_wake_at__lte=moment(now + TICK_SECONDS), failure="")
    due, wait_seconds = set(), TICK_SECONDS
    for wake, shard in soon.values_list("next_wake_at", "shard"):
        seconds = wake.timestamp() - now if wake is not None else 0.0
        if seconds > 0:
            wait_seconds = min(wait_seconds, seconds)
        else:
            due.add(shard)
    return sorted(due), max(wait_seconds, LEAST_SECONDS)


def forgotten_shards() -> list[int]:
    """The shards with commands or controls that nobody has taken."""
    waiting = Q(pk__in=Command.objects.filter(state=Command.State.PENDING, pinned_ms=None).values("cluster"))
    waiting |= Q(pk__in=RunControl.objects.filter(applied_at=None).values("cluster"))
    return sorted(set(Cluster.objects.filter(waiting, failure="").values_list("shard", flat=True)))


def run(stopped: threading.Event) -> None:
    """Tick until stopped. A database that is away for a while is waited for."""
    repaired_at = emptied_at = 0.0
    wait_seconds = TICK_SECONDS
    while not stopped.wait(wait_seconds):
        try:
            shards, wait_seconds = due_shards(time.time())
            is_repair = time.monotonic() - repaired_at > REPAIR_SECONDS
            if is_repair:
                shards = sorted({*shards, *forgotten_shards()})
                repaired_at = time.monotonic()
                for check, firsts in list_forgotten(timezone.now()):
                    check_tasks.ask_for_check(check, firsts)
                for comparison in list_lost(timezone.now()):
                    check_tasks.ask_for_comparison(comparison)
            if time.monotonic() - emptied_at > EMPTY_SECONDS:
                emptied_at = time.monotonic()
                write_ahead_log.empty()
        except Error as problem:
            log.warning("tick failed: %s", problem)
            connection.close()
            stopped.wait(AWAY_SECONDS)
            continue
        if not all(tasks.nudge(shard, is_repair) for shard in shards):
            stopped.wait(AWAY_SECONDS)
