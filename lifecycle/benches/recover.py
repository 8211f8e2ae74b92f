"""`bench recover`: kill -9 at random instants of worker, ticker, web server, Redis and, on PostgreSQL, of the
database; Redis emptied as well.

Two clusters roll out meanwhile. One is asked for changes as they come; the other has all its commands from
the start, pinned to instants. Nothing may be lost or doubled: in the end each recorded history is compared,
row for row, with an uninterrupted run of (seed, epoch, commands with their instants).
"""

import os
import random
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import uuid4

from django.db import Error, connection

from lifecycle.benches import workload
from lifecycle.benches.installation import Installation, installation
from lifecycle.benches.replay import find_difference
from lifecycle.benches.report import Report
from lifecycle.models import Cluster, Command, Shard
from lifecycle.runs import inbox
from lifecycle.runs.celery import broker

# A take-over may take this long.
LIMIT_SECONDS = 5.0
PATIENCE_SECONDS = 60.0
SPEED = 5.0
# Commands of the pinned cluster stand this far apart; with the speed, about one a second.
PINNED_EVERY_MS = 5000
ROLES = ("worker", "ticker", "web", "worker", "redis", "flush")

Answer = TypeVar("Answer")


@dataclass
class Trial:
    """A running Podline, its two clusters, and what was asked of them."""

    podline: Installation
    cluster: Cluster
    pinned: Cluster
    # Which process and when is drawn anew each time: the point is that any instant will do.
    draw: random.Random = field(default_factory=random.SystemRandom)
    asked: list[Command] = field(default_factory=list)
    waits: dict[str, list[float]] = field(default_factory=dict)

    def ask(self, kind: str, payload: dict[str, Any]) -> Command:
        """Ask until the database has it; the command's id makes asking twice harmless."""
        command_id = uuid4()
        command = patiently(lambda: inbox.append(self.cluster, kind, workload.WEB | payload, id=command_id))
        self.asked.append(command)
        return command

    def kill(self, role: str) -> None:
        """kill -9 a process of that role, or empty Redis; the database, not kept by `up`, starts again."""
        if role == "flush":
            broker.client().flushall()
            return
        if role == "database":
            assert self.podline.database is not None
            self.podline.database.kill()
            self.podline.database.start()
            return
        os.kill(self._victim(role), signal.SIGKILL)

    def _victim(self, role: str) -> int:
        found = self.podline.children(role)
        if role == "worker":
            shards = [self.draw.choice([self.cluster, self.pinned]).shard]
            serving = patiently(lambda: Shard.objects.get(number=shards[0]).worker.rpartition("-")[2])
            found = [pid for pid in found if str(pid) == serving] or found
        return self.draw.choice(found)


def run(kills: int, pods: int) -> Report:
    """Kill, ask for a change, wait until it is answered; again."""
    roles = (*ROLES, "database") if connection.vendor == "postgresql" else ROLES
    with installation(workers=2) as podline:
        trial = Trial(podline, _make_cluster(podline, "recover", pods), _make_pinned(podline, kills, pods))
        for number in range(kills):
            _kill_once(trial, roles[number % len(roles)], number)
        unanswered = [command for command in trial.asked if not _is_answered(command)]
        inbox.wait_for_control(inbox.control(trial.cluster, "pause"), PATIENCE_SECONDS)
        _finish_pinned(trial.pinned, kills)
        difference = find_difference(trial.cluster) or find_difference(trial.pinned, is_pinned=True)
        recorded = Command.objects.filter(cluster=trial.cluster).count()
    return _report(trial, kills, pods, len(unanswered), recorded, difference)


def patiently(work: Callable[[], Answer]) -> Answer:
    """Do it again while the database is away."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return work()
        except Error:
            connection.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _kill_once(trial: Trial, role: str, number: int) -> None:
    trial.ask("setImage", {"container": "web", "image": f"nginx:1.{number}"})
    time.sleep(trial.draw.uniform(0.0, 0.6))
    started = time.monotonic()
    trial.kill(role)
    probe = trial.ask("scale", {"replicas": trial.draw.randrange(5, 15)})
    _is_answered(probe)
    _wait_for_web(trial.podline)
    trial.waits.setdefault(role, []).append(time.monotonic() - started)


def _is_answered(command: Command) -> bool:
    return patiently(lambda: inbox.wait_for_result(command, PATIENCE_SECONDS)) is not None


def _wait_for_web(podline: Installation) -> None:
    """Until /readyz says that the database, Redis and workers are there."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"{podline.base}/readyz", timeout=5).close()
            return
        except (OSError, urllib.error.HTTPError) as problem:
            if time.monotonic() > deadline:
                raise RuntimeError(f"the web server does not come back: {problem}") from problem
            time.sleep(0.02)


def _make_cluster(podline: Installation, name: str, pods: int, **columns: Any) -> Cluster:
    cluster = inbox.create_cluster(podline.owner(), name, speed=SPEED, **columns)
    created = inbox.append(cluster, "create", {"object": workload.make_deployment(pods)})
    inbox.wait_for_result(created, PATIENCE_SECONDS)
    return cluster


def _make_pinned(podline: Installation, kills: int, pods: int) -> Cluster:
    """Everything it will be asked is in its inbox before its time begins."""
    cluster = inbox.create_cluster(podline.owner(), "pinned", speed=SPEED, paused=True)
    deployment = {"object": workload.make_deployment(pods)}
    inbox.append(cluster, "create", deployment, pinned_ms=PINNED_EVERY_MS)
    for number in range(1, 2 * kills):
        image = {"container": "web", "image": f"nginx:1.{number}"}
        kind, payload = ("setImage", image) if number % 2 else ("scale", {"replicas": 3 + number % pods})
        inbox.append(cluster, kind, workload.WEB | payload, pinned_ms=PINNED_EVERY_MS * (number + 1))
    inbox.control(cluster, "run", {"untilMs": _pinned_end_ms(kills), "fast": False})
    return cluster


def _pinned_end_ms(kills: int) -> int:
    return PINNED_EVERY_MS * 2 * kills + 60_000


def _finish_pinned(cluster: Cluster, kills: int) -> None:
    """What is left of its run goes as fast as it can."""
    end_ms = _pinned_end_ms(kills)
    inbox.control(cluster, "run", {"untilMs": end_ms})
    deadline = time.monotonic() + 5 * PATIENCE_SECONDS
    while cluster.instant_ms < end_ms:
        if time.monotonic() > deadline:
            raise RuntimeError(f"the pinned cluster stands at {cluster.instant_ms} of {end_ms} ms")
        time.sleep(0.1)
        cluster.refresh_from_db()


def _report(trial: Trial, kills: int, pods: int, unanswered: int, recorded: int, difference: str) -> Report:
    slowest = max(seconds for all_of_role in trial.waits.values() for seconds in all_of_role)
    # Beside what was asked: the Deployment's creation.
    asked = len(trial.asked) + 1
    return Report(
        bench="recover",
        work={"kills": kills, "pods": pods, "commands": asked, "database": connection.vendor},
        figures={
            "slowest_seconds": round(slowest, 3),
            "lost_commands": unanswered + max(0, asked - recorded),
            "doubled_commands": max(0, recorded - asked),
            "rows": trial.cluster.seq + trial.pinned.seq,
            "difference": difference or "none",
        }
        | {f"{role}_seconds": round(max(seconds), 3) for role, seconds in trial.waits.items()},
        limit_what="seconds a take-over may take",
        limit_value=LIMIT_SECONDS,
        ratio=round(slowest / LIMIT_SECONDS, 4),
    )
