"""What is committed does not stay long where damage loses it all."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from django.db import connection

from lifecycle.runs import write_ahead_log
from lifecycle.runs.celery import ticker


def log_bytes() -> int:
    return Path(f"{connection.settings_dict['NAME']}-wal").stat().st_size


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'sqlite'")
def test_the_ticker_empties_the_log(make_cluster, monkeypatch):
    make_cluster()
    assert log_bytes() > 0
    stopped = threading.Event()
    monkeypatch.setattr(ticker, "due_shards", lambda now: (stopped.set() or [], 0.01))
    ticker.run(stopped)
    assert log_bytes() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'sqlite'")
def test_who_reads_keeps_nobody_waiting_for_long(make_cluster, monkeypatch):
    make_cluster()
    monkeypatch.setattr(write_ahead_log, "PATIENCE_MS", 1)
    reading, done = threading.Event(), threading.Event()

    def read() -> None:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            cursor.execute("SELECT count(*) FROM lifecycle_cluster").fetchone()
            reading.set()
            done.wait(20)
            cursor.execute("COMMIT")
        connection.close()

    reader = threading.Thread(target=read)
    reader.start()
    reading.wait(20)
    write_ahead_log.empty()
    assert log_bytes() > 0
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (20_000,)
    done.set()
    reader.join()
    write_ahead_log.empty()
    assert log_bytes() == 0
