"""Whole lives of pods: what triggers an in-place restart, what hooks and images do, how every life ends."""

from typing import Any

import pytest

from tests.engine.kubelet.world import World

ALL_GATE = {"RestartAllContainersOnContainerExits": True}
RULES = [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [88]}}]
HOOK = {"lifecycle": {"preStop": {"exec": {"command": ["true"]}}}}


@pytest.mark.parametrize("trigger", ["app", "init", "side"])
@pytest.mark.spec("RALL-10")
def test_any_container_may_restart_all(trigger: str) -> None:
    world = World(gates=ALL_GATE)
    own: dict[str, dict[str, Any]] = {"app": {}, "init": {}, "side": {"restartPolicy": "Always"}}
    own[trigger] = {"restartPolicy": "Never", **own[trigger], "restartPolicyRules": RULES}
    behavior: dict[str, Any] = {"init": {"runs": [{"for": "1s", "exit": 0}]}}
    behavior[trigger] = {"runs": [{"for": "10s", "exit": 88}, {"for": "1s", "exit": 0}]}
    made = world.pod(
        {"name": "app", **own["app"]},
        init=({"name": "init", **own["init"]}, {"name": "side", **own["side"]}),
        behavior=behavior,
        restartPolicy="Never",
    )
    assert made.ok, made.status
    world.to(15)
    assert len(world.starts("init")) == 2
    assert [value for _, value in world.condition("PodRestartInPlace")] == ["True", "False"]


@pytest.mark.spec("RALL-15")
def test_init_that_fails_after_an_in_place_restart_fails_the_pod() -> None:
    world = World(gates=ALL_GATE)
    behavior = {
        "init": {"runs": [{"for": "1s", "exit": 0}, {"for": "1s", "exit": 1}]},
        "app": {"runs": [{"for": "9s", "exit": 88}]},
    }
    app = {"name": "app", "restartPolicy": "Never", "restartPolicyRules": RULES}
    world.pod(app, init=("init",), behavior=behavior, restartPolicy="Never")
    world.to(20)
    assert world.lane("phase") == [(0, "Pending"), (1, "Running"), (11, "Failed")]


@pytest.mark.spec("CSTATE-11")
def test_no_pre_stop_hook_when_the_process_ends_by_itself() -> None:
    world = World()
    behavior = {"app": {"runs": [{"for": "5s", "exit": 0}], "preStop": {"takes": "3s", "exit": 0}}}
    world.pod({"name": "app", **HOOK}, behavior=behavior, restartPolicy="Never")
    world.to(20)
    assert (world.ends(), world.lane("hook.app.preStop")) == ([(5, 0)], [])


@pytest.mark.spec("CSTATE-11", "PRESTOP-01")
def test_the_hook_runs_before_a_requested_stop() -> None:
    world = World()
    behavior = {"app": {"preStop": {"takes": "3s", "exit": 0}, "onTerm": {"takes": "1s", "exit": 0}}}
    world.pod({"name": "app", **HOOK}, behavior=behavior)
    world.to(10).delete()
    world.to(30)
    assert world.lane("hook.app.preStop") == [(10, "Started"), (13, "Succeeded")]
    assert (world.signals(), world.ends()) == ([(13, "SIGTERM")], [(14, 0)])


@pytest.mark.spec("BACKOFF-08")
def test_nodes_may_have_their_own_longest_delay() -> None:
    config = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "metadata": {"labels": {"podline.dev/node": "node-1"}},
        "crashLoopBackOff": {"maxContainerRestartPeriod": "2s"},
    }
    world = World(kubelet=[config], nodes=2)
    crash = {"app": {"runs": [{"for": "1s", "exit": 1}]}}
    for node in ("node-1", "node-2"):
        world.pod(behavior=crash, meta={"name": node}, nodeName=node)
    world.to(13)
    assert (world.starts(name="node-1"), world.starts(name="node-2")) == ([0, 1, 4, 7, 10, 13], [0, 1, 12])


@pytest.mark.spec("SIDECAR-15")
def test_a_sidecars_new_image_restarts_only_it() -> None:
    world = World()
    world.pod(init=("side*",))
    patch = {"spec": {"initContainers": [{"name": "side", "image": "sim/server:2"}]}}
    where = {"kind": "Pod", "namespace": "default", "name": "web"}
    answer = world.to(10).submit("patch", **where, type="strategic", patch=patch)
    assert answer.ok, answer.status
    world.to(20)
    assert (world.starts("side"), world.starts()) == ([0, 10], [0])


@pytest.mark.spec("INIT-19")
def test_a_new_image_counts_for_an_init_container_that_has_not_run() -> None:
    world = World()
    world.pod(init=("one", "two"), behavior={"one": {"runs": [{"for": "10s", "exit": 0}]}})
    patch = {"spec": {"initContainers": [{"name": "two", "image": "sim/shell:2"}]}}
    where = {"kind": "Pod", "namespace": "default", "name": "web"}
    assert world.to(5).submit("patch", **where, type="strategic", patch=patch).ok
    world.to(20)
    assert (world.starts("one"), world.container("two")["image"]) == ([0], "docker.io/sim/shell:2")


@pytest.mark.spec("INIT-09")
def test_an_init_container_that_cannot_be_started_is_tried_again() -> None:
    world = World()
    behavior = {
        "init": {"start": {"error": "RunContainerError", "times": 1}, "runs": [{"for": "1s", "exit": 0}]}
    }
    world.pod(init=("init",), behavior=behavior)
    world.to(60)
    assert "RunContainerError" in [reason for _, reason in world.waits("init")]
    assert world.status()["phase"] == "Running"


@pytest.mark.spec("GRACE-06")
def test_the_decided_grace_period_is_stored_on_the_pod() -> None:
    world = World()
    world.pod(behavior={"app": {"onTerm": {"ignore": True}}}, terminationGracePeriodSeconds=45)
    world.to(10).delete()
    found = world.get()
    assert found is not None
    assert found["metadata"]["deletionGracePeriodSeconds"] == 45
    assert world.to(60).ends() == [(55, 137)]


@pytest.mark.parametrize("code, phase", [(0, "Succeeded"), (1, "Failed")])
@pytest.mark.spec("POD-LIFE-01", "POD-LIFE-15")
def test_a_life_from_pending_to_its_end(code: int, phase: str) -> None:
    world = World()
    behavior = {"app": {"pull": {"takes": "3s"}, "runs": [{"for": "5s", "exit": code}]}}
    world.pod(behavior=behavior, restartPolicy="Never")
    world.to(3600)
    assert world.lane("phase") == [(0, "Pending"), (3, "Running"), (8, phase)]
    assert world.get() is not None


@pytest.mark.spec("POD-PHASE-02", "POD-PHASE-05")
def test_the_phase_stays_while_containers_come_and_go() -> None:
    world = World()
    behavior = {"app": {"runs": [{"for": "5s", "exit": 1}]}, "slow": {"pull": {"takes": "4s"}}}
    world.pod(
        {"name": "app", "image": "sim/server:1"}, {"name": "slow", "image": "sim/slow:9"}, behavior=behavior
    )
    world.to(100)
    assert world.lane("phase") == [(0, "Pending"), (4, "Running")]
    assert len(world.ends()) > 2


@pytest.mark.spec("POD-TERM-01")
@pytest.mark.parametrize("grace", [1, 5, 30])
def test_every_deletion_comes_to_its_end(grace: int) -> None:
    world = World()
    world.pod("a", "b", behavior={name: {"onTerm": {"ignore": True}} for name in ("a", "b")})
    world.to(10).delete(grace)
    world.to(10 + max(grace, 2))
    assert (world.get(), len(world.at("exists", "deleted"))) == (None, 1)
    assert world.cluster.is_idle()


@pytest.mark.spec("PROBE-28")
def test_a_process_that_crashes_needs_no_probe_to_come_back() -> None:
    world = World()
    world.pod(behavior={"app": {"runs": [{"for": "20s", "exit": 1}, {"forever": True}]}})
    assert world.to(60).starts() == [0, 20]


@pytest.mark.spec("PROBE-10", "PROBE-12")
def test_three_kinds_of_probes_tell_their_three_results() -> None:
    world = World()
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 5}
    seen = [
        {"at": "0s", "result": "success"},
        {"at": "12s", "result": "unknown"},
        {"at": "22s", "result": "failure"},
    ]
    kinds = ("startup", "liveness", "readiness")
    app = {"name": "app", **{f"{kind}Probe": probe for kind in kinds}}
    world.pod(app, behavior={"app": {"probes": dict.fromkeys(kinds, seen)}})
    world.to(26)
    told = {kind: [value for _, value in world.lane(f"probe.app.{kind}")] for kind in kinds}
    assert told["startup"] == ["Success"]
    assert told["liveness"] == told["readiness"] == ["Success", "Unknown", "Failure"]


@pytest.mark.spec("INIT-26", "INIT-18")
def test_a_new_image_of_a_finished_init_container_restarts_nothing() -> None:
    world = World()
    world.pod(init=("init",), behavior={"init": {"runs": [{"for": "1s", "exit": 0}]}})
    patch = {"spec": {"initContainers": [{"name": "init", "image": "sim/shell:2"}]}}
    where = {"kind": "Pod", "namespace": "default", "name": "web"}
    assert world.to(10).submit("patch", **where, type="strategic", patch=patch).ok
    world.to(60)
    assert (world.starts("init"), world.starts(), world.ends()) == ([0], [1], [])


@pytest.mark.spec("INIT-33")
def test_regular_init_containers_never_run_beside_the_app() -> None:
    world = World()
    once = {"runs": [{"for": "3s", "exit": 0}]}
    world.pod(init=("one", "two"), behavior={"one": once, "two": once})
    world.to(20)
    assert (world.ends("one"), world.ends("two"), world.starts()) == ([(3, 0)], [(6, 0)], [6])


@pytest.mark.spec("COND-01")
def test_a_pods_own_conditions() -> None:
    world = World()
    world.pod()
    types = [one["type"] for one in world.to(5).status()["conditions"]]
    assert sorted(types) == [
        "ContainersReady",
        "Initialized",
        "PodReadyToStartContainers",
        "PodScheduled",
        "Ready",
    ]


@pytest.mark.spec("RALL-05", "RALL-06")
@pytest.mark.parametrize(
    "slow", [{"pull": {"takes": "20s"}}, {"start": {"takes": "20s"}}], ids=["being pulled", "being started"]
)
def test_a_restart_in_place_waits_for_what_is_being_started(slow: Any) -> None:
    world = World(gates=ALL_GATE)
    trigger = {"name": "trigger", "restartPolicy": "Never", "restartPolicyRules": RULES}
    behavior = {
        "first": {"runs": [{"for": "30s", "exit": 0}]},
        "slow": slow,
        "trigger": {"runs": [{"for": "5s", "exit": 88}, {"forever": True}]},
    }
    slow_one = {"name": "slow", "image": "sim/slow:1"}
    assert world.pod(trigger, slow_one, init=("first",), behavior=behavior).ok
    world.to(300)
    # Init 0-30, trigger 30-35. The look that has begun to start the other one is over at 50 (SyncPod): the
    # next one restarts them all. Again init 50-80, trigger 80; an image is pulled once.
    assert world.starts("first") == [0, 50]
    assert world.starts("slow") == [50, 80 if "pull" in slow else 100]
    assert world.container("slow")["restartCount"] == 1


def test_a_restart_in_place_gives_back_the_memory_that_was_used() -> None:
    quick = {"kind": "KubeletConfiguration", "evictionPressureTransitionPeriod": "10s"}
    world = World(gates=ALL_GATE, kubelet=[quick])
    trigger = {"name": "trigger", "restartPolicy": "Never", "restartPolicyRules": RULES}
    behavior = {
        "app": {"usage": [{"at": "0s", "memory": "1Gi"}, {"at": "25s", "memory": "8150Mi"}]},
        "trigger": {"runs": [{"for": "40s", "exit": 88}, {"forever": True}]},
    }
    assert world.pod("app", trigger, behavior=behavior, priority=2_000_000_000).ok
    # 42 MiB are left from 25 on and, begun anew at 40, from 65 on.
    lane = world.to(100).condition("MemoryPressure", "node-1")
    assert lane == [(30, "True"), (40, "False"), (70, "True")]
