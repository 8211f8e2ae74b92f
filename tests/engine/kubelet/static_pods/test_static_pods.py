"""Static pods: run by their node's kubelet from a manifest, shown in the API by a mirror pod."""

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.kubelet.world import World

MIRROR = "kubernetes.io/config.mirror"
NAME = "web-node-1"


def manifest(
    image: str = "sim/server:1", behavior: Any = None, name: str = "web", **spec: Any
) -> dict[str, Any]:
    meta: dict[str, Any] = {"name": name, "labels": {"tier": "node"}}
    if behavior:
        meta["annotations"] = {"podline.dev/behavior": json.dumps({"app": behavior})}
    containers = [{"name": "app", "image": image}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": containers, **spec}}


def put(world: World, data: dict[str, Any], node: str = "node-1") -> None:
    answer = world.submit("staticPod", node=node, manifest=data)
    assert answer.ok, answer.status


def remove(world: World, name: str = "web") -> None:
    answer = world.submit("staticPod", node="node-1", remove=name)
    assert answer.ok, answer.status


def fault(world: World, kind: str, seconds: float) -> None:
    assert world.submit("fault", node="node-1", kind=kind, **{"for": f"{seconds}s"}).ok


def mirror(world: World, name: str = NAME) -> dict[str, Any]:
    found = world.get(name)
    assert found is not None
    return found


@pytest.mark.spec("STATIC-01", "STATIC-03")
def test_a_manifest_on_a_node_is_run_by_that_node_without_a_scheduler() -> None:
    world = World(nodes=2)
    taints = [{"key": "none", "effect": "NoSchedule"}]
    assert world.submit("taint", node="node-2", taints=taints).ok
    assert world.submit("cordon", node="node-2").ok
    put(world, manifest(), node="node-2")
    world.to(10)
    found = mirror(world, "web-node-2")
    assert (found["spec"]["nodeName"], found["status"]["phase"]) == ("node-2", "Running")
    assert found["metadata"]["annotations"]["kubernetes.io/config.source"] == "file"
    assert found["metadata"]["ownerReferences"][0]["kind"] == "Node"
    assert found["spec"]["tolerations"] == [{"operator": "Exists", "effect": "NoExecute"}]
    assert world.lane("node", "web-node-2") == [(0, "node-2")]
    assert world.events("Scheduled", name="web-node-2") == []
    assert world.condition("PodScheduled", "web-node-2") == [(0, "True")]


@pytest.mark.spec("STATIC-02")
def test_the_kubelet_restarts_it_while_the_api_server_is_out_of_reach() -> None:
    world = World()
    put(world, manifest(behavior={"runs": [{"for": "20s", "exit": 1}, {"for": "100s", "exit": 2}]}))
    fault(world.to(10), "partition", 50)
    world.to(59)
    assert world.starts(name=NAME) == [0]
    found = world.to(70).container(pod=NAME)
    # It ran again at 20 s; that was told when the node could be reached.
    assert found["state"]["running"]["startedAt"] == "2026-01-01T00:00:20Z"
    assert (found["restartCount"], found["lastState"]["terminated"]["exitCode"]) == (1, 1)
    assert world.at("container.app.restartCount", 1, NAME) == [60]


@pytest.mark.spec("STATIC-02", "STATIC-04", "DS-ALT-03")
def test_one_put_on_a_node_that_is_cut_off_runs_before_it_is_seen() -> None:
    world = World()
    fault(world.to(10), "partition", 50)
    put(world, manifest(behavior={"runs": [{"forever": True}]}))
    assert world.to(59).get(NAME) is None
    world.to(61)
    assert world.lane("exists", NAME) == [(60, "created")]
    started = world.container(pod=NAME)["state"]["running"]["startedAt"]
    assert started == "2026-01-01T00:00:10Z"


@pytest.mark.spec("STATIC-04")
@pytest.mark.parametrize(
    "patch, subresource",
    [
        pytest.param({"spec": {"containers": [{"name": "app", "image": "sim/server:2"}]}}, None, id="image"),
        pytest.param({"metadata": {"labels": {"tier": "other"}}}, None, id="label"),
        pytest.param({"status": {"phase": "Failed"}}, "status", id="status"),
    ],
)
def test_an_edited_mirror_changes_nothing(patch: dict[str, Any], subresource: str | None) -> None:
    world = World()
    put(world, manifest())
    where = {"kind": "Pod", "namespace": "default", "name": NAME, "type": "strategic"}
    if subresource:
        where["subresource"] = subresource
    assert world.to(10).submit("patch", **where, patch=patch).ok
    world.to(60)
    assert (world.starts(name=NAME), world.ends(name=NAME)) == ([0], [])
    assert (mirror(world)["status"]["phase"], world.container(pod=NAME)["image"]) == (
        "Running",
        "docker.io/sim/server:1",
    )


@pytest.mark.spec("STATIC-06", "STATIC-01")
def test_it_ends_with_its_manifest_and_never_shows_a_terminal_phase() -> None:
    world = World()
    put(world, manifest(behavior={"onTerm": {"takes": "4s", "exit": 0}}))
    remove(world.to(10))
    world.to(60)
    assert world.signals(name=NAME) == [(10, "SIGTERM")]
    assert world.lane("phase", NAME) == [(0, "Pending"), (0, "Running")]
    assert world.lane("exists", NAME) == [(0, "created"), (14, "deleted")]
    assert world.cluster.is_idle()


def test_one_that_ignores_its_signal_is_killed_after_its_grace() -> None:
    world = World()
    put(world, manifest(behavior={"onTerm": {"ignore": True}}, terminationGracePeriodSeconds=7))
    remove(world.to(10))
    world.to(60)
    assert world.signals(name=NAME) == [(10, "SIGTERM"), (17, "SIGKILL")]
    assert world.at("exists", "deleted", NAME) == [17]


@pytest.mark.spec("STATIC-07")
@pytest.mark.parametrize("options", [{}, {"gracePeriodSeconds": 5}, {"force": True}])
def test_a_deleted_mirror_is_made_again_and_no_container_notices(options: dict[str, Any]) -> None:
    world = World()
    put(world, manifest(behavior={"runs": [{"for": "50s", "exit": 1}]}))
    first = mirror(world.to(10))["metadata"]
    assert world.submit("delete", kind="Pod", namespace="default", name=NAME, **options).ok
    second = mirror(world)["metadata"]
    assert second["uid"] != first["uid"]
    assert second["annotations"][MIRROR] == first["annotations"][MIRROR]
    world.to(49)
    assert world.lane("exists", NAME) == [(0, "created"), (10, "deleted"), (10, "created")]
    assert (world.signals(name=NAME), world.ends(name=NAME)) == ([], [])
    assert world.events("Started", name=NAME) == [(0, "Started")]
    assert world.container(pod=NAME)["state"]["running"]["startedAt"] == "2026-01-01T00:00:00Z"
    assert world.to(60).ends(name=NAME) == [(50, 1)]


def test_a_mirror_deleted_while_the_node_is_cut_off_is_made_again_afterwards() -> None:
    world = World()
    put(world, manifest())
    fault(world.to(10), "partition", 50)
    world.delete(0, force=True, name=NAME)
    assert world.to(59).get(NAME) is None
    world.to(100)
    assert world.lane("exists", NAME) == [(0, "created"), (10, "deleted"), (60, "created")]
    assert world.ends(name=NAME) == []


def test_a_mirror_is_made_when_its_name_is_free() -> None:
    world = World()
    world.pod(meta={"name": NAME})
    put(world, manifest())
    assert MIRROR not in mirror(world.to(10))["metadata"].get("annotations", {})
    assert world.delete(0, force=True, name=NAME).ok
    assert mirror(world)["metadata"]["annotations"][MIRROR]
    assert world.to(20).container(pod=NAME)["state"]["running"]["startedAt"] == "2026-01-01T00:00:00Z"


def test_the_mirror_of_a_node_that_is_taken_away_comes_back_with_it() -> None:
    world = World()
    put(world, manifest())
    node = world.to(10).cluster.get("Node", None, "node-1")
    assert world.submit("delete", kind="Node", name="node-1").ok
    # Its owner is gone, and nobody but a registered node shows what runs there.
    assert world.to(20).get(NAME) is None
    assert node is not None
    node["metadata"] = {"name": "node-1"}
    assert world.create(node).ok
    assert mirror(world.to(30))["metadata"]["ownerReferences"][0]["name"] == "node-1"
    assert (world.starts(name=NAME)[0], world.ends(name=NAME)) == (0, [])


def test_a_mirror_of_what_ended_while_the_node_was_cut_off_goes_afterwards() -> None:
    world = World()
    put(world, manifest())
    fault(world.to(10), "partition", 50)
    remove(world.to(20))
    world.to(100)
    assert world.signals(name=NAME) == [(20, "SIGTERM")]
    assert world.lane("exists", NAME) == [(0, "created"), (60, "deleted")]


def test_a_changed_manifest_waits_for_the_end_of_the_former() -> None:
    world = World()
    put(world, manifest(behavior={"onTerm": {"takes": "6s", "exit": 0}}))
    first = mirror(world.to(10))["metadata"]
    put(world, manifest(image="sim/server:2"))
    world.to(60)
    assert world.lane("exists", NAME) == [(0, "created"), (16, "deleted"), (16, "created")]
    assert world.starts(name=NAME) == [0, 16]
    second = mirror(world)
    assert second["metadata"]["annotations"][MIRROR] != first["annotations"][MIRROR]
    assert world.container(pod=NAME)["image"] == "docker.io/sim/server:2"


def test_an_equal_manifest_changes_nothing() -> None:
    world = World()
    put(world, manifest())
    uid = mirror(world.to(10))["metadata"]["uid"]
    put(world, manifest())
    assert mirror(world.to(20))["metadata"]["uid"] == uid
    assert world.signals(name=NAME) == []


@pytest.mark.parametrize("kind, starts", [("kubeletRestart", [0]), ("reboot", [0, 60])])
def test_it_is_found_again_by_a_kubelet_that_starts(kind: str, starts: list[float]) -> None:
    world = World()
    put(world, manifest())
    fault(world.to(10), kind, 50)
    put(world.to(20), manifest(name="late"))
    world.to(100)
    assert world.starts(name=NAME) == starts
    assert world.starts(name="late-node-1") == [60]
    assert world.lane("exists", NAME) == [(0, "created")]


def test_it_takes_room_on_its_node_and_answers_for_a_service() -> None:
    world = World()
    data = manifest()
    data["spec"]["containers"][0].update(
        resources={"requests": {"cpu": "3"}}, ports=[{"containerPort": 8080}]
    )
    put(world, data)
    world.pod({"name": "app", "resources": {"requests": {"cpu": "2"}}}, meta={"name": "big"})
    ports = [{"port": 80, "targetPort": 8080}]
    spec = {"selector": {"tier": "node"}, "ports": ports}
    meta = {"name": "front", "namespace": "default"}
    assert world.create({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}).ok
    check = {"image": "busybox:1", "command": ["sh", "-c", "nc -z front 80 && echo open; sleep 3600"]}
    world.to(10).pod({"name": "app", **check}, meta={"name": "caller"})
    world.to(20)
    assert [entry[4] for entry in world.cluster.take_changes().logs][-1] == "open"
    assert world.status("big")["conditions"][0]["reason"] == "Unschedulable"


def test_its_logs_are_its_mirrors() -> None:
    world = World()
    data = manifest(image="busybox:1")
    data["spec"]["containers"][0]["command"] = ["sh", "-c", "echo $UID_OF; sleep 3600"]
    field = {"fieldRef": {"fieldPath": "metadata.uid"}}
    data["spec"]["containers"][0]["env"] = [{"name": "UID_OF", "valueFrom": field}]
    put(world, data)
    found = mirror(world.to(10))["metadata"]
    # It knows itself by its own uid; whoever reads the log finds it by the mirror.
    logs = [(entry[0], entry[4]) for entry in world.cluster.take_changes().logs]
    assert logs == [(found["uid"], found["annotations"][MIRROR])]


def test_a_container_of_it_can_be_made_to_fail() -> None:
    world = World()
    put(world, manifest())
    assert world.to(10).submit("fault", pod=NAME, container="app", kind="exit", code=3).ok
    assert world.to(20).starts(name=NAME) == [0, 10]
    assert world.ends(name=NAME) == [(10, 3)]


def test_a_mirror_of_nothing_is_taken_away() -> None:
    world = World()
    world.pod(meta={"annotations": {MIRROR: "none"}}, nodeName="node-1")
    world.to(10)
    assert world.lane("exists") == [(0, "created"), (0, "deleted")]
    assert world.starts() == []


@pytest.mark.parametrize(
    "metadata, said",
    [
        pytest.param(
            {"annotations": {MIRROR: None}}, "may not remove or update mirror pod annotation", id="gone"
        ),
        pytest.param(
            {"annotations": {MIRROR: "x"}}, "may not remove or update mirror pod annotation", id="new"
        ),
    ],
)
def test_a_mirror_stays_one(metadata: dict[str, Any], said: str) -> None:
    world = World()
    put(world, manifest())
    answer = world.to(10).patch({"metadata": metadata}, name=NAME)
    assert answer.code == 422 and answer.status is not None
    assert f"metadata.annotations[{MIRROR}]: Forbidden: {said}" in answer.status["message"]


def test_no_other_pod_can_pass_for_a_mirror() -> None:
    world = World()
    world.pod()
    answer = world.to(10).patch({"metadata": {"annotations": {MIRROR: "x"}}})
    assert answer.status is not None and "may not add mirror pod annotation" in answer.status["message"]
    made = world.pod(meta={"name": "other", "annotations": {MIRROR: "x"}})
    assert made.status is not None
    assert (
        'Invalid value: "x": must set spec.nodeName if mirror pod annotation is set' in made.status["message"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("at", [5, 11, 14, 25])
def test_static_pods_survive_saving(at: float) -> None:
    def live(saved_at: float | None) -> list[Any]:
        world = World()
        put(world, manifest(behavior={"onTerm": {"takes": "6s", "exit": 0}}))
        put(world, manifest(name="crashing", behavior={"runs": [{"for": "3s", "exit": 1}]}))
        for seconds, act in (
            (10, lambda: put(world, manifest(image="sim/server:2"))),
            (20, lambda: world.delete(name=NAME)),
            (40, lambda: remove(world, "crashing")),
        ):
            if saved_at is not None and world.cluster.now_ms < saved_at * 1000 <= seconds * 1000:
                world.to(saved_at)
                assert world.rows
                world.cluster = Cluster.load(world.cluster.save())
            world.to(seconds)
            act()
        return world.to(100).rows

    assert live(at) == live(None)


@pytest.mark.parametrize(
    "payload, said",
    [
        pytest.param({"node": "node-9", "manifest": manifest()}, 'nodes "node-9" not found', id="node"),
        pytest.param({"node": "node-1"}, "use {node, manifest} to put", id="nothing"),
        pytest.param({"node": "node-1", "remove": "web"}, 'no manifest of a pod "web" on node', id="absent"),
        pytest.param(
            {"node": "node-1", "manifest": {"apiVersion": "v1", "kind": "Secret"}},
            "use the manifest of a Pod",
            id="kind",
        ),
        pytest.param(
            {"node": "node-1", "manifest": manifest(serviceAccountName="robot")},
            "spec.serviceAccountName: a static pod may not refer to other objects of the API",
            id="account",
        ),
        pytest.param(
            {"node": "node-1", "manifest": manifest(volumes=[{"name": "v", "secret": {"secretName": "s"}}])},
            "spec.volumes[0].secret: a static pod may not refer",
            id="secret",
        ),
        pytest.param(
            {"node": "node-1", "manifest": {**manifest(), "metadata": {"generateName": "web-"}}},
            "metadata.name: is required",
            id="made-up name",
        ),
        pytest.param(
            {"node": "node-1", "manifest": manifest(schedulingGates=[{"name": "example.com/wait"}])},
            "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
            id="gates",
        ),
        pytest.param(
            {"node": "node-1", "manifest": manifest(restartPolicy="Sometimes")},
            "spec.restartPolicy: Unsupported value",
            id="invalid",
        ),
        pytest.param(
            {"node": "node-1", "manifest": {**manifest(), "metadata": {"name": "web", "namespace": "none"}}},
            'namespaces "none" not found',
            id="namespace",
        ),
    ],
)
def test_what_no_node_can_run_is_refused(payload: dict[str, Any], said: str) -> None:
    world = World()
    answer = world.submit("staticPod", **payload)
    assert not answer.ok and answer.status is not None
    assert said in answer.status["message"]
    assert world.cluster.list("Pod") == []
