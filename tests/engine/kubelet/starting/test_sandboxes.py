"""Sandboxes that are lost, or cannot be made; nodes that reboot. Trouble comes at 100 s."""

from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.kubelet.world import World

ENDS = {"runs": [{"for": "5s", "exit": 0}]}
READY_TO_START = "PodReadyToStartContainers"


def running(*apps: Any, behavior: Any = None, **pod: Any) -> World:
    world = World()
    assert world.pod(*apps, behavior=behavior, **pod).ok
    return world.to(100)


def lose(world: World) -> None:
    assert world.submit("fault", pod="web", kind="sandbox").ok


@pytest.mark.spec("SBOX-04", "SBOX-05")
def test_a_lost_sandbox_is_made_again_with_a_new_address() -> None:
    world = running(behavior={"app": {"onTerm": {"takes": "4s"}}})
    address = world.status()["podIP"]
    lose(world)
    world.to(200)
    assert world.condition(READY_TO_START) == [(0, "False"), (0, "True"), (100, "False"), (104, "True")]
    assert world.events("SandboxChanged") == [(100, "SandboxChanged")]
    assert world.signals() == [(100, "SIGTERM")]
    assert world.starts() == [0, 104]
    assert world.status()["podIP"] != address
    assert world.status()["phase"] == "Running"
    assert world.container()["restartCount"] == 1
    assert world.lane("exists") == [(0, "created")]


@pytest.mark.spec("INIT-17", "INIT-24", "SBOX-05")
def test_init_containers_run_again_in_a_new_sandbox() -> None:
    world = running(behavior={"first": ENDS, "second": ENDS}, init=("first", "second"))
    lose(world)
    world.to(200)
    assert world.starts("first") == [0, 100]
    assert world.starts("second") == [5, 105]
    assert world.starts() == [10, 110]
    assert world.container("first")["restartCount"] == 1
    assert world.condition("Initialized")[-1][1] == "True"
    assert world.status()["phase"] == "Running"


def test_sidecars_and_containers_stop_before_the_new_sandbox() -> None:
    behavior = {"app": {"onTerm": {"ignore": True}}, "side": {"onTerm": {"takes": "2s"}}}
    world = running(behavior=behavior, init=("side*",), terminationGracePeriodSeconds=10)
    lose(world)
    world.to(200)
    assert world.ends("side") == [(102, 0)]
    assert world.ends() == [(110, 137)]
    assert world.starts("side") == [0, 110]
    assert world.starts() == [0, 110]


def test_a_pod_that_restarts_nothing_is_over_without_its_sandbox() -> None:
    world = running(restartPolicy="Never", behavior={"app": {"onTerm": {"takes": "1s", "exit": 1}}})
    lose(world)
    world.to(200)
    assert world.lane("phase")[-1] == (101, "Failed")
    assert world.starts() == [0]


@pytest.mark.spec("SBOX-11")
def test_a_sandbox_that_cannot_be_made_is_tried_again() -> None:
    world = World()
    world.submit("fault", node="node-1", kind="sandboxFailure", **{"for": "35s"})
    world.pod()
    world.to(30)
    assert world.condition(READY_TO_START) == [(0, "False")]
    assert world.waits() == [(0, "ContainerCreating")]
    world.to(100)
    rows = [row for row in world.rows if row.get("reason") == "FailedCreatePodSandBox"]
    assert [(row["at_ms"], row["count"], row["last_ms"]) for row in rows] == [(0, 1, 0), (40_000, 4, 30_000)]
    assert world.condition(READY_TO_START) == [(0, "False"), (40, "True")]
    assert world.starts() == [40]


def test_a_pod_without_a_sandbox_can_be_deleted() -> None:
    world = World()
    world.submit("fault", node="node-1", kind="sandboxFailure")
    world.pod()
    world.to(15).delete()
    world.to(100)
    assert world.at("exists", "deleted") == [15]
    assert world.cluster.is_idle()


@pytest.mark.spec("SBOX-04", "NODELOSS-10")
def test_pods_start_again_on_a_node_that_rebooted() -> None:
    world = running(behavior={"first": ENDS}, init=("first",))
    uid = world.get()["metadata"]["uid"]  # type: ignore[index]
    world.submit("fault", node="node-1", kind="reboot", **{"for": "30s"})
    world.to(129)
    assert world.condition(READY_TO_START)[-1] == (0, "True")
    world.to(200)
    assert world.condition(READY_TO_START)[-2:] == [(130, "False"), (130, "True")]
    assert world.starts("first") == [0, 130]
    assert world.starts() == [5, 135]
    assert world.container()["lastState"]["terminated"]["exitCode"] == 255
    assert world.get()["metadata"]["uid"] == uid  # type: ignore[index]


def test_a_pod_being_deleted_is_over_when_its_node_is_back() -> None:
    world = running(behavior={"app": {"onTerm": {"ignore": True}}})
    world.delete()
    world.to(105).submit("fault", node="node-1", kind="reboot", **{"for": "5s"})
    world.to(200)
    assert world.at("exists", "deleted") == [110]


@pytest.mark.parametrize("at", [101, 103, 107])
def test_a_renewal_survives_saving(at: float) -> None:
    def live(saved_at: float | None) -> list[Any]:
        behavior = {"first": ENDS, "app": {"onTerm": {"takes": "4s"}}}
        world = running(behavior=behavior, init=("first",))
        lose(world)
        world.submit("fault", node="node-1", kind="sandboxFailure", **{"for": "6s"})
        if saved_at is not None:
            world.to(saved_at)
            assert world.rows
            world.cluster = Cluster.load(world.cluster.save())
        return world.to(300).rows

    assert live(at) == live(None)


def test_what_has_no_sandbox_cannot_lose_it() -> None:
    world = World()
    world.submit("fault", node="node-1", kind="sandboxFailure")
    world.pod()
    answer = world.submit("fault", pod="web", kind="sandbox")
    assert answer.code == 409


@pytest.mark.spec("POD-PHASE-17")
def test_a_pod_whose_init_failed_with_its_sandbox_is_over_for_good() -> None:
    # A rule of the app would restart it, but init containers of this pod are not retried.
    rules = [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}]
    app = {"name": "app", "restartPolicy": "Never", "restartPolicyRules": rules}
    world = World(gates={"ContainerRestartRules": True})
    world.pod(app, init=("first",), behavior={"first": {"onTerm": {"exit": 1}}}, restartPolicy="Never")
    assert world.to(10).submit("fault", pod="web", namespace="default", kind="sandbox").ok
    world.to(60)
    assert world.lane("phase")[-1][1] == "Failed"
    assert world.starts("first") == [0]
    assert world.status()["phase"] == "Failed"


@pytest.mark.spec("INIT-17")
def test_a_container_that_was_being_restarted_waits_for_init_in_a_new_sandbox_too() -> None:
    # Killed for its liveness at 30 s, it ends at 35 s; the sandbox is lost at 32 s. Init takes 20 s.
    probe = {"exec": {"command": ["true"]}, "failureThreshold": 1, "periodSeconds": 1}
    points = [{"at": "0s", "result": "success"}, {"at": "10s", "result": "failure"}]
    behavior = {
        "first": {"runs": [{"for": "20s", "exit": 0}]},
        "app": {"probes": {"liveness": points}, "onTerm": {"takes": "5s", "exit": 1}},
    }
    world = World()
    world.pod({"name": "app", "livenessProbe": probe}, init=("first",), behavior=behavior)
    assert world.to(32).submit("fault", pod="web", namespace="default", kind="sandbox").ok
    world.to(54)
    assert world.starts("first") == [0, 35]
    assert world.starts() == [20]
    assert world.to(60).starts() == [20, 55]
