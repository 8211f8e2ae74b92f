"""What passes through Redis beside Celery's queues: nudges to who listens, whose result is ready.

Nothing here is needed for correctness: a lost key costs a little time, never a command or a row.
"""

import logging
from functools import cache
from typing import Any

import redis
from celery import current_app
from django.conf import settings
from redis.backoff import NoBackoff
from redis.client import PubSub
from redis.retry import Retry

log = logging.getLogger(__name__)

# Redis answers in a millisecond. One that does not (stopped, or its machine gone) holds nobody up for long:
# a turn asks it three times.
ANSWER_SECONDS = 1.0
# A nudge in a queue that got lost is repeated by the ticker after this long.
NUDGE_MS = 1000
RESULT_SECONDS = 60
# A web server that is late says so again and again; what it said last is forgotten after this long.
PACE_MS = 2000
PREFIX = "podline:"


@cache
def client() -> redis.Redis:
    """The connection pool of this process; what Redis does not answer in time is a redis.RedisError."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS
    )


def find_problem() -> str:
    """Why Redis does not answer; "" when it does."""
    try:
        client().ping()
    except redis.RedisError as problem:
        return str(problem) or type(problem).__name__
    return ""


def connect_to(url: str) -> None:
    """From now on this process talks to another Redis, its Celery app too."""
    settings.REDIS_URL = url
    current_app.conf.broker_url = url.replace("unix://", "redis+socket://", 1)
    # Connections it keeps lead to the old one; a fork has the same trouble.
    current_app._after_fork()
    client.cache_clear()


def server_id() -> str:
    """What names this run of the Redis server; another one after a restart. Raises redis.RedisError."""
    return str(client().info("server")["run_id"])


def publish_nudge(shard: int) -> bool:
    """Whether a worker that serves the shard listens, and so was told. Raises redis.RedisError."""
    return bool(client().publish(channel_of(shard), shard))


class Nudges:
    """What is published for a worker's shards. Whatever fails is a redis.RedisError.

    Celery's loop waits for its socket, so that a connection that is lost is not made again here: it would
    have another one.
    """

    def __init__(self) -> None:
        once = Retry(NoBackoff(), 0)
        connections = redis.ConnectionPool.from_url(
            settings.REDIS_URL,
            socket_timeout=ANSWER_SECONDS,
            socket_connect_timeout=ANSWER_SECONDS,
            retry=once,
        )
        self._subscription: Any = PubSub(connections)
        # It connects with its first channel; nobody publishes to this one.
        self._subscription.subscribe(f"{PREFIX}nudges")

    def fileno(self) -> int:
        """What can be read from when something was published, as the operating system numbers it."""
        number: int = self._subscription.connection._sock.fileno()
        return number

    def follow(self, shard: int) -> None:
        """Listen for nudges of a shard."""
        self._subscription.subscribe(channel_of(shard))

    def leave(self, shard: int) -> None:
        """Listen for them no more: who nudges now is told that nobody does."""
        self._subscription.unsubscribe(channel_of(shard))

    def take(self) -> list[int]:
        """The shards that were nudged since this was asked last, each once; at once, whether any or none."""
        nudged: dict[int, None] = {}
        while (message := self._subscription.get_message(timeout=0.0)) is not None:
            if message["type"] == "message":
                nudged[int(message["data"])] = None
        return list(nudged)

    def close(self) -> None:
        self._subscription.close()


def channel_of(shard: int) -> str:
    """Where nudges of a shard are published. Unlike keys, channels are those of all databases of a Redis."""
    return f"{PREFIX}{client().connection_pool.connection_kwargs.get('db', 0)}:nudges:{shard}"


def mark_nudged(shard: int) -> bool:
    """Whether this caller is the one to send the shard's task: of many while nobody listens one is sent."""
    return bool(client().set(f"{PREFIX}nudged:{shard}", 1, nx=True, px=NUDGE_MS))


def clear_nudged(shard: int) -> None:
    """The turn begins: what happens from now on needs another nudge."""
    try:
        client().delete(f"{PREFIX}nudged:{shard}")
    except redis.RedisError as problem:
        log.warning("nudge not cleared: %s", problem, extra={"shard": shard})


def announce_results(ids: list[str]) -> None:
    """Wake whoever waits for these commands or controls."""
    try:
        with client().pipeline(transaction=False) as pipeline:
            for one in ids:
                pipeline.rpush(f"{PREFIX}result:{one}", 1)
                pipeline.expire(f"{PREFIX}result:{one}", RESULT_SECONDS)
            pipeline.execute()
    except redis.RedisError as problem:
        log.warning("results not announced: %s", problem)


def wait_for_announcement(one: str, seconds: float) -> bool:
    """Wait until a result is announced; False after `seconds`, or sooner when Redis is not there.

    `seconds` is less than ANSWER_SECONDS.
    """
    try:
        return client().blpop([f"{PREFIX}result:{one}"], timeout=seconds) is not None
    except redis.RedisError:
        return False


def ask_for_pace(seconds: float) -> None:
    """A web server does not keep up: no cluster should send frames more often than this."""
    try:
        client().set(f"{PREFIX}pace", seconds, px=PACE_MS)
    except redis.RedisError as problem:
        log.warning("pace not asked for: %s", problem)


def frame_pace() -> float:
    """Seconds web servers want between two frames of a cluster; 0 when all keep up."""
    try:
        return float(client().get(f"{PREFIX}pace") or 0.0)
    except redis.RedisError:
        return 0.0
