"""`bench safety`: while one user does the worst that is known, how long another waits for a page or a write.

Both have their clusters on both engine workers. First nobody does anything: that is the baseline; then one
attack at a time, each gone before the next begins. What the other user asks for is asked one by one, a page
and a write in turns, as a person with a quick hand would.
"""

import http.client
import os
import re
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from itertools import count
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.utils.module_loading import import_string

from lifecycle.benches.installation import Installation, installation
from lifecycle.benches.report import Report
from lifecycle.engine.objects.names import BEHAVIOR
from lifecycle.models import Cluster
from lifecycle.runs import inbox

# Of a page and of a write, p95.
LIMIT_MS = 500.0
WORKERS = 2
CLUSTERS = 2
ATTACKED = 4
WARM_UP_SECONDS = 3.0
PAUSE_SECONDS = 0.1
PATIENCE_SECONDS = 60.0
EXPORTS = 20
# What the server asks of those it refuses.
TOO_MANY, RETRY_SECONDS = 429, 2.0

BOMB = "\n".join(
    ["a0: &a0 [x,x,x,x,x,x,x,x,x]"] + [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
)
MKDIR = "x=a; while :; do x=$x/a; mkdir -p $x; done"
LOGGING = "while true; do sleep 1; echo tick; done"


class Browser:
    """A signed-in person: a session, and forms with their token."""

    def __init__(self, podline: Installation, name: str) -> None:
        users = get_user_model().objects
        user = users.filter(username=name).first() or users.create_user(name)
        self.user: Any = user
        token = import_string("dashboard.web.signin.make_entry_token")(user)
        self.base = podline.base
        jar = CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        page = opener.open(f"{self.base}/enter/{token}/", timeout=30).read().decode()
        self.cookie = "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)
        found = re.search(r'csrfmiddlewaretoken" value="([^"]+)"', page) or re.search(
            r'X-CSRFToken&quot;: &quot;([^&]+)&quot;|"X-CSRFToken": "([^"]+)"', page
        )
        assert found, "a page without a form's token"
        self.token = next(group for group in found.groups() if group)

    def export(self, path: str) -> None:
        """All of it; who is refused comes again when told to."""
        if self.get(path)[0] == TOO_MANY:
            time.sleep(RETRY_SECONDS)

    def get(self, path: str) -> tuple[int, float]:
        """(status, milliseconds until the last byte)."""
        return self._ask("GET", path, None)

    def post(self, path: str, fields: dict[str, str]) -> tuple[int, float]:
        """(status, milliseconds until the last byte)."""
        return self._ask("POST", path, urllib.parse.urlencode(fields).encode())

    def _ask(self, method: str, path: str, body: bytes | None) -> tuple[int, float]:
        host = urllib.parse.urlsplit(self.base).netloc
        began = time.perf_counter()
        server = http.client.HTTPConnection(host, timeout=PATIENCE_SECONDS)
        headers = {"Cookie": self.cookie, "X-CSRFToken": self.token, "HX-Request": "true"}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            server.request(method, path, body, headers)
            answer = server.getresponse()
            answer.read()
            return answer.status, (time.perf_counter() - began) * 1000
        except OSError:
            return 0, (time.perf_counter() - began) * 1000
        finally:
            server.close()


@dataclass
class Waits:
    """What another user waited for, in milliseconds, and what was not answered as it should be."""

    pages: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)
    wrong: int = 0

    def figures(self) -> dict[str, Any]:
        """p50 and p95 of both."""
        return {
            "page_p50_ms": _quantile(self.pages, 0.5),
            "page_p95_ms": _quantile(self.pages, 0.95),
            "write_p50_ms": _quantile(self.writes, 0.5),
            "write_p95_ms": _quantile(self.writes, 0.95),
            "asked": len(self.pages) + len(self.writes),
            "wrong": self.wrong,
            "load": round(os.getloadavg()[0], 1),
        }


def _quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 1)


def run(seconds: int) -> Report:
    """Each attack for so many seconds."""
    with installation(WORKERS) as podline:
        other, attacker = Browser(podline, "other"), Browser(podline, "attacker")
        own = [_make_cluster(other.user, f"other-{number}") for number in range(CLUSTERS)]
        figures = {"quiet": _listen(other, own, seconds).figures()}
        for name, attack in ATTACKS.items():
            with attack(attacker):
                time.sleep(WARM_UP_SECONDS)
                figures[name] = _listen(other, own, seconds).figures()
            time.sleep(1.0)
    worst = max(max(one["page_p95_ms"], one["write_p95_ms"]) for one in figures.values())
    flat = {f"{name}_{key}": value for name, one in figures.items() for key, value in one.items()}
    return Report(
        bench="safety",
        work={"seconds": seconds, "workers": WORKERS, "database": connection.vendor},
        figures=flat,
        limit_what="the other user's p95 under the worst attack, ms",
        limit_value=LIMIT_MS,
        ratio=round(worst / LIMIT_MS, 4),
    )


def _listen(other: Browser, own: list[Cluster], seconds: float) -> Waits:
    waits, ends = Waits(), time.monotonic() + seconds
    for number in count():
        if time.monotonic() > ends:
            return waits
        name = own[number % len(own)].name
        status, ms = other.get(f"/clusters/{name}/")
        waits.pages.append(ms)
        waits.wrong += status != 200
        manifest = (
            f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: note}}\ndata: {{number: 'n{time.time()}'}}\n"
        )
        status, ms = other.post(f"/clusters/{name}/manifest/", {"manifest": manifest})
        waits.writes.append(ms)
        waits.wrong += status != 200
        time.sleep(PAUSE_SECONDS)
    raise AssertionError


def _make_cluster(user: Any, name: str, speed: float = 1.0) -> Cluster:
    made = inbox.create_cluster(user, name, speed=speed)
    inbox.wait_for_result(inbox.append(made, "create", {"object": _make_pod("first", "sleep 1d")}, user))
    return made


def _make_pod(name: str, script: str, annotations: dict[str, str] | None = None) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "annotations": annotations or {}},
        "spec": {
            "containers": [{"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", script]}],
            "terminationGracePeriodSeconds": 0,
        },
    }


def _make_deployment(replicas: int) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "many"}},
        "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "many", "namespace": "default"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "many"}}, "template": template},
    }


@contextmanager
def _clusters(attacker: Browser, stem: str, speed: float, number: int = ATTACKED) -> Iterator[list[Cluster]]:
    made = [_make_cluster(attacker.user, f"{stem}-{n}", speed) for n in range(number)]
    try:
        yield made
    finally:
        for cluster in made:
            inbox.wait_for_control(inbox.control(cluster, "pause"), PATIENCE_SECONDS)
            Cluster.objects.get(pk=cluster.pk).delete()


@contextmanager
def _running(works: list[Callable[[], Any]]) -> Iterator[None]:
    """Each again and again, in a thread of its own."""
    has_ended = threading.Event()

    def repeat(work: Callable[[], Any]) -> None:
        while not has_ended.is_set():
            work()
        connection.close()

    threads = [threading.Thread(target=repeat, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        has_ended.set()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)


@contextmanager
def _bomb(attacker: Browser) -> Iterator[None]:
    """A behaviour of 500 bytes that stands for 9^10 values, applied again and again."""
    with _clusters(attacker, "bomb", 1.0) as made:
        numbers = count()

        def explode() -> None:
            pod = _make_pod(f"bomb-{next(numbers)}", "sleep 1d", {BEHAVIOR: BOMB})
            inbox.wait_for_result(
                inbox.append(made[next(numbers) % len(made)], "create", {"object": pod}, attacker.user), 5.0
            )

        with _running([explode]):
            yield


@contextmanager
def _mkdir(attacker: Browser) -> Iterator[None]:
    """Deeper and deeper paths, as fast as a script goes."""
    with _clusters(attacker, "mkdir", 1.0) as made:
        for cluster in made:
            inbox.append(cluster, "create", {"object": _make_pod("deeper", MKDIR)}, attacker.user)
        yield


@contextmanager
def _logging(attacker: Browser) -> Iterator[None]:
    """40 pods that log every second, at 60 times the speed."""
    with _clusters(attacker, "logging", 60.0, 1) as made:
        for number in range(40):
            pod = _make_pod(f"logging-{number}", LOGGING)
            inbox.append(made[0], "create", {"object": pod}, attacker.user)
        yield


@contextmanager
def _exports(attacker: Browser) -> Iterator[None]:
    """20 exports of a long history at once, begun anew when they end."""
    with _clusters(attacker, "exports", 10_000.0, 1) as made:
        command = "while true; do touch /tmp/a; sleep 0.5; rm /tmp/a; sleep 0.5; done"
        look = {"exec": {"command": ["test", "-e", "/tmp/a"]}, "periodSeconds": 1, "failureThreshold": 1}
        for number in range(20):
            pod = _make_pod(f"flipping-{number}", command)
            pod["spec"]["containers"][0]["readinessProbe"] = look
            inbox.append(made[0], "create", {"object": pod}, attacker.user)
        _wait_for_rows(made[0], 100_000)
        inbox.wait_for_control(inbox.control(made[0], "pause"), PATIENCE_SECONDS)
        path = f"/api/clusters/{made[0].name}/transitions?format=ndjson"
        with _running([lambda: attacker.export(path)] * EXPORTS):
            yield


def _wait_for_rows(cluster: Cluster, rows: int) -> None:
    deadline = time.monotonic() + 2 * PATIENCE_SECONDS
    while cluster.seq < rows and time.monotonic() < deadline:
        time.sleep(0.2)
        cluster.refresh_from_db()


@contextmanager
def _replicas(attacker: Browser) -> Iterator[None]:
    """A Deployment of as many pods as the number has room for, at 10,000 times the speed."""
    with _clusters(attacker, "replicas", 10_000.0) as made:
        for cluster in made:
            inbox.append(cluster, "create", {"object": _make_deployment(2**31 - 1)}, attacker.user)
        yield


ATTACKS = {"bomb": _bomb, "mkdir": _mkdir, "logging": _logging, "exports": _exports, "replicas": _replicas}
