"""Random pods, deletions and faults against what must always hold. A failing seed names its history."""

import json
import random
from typing import Any

import pytest

from lifecycle.engine.heart.trace import row_to_json
from tests.engine.invariants import Watcher, check_pod
from tests.engine.kubelet.world import World
from tests.seeds import first_of

pytestmark = pytest.mark.slow

EXITS = [0, 0, 1, 2, 42, 88, 137]
GATES = (
    "ChangeContainerStatusOnKubeletRestart",
    "ContainerRestartRules",
    "ContainerStopSignals",
    "KubeletCrashLoopBackOffMax",
    "ReduceDefaultCrashLoopBackOffDecay",
)
RESTART_ALL = ("ContainerRestartRules", "RestartAllContainersOnContainerExits")
NODE_FAULTS = ("kubeletRestart", "partition", "reboot", "crash", "sandboxFailure")
GATE = "example.com/ready"
FINALIZER = "example.com/keep"
Json = dict[str, Any]


def _seconds(chance: random.Random, most: int) -> str:
    return f"{chance.randint(0, most)}s"


def _takes(chance: random.Random, most: int) -> Json:
    return {"takes": _seconds(chance, most), "exit": chance.choice(EXITS)}


def _behavior(chance: random.Random) -> Json:
    runs: list[Json] = [
        {"for": _seconds(chance, 90), "exit": chance.choice(EXITS)} for _ in range(chance.randint(0, 3))
    ]
    if not runs or chance.random() < 0.5:
        runs.append({"forever": True})
    behavior: Json = {"runs": runs}
    if chance.random() < 0.5:
        behavior["onTerm"] = chance.choice([_takes(chance, 40), {"ignore": True}])
    if chance.random() < 0.3:
        behavior["pull"] = chance.choice(
            [{"takes": _seconds(chance, 20)}, {"error": "ErrImagePull", "times": chance.randint(1, 4)}]
        )
    if chance.random() < 0.2:
        behavior["start"] = chance.choice(
            [{"takes": _seconds(chance, 5)}, {"error": "RunContainerError", "times": chance.randint(1, 2)}]
        )
    for hook in ("preStop", "postStart"):
        if chance.random() < 0.5:
            behavior[hook] = _takes(chance, 40)
    behavior["probes"] = {
        kind: [
            {"at": f"{at}s", "result": chance.choice(["success", "success", "failure", "unknown"])}
            for at in sorted(chance.sample(range(120), chance.randint(1, 3)))
        ]
        for kind in ("liveness", "readiness", "startup")
    }
    return behavior


def _probe(chance: random.Random, kind: str) -> Json:
    probe = {
        "exec": {"command": ["true"]},
        "periodSeconds": chance.randint(1, 15),
        "initialDelaySeconds": chance.randint(0, 20),
        "failureThreshold": chance.randint(1, 4),
    }
    if kind == "readinessProbe":
        probe["successThreshold"] = chance.randint(1, 3)
    elif chance.random() < 0.3:
        probe["terminationGracePeriodSeconds"] = chance.randint(1, 20)
    return probe


def _container(chance: random.Random, name: str, gates: Json, kind: str = "app") -> Json:
    container: Json = {"name": name}
    if gates.get("ContainerRestartRules") and kind != "sidecar" and chance.random() < 0.5:
        container["restartPolicy"] = chance.choice(["Never", "OnFailure"])
        action = "Restart"
        if gates.get("RestartAllContainersOnContainerExits") and chance.random() < 0.6:
            action = "RestartAllContainers"
        codes = {"operator": "In", "values": [chance.choice(EXITS[2:])]}
        container["restartPolicyRules"] = [{"action": action, "exitCodes": codes}]
    if kind == "init":
        return container
    if kind == "sidecar":
        container["restartPolicy"] = "Always"
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        if chance.random() < 0.3:
            container[probe] = _probe(chance, probe)
    hooks = [hook for hook in ("preStop", "postStart") if chance.random() < 0.25]
    if hooks:
        container["lifecycle"] = {hook: {"exec": {"command": ["true"]}} for hook in hooks}
    return container


def _create(world: World, chance: random.Random, name: str, gates: Json) -> None:
    apps = [_container(chance, f"app-{index}", gates) for index in range(chance.randint(1, 3))]
    init = []
    for index in range(chance.randint(0, 3)):
        kind = chance.choice(["init", "sidecar"])
        init.append(_container(chance, f"init-{index}", gates, kind))
    spec: Json = {
        "restartPolicy": chance.choice(["Always", "OnFailure", "Never"]),
        "terminationGracePeriodSeconds": chance.choice([0, 1, 5, 30, 60]),
    }
    if chance.random() < 0.2:
        spec["activeDeadlineSeconds"] = chance.randint(1, 200)
    if chance.random() < 0.2:
        spec["readinessGates"] = [{"conditionType": GATE}]
    meta: Json = {"name": name}
    if chance.random() < 0.15:
        meta["finalizers"] = [FINALIZER]
    behavior = {one["name"]: _behavior(chance) for one in (*apps, *init)}
    answer = world.pod(*apps, init=tuple(init), behavior=behavior, meta=meta, **spec)
    assert answer.ok, answer.status


class Life:
    """One random history, looked at after every instant that something happens in."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.gates: Json = {gate: chance.random() < 0.3 for gate in GATES}
        if chance.random() < 0.3:
            self.gates |= dict.fromkeys(RESTART_ALL, True)
        timing = chance.choice(["instant", "realistic"])
        self.world = World(self.gates, nodes=2, timing=timing)
        self.cluster = self.world.cluster
        self.watcher = Watcher()
        self.uids: set[str] = set()
        self.made = 0

    def live(self) -> None:
        for _ in range(4):
            self._create()
        at_ms = 0
        for _ in range(25):
            at_ms += self.chance.choice([0, 500, 1000, 7000, 30_000, 61_000])
            self._to(at_ms)
            self._check_nothing_is_left()
            if self.chance.random() < 0.4:
                self._disturb()
        self._end(at_ms)

    def _create(self) -> None:
        self.made += 1
        _create(self.world, self.chance, f"pod-{self.made}", self.gates)

    def _to(self, at_ms: int) -> None:
        """Live on step by step, looking after each."""
        while True:
            self._sync()
            wake = self.cluster.next_wake()
            if wake is None or wake > at_ms:
                break
            self.cluster.run_until(at_ms, max_wall_steps=1)
        self.cluster.run_until(at_ms)

    def _sync(self) -> None:
        cluster = self.cluster
        wake = cluster.next_wake()
        assert wake is None or wake > cluster.now_ms or not cluster.now_ms, (wake, cluster.now_ms)
        rows = [row_to_json(row) for row in cluster.take_changes().rows]
        changed = {row["name"] for row in rows if row["kind"] == "Pod"}
        for name in sorted(changed):
            pod = cluster.get("Pod", "default", name)
            if pod is None:
                continue
            self.uids.add(pod["metadata"]["uid"])
            check_pod(pod)
            if pod["spec"]["terminationGracePeriodSeconds"] == 0:
                self.watcher.forced.add(pod["metadata"]["uid"])
        self.watcher.take(rows)

    def _check_nothing_is_left(self) -> None:
        """Of a pod that is gone with its containers, the engine knows nothing any more."""
        self._sync()
        saved = self.cluster.save()
        timers = saved["agenda"]["timers"]
        assert sum(timer[5] for timer in timers) == self.cluster._context.agenda.progress_count
        workers = {worker["uid"] for worker in saved["kubelets"]["workers"]}
        everything = json.dumps(saved)
        # Latencies of a moment, such as the scheduler's, may outlive it by as much.
        gone = {uid for uid, at_ms in self.watcher.gone.items() if at_ms < self.cluster.now_ms - 1000}
        for uid in sorted(gone - workers):
            assert uid not in everything, uid
            assert self.cluster._store.find(uid) is None, uid

    # --- trouble --------------------------------------------------------------------------------------

    def _disturb(self) -> None:
        pods = self.cluster.list("Pod", "default")
        kinds = ["create", "node"]
        if pods:
            kinds += ["delete", "delete", "force", "exit", "sandbox", "gate", "debug", "finalizer", "image"]
        kind = self.chance.choice(kinds)
        pod = self.chance.choice(pods) if pods else {}
        getattr(self, f"_do_{kind}")(pod)

    def _do_create(self, pod: Json) -> None:
        self._create()

    def _do_node(self, pod: Json) -> None:
        node, kind = self.chance.choice(["node-1", "node-2"]), self.chance.choice(NODE_FAULTS)
        answer = self.world.submit("fault", node=node, kind=kind, **{"for": _seconds(self.chance, 90)})
        assert answer.ok, answer.status

    def _do_delete(self, pod: Json) -> None:
        self.world.delete(self.chance.choice([None, 1, 10]), name=pod["metadata"]["name"])

    def _do_force(self, pod: Json) -> None:
        self.watcher.forced.add(pod["metadata"]["uid"])
        self.world.delete(0, force=True, name=pod["metadata"]["name"])

    def _do_sandbox(self, pod: Json) -> None:
        self.world.submit("fault", pod=pod["metadata"]["name"], namespace="default", kind="sandbox")

    def _do_exit(self, pod: Json) -> None:
        container = self.chance.choice(pod["spec"]["containers"])["name"]
        fault = {"pod": pod["metadata"]["name"], "namespace": "default", "container": container}
        self.world.submit("fault", **fault, kind="exit", code=self.chance.choice([1, 88, 137]))

    def _do_gate(self, pod: Json) -> None:
        conditions = [one for one in pod["status"].get("conditions", []) if one["type"] != GATE]
        gate = {"type": GATE, "status": self.chance.choice(["True", "False"])}
        patch = {"status": {"conditions": [*conditions, gate]}}
        self.world.patch(patch, "status", pod["metadata"]["name"])

    def _do_debug(self, pod: Json) -> None:
        known = pod["spec"].get("ephemeralContainers", [])
        new = {"name": f"debug-{len(known)}", "image": "busybox", "command": ["sleep", "20"]}
        patch = {"spec": {"ephemeralContainers": [*known, new]}}
        self.world.patch(patch, "ephemeralcontainers", pod["metadata"]["name"])

    def _do_finalizer(self, pod: Json) -> None:
        self.world.patch({"metadata": {"finalizers": None}}, name=pod["metadata"]["name"])

    def _do_image(self, pod: Json) -> None:
        name = pod["metadata"]["name"]
        image = f"sim/server:{self.chance.randint(2, 9)}"
        self.world.submit(
            "setImage", kind="Pod", namespace="default", name=name, container="app-0", image=image
        )

    # --- the end --------------------------------------------------------------------------------------

    def _end(self, at_ms: int) -> None:
        """Outages are over and everything is deleted: after the longest grace nothing is left."""
        self._to(at_ms + 91_000)
        for pod in self.cluster.list("Pod", "default"):
            name = pod["metadata"]["name"]
            answer = self.world.patch({"metadata": {"finalizers": None}}, name=name)
            assert answer.ok, answer.status
            self.world.delete(name=name)
        # The longest grace, its extension, and a second for the latencies; twice, for a deletion cuts no look
        # that is killing a container to start it again.
        self._to(at_ms + 91_000 + 126_000)
        left = self.cluster.list("Pod", "default")
        assert left == [], left
        assert self.cluster.save()["kubelets"]["workers"] == []
        self._check_nothing_is_left()
        assert set(self.watcher.gone) == self.uids
        for node_info in self.cluster._scheduler._snapshot.by_name.values():
            has = node_info.node.status.allocatable
            free = node_info.resources.free
            assert (node_info.resources.count, free) == (0, {**dict.fromkeys(free, 0), **has}), (
                node_info.node.meta.name
            )


def live(seed: int) -> None:
    try:
        Life(seed).live()
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {error}") from error


@pytest.mark.parametrize("block", first_of(range(20), most=1))
def test_random_pods_never_break_what_must_hold(block: int) -> None:
    for seed in range(block * 10, block * 10 + 10):
        live(seed)


# Histories that showed a fault once: starts that outlived their pod, a restart in place that forgot a
# debugger, ends told too late or twice, a back-off told of a pod that was gone, a terminal phase that was not
# the end, a pod Pending while its only container was being replaced, apps started before init was over again.
@pytest.mark.parametrize("seed", [9, 15, 227, 256, 530, 772, 999, 1142, 10_142, 13_432])
def test_histories_that_went_wrong_once(seed: int) -> None:
    live(seed)


@pytest.mark.deep
@pytest.mark.parametrize("block", range(50))
def test_many_more_random_pods(block: int) -> None:
    for seed in range(1000 + block * 50, 1050 + block * 50):
        live(seed)
