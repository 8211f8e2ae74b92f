"""Drains of chance: none breaks a budget, and each of them ends or says that its time is over."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.engine.disruption.site import Site, make_budget, make_workload
from tests.seeds import first_of

pytestmark = pytest.mark.slow

FLAGS = {"ignoreDaemonSets": True, "timeout": "4m"}
BUDGETS = (
    {"minAvailable": 2},
    {"minAvailable": "60%"},
    {"maxUnavailable": 1},
    {"maxUnavailable": "40%"},
    {"maxUnavailable": 0},
    {"minAvailable": "50%", "unhealthyPodEvictionPolicy": "AlwaysAllow"},
)


def count_healthy(site: Site) -> Counter[str]:
    """Pods that are ready and not being deleted, by the workload that they are labelled with."""
    pods = site.cluster._store.pods.values()
    return Counter(pod.meta.labels["app"] for pod in pods if pod.is_ready and pod.meta.deletion_ms is None)


def live(site: Site, needed: dict[str, int], seconds: int) -> None:
    """Live on instant by instant: what was healthy enough stays so."""
    end_ms = site.cluster.now_ms + seconds * 1000
    while (due_ms := site.cluster.next_wake()) is not None and due_ms <= end_ms:
        site.cluster.run_until(due_ms)
        healthy = count_healthy(site)
        for name, least in needed.items():
            assert healthy[name] >= least, (name, site.cluster.now_ms)
    site.cluster.run_until(end_ms)


@pytest.mark.spec("PDB-01", "PDB-09")
@pytest.mark.parametrize("seed", first_of(range(12)))
def test_no_drain_breaks_a_budget_and_all_of_them_end(seed: int) -> None:
    chance = random.Random(seed)
    nodes = chance.randint(2, 5)
    site = Site(nodes, end=f"{chance.randint(0, 20)}s", start=f"{chance.randint(0, 20)}s", seed=seed)
    needed = {}
    for number in range(chance.randint(1, 4)):
        name, replicas = f"app-{number}", chance.randint(1, 8)
        site.apply(make_workload(name, replicas, chance.choice(("Deployment", "StatefulSet"))))
        site.apply(make_budget(name, **chance.choice(BUDGETS)))
        needed[name] = 0
    site.apply(make_workload("agent", kind="DaemonSet"))
    site.run(90)
    # A budget that asks for more than there is was broken before: then nobody of it goes.
    needed = {name: min(site.sums(name)[1:3]) for name in needed}
    drained = chance.sample(range(1, nodes + 1), chance.randint(1, min(3, nodes)))
    for number in drained:
        # Several at once: their evictions meet at the same budgets.
        site.drain(f"node-{number}", **FLAGS)
        live(site, needed, chance.choice((0, 1, 30)))
    live(site, needed, 600)
    for number in drained:
        ends = site.drains(f"node-{number}")
        assert ends[-1][1] in ("done", "timedOut"), ends
        left = [name for name in site.names(f"node-{number}") if not name.startswith("agent-")]
        assert bool(left) == (ends[-1][1] == "timedOut")
    assert site.cluster.is_idle()
