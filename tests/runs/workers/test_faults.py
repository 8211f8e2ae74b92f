"""Disks that fill or cannot be written, files that are damaged, and two who want the same folder: `up` goes
on, or says in a sentence why it does not; and what it has recorded is what an uninterrupted run gives."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lifecycle.runs.celery.ticker import EMPTY_SECONDS
from tests.runs.conftest import TOP, wait_until
from tests.runs.workers.test_up import SECONDS, browser, children_of, is_there, json_at, run_up
from tests.runs.workers.test_up import Up as PlainUp

pytestmark = pytest.mark.deep

MEGABYTES = 64
NOTE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: note}\ndata: {number: '%s'}\n"
DIFFERENCES = """
import json
from lifecycle.benches.replay import find_difference
from lifecycle.models import Cluster, Command
print(json.dumps({one.name: [one.seq, one.failure, find_difference(one)] for one in Cluster.objects.all()}))
"""


class Up(PlainUp):
    """One that may say very much: somebody reads it."""

    def wait_until_ready(self) -> str:
        address = super().wait_until_ready()
        assert self.process.stdout is not None
        self.reader = threading.Thread(target=self.process.stdout.read, daemon=True)
        self.reader.start()
        return address

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        status = self.process.wait(SECONDS)
        self.reader.join(SECONDS)
        return status


class Person:
    """Signed in at a running `up`."""

    def __init__(self, up: Up) -> None:
        address = up.wait_until_ready()
        self.base, self.opener = address.partition("/enter/")[0], browser()
        page = self.opener.open(address, timeout=20).read().decode()
        found = re.search(
            r'csrfmiddlewaretoken" value="([^"]+)"|X-CSRFToken(?:&quot;|"): (?:&quot;|")(\w+)', page
        )
        assert found
        self.token = found[1] or found[2]

    def write(self, number: object) -> int:
        """The status of the answer to a change of a ConfigMap of `demo`."""
        body = urllib.parse.urlencode({"manifest": NOTE % number}).encode()
        headers = {"X-CSRFToken": self.token, "HX-Request": "true"}
        return self._status(urllib.request.Request(f"{self.base}/clusters/demo/manifest/", body, headers))

    def read(self, path: str = "/clusters/demo/") -> int:
        """The status of a page."""
        return self._status(urllib.request.Request(f"{self.base}{path}"))

    def _status(self, request: urllib.request.Request) -> int:
        try:
            with self.opener.open(request, timeout=60) as answer:
                text, status = answer.read(), int(answer.status)
        except urllib.error.HTTPError as refused:
            with refused:
                text, status = refused.read(), refused.code
        assert b"Traceback" not in text
        return status

    def wait_for_rows(self, rows: int) -> None:
        wait_until(lambda: json_at(self.opener, f"{self.base}/api/clusters/demo/")["seq"] >= rows, SECONDS)


def kept(folder: Path) -> dict[str, tuple[int, str, str]]:
    """Of each cluster (rows, failure, the first row that is not as replayed)."""
    environment = os.environ | {"PODLINE_DATA": str(folder)}
    environment.pop("DATABASE_URL", None)
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", DIFFERENCES]
    said = subprocess.run(command, cwd=TOP, env=environment, capture_output=True, text=True, check=True)
    return {name: tuple(found) for name, found in json.loads(said.stdout.splitlines()[-1]).items()}


def assert_whole(folder: Path) -> None:
    found = kept(folder)
    assert found["demo"][0] > 0
    assert {(failure, difference) for _, failure, difference in found.values()} == {("", "")}


def assert_said(said: Any, words: str) -> None:
    """Ended with one line of words that a person understands."""
    assert said.returncode in (1, 2) and words in said.stderr, said.stderr
    assert len(said.stderr.strip().splitlines()) == 1


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with little room."""
    place = tmp_path / "disk"
    place.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "none", str(place)]
    if os.geteuid() != 0 or subprocess.run(options, capture_output=True, check=False).returncode:
        pytest.skip("only who may mount can make a disk with little room")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path) -> Path:
    """Take all the room there is."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            for size in (2**16, 1):
                while True:
                    file.write(bytes(size))
        except OSError:
            return filler
    raise AssertionError


def test_a_full_disk_refuses_writes_and_goes_on_when_there_is_room(disk: Path) -> None:
    up = Up(disk / "var")
    person = Person(up)
    person.wait_for_rows(100)
    assert person.write("before") == 200
    filler = fill(disk)
    deadline = time.monotonic() + 20
    statuses = []
    while time.monotonic() < deadline:
        assert person.read() in (200, 500, 503)
        statuses.append(person.write(f"full {time.monotonic()}"))
    assert set(statuses) - {200} <= {500, 503}
    filler.unlink()
    wait_until(lambda: person.read("/readyz") == 200, SECONDS)
    wait_until(lambda: person.write("after") == 200, SECONDS)
    assert up.stop() == 0
    assert_whole(disk / "var")


def test_on_a_full_disk_it_starts_or_says_why(disk: Path) -> None:
    up = Up(disk / "var")
    Person(up).wait_for_rows(100)
    assert up.stop() == 0
    filler = fill(disk)
    again = Up(disk / "var")
    try:
        assert Person(again).read() in (200, 500, 503)
        assert again.stop() == 0
    except AssertionError:
        # It did not come up, and ended by itself.
        assert again.process.wait(SECONDS) != 0
    filler.unlink()
    third = Up(disk / "var")
    person = Person(third)
    assert person.write("after") == 200
    assert third.stop() == 0
    assert_whole(disk / "var")


def test_a_disk_that_cannot_be_written_is_one_clear_line(disk: Path) -> None:
    (disk / "var").mkdir()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    assert_said(run_up(disk / "var"), "cannot write there")


def test_a_file_in_place_of_the_folder_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("")
    assert_said(run_up(tmp_path / "var"), "cannot write there")


def test_two_on_one_folder_and_what_a_killed_one_leaves_behind(tmp_path: Path) -> None:
    up = Up(tmp_path / "var")
    person = Person(up)
    person.wait_for_rows(100)
    assert_said(run_up(tmp_path / "var", "--port", str(up.port + 1)), "Podline already runs on")
    children = children_of(up.process.pid)
    for pid in (up.process.pid, *children):
        os.kill(pid, signal.SIGKILL)
    up.process.wait(SECONDS)
    wait_until(lambda: not any(is_there(pid) for pid in children), SECONDS)
    assert (tmp_path / "var" / "up.lock").exists() and (tmp_path / "var" / "redis.sock").exists()
    again = Up(tmp_path / "var")
    assert Person(again).write("after") == 200
    assert again.stop() == 0
    assert_whole(tmp_path / "var")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as it is when the machine loses its power, never started before: with a log to go on from."""
    folder = tmp_path_factory.mktemp("killed")
    up = Up(folder / "var")
    person = Person(up)
    person.wait_for_rows(300)
    for number in range(20):
        assert person.write(number) == 200
    # By now the log was emptied; what it has is of the last seconds.
    time.sleep(EMPTY_SECONDS + 2)
    wait_until(lambda: (folder / "var" / "podline.sqlite3-wal").stat().st_size > 0, SECONDS)
    children = children_of(up.process.pid)
    for pid in (up.process.pid, *children):
        os.kill(pid, signal.SIGSTOP)
    shutil.copytree(
        folder / "var", folder / "copy", ignore=shutil.ignore_patterns("*.sock", "bytecode", "static*")
    )
    for pid in (*children, up.process.pid):
        os.kill(pid, signal.SIGKILL)
    up.process.wait(SECONDS)
    assert (folder / "copy" / "podline.sqlite3-wal").stat().st_size > 0
    return folder / "copy"


def spoil(file: Path, count: int, seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(file.read_bytes())
    for _ in range(count):
        data[chance.randrange(len(data))] = chance.randrange(256)
    file.write_bytes(data)


def start_or_refuse(folder: Path) -> str:
    """What it said when it did not start; "" when it did, serves, and has recorded nothing wrong."""
    up = PlainUp(folder)
    said = []
    assert up.process.stdout is not None
    for line in up.process.stdout:
        said.append(line)
        if line.startswith("Podline is ready: "):
            time.sleep(5)
            up.stop()
            return ""
    assert up.process.wait(SECONDS) == 1
    return "".join(said)


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_log_loses_its_end_and_nothing_else(killed: Path, tmp_path: Path, seed: int) -> None:
    shutil.copytree(killed, tmp_path / "var")
    spoil(tmp_path / "var" / "podline.sqlite3-wal", 5_000, seed)
    assert start_or_refuse(tmp_path / "var") == ""
    assert_whole(tmp_path / "var")


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_database_is_said(killed: Path, tmp_path: Path, seed: int) -> None:
    shutil.copytree(killed, tmp_path / "var")
    spoil(tmp_path / "var" / "podline.sqlite3", 20_000, seed)
    said = start_or_refuse(tmp_path / "var")
    assert "cannot be used" in said and "Traceback" not in said


def test_a_database_of_garbage_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "var"
    folder.mkdir()
    (folder / "podline.sqlite3").write_bytes(random.Random(1).randbytes(100_000))
    said = start_or_refuse(folder)
    assert "cannot be used" in said and "Traceback" not in said
