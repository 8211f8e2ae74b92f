"""A whole Podline of the bench's own: `manage.py up` in a temporary folder, on a free port.

Its database is of the configured kind: SQLite in that folder, or a PostgreSQL server of its own.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path

import dj_database_url
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection

from lifecycle.benches.servers.postgres_server import PostgresServer, postgres_server
from lifecycle.runs.celery import broker

# What a child's command line tells: part of it -> what it is.
ROLES = {
    "celery": "worker",
    "manage.py web": "web",
    "manage.py ticker": "ticker",
    "redis-server": "redis",
    "valkey-server": "redis",
}


@dataclass
class Installation:
    """The running `up`, and this process on its database and its Redis."""

    process: subprocess.Popen[str]
    folder: Path
    address: str
    # The database's server, when it has one.
    database: PostgresServer | None = None

    @property
    def base(self) -> str:
        """http://host:port"""
        return self.address.partition("/enter/")[0]

    def children(self, role: str) -> list[int]:
        """The process numbers of its children of that role."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and _parent_of(entry) == self.process.pid and _role_of(entry) == role:
                found.append(int(entry.name))
        return sorted(found)

    def session_cookie(self) -> str:
        """A signed-in person's Cookie header."""
        jar = CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        opener.open(self.address, timeout=30).close()
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)

    def owner(self) -> AbstractBaseUser:
        """The user `up` made."""
        return get_user_model().objects.get(username="podline")


@contextmanager
def installation(workers: int) -> Iterator[Installation]:
    """Up and ready inside, stopped and gone afterwards."""
    with ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory(prefix="podline-bench-"))
        server = stack.enter_context(postgres_server()) if connection.vendor == "postgresql" else None
        url = server.url if server else f"sqlite:///{name}/podline.sqlite3"
        process = _run_up(name, workers, url)
        try:
            address = _wait_until_ready(process)
            with _connected_to(Path(name), url):
                yield Installation(process, Path(name), address, server)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
            assert process.stdout is not None
            process.stdout.close()


def _run_up(folder: str, workers: int, database_url: str) -> subprocess.Popen[str]:
    environment = {
        key: value for key, value in os.environ.items() if key not in ("REDIS_URL", "PODLINE_DATA")
    }
    return subprocess.Popen(
        [
            *(sys.executable, str(settings.BASE_DIR / "manage.py"), "up", "--data", folder),
            *("--port", str(_free_port()), "--workers", str(workers)),
        ],
        env=environment | {"DATABASE_URL": database_url},
        stdout=subprocess.PIPE,
        text=True,
    )


def _wait_until_ready(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("Podline is ready: "):
            return line.removeprefix("Podline is ready: ").strip()
    raise RuntimeError(f"manage.py up ended with {process.wait()}")


@contextmanager
def _connected_to(folder: Path, database_url: str) -> Iterator[None]:
    """This process reads and writes the installation's database and talks to its Redis."""
    kept, redis_url = connection.settings_dict.copy(), settings.REDIS_URL
    parsed = dj_database_url.parse(database_url)
    connection.close()
    connection.settings_dict |= {key: parsed[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}
    broker.connect_to(f"unix://{folder / 'redis.sock'}")
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict |= kept
        broker.connect_to(redis_url)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _parent_of(entry: Path) -> int:
    try:
        # The name of the program, in brackets, may hold spaces.
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _role_of(entry: Path) -> str:
    try:
        words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return ""
    text = " ".join(words)
    return next((role for part, role in ROLES.items() if part in text), "")
