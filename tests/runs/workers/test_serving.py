"""An engine worker's queues follow its shards, and a broker that was restarted is noticed."""

import select
import socket
import time
from types import SimpleNamespace

import pytest
import redis
from celery.exceptions import WorkerShutdown
from celery.worker import state
from django.conf import settings
from django.db import OperationalError as DatabaseAway
from django.db import connection
from kombu.exceptions import OperationalError

from dashboard import settings as dashboard_settings
from lifecycle.runs import inbox, runner
from lifecycle.runs.celery import broker, consuming, serving, tasks
from tests.runs.conftest import wait_until


class Consumer:
    def __init__(self) -> None:
        self.queues: list[str] = []

    def add_task_queue(self, queue: str) -> None:
        self.queues.append(queue)

    def cancel_task_queue(self, queue: str) -> None:
        self.queues.remove(queue)


class Nudges:
    def __init__(self) -> None:
        self.shards: list[int] = []
        self.nudged: list[int] = []

    def follow(self, shard: int) -> None:
        self.shards.append(shard)

    def leave(self, shard: int) -> None:
        self.shards.remove(shard)

    def take(self) -> list[int]:
        return self.nudged


def make_queues(consumer: Consumer, *owned: int) -> serving._Queues:
    return serving._Queues(consumer, SimpleNamespace(shards=owned), Nudges())


@pytest.fixture
def turns(monkeypatch):
    taken: list[int] = []
    monkeypatch.setattr(tasks, "turn", taken.append)
    return taken


def test_queues_follow_shards_and_each_new_one_has_a_turn_at_once(turns):
    consumer = Consumer()
    queues = make_queues(consumer, 1, 2)
    queues.sync()
    queues.steward.shards = (2, 3)
    queues.sync()
    assert consumer.queues == ["engine.2", "engine.3"] and turns == [1, 2, 3]
    assert queues.nudges.shards == [2, 3]


def test_a_turn_that_fails_keeps_no_other_shard_from_its_own(monkeypatch):
    taken: list[int] = []
    queues = make_queues(Consumer())
    queues.nudges.nudged = [1, 2, 3]
    monkeypatch.setattr(tasks, "take_turn", lambda shard: taken.append(shard) or 1 // (shard - 2))
    queues.take_turns()
    assert taken == [1, 2, 3]


def test_who_listens_is_told_of_a_nudge_and_else_a_task_is_sent(monkeypatch):
    sent: list[int] = []
    monkeypatch.setattr(tasks.turn, "apply_async", lambda arguments, **_: sent.append(*arguments))
    nudges = broker.Nudges()
    nudges.follow(1)
    nudges.follow(2)
    # Each subscription is confirmed, and no nudge.
    wait_until(lambda: broker.client().pubsub_numsub(broker.channel_of(2))[0][1] == 1)
    assert nudges.take() == []
    assert all(tasks.nudge(shard) for shard in (1, 2, 1, 3)) and sent == [3]
    wait_until(lambda: select.select([nudges], [], [], 0)[0])
    assert nudges.take() == [1, 2] and nudges.take() == []
    nudges.leave(1)
    wait_until(lambda: broker.client().pubsub_numsub(broker.channel_of(1))[0][1] == 0)
    assert all(tasks.nudge(shard) for shard in (1, 2)) and sent == [3, 1]
    nudges.close()
    wait_until(lambda: broker.client().pubsub_numsub(broker.channel_of(2))[0][1] == 0)
    assert tasks.nudge(2) and sent == [3, 1, 2]


def test_a_connection_of_nudges_that_was_cut_is_an_error_and_not_made_again():
    """Celery's loop waits for the old one: it has to begin anew, and not be deaf."""
    nudges = broker.Nudges()
    broker.client().client_kill_filter(_type="pubsub")
    with pytest.raises(redis.ConnectionError):
        for _ in range(1000):
            nudges.take()
            time.sleep(0.001)
    nudges.close()


def test_after_a_failure_the_rest_is_taken_next_time(monkeypatch, turns):
    consumer = Consumer()
    queues = make_queues(consumer, 1, 2)
    monkeypatch.setattr(consumer, "add_task_queue", lambda queue: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        queues.sync()
    monkeypatch.undo()
    monkeypatch.setattr(tasks, "turn", turns.append)
    queues.sync()
    assert consumer.queues == ["engine.1", "engine.2"]


def test_another_run_of_the_broker_is_a_lost_connection(monkeypatch, turns):
    queues = make_queues(Consumer())
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


@pytest.fixture
def silent_broker(tmp_path, monkeypatch):
    """A Redis that was stopped: the kernel takes connections and commands, nobody answers."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "redis.sock"))
        server.listen()
        before = settings.REDIS_URL
        monkeypatch.setattr(broker, "ANSWER_SECONDS", 0.02)
        broker.connect_to(f"unix://{tmp_path / 'redis.sock'}")
        yield
    broker.connect_to(before)


def test_a_broker_that_does_not_answer_is_asked_once_for_a_nudge(silent_broker, monkeypatch):
    """Asked again to take back what it never took, it held a worker up twice as long: 30 s in all."""
    cleared: list[int] = []
    monkeypatch.setattr(broker, "clear_nudged", cleared.append)
    assert tasks.nudge(1) is False
    assert cleared == []


def test_a_turn_with_a_broker_that_does_not_answer_ends_before_its_worker_is_given_up():
    # It begins and ends with a nudge, and announces results in between; and there is the turn itself.
    assert 3 * broker.ANSWER_SECONDS + runner.TURN_SECONDS < 5.0
    assert settings.CELERY_BROKER_TRANSPORT_OPTIONS["socket_timeout"] <= broker.ANSWER_SECONDS
    assert inbox.LOOK_SECONDS < broker.ANSWER_SECONDS


def test_a_worker_looks_often_for_a_broker_that_is_away(monkeypatch):
    """Celery's own waits are 2 s, 4 s, 6 s…: 30 s for a broker that needs 20 to come back."""
    answers, waits = [False, False, True], []
    monkeypatch.setattr(broker, "find_problem", lambda: "" if answers.pop(0) else "away")
    monkeypatch.setattr(consuming.time, "sleep", waits.append)
    monkeypatch.setattr(consuming.consumer.Consumer, "ensure_connected", lambda self, conn: conn)
    there = consuming.Consumer.__new__(consuming.Consumer)
    assert there.ensure_connected("connection") == "connection"
    assert waits == [consuming.AWAY_SECONDS] * 2 and consuming.AWAY_SECONDS <= 0.5
    assert settings.CELERY_WORKER_CONSUMER == "lifecycle.runs.celery.consuming:Consumer"


def test_a_nudge_that_was_marked_and_not_sent_does_not_keep_others_back(monkeypatch):
    def fail(*_, **__):
        raise OperationalError("not sent")

    monkeypatch.setattr(tasks.turn, "apply_async", fail)
    assert tasks.nudge(1) is False
    assert broker.mark_nudged(1)


def test_a_machine_that_vanishes_is_missed_before_its_shards_are_needed(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://podline@db/podline?connect_timeout=9")
    options = dashboard_settings._database()["OPTIONS"]
    assert options["connect_timeout"] in (9, "9")
    # Whoever is idle is asked after a second and three times more; what is under way has four seconds.
    for name, seconds in {"keepalives_idle": 1, "keepalives_interval": 1, "keepalives_count": 3}.items():
        assert options[name] == seconds and f"-c tcp_{name}={seconds}" in options["options"]
    assert options["tcp_user_timeout"] == 4000 and "-c tcp_user_timeout=4000" in options["options"]


@pytest.mark.django_db(transaction=True)
def test_a_turn_without_a_database_is_over_and_asks_for_no_other(monkeypatch):
    def fail(*_):
        raise DatabaseAway("the server is not there")

    nudged: list[int] = []
    monkeypatch.setattr(tasks.turns, "turn_of_shard", fail)
    monkeypatch.setattr(tasks, "nudge", nudged.append)
    tasks.turn(1)
    assert nudged == []


def test_between_two_turns_a_worker_stops_when_it_is_asked_to(monkeypatch):
    taken, queues = list[int](), make_queues(Consumer())
    queues.nudges.nudged = [1, 2, 3]
    monkeypatch.setattr(state, "should_stop", None)

    def take(shard: int) -> None:
        taken.append(shard)
        state.should_stop = 0

    monkeypatch.setattr(tasks, "take_turn", take)
    with pytest.raises(WorkerShutdown):
        queues.take_turns()
    assert taken == [1]


def test_who_has_many_turns_to_take_lets_the_loop_go_round(monkeypatch):
    taken, nudged, queues = list[int](), list[int](), make_queues(Consumer())
    queues.nudges.nudged = [1, 2, 3]
    monkeypatch.setattr(serving, "TURNS_SECONDS", 0.01)
    monkeypatch.setattr(tasks, "take_turn", lambda shard: (taken.append(shard), time.sleep(0.02)))
    monkeypatch.setattr(tasks, "nudge", nudged.append)
    queues.take_turns()
    assert (taken, nudged) == ([1], [2, 3])
