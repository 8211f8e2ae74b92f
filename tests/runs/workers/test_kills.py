"""Writes to two web servers while workers, web servers and Redis are killed: none lost, none done twice."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from lifecycle import tokens
from lifecycle.benches.installation import Installation, installation
from lifecycle.models import Cluster, StoredObject
from lifecycle.runs import inbox
from lifecycle.runs.entries import SET_ASIDE
from tests.runs.conftest import TOP, wait_until
from tests.runs.histories import assert_whole
from tests.runs.workers.test_workers import pid_of_owner

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.deep]

PATH = "/k8s/shop/api/v1/namespaces/default/configmaps"
KILLED = ("worker", "second web", "worker", "web", "redis", "worker")
BETWEEN_SECONDS = 3.0


class Writer(threading.Thread):
    """Creates one ConfigMap after the other, at one server or the other; what got no answer is sent again."""

    def __init__(self, name: str, bases: list[str], token: str) -> None:
        super().__init__(daemon=True)
        self.prefix, self.bases, self.token = name, bases, token
        self.stopped = threading.Event()
        self.asked: list[str] = []
        self.created: list[str] = []
        self.odd: list[tuple[int, bytes]] = []

    def has_gone_on(self, count: int) -> bool:
        """Whether more than so many were created."""
        return len(self.created) > count

    def run(self) -> None:
        while not self.stopped.is_set():
            name = f"{self.prefix}-{len(self.asked)}"
            self.asked.append(name)
            while not self._create(name):
                time.sleep(0.05)

    def _create(self, name: str) -> bool:
        """Whether it is there by now."""
        body = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
        place = urlsplit(random.choice(self.bases))
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=40)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            connection.request("POST", PATH, body, headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        if answer.status == 201:
            self.created.append(name)
        # Begun when a worker was killed for the second time, a command is set aside, and says so.
        elif answer.status not in (409, 504) and SET_ASIDE.encode() not in text:
            self.odd.append((answer.status, text))
        # One whose answer was lost is there already.
        return answer.status in (201, 409)


@contextmanager
def second_web(podline: Installation) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Another web server as `up` starts its own: (its address, the process; one more when it is killed)."""
    own = Path(f"/proc/{podline.children('web')[0]}")
    command = own.joinpath("cmdline").read_bytes().decode().rstrip("\0").split("\0")
    variables = own.joinpath("environ").read_bytes().decode().rstrip("\0").split("\0")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command[command.index("--port") + 1] = port
    environment = dict(one.split("=", 1) for one in variables)
    processes = [subprocess.Popen(command, cwd=TOP, env=environment)]
    stopped = threading.Event()

    def keep_up() -> None:
        while not stopped.wait(0.1):
            if processes[-1].poll() is not None:
                processes.append(subprocess.Popen(command, cwd=TOP, env=environment))

    keeper = threading.Thread(target=keep_up)
    keeper.start()
    try:
        yield f"http://127.0.0.1:{port}", processes
    finally:
        stopped.set()
        keeper.join()
        processes[-1].terminate()
        processes[-1].wait(20)


def test_no_write_is_lost_or_done_twice_whatever_is_killed():
    with installation(workers=2) as podline, second_web(podline) as (base, processes):
        cluster = inbox.create_cluster(podline.owner(), "shop")
        token = tokens.issue(podline.owner(), cluster)
        writers = [Writer(f"w{number}", [podline.base, base], token) for number in range(4)]
        for writer in writers:
            writer.start()
        for role in KILLED:
            time.sleep(BETWEEN_SECONDS)
            victim = {"second web": processes[-1].pid, "worker": pid_of_owner(cluster)}.get(role)
            os.kill(victim or podline.children(role)[0], signal.SIGKILL)
            for writer in writers:
                wait_until(partial(writer.has_gone_on, len(writer.created)), 60)
        for writer in writers:
            writer.stopped.set()
        for writer in writers:
            writer.join(60)
        asked = {name for writer in writers for name in writer.asked}
        created = [name for writer in writers for name in writer.created]
        assert not [odd for writer in writers for odd in writer.odd]
        assert len(created) == len(set(created)) and set(created) <= asked
        inbox.wait_for_control(inbox.control(cluster, "pause"), 20)
        cluster = Cluster.objects.get(pk=cluster.pk)
        stored = StoredObject.objects.filter(cluster=cluster, kind="ConfigMap", name__startswith="w")
        assert sorted(stored.values_list("name", flat=True)) == sorted(asked)
        # Those sent again though the first had been taken were refused.
        assert not cluster.commands.exclude(state="done").exists()
        codes = [command.result["code"] for command in cluster.commands.filter(kind="create")]
        assert set(codes) <= {201, 409, 500} and codes.count(500) <= KILLED.count("worker")
        assert_whole(cluster)
