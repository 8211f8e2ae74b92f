"""Whatever happens to nodes, pods and the DaemonSet, it ends with one pod on every node that it is for."""

import copy
from collections import Counter
from random import Random
from typing import Any

import pytest

from lifecycle.engine.controllers.daemon_set.observe import DaemonSetController
from lifecycle.engine.controllers.daemon_set.places import Places
from lifecycle.engine.heart.agenda import Timer
from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.daemon_set import DaemonSet
from lifecycle.engine.rules.workloads.daemon_pods import decide_fit, find_target, tolerate_trouble
from tests.engine.controllers.fleet import make_agent
from tests.engine.controllers.world import World

pytestmark = pytest.mark.slow

ROOMS: list[dict[str, Any]] = [
    {"maxUnavailable": 1},
    {"maxUnavailable": 3},
    {"maxUnavailable": "40%"},
    {"maxSurge": 1, "maxUnavailable": 0},
    {"maxSurge": "50%", "maxUnavailable": 0},
]
TAINTS = ({"key": "a", "effect": "NoSchedule"}, {"key": "b", "effect": "NoExecute"})


class DaemonWorld(World):
    """Nodes without kubelets: a pod is bound to the node it names, if that is there."""

    def __init__(self, chance: Random) -> None:
        super().__init__(lambda pod, number: None if self.is_bad(pod) else 200 + 130 * (number % 9))
        self.chance = chance
        self.steady = False

    @staticmethod
    def is_bad(pod: Pod) -> bool:
        return pod.spec.containers[0].image == "bad"

    def _start(self, timer: Timer) -> None:
        pod = self.store.pods.get(timer.target)
        if pod is None or self.store.get("Node", "", find_target(pod)) is None:
            return
        self.update(pod.with_status(pod.status.replace(phase="Running"), find_target(pod)))
        delay_ms = self.ready_ms(pod, timer.payload)
        if delay_ms is not None:
            self.context.later(delay_ms, "ready", pod.meta.uid)

    # --- what happens -------------------------------------------------------------------------------------

    def add_nodes(self) -> None:
        """Each test adds its own."""

    def add_node(self, name: str) -> None:
        self.create(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"disk": "ssd"}}}
        )

    def nodes(self) -> list[Node]:
        return [one for one in self.store.list("Node") if isinstance(one, Node)]

    def change_node(self, node: Node, part: str, value: Any) -> None:
        data = copy.deepcopy(node.to_json())
        if part == "taints":
            data["spec"]["taints"] = value
        else:
            data["metadata"]["labels"]["disk"] = value
        self.api.update_json(node, data)

    def remove_node(self, node: Node) -> None:
        self.delete(node)
        # Its kubelet is no more: what was bound to it is collected.
        for pod in self.pods():
            if pod.node_name == node.meta.name:
                self.api.delete_pod(pod, 0)

    def agent(self) -> DaemonSet:
        found = self.store.require("DaemonSet", "default", "agent")
        assert isinstance(found, DaemonSet)
        return found

    def patch_agent(self, **fields: Any) -> None:
        def change(spec: dict[str, Any]) -> None:
            if image := fields.pop("image", None):
                spec["template"]["spec"]["containers"][0]["image"] = image
            spec.update(fields)

        self._change(self.agent(), change)

    def do_something(self) -> None:
        chance, nodes, pods = self.chance, self.nodes(), self.pods()
        match chance.randrange(9):
            case 0:
                self.add_node(f"new-{chance.randrange(1000)}-{self.clock.now_ms}")
            case 1 if len(nodes) > 2:
                self.remove_node(chance.choice(nodes))
            case 2 if nodes:
                self.change_node(chance.choice(nodes), "taints", chance.sample(TAINTS, chance.randrange(3)))
            case 3 if nodes:
                self.change_node(chance.choice(nodes), "disk", chance.choice(["ssd", "hdd"]))
            case 4:
                self.patch_agent(image=chance.choice(["a", "b", "c", "bad"]))
            case 5 if pods:
                self.delete(chance.choice(pods))
            case 6 if pods:
                self.set_ready(chance.choice(pods).meta.uid, False)
            case 7 if pods:
                pod = chance.choice(pods)
                self.update(pod.with_status(pod.status.replace(phase=chance.choice(["Failed", "Succeeded"]))))
            case 8:
                room = {"type": "RollingUpdate", "rollingUpdate": chance.choice(ROOMS)}
                self.patch_agent(updateStrategy=room, minReadySeconds=chance.randrange(3))

    # --- what is seen -------------------------------------------------------------------------------------

    def eligible(self) -> list[str]:
        template = tolerate_trouble(self.agent().spec.template)
        return sorted(one.meta.name for one in self.nodes() if decide_fit(template, one).should_run)

    def served(self) -> int:
        """Nodes of those with a pod that has been ready for long enough, or was, and is told to end."""
        least_ms = self.agent().spec.min_ready_seconds * 1000
        nodes, now_ms = self.eligible(), self.clock.now_ms
        return len({
            pod.node_name
            for pod in self.pods()
            if pod.node_name in nodes and pod.is_ready and pod.meta.deletion_ms is None
            and (pod.ready_condition.last_transition_ms or 0) // 1000 * 1000 + least_ms <= now_ms  # type: ignore[union-attr]
        })  # fmt: skip


def check_sums(world: DaemonWorld) -> None:
    """What was kept change by change is what a walk over everything finds."""
    (controller,) = (one for one in world.controllers if isinstance(one, DaemonSetController))
    owner = world.agent()
    kept = controller._places[owner.meta.uid]
    if kept._changed or kept._rules is None:
        return
    fresh = Places(owner, controller._nodes, world.store.pods)
    for pod in controller.list_controlled(owner.meta.uid):
        fresh.change(None, pod)
    sums = fresh.settle(kept._rules, world.clock.now_ms, lambda name: None)
    held = [
        name for name, one in kept.sums.node_states.items() if one.failed != sums.node_states[name].failed
    ]
    assert not kept._digests or kept.digests == Counter(kept._digests.values())
    for name, node_state in sums.node_states.items():
        # Time may have gone on since, and a failed pod may be held.
        if name not in held and (node_state.ripe_ms or 0) == (kept.sums.node_states[name].ripe_ms or 0):
            assert kept.sums.node_states[name] == node_state, name
    assert kept.sums.node_states.keys() == sums.node_states.keys()


def live(seed: int) -> None:
    chance = Random(seed)
    world = DaemonWorld(chance)
    for number in range(chance.randrange(1, 8)):
        world.add_node(f"node-{number}")
    manifest = make_agent({"nodeSelector": {"disk": "ssd"}}, image="a")
    manifest["spec"]["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": chance.choice(ROOMS)}
    manifest["spec"]["revisionHistoryLimit"] = chance.randrange(3)
    world.apply(manifest)
    for _ in range(chance.randrange(1, 25)):
        world.run(chance.choice([0, 0, 300, 2_000, 9_000]))
        world.do_something()
        world.drain()
        check_sums(world)
    # The faults stop.
    for node in world.nodes():
        world.change_node(node, "taints", [])
    world.patch_agent(image="good")
    for pod in world.pods():
        if not pod.is_ready:
            world.delete(pod)
    world.run(1_200_000)
    check_rest(world)
    update_steadily(world)


def check_rest(world: DaemonWorld) -> None:
    owner, eligible = world.agent(), world.eligible()
    assert sorted(pod.node_name for pod in world.pods()) == eligible
    assert all(pod.is_ready and pod.is_active for pod in world.pods())
    assert {pod.spec.containers[0].image for pod in world.pods()} <= {"good", "better", "best"}
    status, count = owner.status, len(eligible)
    assert (status.desired_number_scheduled, status.current_number_scheduled, status.number_ready) == (
        count,
    ) * 3
    assert (status.updated_number_scheduled, status.number_available) == (count, count)
    assert (status.number_unavailable, status.number_misscheduled) == (0, 0)
    assert status.observed_generation == owner.meta.generation
    assert world.store.count("ControllerRevision") <= 1 + (owner.spec.revision_history_limit or 0)
    check_sums(world)


def update_steadily(world: DaemonWorld) -> None:
    """Updates alone never leave more nodes without an available pod than they may."""
    for image in ("better", "best"):
        room = world.chance.choice(ROOMS)
        world.patch_agent(updateStrategy={"type": "RollingUpdate", "rollingUpdate": room})
        world.run(5_000)
        surge, unavailable = world.agent().spec.resolve_room(len(world.eligible()))
        world.patch_agent(image=image)
        world.drain()
        for _ in range(150):
            assert world.served() >= len(world.eligible()) - unavailable
            on_nodes = Counter(find_target(pod) for pod in world.pods() if pod.is_active)
            assert sum(on_nodes.values()) - len(on_nodes) <= surge
            world.run(200)
        world.run(60_000)
        check_rest(world)


@pytest.mark.spec("DS-GEN-01", "DS-GEN-06", "DS-UPD-05")
@pytest.mark.parametrize("seed", range(6))
def test_one_pod_a_node_once_faults_stop(seed: int):
    live(seed)


@pytest.mark.deep
@pytest.mark.parametrize("first", range(100, 3100, 100))
def test_one_pod_a_node_once_faults_stop_for_thousands(first: int):
    for seed in range(first, first + 100):
        live(seed)
