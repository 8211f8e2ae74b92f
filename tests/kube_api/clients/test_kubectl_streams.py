"""exec, cp, run and port-forward as kubectl does them, over WebSocket and, as before 1.30, over SPDY."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.kube_api.live import Installation, find_kubectl

pytestmark = [pytest.mark.deep, pytest.mark.together("kubectl")]
SERVES = "mkdir -p /www; echo hello > /www/index.html; httpd -p 8080 -h /www; sleep 1d"
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "streams", "labels": {"app": "streams"}},
    "spec": {"containers": [{"name": "c", "image": "busybox:1.36", "command": ["sh", "-c", SERVES]}]},
}
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "streams"},
    "spec": {"selector": {"app": "streams"}, "ports": [{"port": 80, "targetPort": 8080}]},
}


@pytest.fixture(params=["true", "false"], ids=["WebSocket", "SPDY"])
def streams(
    installation: Installation, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Installation:
    monkeypatch.setenv("KUBECTL_REMOTE_COMMAND_WEBSOCKETS", request.param)
    monkeypatch.setenv("KUBECTL_PORT_FORWARD_WEBSOCKETS", request.param)
    manifest = json.dumps({"apiVersion": "v1", "kind": "List", "items": [POD, SERVICE]})
    installation.kubectl("apply", "-f", "-", stdin=manifest)
    installation.kubectl("wait", "--for=condition=Ready", "pod/streams", "--timeout=60s")
    return installation


def start(streams: Installation, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [find_kubectl(), "--kubeconfig", str(streams.kubeconfig), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "HOME": str(streams.data)},
    )


def test_a_shell_answers_while_its_input_is_open(streams):
    shell = start(streams, "exec", "-i", "streams", "--", "sh")
    assert shell.stdin is not None and shell.stdout is not None
    for said, answer in {"cd /tmp; x=5; pwd\n": "/tmp\n", "echo $x; pwd\n": "5\n"}.items():
        shell.stdin.write(said)
        shell.stdin.flush()
        assert shell.stdout.readline() == answer
    shell.stdin.write("exit 3\n")
    shell.stdin.close()
    assert "exit code 3" in shell.stdout.read() and shell.wait(30) == 3


def test_files_are_copied_both_ways(streams, tmp_path):
    (tmp_path / "there" / "below").mkdir(parents=True)
    (tmp_path / "there" / "below" / "a").write_text("one\n")
    streams.kubectl("cp", str(tmp_path / "there"), "streams:/tmp/there")
    streams.kubectl("cp", "streams:/tmp/there", str(tmp_path / "back"))
    assert (tmp_path / "back" / "below" / "a").read_text() == "one\n"


def test_a_container_reads_what_is_piped_to_it(streams):
    arguments = ["run", "reads", "-i", "--rm", "--restart=Never", "--image=busybox:1.36", "--", "sh"]
    done = streams.kubectl(*arguments, stdin="echo from within\n")
    assert "from within" in done.stdout.splitlines()


@contextmanager
def forward(streams: Installation, what: str, port: int) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    process = start(streams, "port-forward", what, f":{port}")
    try:
        assert process.stdout is not None
        found = re.search(r"127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert found is not None
        yield f"http://127.0.0.1:{found[1]}", process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


@pytest.mark.parametrize("what, port", [("pod/streams", 8080), ("service/streams", 80)])
def test_a_port_that_listens_answers(streams, what, port):
    with forward(streams, what, port) as (base, _):
        for _ in range(2):
            with urllib.request.urlopen(f"{base}/", timeout=30) as answer:
                assert answer.read() == b"hello\n"
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{base}/none", timeout=30)
        assert refused.value.code == 404


def test_a_port_on_which_nobody_listens_refuses(streams):
    with forward(streams, "pod/streams", 81) as (base, process):
        with pytest.raises((urllib.error.URLError, OSError)):
            urllib.request.urlopen(f"{base}/", timeout=30)
        deadline = time.monotonic() + 30
        assert process.stdout is not None
        for line in process.stdout:
            if "connection refused" in line:
                break
            assert time.monotonic() < deadline
        else:
            pytest.fail("it does not say so")
