"""A PostgreSQL server of a bench's own: in a temporary folder, on a socket, gone afterwards.

It does not wait for the disk (`fsync=off`): what a killed process had committed is with the operating
system, and what is measured is Podline.
"""

import getpass
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg

START_SECONDS = 60.0
STOP_SECONDS = 20.0
# Podline connects once for every worker, ticker and web request under way.
OPTIONS = {"listen_addresses": "", "fsync": "off", "max_connections": "200"}


class NoPostgres(Exception):
    """There is no PostgreSQL server's program on this machine."""


@dataclass
class PostgresServer:
    """A server on `folder`, run by `user` (it refuses to run as root)."""

    folder: Path
    user: str
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """DATABASE_URL for it."""
        return f"postgres://podline@{quote(str(self.folder), safe='')}/postgres"

    def start(self) -> None:
        """Start it and wait until it answers. One that was killed leaves processes that go by themselves."""
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL does not start: {self._last_words()}")
            if self.process is None or self.process.poll() is not None:
                self.process = self._run_server()
            time.sleep(0.02)

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """A fast shutdown; sessions still open are closed."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def make_data(self) -> None:
        """`initdb`."""
        command = [find_program("initdb"), "-D", str(self._data), "-A", "trust", "-U", "podline", "--no-sync"]
        subprocess.run(command, check=True, user=self.user, cwd=self.folder, stdout=subprocess.DEVNULL)

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _run_server(self) -> subprocess.Popen[bytes]:
        options = [word for name, value in OPTIONS.items() for word in ("-c", f"{name}={value}")]
        command = [find_program("postgres"), "-D", str(self._data), "-k", str(self.folder), *options]
        with open(self.folder / "log", "ab") as log:
            return subprocess.Popen(
                command, user=self.user, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )

    def _answers(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            return False
        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.Error:
            return False
        return True

    def _last_words(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-500:]


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A fresh server, started. NoPostgres when this machine has none."""
    find_program("postgres")
    # Nobody else may enter a folder of root's.
    user = "postgres" if os.geteuid() == 0 else getpass.getuser()
    folder = Path(tempfile.mkdtemp(prefix="podline-postgres-"))
    shutil.chown(folder, user)
    server = PostgresServer(folder, user)
    try:
        server.make_data()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def find_program(name: str) -> str:
    """The path of one of the server's programs; Debian keeps them off the PATH."""
    beside = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    found = str(beside[-1]) if beside else shutil.which(name)
    if found is None:
        raise NoPostgres(
            f"PostgreSQL's {name} is not on this machine. Cure (Debian): apt-get install postgresql"
        )
    return found
