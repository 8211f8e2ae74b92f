"""Nodes are lost, return, go and come; what promises what keeps it on the way, and all settles in the end."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.heart.trace import row_to_json
from tests.engine.invariants import Watcher
from tests.seeds import first_of

pytestmark = pytest.mark.slow

NODES = 6
ZONE = "topology.kubernetes.io/zone"
APP = {"name": "app", "image": "sim/server:1"}
KINDS = ("partition", "kubeletDown", "kubeletRestart", "crash", "reboot", "shutdown")


def make_workload(kind: str, name: str, seconds: int, **spec: Any) -> dict[str, Any]:
    keys = ("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready")
    tolerations = [
        {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}
        for key in keys
    ]
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [APP], **({} if kind == "DaemonSet" else {"tolerations": tolerations})},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template, **spec},
    }


class Story:
    """One cluster and what happens to its nodes."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = Random(seed)
        kubelet = [{"shutdownGracePeriod": "30s"}] if chance.random() < 0.5 else []
        timing = chance.choice(["instant", "realistic"])
        self.cluster = Cluster(
            seed, settings=Settings(timing=timing, nodes={"count": NODES}, kubelet=kubelet)
        )
        self.commands = 0
        self.watcher = Watcher()
        self.rows: list[dict[str, Any]] = []
        for number in range(1, NODES + 1):
            label = {"metadata": {"labels": {ZONE: chance.choice("ab")}}}
            self.do("patch", kind="Node", name=f"node-{number}", type="merge", patch=label)
        seconds = chance.choice([5, 40, 300])
        self.do("create", object=make_workload("Deployment", "web", seconds, replicas=4))
        self.do("create", object=make_workload("DaemonSet", "agent", seconds))
        order = chance.choice(["OrderedReady", "Parallel"])
        more = {"replicas": 3, "serviceName": "db", "podManagementPolicy": order}
        self.do("create", object=make_workload("StatefulSet", "db", seconds, **more))

    def do(self, command: str, /, **payload: Any) -> bool:
        self.commands += 1
        return self.cluster.submit(Command(f"c{self.commands}", command, payload)).ok

    def to(self, at_ms: int) -> None:
        self.cluster.run_until(at_ms)
        rows = [row_to_json(row) for row in self.cluster.take_changes().rows]
        self.watcher.take(rows)
        self.rows += rows

    # --- what happens -------------------------------------------------------------------------------------

    def happen(self) -> None:
        chance, names = self.chance, [one["metadata"]["name"] for one in self.cluster.list("Node")]
        deed = chance.randrange(10)
        if deed == 0 and len(names) > 3:
            self.do("remove", node=chance.choice(names))
        elif deed == 1:
            self.add_node(chance.randrange(1, NODES + 1))
        elif deed == 2:
            self.do(chance.choice(["cordon", "uncordon"]), node=chance.choice(names))
        elif deed == 3:
            pods = self.cluster.list("Pod", "default")
            if pods:
                name, seconds = chance.choice(pods)["metadata"]["name"], chance.choice([1, 30])
                self.do("delete", kind="Pod", name=name, gracePeriodSeconds=seconds)
        else:
            for name in chance.sample(names, min(len(names), chance.choice([1, 1, 2, 6]))):
                length = f"{chance.choice([3, 45, 70, 400])}s"
                self.do("fault", node=name, kind=chance.choice(KINDS), **{"for": length})

    def add_node(self, number: int) -> None:
        self.do("create", object={"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{number}"}})

    def live(self) -> None:
        at_ms = 60_000
        self.to(at_ms)
        for _ in range(self.chance.randrange(1, 12)):
            self.happen()
            at_ms += self.chance.choice([0, 1_000, 20_000, 130_000])
            self.to(at_ms)
        for number in range(1, NODES + 1):
            self.add_node(number)
            self.do("uncordon", node=f"node-{number}")
        self.to(at_ms + 2_000_000)
        self.check_identity()
        self.check_rest()

    # --- what must hold -----------------------------------------------------------------------------------

    def check_identity(self) -> None:
        """Never two pods of one name of the StatefulSet: the first is gone before the next is made."""
        there: Counter[str] = Counter()
        for row in self.rows:
            if row["type"] == "transition" and row["kind"] == "Pod" and row["field"] == "exists":
                there[row["name"]] += 1 if row["new"] == "created" else -1
                assert there[row["name"]] in (0, 1), row

    def check_rest(self) -> None:
        """The faults have stopped: every node is well, nothing is left of taints, and all pods are ready."""
        for node in self.cluster.list("Node"):
            ready = {one["type"]: one["status"] for one in node["status"]["conditions"]}["Ready"]
            assert (ready, node["spec"].get("taints") or []) == ("True", []), node["metadata"]["name"]
        pods = [one for one in self.cluster.list("Pod", "default") if one["status"]["phase"] != "Failed"]
        found = Counter(one["metadata"]["labels"]["app"] for one in pods)
        assert found == {"web": 4, "agent": NODES, "db": 3}
        for pod in pods:
            conditions = {one["type"]: one["status"] for one in pod["status"]["conditions"]}
            assert conditions["Ready"] == "True", pod["metadata"]["name"]
            assert "deletionTimestamp" not in pod["metadata"], pod["metadata"]["name"]
        assert self.cluster.is_idle()


@pytest.mark.spec("NODELOSS-02", "POD-LIFE-13")
@pytest.mark.parametrize("seed", first_of(range(12)))
def test_everything_settles_once_nodes_are_well(seed: int):
    Story(seed).live()


@pytest.mark.deep
@pytest.mark.parametrize("first", range(1000, 4000, 100))
def test_everything_settles_once_nodes_are_well_for_thousands(first: int):
    for seed in range(first, first + 100):
        try:
            Story(seed).live()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
