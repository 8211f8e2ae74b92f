"""Names and connections between pods: cluster DNS, headless Services and aliases."""

from typing import Any

import pytest

from tests.engine.kubelet.world import World


def service(world: World, name: str, namespace: str = "default", **spec: Any) -> None:
    meta = {"name": name, "namespace": namespace}
    ports = {"ports": [{"port": 80, "targetPort": 8080}]} if spec.get("type") != "ExternalName" else {}
    data = {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {**ports, **spec}}
    assert world.create(data).ok


def server(world: World, name: str, **spec: Any) -> None:
    meta: dict[str, Any] = {"name": name, "labels": {"app": "web"}}
    app = {"name": "app", "ports": [{"containerPort": 8080}], **spec.pop("app", {})}
    assert world.pod(app, meta=meta, **spec).ok


def ask(world: World, script: str, image: str = "busybox:1") -> list[str]:
    """What a pod sees that runs a script now."""
    world.commands += 1
    name = f"caller-{world.commands}"
    app = {"name": "app", "image": image, "command": ["sh", "-c", script]}
    assert world.pod(app, meta={"name": name}, restartPolicy="Never").ok
    world.to(world.cluster.now_ms / 1000 + 2)
    assert world.rows
    lines, world.logs = [entry[4] for entry in world.logs], []
    return lines


def reach(world: World, host: str, port: int) -> str:
    """`open` when somebody answers a connection, else `refused`."""
    return ask(world, f"nc -z -w 1 {host} {port} && echo open || echo refused")[-1]


def look_up(world: World, host: str) -> str:
    """The address of a name, or `nobody`."""
    (line,) = ask(world, f"getent hosts {host} || echo nobody", "alpine:3")
    return line.split()[0]


@pytest.fixture
def world() -> World:
    made = World()
    service(made, "web", selector={"app": "web"}, clusterIP="None")
    return made


def test_a_headless_service_is_known_by_its_ready_pods(world: World) -> None:
    assert look_up(world, "web") == "nobody"
    late = {"readinessProbe": {"exec": {"command": ["true"]}, "initialDelaySeconds": 30}}
    server(world, "late", app=late)
    assert look_up(world, "web") == "nobody"
    server(world, "first")
    for host in ("web", "web.default", "web.default.svc.cluster.local"):
        assert look_up(world, host) == world.status("first")["podIP"]
    assert reach(world, "web", 8080) == "open"


def test_not_ready_addresses_can_be_published() -> None:
    world = World()
    service(world, "web", selector={"app": "web"}, clusterIP="None", publishNotReadyAddresses=True)
    server(world, "late", app={"readinessProbe": {"exec": {"command": ["true"]}, "initialDelaySeconds": 30}})
    assert look_up(world, "web") == world.status("late")["podIP"]


def test_a_pod_may_have_a_name_below_its_service(world: World) -> None:
    server(world, "a", hostname="web-0", subdomain="web")
    server(world, "b", hostname="web-1", subdomain="web")
    server(world, "c", hostname="web-2", subdomain="other")
    for host in ("web-1.web", "web-1.web.default", "web-1.web.default.svc.cluster.local"):
        assert look_up(world, host) == world.status("b")["podIP"]
    assert look_up(world, "web-2.web") == "nobody"


def test_the_own_namespace_hides_no_service_of_another() -> None:
    world = World()
    assert world.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}).ok
    service(world, "shop", clusterIP="10.96.0.50")
    service(world, "web", "shop", clusterIP="10.96.0.51")
    assert look_up(world, "web.shop") == "10.96.0.51"
    assert (look_up(world, "shop"), look_up(world, "web")) == ("10.96.0.50", "nobody")


def test_an_external_name_is_an_alias() -> None:
    world = World()
    service(world, "inside", clusterIP="10.96.0.50")
    service(world, "alias", type="ExternalName", externalName="inside.default.svc.cluster.local")
    service(world, "outside", type="ExternalName", externalName="db.example.com")
    service(world, "ring", type="ExternalName", externalName="ring.default.svc.cluster.local")
    assert look_up(world, "alias") == "10.96.0.50"
    assert look_up(world, "ring") == "nobody"
    assert reach(world, "outside", 5432) == "open"
