"""The Celery side: a task is one turn of a shard. It takes a number and calls the runner.

A worker that serves the shard listens, and is told of a nudge by one message: Celery's way of a task, with
its queue, acknowledgement and trace, takes as long as a small write. Where nobody listens, as when a shard
moves or Redis was started again, a task waits in the shard's queue for whoever serves it next.
"""

import logging

import redis
from celery import shared_task
from django.db import Error, close_old_connections
from kombu.exceptions import OperationalError

from lifecycle.runs import runner
from lifecycle.runs.celery import broker
from lifecycle.runs.sharing import turns
from lifecycle.runs.sharing.shards import queue_of

log = logging.getLogger(__name__)


@shared_task(name="podline.turn")  # type: ignore[untyped-decorator]
def turn(shard: int) -> None:
    """One turn of a shard that waited in its queue."""
    broker.clear_nudged(shard)
    take_turn(shard)


def take_turn(shard: int) -> None:
    """One turn of a shard; the next one is asked for while anything is due."""
    close_old_connections()
    try:
        is_more_due = turns.turn_of_shard(runner.this_process(), shard)
    except Error as problem:
        # The database is away. The ticker asks again once it is back.
        log.warning("no turn: %s", problem, extra={"shard": shard})
        return
    if is_more_due:
        nudge(shard)


def nudge(shard: int, is_repair: bool = False) -> bool:
    """Ask for a turn of a shard: its worker, where it listens, else by a task in the shard's queue.

    Many nudges before it begins are one; a lost one the ticker repeats. False when the broker is not there.
    `is_repair`: by the queue at any rate: who is thought to listen may hear nothing, on a connection that is
    dead and does not know it.
    """
    is_marked = False
    try:
        if not is_repair and broker.publish_nudge(shard):
            return True
        is_marked = broker.mark_nudged(shard)
        if is_marked:
            turn.apply_async((shard,), queue=queue_of(shard), retry=False)
    except (redis.RedisError, OperationalError) as problem:
        log.warning("not nudged: %s", problem, extra={"shard": shard})
        if is_marked:
            # Marked but not sent: the next one is to be sent.
            broker.clear_nudged(shard)
        return False
    return True
