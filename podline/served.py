"""Clusters that serve the Kubernetes API, for tests of controllers in any language.

A test turns the clock; a controller, kubectl or a client library talks to the API meanwhile, whether time
passes or stands. The server is a process of its own (`podline api`), and stops when its test run does.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from podline.command import INSTALL_SERVER, SERVER_NEEDS

READY = "Podline is ready: "
STOP_SECONDS = 20
OPTIONS = ("nodes", "seed", "epoch", "timing", "kubernetes")
_OWN = ("REDIS_URL", "DATABASE_URL", "DJANGO_SETTINGS_MODULE", "PODLINE_DATA", "SECRET_KEY", "ALLOWED_HOSTS")
"""Variables of somebody's own server, which a server for tests does not touch."""


class ServerFailed(RuntimeError):
    """The server did not start, or could not do what was asked; the text says why."""


class ApiServer:
    """A server on a port of its own, which keeps all it has in a folder. Use it in a `with`."""

    def __init__(self, folder: Path) -> None:
        if missing := [package for package in SERVER_NEEDS if find_spec(package) is None]:
            raise ServerFailed(
                f"an API needs the server, and {', '.join(missing)} is missing: run {INSTALL_SERVER}"
            )
        self.folder = folder
        self._log = (folder / "server.log").open("w")
        command = [sys.executable, "-m", "podline", "api", "--workers", "1", "--data", str(folder)]
        self._process = subprocess.Popen(
            [*command, "--port", str(_find_port())],
            cwd=folder,
            env=_make_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._read(READY)

    def __enter__(self) -> ApiServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def make_cluster(self, name: str, **options: Any) -> ApiCluster:
        """A cluster whose time stands at 0; `options`: as of `podline.Cluster`, nodes, seed, timing …"""
        if unknown := [option for option in options if option not in OPTIONS]:
            raise ValueError(f"{unknown[0]} is no option of a cluster; there are {', '.join(OPTIONS)}")
        made = self.ask("create", name=name, **options)
        path = self.folder / f"{name}.kubeconfig"
        path.touch(mode=0o600)
        path.write_text(made["kubeconfig"])
        return ApiCluster(self, name, path)

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """One request, and what came of it. Raises ServerFailed, and ValueError for what cannot be asked."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{json.dumps({'do': do, **fields})}\n")
            self._process.stdin.flush()
        except OSError:
            raise ServerFailed(f"the server has ended: {self._last_words()}") from None
        answer: dict[str, Any] = json.loads(self._read("{"))
        if error := answer.get("error"):
            raise ValueError(error)
        if failure := answer.get("failure"):
            raise ServerFailed(f"the cluster {fields['name']} has failed: {failure}")
        return answer

    def stop(self) -> None:
        """End the server. What it kept stays in its folder."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def _read(self, beginning: str) -> str:
        """The next line that begins so."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(beginning):
                return line
        raise ServerFailed(f"the server has ended: {self._last_words()}")

    def _last_words(self) -> str:
        return (self.folder / "server.log").read_text()[-2000:].strip()


class ApiCluster:
    """A cluster that serves the Kubernetes API, and the clock to turn."""

    def __init__(self, server: ApiServer, name: str, kubeconfig: Path) -> None:
        self.name = name
        self.kubeconfig = kubeconfig
        """A file for clients, as `KUBECONFIG` and `kubectl --kubeconfig` take it."""
        self._server = server

    @property
    def now_ms(self) -> int:
        """Virtual milliseconds since the cluster began."""
        return int(self._ask("look")["now_ms"])

    def run_for(self, duration: str | int) -> None:
        """Let so much time pass, as fast as it goes, then stand: `90s`, or ms as a number."""
        self._ask("run", until="24h", limit_ms=_read_ms(duration))

    def run_until(self, when: str, limit: str | int = "1h") -> bool:
        """Let time pass until `idle` or an expression holds, or `limit` has passed; whether it holds.

        It goes as fast as it goes: a controller that answers in real time may come late. Give it time by
        `run_at`, or look again in a loop with short limits.
        """
        return bool(self._ask("run", until=when, limit_ms=_read_ms(limit))["reached"])

    def run_at(self, speed: float) -> None:
        """Let time pass so many times faster than real time, until `pause` or another run."""
        self._ask("speed", speed=speed)

    def pause(self) -> None:
        """Let time stand. Reads, writes and watches go on."""
        self._ask("pause")

    def delete(self) -> None:
        """Take the cluster away with all it holds."""
        self._ask("delete")
        self.kubeconfig.unlink(missing_ok=True)

    def _ask(self, do: str, **fields: Any) -> dict[str, Any]:
        return self._server.ask(do, name=self.name, **fields)


def _read_ms(duration: str | int) -> int:
    from podline.library import read_ms

    return read_ms(duration)


def _find_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def _make_environment() -> dict[str, str]:
    """Ours, with this very Podline to be found and without what is meant for another server."""
    here = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    kept = {name: value for name, value in os.environ.items() if name not in _OWN}
    return {**kept, "PYTHONPATH": path}
