"""Half an hour at 100x with commands arriving: memory stays flat in workers, web server and an open tab."""

import os
import time

import pytest

from lifecycle.benches.installation import Installation, installation
from lifecycle.benches.replay import find_difference
from lifecycle.benches.servers.chromium import PROGRAM
from lifecycle.models import Cluster
from lifecycle.runs import inbox
from tests.runs.conftest import create
from tests.runs.open_tab import OpenTab, resident_mib

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.deep]

MINUTES = float(os.environ.get("SOAK_MINUTES", "30"))
SPEED = 100.0
SAMPLES = 20
# What a process may gain after it has warmed up, for ever; a tab keeps for a while what it has drawn.
GROWTH_MIB, GROWTH_OF_TAB_MIB = 16, 64
# Lanes come and go with their pods; what is shown is bounded.
GROWTH_NODES = 5000
TARGET = {"kind": "Deployment", "namespace": "default", "name": "web"}
Sample = dict[str, float]


def change(cluster: Cluster, number: int) -> None:
    """By turns another size, another image, a restart."""
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


def measure(podline: Installation, tab: OpenTab) -> Sample:
    found = {f"{role} {n}": pid for role in ("worker", "web") for n, pid in enumerate(podline.children(role))}
    return {name: resident_mib(pid) for name, pid in found.items()} | tab.measure()


def soak(minutes: float) -> list[Sample]:
    """Samples from the first fifth on, when everything is warm; each is printed as it is taken."""
    samples: list[Sample] = []
    with installation(workers=2) as podline:
        cluster = inbox.create_cluster(podline.owner(), "soak", speed=SPEED, keep_rows=50_000)
        assert inbox.wait_for_result(create(cluster, replicas=5))["code"] == 201
        with OpenTab(podline.address, "/clusters/soak/") as tab:
            began, number = time.monotonic(), 0
            while (passed := time.monotonic() - began) < minutes * 60:
                change(cluster, number)
                number += 1
                time.sleep(2)
                if passed > minutes * 60 * (0.2 + 0.8 * len(samples) / SAMPLES):
                    samples.append(measure(podline, tab))
                    print(f"{passed:7.0f} s", {name: round(mib, 1) for name, mib in samples[-1].items()})
            samples.append(measure(podline, tab))
            assert not tab.errors
        inbox.wait_for_control(inbox.control(cluster, "pause"))
        cluster.refresh_from_db()
        assert cluster.instant_ms > minutes * 60_000 * SPEED / 2
    return samples


def assert_flat(samples: list[Sample]) -> None:
    warm, after = samples[0], samples[-1]
    limits = {"tab": GROWTH_OF_TAB_MIB, "tab nodes": GROWTH_NODES}
    for name in warm:
        limit = limits.get(name, GROWTH_MIB)
        assert after[name] - warm[name] < limit, (name, samples)


@pytest.mark.skipif(not os.path.exists(PROGRAM), reason="`make test` installs Chromium")
def test_memory_stays_flat():
    assert_flat(soak(MINUTES))


def test_a_long_history_is_still_what_its_commands_give():
    with installation(workers=2) as podline:
        cluster = inbox.create_cluster(podline.owner(), "soak", speed=SPEED)
        assert inbox.wait_for_result(create(cluster, replicas=5))["code"] == 201
        for number in range(60):
            change(cluster, number)
            time.sleep(0.5)
        inbox.wait_for_control(inbox.control(cluster, "pause"))
        assert not find_difference(cluster)
