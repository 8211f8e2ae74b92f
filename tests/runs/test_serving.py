"""An engine worker's queues follow its shards, and a broker that was restarted is noticed."""

from types import SimpleNamespace

import pytest
import redis
from django.db import connection

from lifecycle import broker, serving, tasks


class Consumer:
    def __init__(self) -> None:
        self.queues: list[str] = []

    def add_task_queue(self, queue: str) -> None:
        self.queues.append(queue)

    def cancel_task_queue(self, queue: str) -> None:
        self.queues.remove(queue)


@pytest.fixture
def turns(monkeypatch):
    taken: list[int] = []
    monkeypatch.setattr(tasks, "turn", taken.append)
    return taken


def test_queues_follow_shards_and_each_new_one_has_a_turn_at_once(turns):
    consumer, steward = Consumer(), SimpleNamespace(shards=(1, 2))
    queues = serving._Queues(consumer, steward)
    queues.sync()
    steward.shards = (2, 3)
    queues.sync()
    assert consumer.queues == ["engine.2", "engine.3"] and turns == [1, 2, 3]


def test_after_a_failure_the_rest_is_taken_next_time(monkeypatch, turns):
    consumer = Consumer()
    queues = serving._Queues(consumer, SimpleNamespace(shards=(1, 2)))
    monkeypatch.setattr(consumer, "add_task_queue", lambda queue: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        queues.sync()
    monkeypatch.undo()
    monkeypatch.setattr(tasks, "turn", turns.append)
    queues.sync()
    assert consumer.queues == ["engine.1", "engine.2"]


def test_another_run_of_the_broker_is_a_lost_connection(monkeypatch, turns):
    queues = serving._Queues(Consumer(), SimpleNamespace(shards=()))
    monkeypatch.setattr(serving, "CHECK_SECONDS", 0.0)
    queues.sync()
    monkeypatch.setattr(broker, "server_id", lambda: "another")
    with pytest.raises(redis.ConnectionError, match="restarted"):
        queues.sync()


@pytest.fixture
def sqlite_settings(monkeypatch, db):
    """The connection's own settings, which a worker changes for good."""
    if connection.vendor != "sqlite":
        pytest.skip("the cache is SQLite's")
    for name in ("CONN_MAX_AGE", "OPTIONS"):
        kept = connection.settings_dict[name]
        monkeypatch.setitem(connection.settings_dict, name, dict(kept) if name == "OPTIONS" else kept)


@pytest.mark.django_db(transaction=True)
def test_only_a_connection_that_is_kept_has_a_large_cache(sqlite_settings):
    """Those of the web server come and go many times a second: see `settings._sqlite`."""
    assert cache_kib() == 2000
    serving.keep_connection()
    assert cache_kib() == serving.CACHE_KIB
    connection.close()
    assert cache_kib() == serving.CACHE_KIB
    connection.close()


def cache_kib() -> int:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA cache_size")
        return -cursor.fetchone()[0]
