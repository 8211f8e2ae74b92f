"""Stories of HTTP requests, recorded from a real API server, played against what `manage.py up` starts."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lifecycle.management import processes
from tests.kube_api.replay.answers import Server, differences
from tests.kube_api.replay.differences import DIFFERENCES
from tests.kube_api.replay.play import Play, fresh

pytestmark = [pytest.mark.deep, pytest.mark.together("replay")]

TOP = Path(__file__).resolve().parents[2]
STORIES = {
    one["story"]: one
    for one in json.loads((TOP / "tests/kube_api/replay/http_cases.json").read_text())["stories"]
}
PATIENCE_SECONDS = 30.0
# The recorded events happened in a year that has begun here: of what is still to come no age is told.
EPOCH = "2026-06-01T00:00:00+00:00"
MAKE_CLUSTER = f"""
from datetime import datetime
from django.contrib.auth import get_user_model
from lifecycle import tokens
from lifecycle.runs import inbox
user = get_user_model().objects.get(username="podline")
epoch = datetime.fromisoformat("{EPOCH}")
settings = {{"kubernetes": "v1.35", "nodes": {{"count": 4}}}}
cluster = inbox.create_cluster(user, "kube", epoch=epoch, settings=settings)
for number in range(1, 5):
    labels = {{"lab/kind": "real" if number == 1 else "hollow"}}
    patch = {{"metadata": {{"labels": labels}}}}
    payload = {{"kind": "Node", "name": f"node-{{number}}", "type": "merge", "patch": patch}}
    command = inbox.append(cluster, "patch", payload, user)
assert inbox.wait_for_result(command, 30)["code"] == 200
print(tokens.issue(user, cluster))
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = processes.find_redis()
    assert program, "make test installs redis-server"
    child, url = processes.redis_child(program, tmp_path_factory.mktemp("redis"))
    child.start()
    yield url
    processes.stop_all([child])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, redis_url: str) -> Iterator[Server]:
    """An API server of a fresh cluster, with a token of its owner's."""
    data, port = tmp_path_factory.mktemp("up"), free_port()
    unwanted = {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    environment |= {"REDIS_URL": redis_url, "PODLINE_DATA": str(data)}
    command = [sys.executable, "manage.py", "up", "--port", str(port), "--data", str(data), "--workers", "1"]
    with (data / "up.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=TOP, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        _wait_until_ready(process, data / "up.log")
        make = [sys.executable, "manage.py", "shell", "--no-imports", "-c", MAKE_CLUSTER]
        made = subprocess.run(make, cwd=TOP, env=environment, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        yield Server(f"http://127.0.0.1:{port}/k8s/kube", made.stdout.split()[-1])
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        if "Podline is ready" in log.read_text():
            return
        time.sleep(0.1)
    pytest.fail(f"`manage.py up` did not get ready:\n{log.read_text()}")


@pytest.mark.parametrize("name", STORIES)
def test_a_story_is_answered_as_recorded(server: Server, name: str) -> None:
    story = STORIES[name]
    different: dict[str, list[str]] = {}
    for case, answer in Play(server, story, fresh(), PATIENCE_SECONDS).run():
        if not case.get("setup"):
            found = differences(case["answer"], answer)
            if found:
                different[case["id"]] = found
    known = {case for case in DIFFERENCES if case.startswith(f"{name}/")}
    unknown = {case: lines[:8] for case, lines in different.items() if case not in known}
    assert not unknown, json.dumps(unknown, indent=1)
    assert known <= different.keys(), f"these agree now: {sorted(known - different.keys())}"


def test_nearly_all_cases_agree() -> None:
    count = sum(not case.get("setup") for story in STORIES.values() for case in story["cases"])
    assert len(DIFFERENCES) <= 0.05 * count, (len(DIFFERENCES), count)
