"""Nodes that come by manifest: live ones with a kubelet, which says what the manifest leaves open."""

import re
from typing import Any

import pytest

from lifecycle.engine import Cluster, Settings
from lifecycle.engine.rules.defaults.nodes import OWN_NUMBERS
from tests.engine.kubelet.world import World

DEFAULTS = {"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "100Gi"}


def node(world: World, status: Any = None, **meta: Any) -> Any:
    data = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "big", **meta}}
    return world.create(data if status is None else {**data, "status": status})


def found(world: World) -> dict[str, Any]:
    one = world.cluster.get("Node", None, "big")
    assert one is not None
    return one


def test_a_node_of_which_nothing_is_said_is_like_the_others() -> None:
    world = World()
    assert node(world).ok
    usual = world.cluster.get("Node", None, "node-1")
    assert usual is not None
    own: dict[str, Any] = {
        "addresses": [{"type": "InternalIP", "address": "10.0.0.2"}, {"type": "Hostname", "address": "big"}]
    }
    told = found(world)["status"]
    own["nodeInfo"] = usual["status"]["nodeInfo"] | {name: told["nodeInfo"][name] for name in OWN_NUMBERS}
    assert told == {**usual["status"], **own}
    assert found(world)["metadata"]["labels"] == {
        **usual["metadata"]["labels"],
        "kubernetes.io/hostname": "big",
    }
    assert world.pod(nodeSelector={"kubernetes.io/hostname": "big"}).ok
    assert world.to(5).status()["phase"] == "Running"


def test_a_node_says_where_and_what_it_is() -> None:
    told = Cluster().get("Node", None, "node-1")
    assert told is not None
    assert told["status"]["addresses"] == [
        {"type": "InternalIP", "address": "10.0.0.1"},
        {"type": "Hostname", "address": "node-1"},
    ]
    info = told["status"]["nodeInfo"]
    assert (info["kubeletVersion"], info["architecture"]) == ("v1.36.3", "amd64")
    assert info["containerRuntimeVersion"].startswith("containerd://")


REQUIRED = (
    "architecture bootID containerRuntimeVersion kernelVersion kubeProxyVersion kubeletVersion machineID"
    " operatingSystem osImage systemUUID"
).split()
HEXADECIMAL, UUID = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.mark.parametrize(
    "status, labels",
    [
        ({}, {}),
        ({"nodeInfo": {"kernelVersion": "6.1.0"}}, {}),
        ({}, {"kubernetes.io/os": "windows"}),
        ({"nodeInfo": {"operatingSystem": "windows"}}, {}),
    ],
    ids=["nothing said", "a kernel said", "labelled windows", "said to be windows"],
)
def test_every_node_tells_of_its_machine_all_that_kubernetes_requires(
    status: Any, labels: dict[str, str]
) -> None:
    world = World()
    assert node(world, status, labels=labels).ok
    info = found(world)["status"]["nodeInfo"]
    assert {name for name in REQUIRED if isinstance(info.get(name), str)} == set(REQUIRED)
    assert info["kubeProxyVersion"] == "", "kubelets empty it since v1.33"
    assert HEXADECIMAL.fullmatch(info["machineID"])
    assert UUID.fullmatch(info["systemUUID"]) and UUID.fullmatch(info["bootID"])
    assert all(info[name] == value for name, value in status.get("nodeInfo", {}).items())


def test_no_two_machines_have_a_number_in_common_and_a_seed_has_the_same_ones() -> None:
    def list_numbers() -> list[str]:
        nodes = Cluster(seed=1, settings=Settings(nodes={"count": 3})).list("Node")
        return [one["status"]["nodeInfo"][name] for one in nodes for name in OWN_NUMBERS]

    assert len(set(list_numbers())) == 9
    assert list_numbers() == list_numbers()


def test_pods_say_the_address_that_their_node_was_given() -> None:
    world = World()
    assert node(world, {"addresses": [{"type": "InternalIP", "address": "192.0.2.7"}]}).ok
    assert world.pod(nodeSelector={"kubernetes.io/hostname": "big"}).ok
    assert world.to(5).status()["hostIP"] == "192.0.2.7"


@pytest.mark.parametrize("address", [{}, {"address": ""}, {"address": None}])
def test_an_address_that_says_nothing_is_none(address: dict[str, Any]) -> None:
    world = World()
    assert node(world, {"addresses": [{"type": "InternalIP", **address}]}).ok
    assert world.pod(nodeSelector={"kubernetes.io/hostname": "big"}).ok
    assert world.to(5).status()["hostIP"] == "10.0.0.2"


@pytest.mark.parametrize(
    "status, capacity, allocatable",
    [
        ({"capacity": {"cpu": "64"}}, {"cpu": "64"}, {"cpu": "64"}),
        ({"allocatable": {"cpu": "64"}}, {"cpu": "64"}, {"cpu": "64"}),
        (
            {"capacity": {"memory": "16Gi"}, "allocatable": {"memory": "15Gi", "example.com/gpu": "2"}},
            {"memory": "16Gi", "example.com/gpu": "2"},
            {"memory": "15Gi", "example.com/gpu": "2"},
        ),
    ],
)
def test_what_is_said_of_a_node_counts_and_the_rest_is_usual(
    status: Any, capacity: dict[str, str], allocatable: dict[str, str]
) -> None:
    world = World()
    assert node(world, status).ok
    has = found(world)["status"]
    assert has["capacity"] == {**DEFAULTS, **capacity}
    assert has["allocatable"] == {**DEFAULTS, **allocatable}


def test_the_amounts_of_a_scenario_are_those_of_a_node_by_manifest_too() -> None:
    world = World()
    world.cluster = Cluster(settings=Settings(timing="instant", nodes={"count": 0, "memory": "2Gi"}))
    assert node(world).ok
    assert found(world)["status"]["capacity"]["memory"] == "2Gi"


def test_a_node_keeps_its_own_system_conditions_and_labels() -> None:
    world = World()
    ready = {"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": "starting"}
    labels = {"kubernetes.io/os": "windows", "kubernetes.io/hostname": "other"}
    assert node(world, {"conditions": [ready]}, labels=labels).ok
    one = found(world)
    assert [(cond["type"], cond["status"]) for cond in one["status"]["conditions"]] == [("Ready", "False")]
    assert one["status"]["nodeInfo"]["operatingSystem"] == "windows"
    assert one["metadata"]["labels"] == {
        **labels,
        "kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "windows",
        "beta.kubernetes.io/arch": "amd64",
    }


def test_a_node_that_says_nothing_of_its_disk_can_run_short_of_it() -> None:
    world = World()
    assert node(world, {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"}}).ok
    assert world.submit("fault", node="big", kind="pressure", resource="disk").ok
    assert world.to(5).condition("DiskPressure", "big") == [(0, "True")]


@pytest.mark.parametrize(
    "status, code, said",
    [
        ({"capacity": {"memory": "much"}}, 400, "status.capacity.memory: must be a quantity such as"),
        ({"allocatable": {"cpu": -1}}, 422, 'status.allocatable[cpu]: Invalid value: "-1"'),
        ({"capacity": ["8Gi"]}, 400, "status.capacity: must be a mapping, not a list"),
        (5, 400, "status: must be a mapping, not the number 5"),
    ],
)
def test_amounts_that_cannot_be_read_are_refused(status: Any, code: int, said: str) -> None:
    answer = node(World(), status)
    assert answer.code == code and answer.status is not None
    assert said in answer.status["message"]


def test_a_patch_of_a_nodes_status_is_held_to_the_same() -> None:
    world = World()
    where = {"kind": "Node", "name": "node-1", "type": "merge", "subresource": "status"}
    answer = world.submit("patch", **where, patch={"status": {"capacity": {"memory": "much"}}})
    assert answer.code == 422
    # Its kubelet looks at the memory of its node all the same.
    assert world.pod(behavior={"app": {"usage": [{"at": "0s", "memory": "1Gi"}]}}).ok
    assert world.to(60).status()["phase"] == "Running"
