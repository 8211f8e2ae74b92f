"""What containers of a pod share, and what is added to a pod that lives."""

from typing import Any

import pytest

from lifecycle.engine import Cluster, Settings
from tests.engine.kubelet.world import EPOCH_MS, World


def debug(world: World, *command: str) -> Any:
    container = {"name": "debugger", "image": "busybox:1", "command": list(command)}
    where = {"kind": "Pod", "namespace": "default", "name": "web", "subresource": "ephemeralcontainers"}
    patch = {"spec": {"ephemeralContainers": [container]}}
    return world.submit("patch", type="strategic", patch=patch, **where)


@pytest.mark.spec("EPHEM-01", "EPHEM-07", "EPHEM-08")
def test_a_crashed_container_is_looked_at_from_an_ephemeral_one() -> None:
    world = World()
    world.pod(behavior={"app": {"runs": [{"for": "5s", "exit": 1}]}})
    assert debug(world.to(8), "sh", "-c", "sleep 5; exit 3").ok
    world.to(12)
    assert "running" in world.container("debugger")["state"]
    assert [one["name"] for one in world.status()["containerStatuses"]] == ["app"]
    world.to(60)
    assert world.ends("debugger") == [(13, 3)]
    assert world.starts("debugger") == [8]
    started = [row["fieldPath"] for row in world.rows if row.get("reason") == "Started"]
    assert started.count("spec.ephemeralContainers{debugger}") == 1


@pytest.mark.spec("EPHEM-03", "EPHEM-11")
def test_an_ephemeral_container_has_no_say_in_phase_or_readiness() -> None:
    world = World()
    world.pod()
    debug(world.to(10), "sh", "-c", "exit 3")
    world.to(60)
    assert world.container("debugger")["restartCount"] == 0
    assert world.lane("phase") == [(0, "Pending"), (0, "Running")]
    assert world.condition("Ready") == [(0, "False"), (0, "True")]


@pytest.mark.parametrize("is_shared", [True, False])
@pytest.mark.spec("EPHEM-09")
def test_an_ephemeral_container_sees_the_processes_of_the_others_when_they_are_shared(
    is_shared: bool,
) -> None:
    world = World()
    app = {"name": "app", "image": "busybox:1", "command": ["sleep", "4321"]}
    world.pod(app, shareProcessNamespace=is_shared)
    assert debug(world.to(10), "ps").ok
    assert world.to(20).rows
    seen = [log[4] for log in world.logs if log[1] == "debugger"]
    assert any("sleep 4321" in line for line in seen) is is_shared


def test_a_pod_with_an_ephemeral_container_may_still_be_changed() -> None:
    world = World()
    world.pod()
    assert debug(world.to(10), "sleep", "1h").ok
    answer = world.patch({"metadata": {"labels": {"looked": "at"}}})
    assert answer.ok, answer.status
    (added,) = world.get()["spec"]["ephemeralContainers"]  # type: ignore[index]
    assert (added["terminationMessagePath"], added["imagePullPolicy"]) == (
        "/dev/termination-log",
        "IfNotPresent",
    )


@pytest.mark.spec("COND-15", "DCOND-04")
def test_an_evicted_pod_says_so_before_it_is_deleted() -> None:
    world = World()
    world.pod(behavior={"app": {"onTerm": {"takes": "4s"}}})
    assert world.to(10).submit("evict", namespace="default", name="web").ok
    told = [one for one in world.status()["conditions"] if one["type"] == "DisruptionTarget"]
    assert [(one["status"], one["reason"]) for one in told] == [("True", "EvictionByEvictionAPI")]
    rows = [(row["at_ms"], row["field"]) for row in world.to(60).rows if row["type"] == "transition"]
    assert rows.index((10_000, "condition.DisruptionTarget")) < rows.index((10_000, "deletion"))
    assert world.at("exists", "deleted") == [14]


@pytest.mark.spec("POD-TERM-09")
def test_containers_are_stopped_in_an_order_that_the_seed_draws() -> None:
    orders = set()
    for seed in range(1, 9):
        world = World()
        settings = Settings(timing="instant", nodes={"count": 1})
        world.cluster = Cluster(seed=seed, epoch_ms=EPOCH_MS, settings=settings)
        world.pod("one", "two", "three")
        world.to(10).delete()
        stopped = [row["field"] for row in world.rows if row.get("field", "").startswith("signal.")]
        assert sorted(stopped) == ["signal.one", "signal.three", "signal.two"]
        orders.add(tuple(stopped))
    assert len(orders) > 1


@pytest.mark.spec("POD-TERM-17", "POD-TERM-19")
def test_the_sandbox_goes_after_the_last_container_and_the_object_after_that() -> None:
    world = World()
    world.pod("one", "two", behavior={name: {"onTerm": {"takes": "3s"}} for name in ("one", "two")})
    world.to(10).delete()
    world.to(60)
    fields = [(row["at_ms"], row["field"], row["new"]) for row in world.rows if row["type"] == "transition"]
    ended = [index for index, row in enumerate(fields) if row[1:] == ("container.two.state", "Terminated")]
    torn = fields.index((13_000, "condition.PodReadyToStartContainers", "False"))
    final = fields.index((13_000, "phase", "Succeeded"))
    gone = fields.index((13_000, "exists", "deleted"))
    assert ended[0] < torn < final < gone


@pytest.mark.spec("SBOX-10")
def test_the_sandbox_condition_has_its_new_name_alone() -> None:
    world = World()
    world.pod()
    types = [one["type"] for one in world.to(10).status()["conditions"]]
    assert "PodReadyToStartContainers" in types
    assert "PodHasNetwork" not in types


@pytest.mark.spec("INIT-29")
def test_what_an_init_container_reserves_stays_reserved() -> None:
    world = World()
    settings = Settings(timing="instant", nodes={"count": 1, "cpu": "4", "memory": "8Gi"})
    world.cluster = Cluster(seed=1, epoch_ms=EPOCH_MS, settings=settings)
    first = {"name": "first", "resources": {"requests": {"cpu": "3"}}}
    app = {"name": "app", "resources": {"requests": {"cpu": "1"}}}
    world.pod(app, init=(first,), behavior={"first": {"runs": [{"for": "5s", "exit": 0}]}})
    world.to(10).pod({"name": "app", "resources": {"requests": {"cpu": "2"}}}, meta={"name": "other"})
    assert world.to(20).starts() == [5]
    assert world.lane("node", "other") == []
    world.delete()
    assert world.to(30).lane("node", "other") == [(20, "node-1")]


@pytest.mark.spec("SIDECAR-14")
def test_sidecars_and_containers_share_network_and_volumes() -> None:
    mount = {"volumeMounts": [{"name": "shared", "mountPath": "/shared"}]}
    write = "echo hello > /shared/note; sleep 3600"
    read = "until cat /shared/note; do sleep 1; done; sleep 1; nc -z localhost 8080 && echo open; sleep 3600"
    image = {"image": "busybox:1"}
    side = {"name": "side", "restartPolicy": "Always", **image, **mount, "command": ["sh", "-c", write]}
    app = {"name": "app", **image, **mount, "command": ["sh", "-c", read]}
    server = {"name": "server", "image": "sim/server:1", "ports": [{"containerPort": 8080}]}
    world = World()
    assert world.pod(app, server, init=(side,), volumes=[{"name": "shared", "emptyDir": {}}]).ok
    world.to(30)
    logs = [entry[4] for entry in world.cluster.take_changes().logs if entry[1] == "app"]
    assert (logs[0], logs[-1]) == ("hello", "open")


def test_no_two_pods_have_one_address() -> None:
    world = World(nodes=2)
    for number in range(40):
        world.pod(meta={"name": f"pod-{number}"})
    world.to(10)
    addresses = [pod["status"]["podIP"] for pod in world.cluster.list("Pod", "default")]
    assert len(set(addresses)) == 40


def test_an_ephemeral_container_outlives_a_restart_of_all_others() -> None:
    rules = [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [88]}}]
    world = World(gates={"RestartAllContainersOnContainerExits": True, "ContainerRestartRules": True})
    app = {"name": "app", "restartPolicy": "Never", "restartPolicyRules": rules}
    world.pod(app, behavior={"app": {"runs": [{"for": "20s", "exit": 88}, {"forever": True}]}})
    assert debug(world.to(10), "sleep", "1h").ok
    world.to(60)
    assert world.starts() == [0, 20]
    assert world.lane("container.debugger.state") == [(10, "Waiting"), (10, "Running")]


def test_nobody_says_of_an_ephemeral_container_whether_it_is_ready() -> None:
    """Recorded with v1.35.6 (ephemeral-image-missing and others)."""
    world = World()
    world.pod()
    debug(world.to(10), "sleep", "60")
    status = world.to(20).container("debugger")
    assert "running" in status["state"] and not status["ready"] and "started" not in status


def test_nothing_is_said_of_an_ephemeral_container_of_a_finished_pod() -> None:
    """Recorded with v1.35.6 (ephemeral-on-finished-pod)."""
    world = World()
    world.pod(behavior={"app": {"runs": [{"for": "5s", "exit": 0}]}}, restartPolicy="Never")
    assert debug(world.to(10), "sleep", "60").ok
    assert "ephemeralContainerStatuses" not in world.to(20).status()
