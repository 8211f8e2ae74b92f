"""`manage.py up`, as a newcomer meets it: one address, a way in, a clean stop, and on from there."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import CommandError

from dashboard import environment
from lifecycle.management import processes
from lifecycle.management.commands import up
from tests.runs.conftest import TOP, wait_until
from tests.seeds import one_in

pytestmark = pytest.mark.slow

SECONDS = 60


class Up:
    """One `manage.py up` on a folder and a free port."""

    def __init__(self, folder: Path, **environment: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        # The test session's own addresses are not for a newcomer.
        inherited = {
            name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "DATABASE_URL")
        }
        self.process = subprocess.Popen(
            [
                sys.executable,
                "manage.py",
                "up",
                "--data",
                str(folder),
                "--port",
                str(self.port),
                "--workers",
                "1",
            ],
            cwd=TOP,
            env=inherited | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait_until_ready(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("Podline is ready: "):
                return line.removeprefix("Podline is ready: ").strip()
        raise AssertionError(f"ended with {self.process.wait()}")

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        self.process.communicate(timeout=SECONDS)
        return self.process.returncode


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "var"


def browser() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))


def json_at(opener: urllib.request.OpenerDirector, url: str) -> Any:
    return json.load(opener.open(url, timeout=20))


def children_of(pid: int) -> list[int]:
    found = subprocess.run(
        ["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True, check=False
    )
    return [int(word) for word in found.stdout.split()]


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize("goes_on", [False, pytest.param(True, marks=pytest.mark.deep)])
def test_it_starts_lets_one_person_in_stops_cleanly_and_goes_on(folder, goes_on):
    started = Up(folder)
    address = started.wait_until_ready()
    person = browser()
    assert person.open(address, timeout=20).status == 200
    base = address.partition("/enter/")[0]
    with pytest.raises(urllib.error.HTTPError) as second_use:
        browser().open(address, timeout=20)
    assert second_use.value.code == 410
    second_use.value.close()
    wait_until(lambda: json_at(person, f"{base}/api/clusters/demo/objects?kind=Pod&view=summary"), SECONDS)
    before = json_at(person, f"{base}/api/clusters/demo/transitions")
    children = children_of(started.process.pid)
    # Redis, a worker of clusters and one of checks, the ticker, the web server.
    assert len(children) == 5
    # Tokens, password digests and Secrets are in there.
    kept = [folder, *folder.rglob("*.sqlite3*"), folder / "secret_key", folder / "redis.sock"]
    assert len(kept) >= 4 and not [path for path in kept if path.stat().st_mode & 0o077]
    assert started.stop(signal.SIGINT) == 0
    assert not [pid for pid in children if is_there(pid)]
    if goes_on:
        check_going_on(folder, before)


def check_going_on(folder: Path, before: list[Any]) -> None:
    """Started again, it has what it had."""
    again = Up(folder)
    address = again.wait_until_ready()
    person = browser()
    person.open(address, timeout=20)
    base = address.partition("/enter/")[0]
    after = json_at(person, f"{base}/api/clusters/demo/transitions")
    assert after[: len(before)] == before
    assert again.stop(signal.SIGTERM) == 0


def test_a_taken_port_is_one_clear_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CommandError) as said:
            call_command("up", port=port)
    assert str(said.value) == (
        f"cannot listen on 127.0.0.1:{port} (Address already in use); choose another: --port {port + 1}"
    )


def test_a_folder_that_cannot_be_written_is_one_clear_line():
    said = run_up(Path("/proc/podline"))
    assert said.returncode == 2
    assert "PODLINE_DATA=/proc/podline: cannot write there" in said.stderr
    assert len(said.stderr.strip().splitlines()) == 1


def test_a_redis_that_does_not_answer_is_one_clear_line(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    monkeypatch.setattr(up, "REDIS_SECONDS", 0.1)
    with pytest.raises(CommandError, match=r"REDIS_URL=redis://127\.0\.0\.1:1/0 does not answer") as said:
        up.start_redis([])
    assert len(str(said.value).splitlines()) == 1


def test_no_redis_at_all_says_how_to_get_one(monkeypatch):
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.setattr(processes, "find_redis", lambda: None)
    with pytest.raises(CommandError, match="apt-get install redis-server"):
        up.start_redis([])


@pytest.mark.parametrize(
    ("name", "value", "says"),
    one_in(
        5,
        [
            ("LOG_LEVEL", "loud", "LOG_LEVEL=LOUD: use DEBUG, INFO, WARNING or ERROR"),
            ("KUBERNETES", "v9", "KUBERNETES=v9: Kubernetes 'v9' is not modelled; there are v1.37"),
            ("DEBUG", "yes", "DEBUG=yes: use True or False"),
            ("PODLINE_SHARDS", "many", "PODLINE_SHARDS=many: use a whole number from 1 to 4096"),
            ("DATABASE_URL", "mysql://x", "DATABASE_URL=mysql://x: use postgres://… or postgresql://…"),
        ],
    ),
)
def test_a_wrong_setting_is_one_clear_line(folder, name, value, says):
    said = run_up(folder, environment={name: value})
    assert said.returncode == 2
    assert said.stderr.strip().startswith(says) and len(said.stderr.strip().splitlines()) == 1


def test_the_release_of_new_clusters_is_chosen_as_all_is_started(settings, monkeypatch):
    monkeypatch.setenv("KUBERNETES", "v1.34")
    up.choose_release(None)
    assert os.environ["KUBERNETES"] == "v1.34"
    up.choose_release("1.35")
    assert os.environ["KUBERNETES"] == settings.KUBERNETES == "v1.35"
    with pytest.raises(
        CommandError, match=r"--kubernetes 2\.0: Kubernetes '2\.0' is not modelled; there are v1"
    ):
        up.choose_release("2.0")


@pytest.mark.parametrize(
    "read, value, says",
    [
        (environment.flag, "yes", "ASKED=yes: use True or False"),
        (
            lambda name: environment.whole(name, 1, 1, 4096),
            "many",
            "ASKED=many: use a whole number from 1 to 4096",
        ),
        (
            lambda name: environment.address(name, "", ("postgres", "postgresql")),
            "mysql://x",
            "ASKED=mysql://x: use postgres://… or postgresql://…",
        ),
        (
            lambda name: environment.chosen(name, ("docs", "schema")),
            "all",
            "ASKED=all: use some of docs,schema",
        ),
    ],
)
def test_a_setting_says_what_it_may_be(monkeypatch, read, value, says):
    monkeypatch.setenv("ASKED", value)
    with pytest.raises(ImproperlyConfigured) as refused:
        read("ASKED")
    assert str(refused.value) == says


def run_up(folder: Path, *arguments: str, environment: dict[str, str] | None = None) -> Any:
    return subprocess.run(
        [sys.executable, "manage.py", "up", "--data", str(folder), *arguments],
        cwd=TOP,
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
