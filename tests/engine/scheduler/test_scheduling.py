"""Which node a pod goes to, why it goes to none, and what makes it try again."""

from typing import Any

import pytest

from lifecycle.engine import Cluster, Command
from lifecycle.engine.api.context import Context
from lifecycle.engine.api.server import ApiServer
from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.heart.trace import EventRow, list_rows
from lifecycle.engine.objects.meta import controller_reference
from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.overlay import PodOverlay
from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.rules.actions import CreatePod
from lifecycle.engine.rules.placement.node_filters import why_not
from lifecycle.engine.scheduler import Scheduler
from tests.engine.objects.test_pod_overlay import AFFINITY, SET

CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


class World:
    """Nodes of 4 CPU and 8 GiB, no kubelets: a bound pod stays as it is."""

    def __init__(self, nodes: int = 2) -> None:
        self.context = Context(1, 0, Settings(timing="instant"))
        self.api, self.store = ApiServer(self.context), self.context.store
        self.scheduler = Scheduler(self.context)
        self.rows: list[Any] = []
        self.create("Namespace", "default")
        for number in range(1, nodes + 1):
            self.create("Node", f"node-{number}")

    def create(self, kind: str, name: str, **fields: Any) -> Any:
        meta = {"name": name, **fields.pop("metadata", {})}
        if kind not in ("Node", "Namespace", "PersistentVolume"):
            meta["namespace"] = "default"
        made = self.api.create_json({"apiVersion": "v1", "kind": kind, "metadata": meta, **fields})
        self.drain()
        return made

    def pod(self, name: str, cpu: str = "100m", **spec: Any) -> str:
        """Create a pod; the node it was bound to, "" for none."""
        container = {"name": "app", "image": "x", "resources": {"requests": {"cpu": cpu}}}
        self.create("Pod", name, spec={"containers": [container], **spec})
        return self.node_of(name)

    def node_of(self, name: str) -> str:
        return self.store.require("Pod", "default", name).node_name

    def change(self, kind: str, name: str, **spec: Any) -> None:
        old = self.store.require(kind, "" if kind == "Node" else "default", name)
        data = old.to_json()
        self.api.update_json(old, {**data, "spec": {**(data.get("spec") or {}), **spec}})
        self.drain()

    def drain(self) -> None:
        self.context.loop.drain()
        self.rows += list_rows(self.context.trace.take()[0])

    def events(self, reason: str) -> list[str]:
        return [row.message for row in self.rows if isinstance(row, EventRow) and row.reason == reason]


# --- filters ----------------------------------------------------------------------------------------------


def make_node(labels: dict[str, str] | None = None, **spec: Any) -> Node:
    meta = {"name": "node-1", "labels": labels or {}}
    return Node.from_json({"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec})


def require(key: str, operator: str, *values: str) -> dict[str, Any]:
    """Required node affinity of one expression."""
    return either([{"matchExpressions": [expect(key, operator, *values)]}])


def expect(key: str, operator: str, *values: str) -> dict[str, Any]:
    """One expression of a term."""
    return {"key": key, "operator": operator, "values": list(values)}


def either(terms: list[dict[str, Any]]) -> dict[str, Any]:
    """Required node affinity of several terms."""
    required = {"nodeSelectorTerms": terms}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
MISMATCH = "node(s) didn't match Pod's node affinity/selector"


@pytest.mark.parametrize(
    "spec, node, reason",
    [
        pytest.param({}, make_node(), "", id="nothing asked for"),
        pytest.param({}, make_node(unschedulable=True), "node(s) were unschedulable", id="cordoned"),
        pytest.param(
            {"tolerations": [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]},
            make_node(unschedulable=True), "", id="cordoned, tolerated",
        ),
        pytest.param({}, make_node(taints=[TAINT]), "node(s) had untolerated taint(s)", id="tainted"),
        pytest.param(
            {"tolerations": [{"key": "gpu", "value": "yes"}]}, make_node(taints=[TAINT]), "", id="tolerated"
        ),
        pytest.param(
            {"tolerations": [{"key": "gpu", "value": "no"}]}, make_node(taints=[TAINT]),
            "node(s) had untolerated taint(s)", id="another value",
        ),
        pytest.param({"tolerations": [{"operator": "Exists"}]}, make_node(taints=[TAINT]), "", id="all"),
        pytest.param(
            {}, make_node(taints=[{**TAINT, "effect": "PreferNoSchedule"}]), "", id="a taint that only asks"
        ),
        pytest.param({"nodeSelector": {"disk": "ssd"}}, make_node({"disk": "ssd"}), "", id="selected"),
        pytest.param({"nodeSelector": {"disk": "ssd"}}, make_node({"disk": "hdd"}), MISMATCH, id="another"),
        pytest.param(require("disk", "In", "ssd", "nvme"), make_node({"disk": "nvme"}), "", id="In"),
        pytest.param(require("disk", "In", "ssd"), make_node(), MISMATCH, id="In, no such label"),
        pytest.param(require("disk", "NotIn", "hdd"), make_node(), "", id="NotIn, no such label"),
        pytest.param(require("disk", "NotIn", "hdd"), make_node({"disk": "hdd"}), MISMATCH, id="NotIn"),
        pytest.param(require("disk", "Exists"), make_node({"disk": ""}), "", id="Exists"),
        pytest.param(require("disk", "DoesNotExist"), make_node({"disk": ""}), MISMATCH, id="DoesNotExist"),
        pytest.param(require("cores", "Gt", "8"), make_node({"cores": "9"}), "", id="Gt"),
        pytest.param(require("cores", "Gt", "8"), make_node({"cores": "8"}), MISMATCH, id="Gt, the same"),
        pytest.param(require("cores", "Lt", "8"), make_node({"cores": "many"}), MISMATCH, id="Lt, no number"),
        pytest.param(require("cores", "Gt", "many"), make_node({"cores": "9"}), MISMATCH, id="Gt nonsense"),
        pytest.param(require("cores", "Lt", "9" * 20), make_node({"cores": "9"}), MISMATCH, id="Lt too much"),
        pytest.param(require("cores", "Gt", "007"), make_node({"cores": "8"}), "", id="Gt as Go reads it"),
        pytest.param(either([]), make_node(), MISMATCH, id="no term"),
        pytest.param(either([{}]), make_node(), MISMATCH, id="an empty term is none"),
        pytest.param(
            either([{"matchExpressions": [expect("cores", "Gt", "many")]},
                    {"matchExpressions": [expect("disk", "In", "ssd")]}]),
            make_node({"cores": "9", "disk": "ssd"}), "", id="one term holds, whatever the others are",
        ),
        pytest.param(
            either([{"matchExpressions": [expect("disk", "Exists"), expect("disk", "NotIn", "ssd")]}]),
            make_node({"disk": "ssd"}), MISMATCH, id="all of a term have to hold",
        ),
        pytest.param(
            either([{"matchExpressions": [expect("disk", "In", "ssd")],
                     "matchFields": [expect("metadata.name", "In", "node-2")]}]),
            make_node({"disk": "ssd"}), MISMATCH, id="labels match, the name does not",
        ),
        pytest.param(
            either([{"matchExpressions": [expect("disk", "In", "ssd")]}]) | {"nodeSelector": {"zone": "a"}},
            make_node({"disk": "ssd"}), MISMATCH, id="affinity and selector both have to hold",
        ),
        pytest.param(
            {"tolerations": [{"key": "gpu", "value": "yes", "effect": "NoExecute"}]},
            make_node(taints=[TAINT]),
            "node(s) had untolerated taint(s)", id="tolerated, but for another effect",
        ),
        pytest.param(
            {"tolerations": [{"key": "gpu", "operator": "Exists"}]},
            make_node(taints=[TAINT, {"key": "other", "effect": "NoExecute"}]),
            "node(s) had untolerated taint(s)", id="one of two is tolerated",
        ),
        pytest.param({"affinity": AFFINITY}, make_node(), MISMATCH, id="a field, another node"),
    ],
)  # fmt: skip
def test_why_a_pod_may_never_go_to_a_node(spec: dict[str, Any], node: Node, reason: str):
    assert why_not(PodSpec(spec), node) == reason


# --- the choice -------------------------------------------------------------------------------------------


def test_pods_go_to_the_emptiest_node_that_joined_first():
    world = World(3)
    assert [world.pod(f"p{number}") for number in range(4)] == ["node-1", "node-2", "node-3", "node-1"]
    assert world.pod("large", cpu="2") == "node-2"
    assert world.pod("next") == "node-3"


def test_siblings_are_spread_before_nodes_are_filled_evenly():
    world = World(2)
    world.pod("large", cpu="3")
    owner = world.api.create_json(SET)
    for _ in range(2):
        world.api.create_pod(CreatePod(owner, owner.spec.template, controller_reference(owner), "db-", ""))
        world.drain()
    siblings = [pod.node_name for pod in world.store.pods.values() if pod.meta.controller]
    assert siblings == ["node-2", "node-1"]


def test_a_pod_that_names_its_node_is_bound_there():
    """As a DaemonSet's pods are: by affinity to the field `metadata.name`."""
    world = World(3)
    owner = world.api.create_json(SET)
    for overlay in (PodOverlay(spec={"affinity": AFFINITY}), PodOverlay(spec={"hostname": "db-0"}), None):
        order = CreatePod(owner, owner.spec.template, controller_reference(owner), "db-", "", overlay=overlay)
        world.api.create_pod(order)
        world.drain()
    assert [pod.node_name for pod in world.store.pods.values()] == ["node-2", "node-1", "node-3"]


def test_a_pod_that_has_ended_leaves_its_room():
    world = World(1)
    assert world.pod("first", cpu="3") == "node-1"
    assert world.pod("second", cpu="3") == ""
    first = world.store.require("Pod", "default", "first")
    world.api.update(first.with_status(first.status.replace(phase="Succeeded")))
    world.drain()
    assert world.node_of("second") == "node-1"


# --- nowhere to go ----------------------------------------------------------------------------------------


def preempted(total: int, *reasons: str) -> str:
    return f"no new claims to deallocate, preemption: 0/{total} nodes are available: {', '.join(reasons)}."


NO_VICTIMS = "No preemption victims found for incoming pod"
NO_HELP = "Preemption is not helpful for scheduling"


@pytest.mark.parametrize(
    "spec, change, message",
    [
        pytest.param(
            {"cpu": "5"}, {},
            "0/2 nodes are available: 2 Insufficient cpu. " + preempted(2, f"2 {NO_HELP}"), id="too large",
        ),
        pytest.param(
            {"nodeSelector": {"disk": "ssd"}}, {},
            f"0/2 nodes are available: 2 {MISMATCH}. " + preempted(2, f"2 {NO_HELP}"), id="selects none",
        ),
        pytest.param(
            {"cpu": "5"}, {"unschedulable": True},
            "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. "
            + preempted(2, f"2 {NO_HELP}"), id="one cordoned, one too small",
        ),
        pytest.param(
            {"cpu": "4", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "missing"}}]}, {},
            '0/2 nodes are available: persistentvolumeclaim "missing" not found. not found', id="no claim",
        ),
        pytest.param(
            {"cpu": "5", "priorityClassName": "patient"}, {},
            "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate,"
            " preemption: not eligible due to preemptionPolicy=Never.", id="takes nobody's place",
        ),
        pytest.param(
            {"affinity": AFFINITY, "cpu": "4"}, {"taints": [TAINT]},
            "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. "
            + preempted(2, f"1 {NO_VICTIMS}", f"1 {NO_HELP}"), id="names a full node",
        ),
    ],
)  # fmt: skip
def test_a_pod_without_a_node_says_why(spec: dict[str, Any], change: dict[str, Any], message: str):
    world = World(2)
    patient = {"metadata": {"name": "patient"}, "value": 0, "preemptionPolicy": "Never"}
    world.api.create_json({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", **patient})
    world.pod("full", cpu="1", affinity=AFFINITY)
    world.change("Node", "node-1", **change)
    assert world.pod("p", **spec) == ""
    assert world.events("FailedScheduling") == [message]
    (condition,) = world.store.require("Pod", "default", "p").status.conditions
    assert (condition.type, condition.status, condition.reason) == ("PodScheduled", "False", "Unschedulable")
    assert condition.message == message


@pytest.mark.parametrize("cure", ["a node joins", "a pod goes", "a node is uncordoned", "a taint goes"])
def test_a_waiting_pod_is_bound_when_there_is_room(cure: str):
    world = World(1)
    world.pod("large", cpu="3")
    if cure == "a node is uncordoned":
        world.create("Node", "node-2", spec={"unschedulable": True})
    elif cure == "a taint goes":
        world.create("Node", "node-2", spec={"taints": [TAINT]})
    assert world.pod("waiting", cpu="2") == ""
    match cure:
        case "a node joins":
            world.create("Node", "node-2")
        case "a pod goes":
            world.api.delete(world.store.require("Pod", "default", "large"), grace_seconds=0)
        case "a node is uncordoned":
            world.change("Node", "node-2", unschedulable=False)
        case "a taint goes":
            world.change("Node", "node-2", taints=[])
    world.drain()
    assert world.node_of("waiting") == ("node-1" if cure == "a pod goes" else "node-2")
    assert world.scheduler.save()["queue"]["waiting"] == []


def test_a_pod_waits_for_its_claim():
    world = World(1)
    claim = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    assert world.pod("p", volumes=[claim]) == ""
    assert world.events("FailedScheduling")[0].startswith(
        '0/1 nodes are available: persistentvolumeclaim "data" not found.'
    )
    world.create("PersistentVolumeClaim", "data", spec={**CLAIM, "storageClassName": "", "volumeName": "v"})
    unbound = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
    assert world.events("FailedScheduling")[-1] == unbound
    world.create(
        "PersistentVolume", "v", spec={"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/tmp/v"}},
    )  # fmt: skip
    claim = world.store.require("PersistentVolumeClaim", "default", "data")
    annotations = {"pv.kubernetes.io/bind-completed": "yes"}
    world.store.update(claim, claim.replace(meta=claim.meta.replace(annotations=annotations)))
    world.drain()
    assert world.node_of("p") == "node-1"


@pytest.mark.spec("SGATE-03")
def test_a_gated_pod_is_not_tried_until_its_gates_are_gone():
    world = World(1)
    assert world.pod("p", schedulingGates=[{"name": "example.com/ready"}]) == ""
    assert world.events("FailedScheduling") == []
    world.change("Pod", "p", schedulingGates=[])
    assert world.node_of("p") == "node-1"


def test_no_nodes_at_all():
    world = World(0)
    assert world.pod("p") == ""
    assert world.events("FailedScheduling") == ["no nodes available to schedule pods"]


# --- ports of nodes, and the queue ------------------------------------------------------------------------

PORTS = {"containers": [{"name": "app", "image": "x", "ports": [{"containerPort": 80, "hostPort": 80}]}]}


def test_a_port_of_a_node_is_given_to_one_pod_until_that_is_gone() -> None:
    world = World(nodes=2)
    for name in ("a", "b", "c"):
        world.create("Pod", name, spec=PORTS)
    world.pod("plain")
    assert [world.node_of(name) for name in ("a", "b", "c")] == ["node-1", "node-2", ""]
    why = "2 node(s) didn't have free ports for the requested pod ports"
    assert world.events("FailedScheduling") == [
        f"0/2 nodes are available: {why}. no new claims to deallocate, preemption:"
        " 0/2 nodes are available: 2 No preemption victims found for incoming pod."
    ]
    world.api.delete(world.store.require("Pod", "default", "plain"), grace_seconds=0)
    world.drain()
    assert len(world.events("FailedScheduling")) == 1, "a pod without ports makes no port free"
    world.api.delete(world.store.require("Pod", "default", "b"), grace_seconds=0)
    world.drain()
    assert world.node_of("c") == "node-2"


def test_a_pod_of_its_nodes_network_takes_the_ports_of_its_containers() -> None:
    world = World(nodes=1)
    assert world.pod("a", hostNetwork=True) == "node-1"
    own = {"containers": [{"name": "app", "image": "x", "ports": [{"containerPort": 80}]}]}
    world.create("Pod", "b", spec={**own, "hostNetwork": True})
    world.create("Pod", "c", spec=own)
    world.create("Pod", "d", spec={**own, "hostNetwork": True})
    assert [world.node_of(name) for name in ("b", "c", "d")] == ["node-1", "node-1", ""]


def test_pods_are_tried_in_the_order_they_came_in() -> None:
    cluster, names = Cluster(), [f"pod-{number}" for number in range(30)]
    container = {"name": "app", "image": "nginx"}
    for number, name in enumerate(names):
        if number == 15:
            cluster.take_changes()
            cluster = Cluster.load(cluster.save())
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {"containers": [container]},
        }
        assert cluster.submit(Command(name, "create", {"object": pod})).ok
    cluster.run_until(1_000)
    rows = cluster.take_changes().rows
    scheduled = [row.subject.name for row in rows if isinstance(row, EventRow) and row.reason == "Scheduled"]
    assert scheduled == names


def test_a_node_that_went_long_ago_is_not_taken_for_one_that_is_there() -> None:
    """Whoever has missed more changes than there are nodes looks at all of them anew."""
    world = World(3)
    template = {"labels": {"app": "rare"}}
    world.create("Pod", "first", metadata=template, spec={"containers": [{"name": "app", "image": "x"}]})
    world.api.delete(world.store.require("Node", "", "node-3"))
    world.drain()
    for number in range(60):
        world.pod(f"other-{number}", "1m")
    world.create("Pod", "second", metadata=template, spec={"containers": [{"name": "app", "image": "x"}]})
    assert world.node_of("second") in ("node-1", "node-2")
