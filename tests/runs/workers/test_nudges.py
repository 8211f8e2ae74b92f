"""A write finds its worker: by a message where one listens, by a task or by the ticker where none does."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import pytest

from lifecycle.models import Command, Worker
from lifecycle.runs import inbox
from lifecycle.runs.celery import broker, tasks, ticker
from tests.runs.conftest import create, wait_until

# On a machine that has other work.
START_SECONDS, STOP_SECONDS = 60.0, 10.0


def count_listeners(shard: int) -> int:
    return int(broker.client().pubsub_numsub(broker.channel_of(shard))[0][1])


@pytest.fixture
def sent(monkeypatch) -> list[int]:
    """The shards that tasks were sent for by this process."""
    shards, send = list[int](), tasks.turn.apply_async

    def note(arguments: tuple[int], **options: Any) -> Any:
        shards.append(*arguments)
        return send(arguments, **options)

    monkeypatch.setattr(tasks.turn, "apply_async", note)
    return shards


@pytest.mark.slow
def test_a_worker_is_told_of_writes_as_long_as_it_listens(workers, make_cluster, sent):
    """Without a ticker nobody looks: what was lost would not be answered."""
    first, cluster = workers.start_worker(), make_cluster()
    shard = cluster.shard
    wait_until(lambda: count_listeners(shard) == 1, START_SECONDS)
    assert inbox.wait_for_result(create(cluster, name="first"), START_SECONDS)
    sent.clear()
    for number in range(5):
        assert inbox.wait_for_result(create(cluster, name=f"web-{number}"))["code"] == 201
    assert sent == []
    # Asked to stop in the middle of writes it takes no more of them, and is gone at once.
    asked = [create(cluster, name=f"more-{number}") for number in range(10)]
    first.send_signal(signal.SIGTERM)
    assert first.wait(STOP_SECONDS) == 0
    assert count_listeners(shard) == 0 and not Worker.objects.exists()
    late = create(cluster, name="late")
    assert sent == [shard]
    workers.start_worker()
    assert inbox.wait_for_result(late, START_SECONDS)["code"] == 201
    assert [inbox.wait_for_result(command)["code"] for command in asked] == [201] * 10


@pytest.mark.django_db(transaction=True)
def test_a_nudge_that_nobody_heard_is_given_again_by_the_ticker(make_cluster, monkeypatch):
    """Also where somebody seems to listen: a dead connection may not know it."""
    cluster, sent, stopped = make_cluster(), list[int](), threading.Event()
    type(cluster).objects.update(next_wake_at=None)

    def send(arguments: tuple[int], **options: Any) -> None:
        sent.append(*arguments)
        stopped.set()

    monkeypatch.setattr(broker, "publish_nudge", lambda shard: True)
    monkeypatch.setattr(broker, "mark_nudged", lambda shard: True)
    monkeypatch.setattr(tasks.turn, "apply_async", send)
    create(cluster)
    assert sent == []
    ticker.run(stopped)
    assert sent == [cluster.shard] and ticker.REPAIR_SECONDS <= 0.5


@pytest.mark.deep
def test_many_clusters_wait_for_nobody_who_writes_without_a_pause(workers, make_cluster):
    """Fifty clusters, two workers: each write is answered soon, also while workers are killed and stopped."""
    running = [workers.start_worker() for _ in range(2)]
    workers.start_ticker()
    clusters = [make_cluster(f"shop-{number}", paused=True) for number in range(50)]
    for cluster in clusters:
        assert inbox.wait_for_result(create(cluster, name="first", replicas=1), START_SECONDS)["code"] == 201
    stopped, greedy = threading.Event(), list[Any]()

    def write_without_a_pause() -> None:
        while not stopped.is_set():
            command = create(clusters[0], name=f"web-{len(greedy)}", replicas=1)
            greedy.append(inbox.wait_for_result(command, START_SECONDS))

    writer = threading.Thread(target=write_without_a_pause)
    writer.start()
    try:
        longest_seconds = [_write_to_all(clusters[1:], f"round-{number}") for number in range(3)]
        assert max(longest_seconds) < 5.0, longest_seconds
        running[0].kill()
        _write_to_all(clusters[1:], "killed")
        workers.start_worker()
        running[1].send_signal(signal.SIGTERM)
        assert running[1].wait(STOP_SECONDS) == 0
        _write_to_all(clusters[1:], "stopped")
    finally:
        stopped.set()
        writer.join()
    assert len(greedy) > 20 and all(result is not None and result["code"] == 201 for result in greedy)
    assert not Command.objects.exclude(state=Command.State.DONE).exists()


def _write_to_all(clusters: list[Any], name: str) -> float:
    """One write each, all at once; how long the last of them waited."""
    began = time.monotonic()
    asked = [create(cluster, name=name, replicas=1) for cluster in clusters]
    assert [inbox.wait_for_result(command, START_SECONDS)["code"] for command in asked] == [201] * len(asked)
    return time.monotonic() - began
