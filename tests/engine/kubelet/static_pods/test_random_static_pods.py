"""Random manifests on nodes, deleted mirrors and outages against what must always hold of static pods."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.invariants import check_pod
from tests.engine.kubelet.static_pods.test_static_pods import MIRROR, manifest
from tests.engine.kubelet.world import World
from tests.seeds import first_of

pytestmark = pytest.mark.slow

Json = dict[str, Any]
NODES, NAMES = ("node-1", "node-2"), ("one", "two", "three")
FAULTS = ("kubeletRestart", "partition", "reboot", "crash", "sandboxFailure")
LONGEST_MS = 120_000


def _manifest(chance: random.Random, name: str) -> Json:
    runs: list[Json] = [{"for": f"{chance.randint(0, 60)}s", "exit": chance.choice([0, 1])}]
    behavior: Json = {"runs": [*runs, {"forever": True}]}
    behavior["onTerm"] = chance.choice([{"ignore": True}, {"takes": f"{chance.randint(0, 20)}s", "exit": 0}])
    policy = chance.choice(["Always", "Always", "OnFailure", "Never"])
    return manifest(f"sim/server:{chance.randint(1, 3)}", behavior, name, restartPolicy=policy)


class Life:
    """One random history. `wanted`: the manifests that lie on the nodes."""

    def __init__(self, seed: int, is_saved: bool) -> None:
        self.chance = random.Random(seed)
        self.is_saved = is_saved
        self.world = World(nodes=2)
        self.wanted: dict[tuple[str, str], Json] = {}
        self.down: dict[str, int] = dict.fromkeys(NODES, 0)
        self.at_ms = 0

    def live(self) -> list[Json]:
        acts: list[Callable[[], None]] = [self._put, self._put, self._remove, self._delete, self._fault]
        for _ in range(40):
            self._pass(self.chance.choice([0, 500, 7_000, 30_000, 61_000]))
            self.chance.choice([*acts, self._exit])()
            if self.is_saved and self.chance.random() < 0.2:
                assert self.world.rows
                self.world.cluster = Cluster.load(self.world.cluster.save())
            elif not self.is_saved:
                self.chance.random()
            self._sync()
        self._end()
        return self.world.rows

    def _pass(self, by_ms: int) -> None:
        self.at_ms += by_ms
        self.world.cluster.run_until(self.at_ms)

    def _node(self) -> str:
        return self.chance.choice(NODES)

    # --- what happens -----------------------------------------------------------------------------------

    def _put(self) -> None:
        node, name = self._node(), self.chance.choice(NAMES)
        self.wanted[node, name] = _manifest(self.chance, name)
        answer = self.world.submit("staticPod", node=node, manifest=self.wanted[node, name])
        assert answer.ok, answer.status

    def _remove(self) -> None:
        node, name = self._node(), self.chance.choice(NAMES)
        answer = self.world.submit("staticPod", node=node, remove=name)
        assert answer.ok or (node, name) not in self.wanted, answer.status
        self.wanted.pop((node, name), None)

    def _mirror(self) -> Json | None:
        pods = self.world.cluster.list("Pod", "default")
        return self.chance.choice(pods) if pods else None

    def _delete(self) -> None:
        found, force = self._mirror(), self.chance.random() < 0.5
        if found is not None:
            self.world.delete(None, force, found["metadata"]["name"])

    def _exit(self) -> None:
        found = self._mirror()
        if found is not None:
            self.world.submit("fault", pod=found["metadata"]["name"], container="app", kind="exit", code=1)

    def _fault(self) -> None:
        node, seconds = self._node(), self.chance.randint(0, 90)
        self.down[node] = max(self.down[node], self.at_ms + seconds * 1000)
        kind = self.chance.choice(FAULTS)
        assert self.world.submit("fault", node=node, kind=kind, **{"for": f"{seconds}s"}).ok

    # --- what must hold ---------------------------------------------------------------------------------

    def _sync(self) -> None:
        pods = self.world.cluster.list("Pod", "default")
        for pod in pods:
            check_pod(pod)
            meta = pod["metadata"]
            assert meta["name"].endswith(pod["spec"]["nodeName"])
            assert meta["annotations"][MIRROR] == meta["annotations"]["kubernetes.io/config.hash"]
        shown = {pod["metadata"]["name"] for pod in pods}
        statics = self.world.cluster._kubelets._parts.pod_manager.statics.values()
        # A pod that ends need not be seen, nor the one that waits for its end.
        ending = {pod.meta.name for pod in statics if pod.meta.deletion_ms is not None}
        for node, name in self.wanted:
            is_out_of_reach = self.at_ms <= self.down[node]
            assert f"{name}-{node}" in shown | ending or is_out_of_reach, (node, name)

    def _end(self) -> None:
        """Outages end, and what was put last is what is shown; without manifests nothing is left."""
        self._pass(LONGEST_MS)
        self._sync()
        pods = {pod["metadata"]["name"]: pod for pod in self.world.cluster.list("Pod", "default")}
        assert set(pods) == {f"{name}-{node}" for node, name in self.wanted}
        for (node, name), data in self.wanted.items():
            assert (
                pods[f"{name}-{node}"]["spec"]["containers"][0]["image"]
                == data["spec"]["containers"][0]["image"]
            )
        for node, name in list(self.wanted):
            assert self.world.submit("staticPod", node=node, remove=name).ok
        self._pass(LONGEST_MS)
        assert self.world.cluster.list("Pod") == []
        assert self.world.rows
        saved = self.world.cluster.save()["kubelets"]
        assert (saved["workers"], saved["static"]) == ([], {"pods": [], "successors": {}})
        assert self.world.cluster.is_idle()


@pytest.mark.parametrize("block", first_of(range(5), most=1))
def test_random_static_pods_never_break_what_must_hold(block: int) -> None:
    for seed in range(block * 6, block * 6 + 6):
        assert Life(seed, True).live() == Life(seed, False).live(), seed


@pytest.mark.deep
@pytest.mark.parametrize("block", range(20))
def test_many_more_random_static_pods(block: int) -> None:
    for seed in range(100 + block * 50, 150 + block * 50):
        assert Life(seed, True).live() == Life(seed, False).live(), seed
