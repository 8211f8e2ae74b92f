"""A Redis of the tests' own, clusters without owners to make up, and engine workers as real processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import redis
from django.contrib.auth import get_user_model
from django.db import connection

from lifecycle.management import processes
from lifecycle.models import DEFAULT_EPOCH, Cluster, Command
from lifecycle.runs import inbox, publisher
from lifecycle.runs.celery import broker
from lifecycle.runs.runner import Owner
from lifecycle.runs.sharing import shards

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Redis server on a socket of its own."""
    program = processes.find_redis()
    assert program, "make test installs redis-server"
    child, url = processes.redis_child(program, tmp_path_factory.mktemp("redis"))
    child.start()
    client = redis.Redis.from_url(url)
    for _ in range(200):
        try:
            client.ping()
            break
        except redis.RedisError:
            time.sleep(0.01)
    yield url
    processes.stop_all([child])


@pytest.fixture(autouse=True)
def own_redis(redis_url: str, settings: Any) -> Iterator[None]:
    """Everything of this process talks to the tests' Redis, which begins empty."""
    redis.Redis.from_url(redis_url).flushall()
    before = settings.REDIS_URL
    broker.connect_to(redis_url)
    settings.CHANNEL_LAYERS = {
        "default": settings.CHANNEL_LAYERS["default"]
        | {"CONFIG": {"hosts": [redis_url], "prefix": "podline"}}
    }
    yield
    broker.connect_to(before)


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The frames published in this process."""
    published: list[Any] = []
    monkeypatch.setattr(publisher, "publish", lambda group, frame: published.append(frame))
    return published


class Wall:
    """A wall clock that only moves when told to."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now

    def go_on(self, seconds: float) -> None:
        self.now += seconds


class TickingWall(Wall):
    """A wall clock on which each look takes a millisecond: a turn is cut at the same place on any machine."""

    def __call__(self) -> float:
        self.go_on(0.001)
        return self.now


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def owner(db: None, wall: Wall, frames: list[Any], settings: Any) -> Owner:
    """A worker in this process that has every shard, which is one: each is taken by itself."""
    settings.SHARDS = 1
    shards.make_shards()
    shards.beat("test")
    return Owner("test", wall, steady=wall)


@pytest.fixture
def make_cluster(db: None) -> Callable[..., Cluster]:
    """A cluster of the user `someone`."""

    def make(name: str = "shop", **columns: Any) -> Cluster:
        user, _ = get_user_model().objects.get_or_create(username="someone")
        return inbox.create_cluster(user, name, **{"epoch": DEFAULT_EPOCH, **columns})

    return make


def deployment(replicas: int = 3, name: str = "web", image: str = "nginx:1.27") -> dict[str, Any]:
    """A Deployment whose pods become Ready by themselves."""
    labels = {"app": name}
    container = {"name": "app", "image": image}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def create(cluster: Cluster, **what: Any) -> Command:
    """Ask for a Deployment."""
    return inbox.append(cluster, "create", {"object": deployment(**what)})


def database_url() -> str:
    """The test's database, for other processes."""
    kept = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{kept['NAME']}"
    # The host may be the folder of a socket.
    host, port = quote(kept["HOST"], safe=""), kept["PORT"] or 5432
    return f"postgres://{kept['USER']}:{kept['PASSWORD']}@{host}:{port}/{kept['NAME']}"


class Workers:
    """Engine workers and tickers as real processes, on this test's database and Redis."""

    def __init__(self, redis_url: str, folder: Path) -> None:
        self.environment = os.environ | {
            "DATABASE_URL": database_url(),
            "REDIS_URL": redis_url,
            "PODLINE_DATA": str(folder),
            "PYTHONWARNINGS": "ignore",
            "LOG_LEVEL": "INFO",
        }
        self.running: list[subprocess.Popen[bytes]] = []

    def start_worker(self, host: str = "") -> subprocess.Popen[bytes]:
        """A worker; with `host`, in a network of its own on a machine of that name."""
        number = len(self.running)
        command = "celery -A dashboard --quiet worker --pool solo --without-gossip --without-mingle"
        return self._start(
            ["-m", *command.split(), "-n", f"test{number}@%h", "-Q", f"worker.{number}", "-l", "WARNING"],
            host,
        )

    def start_ticker(self) -> subprocess.Popen[bytes]:
        return self._start(["manage.py", "ticker"])

    def _start(self, arguments: list[str], host: str = "") -> subprocess.Popen[bytes]:
        command = [sys.executable, *arguments]
        if host:
            # Each exec keeps the process: killing it kills the worker.
            on_host = 'hostname "$0" && exec "$@"'
            command = ["unshare", "--net", "--uts", "--", "sh", "-c", on_host, host, *command]
        process = subprocess.Popen(command, cwd=TOP, env=self.environment, start_new_session=True)
        self.running.append(process)
        return process

    def stop(self) -> None:
        for process in self.running:
            process.send_signal(signal.SIGTERM)
        for process in self.running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture
def workers(transactional_db: None, redis_url: str, tmp_path: Path) -> Iterator[Workers]:
    workers = Workers(redis_url, tmp_path)
    yield workers
    workers.stop()


def wait_until(holds: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Wait for something another process does; AssertionError when it does not."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = holds()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"nothing after {seconds} s")
