"""A cluster that stands still with one small workload, and a carrier that keeps what was asked for."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from lifecycle.models import Check, Cluster
from lifecycle.runs import inbox, messages
from lifecycle.runs.checks import grounds, news, summing, work
from lifecycle.runs.checks.asking import ask
from lifecycle.runs.runner import Owner
from tests.runs.conftest import Wall, deployment

ORDEALS = ("rollout-healthy", "node-crash")


class Line(messages.Nobody):
    """What was asked for, in order; it is done when the test says so."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int | None]] = []

    def ask_for_check(self, check: str, firsts: Sequence[int | None]) -> bool:
        self.asked += [(check, first) for first in firsts]
        return True

    def do_all(self) -> None:
        while self.asked:
            work.work_on(*self.asked.pop(0))


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """Workers that come when they are called."""
    line, before = Line(), messages.carrier()
    messages.carry_by(line)
    monkeypatch.setattr(news, "tell", lambda check: None)
    # What is asked for after a commit is asked for at once: a test commits nothing.
    monkeypatch.setattr("django.db.transaction.on_commit", lambda told, *_, **__: told())
    yield line
    messages.carry_by(before)
    grounds.forget()


@pytest.fixture
def standing(owner: Owner, wall: Wall, make_cluster: Callable[..., Cluster]) -> Cluster:
    """One pod behind a Service, ready, and the clock stands."""
    cluster = make_cluster("shop", settings={"timing": "instant", "nodes": {"count": 2}})
    service: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
    for data in (deployment(replicas=1), service):
        inbox.append(cluster, "apply", {"object": data})
    inbox.control(cluster, "run", {"untilMs": 60_000})
    while owner.turn(cluster.pk) is not None:
        pass
    cluster.refresh_from_db()
    assert cluster.instant_ms == 60_000 and cluster.pods == 1
    return cluster


@pytest.fixture
def checked(standing: Cluster, line: Line, monkeypatch: pytest.MonkeyPatch) -> Check:
    """A check of it that is done, and tried nothing that may help."""
    monkeypatch.setattr(summing, "cure", lambda *_, **__: [])
    check = ask(standing, standing.owner, ORDEALS, 2)
    line.do_all()
    check.refresh_from_db()
    return check
