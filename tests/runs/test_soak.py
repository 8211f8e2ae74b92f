"""Half an hour at 100x with commands arriving: memory stays flat in workers and web server."""

import os
import time
from pathlib import Path

import pytest

from lifecycle import inbox
from lifecycle.benches.installation import Installation, installation
from lifecycle.benches.replay import find_difference
from lifecycle.models import Cluster
from tests.runs.conftest import create

pytestmark = [pytest.mark.deep, pytest.mark.django_db(transaction=True)]

MINUTES = float(os.environ.get("SOAK_MINUTES", "30"))
# What a process may gain after it has warmed up, for ever.
GROWTH_MIB = 64
TARGET = {"kind": "Deployment", "namespace": "default", "name": "web"}


def resident_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure(podline: Installation) -> dict[str, float]:
    pids = {role: podline.children(role) for role in ("worker", "web")}
    return {role: sum(resident_mib(pid) for pid in found) for role, found in pids.items()}


def change(cluster: Cluster, number: int) -> None:
    """By turns another size, another image, a restart, a pod less."""
    match number % 3:
        case 0:
            asked = inbox.append(cluster, "scale", TARGET | {"replicas": 5 + number % 10})
        case 1:
            asked = inbox.append(
                cluster, "setImage", TARGET | {"container": "app", "image": f"nginx:1.{number}"}
            )
        case _:
            asked = inbox.append(cluster, "rollout", TARGET | {"action": "restart"})
    assert inbox.wait_for_result(asked)["code"] == 200


def test_memory_stays_flat():
    with installation(workers=2) as podline:
        cluster = inbox.create_cluster(podline.owner(), "soak", speed=100.0, keep_rows=50_000)
        assert inbox.wait_for_result(create(cluster, replicas=5))["code"] == 201
        began, number = time.monotonic(), 0
        warm: dict[str, float] = {}
        while time.monotonic() - began < MINUTES * 60:
            change(cluster, number)
            number += 1
            time.sleep(2)
            if not warm and time.monotonic() - began > MINUTES * 60 / 5:
                warm = measure(podline)
        after = measure(podline)
        inbox.wait_for_control(inbox.pause(cluster))
        cluster.refresh_from_db()
        assert cluster.instant_ms > MINUTES * 60_000 * 50
    assert {role: after[role] - warm[role] < GROWTH_MIB for role in after} == dict.fromkeys(after, True)


def test_a_long_history_is_still_what_its_commands_give():
    with installation(workers=2) as podline:
        cluster = inbox.create_cluster(podline.owner(), "soak", speed=100.0)
        assert inbox.wait_for_result(create(cluster, replicas=5))["code"] == 201
        for number in range(60):
            change(cluster, number)
            time.sleep(0.5)
        inbox.wait_for_control(inbox.pause(cluster))
        assert not find_difference(cluster)
