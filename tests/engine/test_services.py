"""A Service's address: given once, kept through every update, and nobody else's."""

from typing import Any

import pytest

from tests.engine.kubelet.world import World


def make(name: str = "web", **spec: Any) -> dict[str, Any]:
    meta = {"name": name, "namespace": "default"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta,
        "spec": {"ports": [{"port": 80}], **spec},
    }


def address(world: World, name: str = "web") -> Any:
    found = world.get(name, "Service")
    assert found is not None
    assert found["spec"].get("clusterIPs") in (None, [found["spec"].get("clusterIP")])
    return found["spec"].get("clusterIP")


@pytest.mark.parametrize("command", ["replace", "apply"])
def test_an_update_that_leaves_the_address_out_keeps_it(command: str) -> None:
    world = World()
    assert world.create(make()).ok
    given = address(world)
    assert world.submit(command, object=make(selector={"app": "web"})).ok
    assert (address(world), given[:5]) == (given, "10.96")


def test_an_address_does_not_change() -> None:
    world = World()
    assert world.create(make(clusterIP="10.96.1.1")).ok
    answer = world.submit("replace", object=make(clusterIP="10.96.1.2"))
    assert answer.status is not None and answer.code == 422
    said = 'spec.clusterIPs[0]: Invalid value: ["10.96.1.2"]: may not change once set'
    assert said in answer.status["message"]
    assert address(world) == "10.96.1.1"


def test_no_two_services_have_one_address() -> None:
    world = World()
    assert world.create(make(clusterIP="10.96.0.11")).ok
    answer = world.create(make("other", clusterIP="10.96.0.11"))
    assert answer.status is not None and answer.code == 422
    said = 'spec.clusterIPs: Invalid value: ["10.96.0.11"]: failed to allocate IP 10.96.0.11: provided IP'
    assert said in answer.status["message"]
    # The first that would be given is that one, too.
    assert world.create(make("other")).ok
    assert address(world, "other") == "10.96.0.12"


def test_an_alias_that_becomes_a_service_gets_an_address() -> None:
    world = World()
    assert world.create(make(type="ExternalName", externalName="db.example.com")).ok
    assert address(world) is None
    assert world.submit("replace", object=make(type="ClusterIP")).ok
    assert address(world) == "10.96.0.11"
