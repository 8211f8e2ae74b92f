"""Init containers seen from outside: ports, templates, mounts, and when they run once more."""

import base64
from typing import Any

import pytest

from tests.engine.kubelet.world import World

ONCE = {"runs": [{"for": "5s", "exit": 0}]}
SHELL = {"image": "busybox:1"}


def workload(world: World, kind: str, command: str) -> None:
    template = {
        "metadata": {"labels": {"app": "shop"}},
        "spec": {
            "initContainers": [{"name": "first", **SHELL, "command": ["sh", "-c", command]}],
            "containers": [{"name": "app", "image": "sim/server:1"}],
        },
    }
    made = world.submit(
        "apply",
        object={
            "apiVersion": "apps/v1",
            "kind": kind,
            "metadata": {"name": "shop", "namespace": "default"},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "shop"}}, "template": template},
        },
    )
    assert made.ok, made.status


def commands(world: World) -> list[str]:
    """What the init containers of the pods that are not going run."""
    return [
        pod["spec"]["initContainers"][0]["command"][2]
        for pod in world.cluster.list("Pod", "default")
        if "deletionTimestamp" not in pod["metadata"]
    ]


@pytest.mark.spec("INIT-13")
@pytest.mark.parametrize(
    "init, ports",
    [
        pytest.param({}, [], id="runs before the app"),
        pytest.param({"restartPolicy": "Always"}, [9100], id="runs beside the app"),
    ],
)
def test_a_service_finds_no_port_of_an_init_container(init: dict[str, Any], ports: list[int]) -> None:
    world = World()
    entries = [
        {"name": "web", "port": 80, "targetPort": "http"},
        {"name": "more", "port": 81, "targetPort": "metrics"},
    ]
    meta = {"name": "web", "namespace": "default"}
    spec = {"selector": {"app": "web"}, "ports": entries}
    world.create({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec})
    first = {"name": "first", "ports": [{"name": "metrics", "containerPort": 9100}], **init}
    app = {"name": "app", "ports": [{"name": "http", "containerPort": 8080}]}
    world.pod(app, init=(first,), behavior={"first": {} if init else ONCE}, meta={"labels": {"app": "web"}})
    (found,) = world.to(30).slices()
    assert [port["port"] for port in found["ports"]] == [8080, *ports]


@pytest.mark.spec("INIT-20")
@pytest.mark.parametrize(
    "kind, after",
    [
        pytest.param("Deployment", ["echo new"], id="a Deployment rolls out"),
        pytest.param("ReplicaSet", ["echo old"], id="a ReplicaSet keeps the pods it has"),
    ],
)
def test_any_field_of_an_init_container_may_change_in_a_template(kind: str, after: list[str]) -> None:
    world = World()
    workload(world, kind, "echo old")
    workload(world.to(10), kind, "echo new")
    assert commands(world.to(60)) == after
    # The next pod that a ReplicaSet makes is of the new template.
    (name,) = [pod["metadata"]["name"] for pod in world.cluster.list("Pod", "default")]
    world.delete(name=name)
    assert commands(world.to(120)) == ["echo new"]


@pytest.mark.spec("INIT-25")
def test_initialization_is_repeated_when_nothing_tells_of_it_and_no_container_runs() -> None:
    # The app ends at 15, 25 and 45 s (back-off 0 and 10 s); at 50 s the record of `first` is lost.
    world = World()
    world.pod(init=("first",), behavior={"first": ONCE, "app": {"runs": [{"for": "10s", "exit": 1}]}})
    assert world.to(50).starts("first") == [0]
    lost = world.submit("fault", pod="web", container="first", kind="lost")
    assert lost.ok, lost.status
    world.to(70)
    assert world.starts("first") == [0, 50]
    assert world.starts() == [5, 15, 35, 65]


@pytest.mark.spec("INIT-26")
def test_initialization_is_not_repeated_for_a_lost_record_while_the_app_runs() -> None:
    world = World()
    world.pod(init=("first",), behavior={"first": ONCE})
    assert world.to(50).submit("fault", pod="web", container="first", kind="lost").ok
    assert world.to(100).starts("first") == [0]
    assert (world.starts(), world.ends()) == ([5], [])


@pytest.mark.spec("INIT-34")
def test_an_init_container_reads_a_secret_that_the_app_cannot_reach() -> None:
    world = World()
    data = {"key": base64.b64encode(b"for init alone").decode()}
    meta = {"name": "token", "namespace": "default"}
    world.create({"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data})
    read = ["sh", "-c", "cat /secret/key || echo none"]
    mount = {"volumeMounts": [{"name": "token", "mountPath": "/secret"}]}
    first = {"name": "first", "image": "alpine:3", "command": read, **mount}
    app = {"name": "app", **SHELL, "command": read}
    volumes = [{"name": "token", "secret": {"secretName": "token"}}]
    assert world.pod(app, init=(first,), volumes=volumes, restartPolicy="Never").ok
    assert world.to(30).rows
    said = {(log[1], log[4]) for log in world.logs if "No such file" not in log[4]}
    assert said == {("first", "for init alone"), ("app", "none")}
    images = [world.container(name)["image"] for name in ("first", "app")]
    assert images == ["docker.io/library/alpine:3", "docker.io/library/busybox:1"]


@pytest.mark.spec("COND-14")
def test_a_pod_whose_initialization_failed_is_unready_as_failed_while_its_sidecar_stops() -> None:
    # Nothing starts again from 5 s on; the sidecar takes 3 s to end, and the phase waits for it.
    world = World()
    behavior = {"side": {"onTerm": {"takes": "3s"}}, "setup": {"runs": [{"for": "5s", "exit": 2}]}}
    world.pod(init=("side*", "setup"), behavior=behavior, restartPolicy="Never")
    world.to(30)
    reasons = [
        (row["at_ms"] / 1000, row["reason"])
        for row in world.rows
        if row.get("field") == "condition.Ready" and row["kind"] == "Pod"
    ]
    assert reasons == [(0, "ContainersNotReady"), (5, "PodFailed")]
    assert world.at("phase", "Failed") == [8]


def test_an_ephemeral_container_waits_with_the_reason_of_the_pods_others() -> None:
    world = World(timing="realistic")
    world.pod(init=("setup",), behavior={"setup": {"runs": [{"forever": True}]}})
    where = {"kind": "Pod", "namespace": "default", "name": "web", "subresource": "ephemeralcontainers"}
    patch = {"spec": {"ephemeralContainers": [{"name": "debugger", **SHELL}]}}
    assert world.to(10).submit("patch", type="strategic", patch=patch, **where).ok
    world.to(30)
    assert world.waits("debugger") == [(10, "PodInitializing")]
