"""Messages between processes go through Redis, turns of shards through Celery's queues."""

import redis

from lifecycle.runs.celery import broker, tasks


class RedisCarrier:
    """The `Carrier` of every process that serves or runs clusters."""

    def nudge(self, shard: int) -> bool:
        return tasks.nudge(shard)

    def announce_results(self, ids: list[str]) -> None:
        broker.announce_results(ids)

    def wait_for_announcement(self, one: str, seconds: float) -> bool:
        return broker.wait_for_announcement(one, seconds)

    def frame_pace(self) -> float:
        return broker.frame_pace()

    def find_problem(self) -> str:
        try:
            broker.client().ping()
        except redis.RedisError as problem:
            return str(problem) or type(problem).__name__
        return ""
