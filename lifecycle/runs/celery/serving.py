"""This process as an engine worker: the clusters it owns, and its queues, which follow its shards.

Celery's solo pool runs tasks in the main thread; the queues are changed there too, by a timer of
the worker's own loop. That loop also waits for nudges that are published, and takes the turns they ask for.
"""

import logging
import time
from typing import Any

import redis
from celery import bootsteps, current_app, signals
from celery.worker import state
from django.db import connection

from lifecycle.runs import collector, runner
from lifecycle.runs.celery import broker, tasks
from lifecycle.runs.sharing import shards

log = logging.getLogger(__name__)

SYNC_SECONDS = 0.2
CHECK_SECONDS = 1.0
# So long shards have their turns one after the other before Celery's loop goes round.
TURNS_SECONDS = 0.2


# Of pages of an SQLite database.
CACHE_KIB = 16 * 1024


class _Queues:
    """What this worker listens to: a queue and published nudges, for each of its shards."""

    def __init__(self, consumer: Any, steward: shards.Steward, nudges: broker.Nudges) -> None:
        self.consumer = consumer
        self.steward = steward
        self.nudges = nudges
        self.shards: set[int] = set()
        self.server_id = broker.server_id()
        self.checked_at = time.monotonic()

    def sync(self) -> None:
        self._check_broker()
        wanted = set(self.steward.shards)
        # One by one, each noted when it is done: should the broker or the database fail in between, the
        # next sync goes on with the rest.
        for shard in sorted(self.shards - wanted):
            self.nudges.leave(shard)
            self.consumer.cancel_task_queue(shards.queue_of(shard))
            self.shards.discard(shard)
        for shard in sorted(wanted - self.shards):
            self.consumer.add_task_queue(shards.queue_of(shard))
            self.nudges.follow(shard)
            self.shards.add(shard)
            # What was due while nobody served it waits for no message: one may have died with the last owner.
            tasks.turn(shard)

    def take_turns(self) -> None:
        """One turn of each shard that was nudged, in the order of the nudges.

        Celery's loop has more to do: to stop when it is asked to, and to follow shards. What is left after a
        moment is nudged again.
        """
        began, nudged = time.monotonic(), self.nudges.take()
        for number, shard in enumerate(nudged):
            state.maybe_shutdown()
            if time.monotonic() - began > TURNS_SECONDS:
                for left in nudged[number:]:
                    tasks.nudge(left)
                return
            try:
                tasks.take_turn(shard)
            except Exception:
                # As of a task that fails: the others have their turns.
                log.exception("a turn failed", extra={"shard": shard})

    def _check_broker(self) -> None:
        """A task whose acknowledgement met a dying broker leaves Celery waiting for ever, unaware.

        A connection error raised from a timer makes it connect again.
        """
        if time.monotonic() - self.checked_at < CHECK_SECONDS:
            return
        self.checked_at = time.monotonic()
        if broker.server_id() != self.server_id:
            raise redis.ConnectionError("the broker was restarted")


def keep_connection() -> None:
    """One thread takes all turns, and keeps its connection until it breaks: there a larger cache pays.

    PostgreSQL ends a transaction of ours that stands still. Stopped, we would hold its locks for good, and
    others take our shards after the same silence.
    """
    connection.close()
    connection.settings_dict["CONN_MAX_AGE"] = None
    options = connection.settings_dict["OPTIONS"]
    if connection.vendor == "sqlite":
        options["init_command"] += f"PRAGMA cache_size=-{CACHE_KIB};"
    else:
        silence_ms = round(shards.SILENCE.total_seconds() * 1000)
        options["options"] += f" -c idle_in_transaction_session_timeout={silence_ms}"


_steward: shards.Steward | None = None


def _start_once() -> shards.Steward:
    """Begin to beat, and to take shards."""
    global _steward
    if _steward is None:
        collector.settle()
        keep_connection()
        shards.make_shards()
        _steward = shards.Steward(runner.this_process().name, lambda: len(runner.this_process().hot))
        _steward.start()
        log.info("engine worker ready", extra={"worker": runner.this_process().name})
    return _steward


class FollowShards(bootsteps.StartStopStep):  # type: ignore[misc]
    """Part of Celery's consumer, and so started again with it: a lost broker takes every timer along."""

    requires = ("celery.worker.consumer.tasks:Tasks",)
    timer: Any = None
    queues: _Queues | None = None

    def start(self, parent: Any) -> None:
        self.queues = _Queues(parent, _start_once(), broker.Nudges())
        self.timer = parent.timer.call_repeatedly(SYNC_SECONDS, self.queues.sync)

    def register_with_event_loop(self, parent: Any, hub: Any) -> None:
        """Celery asks every part what its loop is to wait for, each time the loop begins."""
        if self.queues is not None:
            hub.add_reader(self.queues.nudges, self.queues.take_turns)

    def stop(self, parent: Any) -> None:
        if self.timer is not None:
            self.timer.cancel()
        if self.queues is not None:
            self.queues.nudges.close()
            self.queues = None


current_app.steps["consumer"].add(FollowShards)


@signals.worker_shutdown.connect  # type: ignore[untyped-decorator]
def stop(**_: Any) -> None:
    """A clean end: checkpoints for every cluster, then the shards are free."""
    if _steward is None:
        return
    # The last turn's connection may have died since, unnoticed.
    connection.close()
    runner.this_process().close()
    _steward.stop()
    log.info("engine worker stopped", extra={"worker": runner.this_process().name})
