"""A whole Podline as `manage.py up` starts it, and one cluster of it, for real clients."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

TOP = Path(__file__).resolve().parents[2]
READY = "Podline is ready: "
START_SECONDS, STOP_SECONDS = 90, 180


@dataclass
class Installation:
    """Where it serves, and how clients get in."""

    base: str
    data: Path
    kubeconfig: Path

    def manage(self, *arguments: str) -> str:
        """What a command of `manage.py` prints."""
        environment = _make_environment() | {"PODLINE_DATA": str(self.data)}
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=TOP, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    @property
    def config(self) -> dict[str, Any]:
        """The kubeconfig's content, anew each time."""
        return yaml.safe_load(self.kubeconfig.read_text())

    def kubectl(
        self, *arguments: str, stdin: str = "", check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """One kubectl command against the cluster."""
        done = subprocess.run(
            [find_kubectl(), "--kubeconfig", str(self.kubeconfig), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**os.environ, "HOME": str(self.data)},
        )
        assert not check or done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done


def find_kubectl() -> str:
    """The kubectl to test with; without one the test is skipped, and the run says so loudly."""
    return find_program("kubectl")


def find_program(name: str) -> str:
    """A program to test with, by the variable of its name or the PATH; without one the test is skipped."""
    found = os.environ.get(name.upper()) or shutil.which(name)
    if found is None:
        message = f"NO {name.upper()} ON THIS MACHINE: nothing of the real {name} is tested; install it"
        warnings.warn(message, stacklevel=2)
        pytest.skip(message)
    return found


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """`manage.py up` with one worker, and a kubeconfig of its cluster `demo`."""
    data = tmp_path_factory.mktemp("up")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = _make_environment()
    log = (data / "up.log").open("w+")
    command = [sys.executable, "manage.py", "up", "--port", str(port), "--data", str(data), "--workers", "1"]
    process = subprocess.Popen(
        command, cwd=TOP, env=environment, stdout=log, stderr=log, start_new_session=True
    )
    try:
        base = _wait_for_link(process, data / "up.log").partition("/enter/")[0]
        made = Installation(base, data, data / "kubeconfig")
        made.kubeconfig.write_text(made.manage("kubeconfig", "demo"))
        yield made
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(STOP_SECONDS) == 0, (data / "up.log").read_text()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            log.close()
    assert "Traceback" not in (data / "up.log").read_text()


def _make_environment() -> dict[str, str]:
    unwanted = {"REDIS_URL", "DATABASE_URL", "DJANGO_SETTINGS_MODULE", "PODLINE_DATA"}
    return {name: value for name, value in os.environ.items() if name not in unwanted}


def _wait_for_link(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        for line in log.read_text().splitlines():
            if line.startswith(READY):
                return line.removeprefix(READY).strip()
        time.sleep(0.1)
    pytest.fail(f"`manage.py up` did not get ready:\n{log.read_text()}")
