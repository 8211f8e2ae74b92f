"""What a pod that is being stopped still does, in which order its containers go, and who takes over."""

from typing import Any

import pytest

from lifecycle.engine import Cluster, Settings
from tests.engine.kubelet.world import EPOCH_MS, World

SHELL = {"image": "busybox:1"}
SHARED = {"volumeMounts": [{"name": "shared", "mountPath": "/shared"}]}
VOLUMES = [{"name": "shared", "emptyDir": {}}]


def seeded(seed: int) -> World:
    world = World()
    settings = Settings(timing="instant", nodes={"count": 1})
    world.cluster = Cluster(seed=seed, epoch_ms=EPOCH_MS, settings=settings)
    return world


def stops(world: World) -> list[tuple[float, str]]:
    """(seconds, container) of every signal."""
    return [
        (row["at_ms"] / 1000, row["field"].removeprefix("signal."))
        for row in world.rows
        if row.get("field", "").startswith("signal.")
    ]


@pytest.mark.slow
@pytest.mark.spec("POD-TERM-10")
@pytest.mark.parametrize("seed", range(1, 7))
def test_hooks_can_put_the_ends_of_containers_in_order(seed: int) -> None:
    # The proxy's hook waits for what the app leaves behind when it is done, three seconds after TERM.
    work = "trap 'sleep 3; touch /shared/done; exit 0' TERM; while true; do sleep 1; done"
    wait = {"exec": {"command": ["sh", "-c", "until [ -f /shared/done ]; do sleep 1; done"]}}
    app = {"name": "app", **SHELL, **SHARED, "command": ["sh", "-c", work]}
    proxy = {"name": "proxy", **SHARED, "lifecycle": {"preStop": wait}}
    world = seeded(seed)
    assert world.pod(proxy, app, volumes=VOLUMES).ok
    world.to(10).delete()
    world.to(60)
    # The sleep that began at 10 s ends first, then the trap runs: done at 14 s, when the hook looks too.
    assert stops(world) == [(10, "app"), (14, "proxy")]


@pytest.mark.spec("POD-TERM-10", "SCTERM-08")
@pytest.mark.parametrize("seed", range(1, 7))
def test_sidecars_put_them_in_order_without_any_hook(seed: int) -> None:
    behavior = {name: {"onTerm": {"takes": f"{takes}s"}} for name, takes in (("app", 3), ("proxy", 1))}
    world = seeded(seed)
    world.pod("app", init=("log*", "proxy*"), behavior=behavior)
    world.to(10).delete()
    world.to(60)
    assert stops(world) == [(10, "app"), (13, "proxy"), (14, "log")]
    assert not [row for row in world.rows if row.get("field", "").startswith("hook.")]


def serve(world: World, name: str, **container: Any) -> None:
    behavior = {"app": {"onTerm": {"takes": "20s", "accepts": True}}}
    app = {"name": "app", "ports": [{"containerPort": 8080}], **container}
    assert world.pod(app, behavior=behavior, meta={"name": name, "labels": {"app": "server"}}).ok


@pytest.mark.spec("POD-TERM-13")
def test_requests_go_to_a_server_that_is_being_stopped_until_another_one_is_ready() -> None:
    """topology.go: an endpoint that ends and serves is the last resort, since v1.28."""
    world = World()
    spec = {"selector": {"app": "server"}, "ports": [{"port": 80, "targetPort": 8080}]}
    meta = {"name": "server", "namespace": "default"}
    world.create({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec})
    serve(world, "old")
    ask = "while true; do nc -z -w 1 server 80 2> /dev/null && echo answered || echo refused; sleep 1; done"
    world.to(10).pod({"name": "app", **SHELL, "command": ["sh", "-c", ask]}, meta={"name": "client"})
    world.to(20).delete(name="old")
    # The new server is ready at 25 s; the old one serves until 40 s.
    probe = {"exec": {"command": ["true"]}, "initialDelaySeconds": 5}
    serve(world, "new", readinessProbe=probe)
    world.to(60)
    ready = [world.lane("endpoint.server", name) for name in ("old", "new")]
    assert ready[0] == [(0, "ready"), (20, "serving"), (40, None)]
    assert ready[1][-1] == (25, "ready")
    answers = [(log[3] / 1000, log[4]) for log in world.logs]
    assert {text for _at, text in answers} == {"answered"}


@pytest.mark.spec("POD-TERM-14")
def test_a_pod_that_is_being_stopped_is_replaced_at_once() -> None:
    behavior = '{"app": {"onTerm": {"takes": "20s"}}}'
    template = {
        "metadata": {"labels": {"app": "set"}, "annotations": {"podline.dev/behavior": behavior}},
        "spec": {"containers": [{"name": "app", "image": "sim/server:1"}]},
    }
    world = World()
    world.create(
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": "set", "namespace": "default"},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "set"}}, "template": template},
        }
    )
    (old,) = world.to(10).cluster.list("Pod", "default")
    world.delete(name=old["metadata"]["name"])
    world.to(15)
    made = [row["at_ms"] for row in world.rows if row.get("kind") == "Pod" and row.get("field") == "exists"]
    assert made == [0, 10_000]
    status = world.cluster.get("ReplicaSet", "default", "set")["status"]  # type: ignore[index]
    assert (status["replicas"], status["availableReplicas"], status["terminatingReplicas"]) == (1, 1, 1)


@pytest.mark.spec("POD-TERM-15")
@pytest.mark.parametrize(
    "grace, ended, code",
    [pytest.param(60, 55, 0, id="time enough"), pytest.param(30, 40, 137, id="cut off")],
)
def test_sessions_are_drained_within_the_grace_period(grace: int, ended: float, code: int) -> None:
    world = World()
    world.pod(behavior={"app": {"onTerm": {"takes": "45s", "exit": 0}}}, terminationGracePeriodSeconds=grace)
    world.to(10).delete()
    world.to(100)
    assert world.ends() == [(ended, code)]


@pytest.mark.spec("SCTERM-01", "SCTERM-09")
def test_a_sidecars_hook_runs_at_once_and_its_signal_waits_for_its_turn() -> None:
    # Of 12 s the hook takes 3 and the wait for the app, which ends after 5.5 s, two and a half: 7 s are left.
    hook = {"lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", "sleep 3"]}}}}
    side = {"name": "side", "restartPolicy": "Always", **hook}
    behavior = {
        "app": {"onTerm": {"takes": "5500ms"}},
        "side": {"preStop": {"takes": "3s"}, "onTerm": {"ignore": True}},
    }
    world = World()
    assert world.pod("app", init=(side,), behavior=behavior, terminationGracePeriodSeconds=12).ok
    world.to(10).delete()
    world.to(60)
    assert world.lane("hook.side.preStop") == [(10, "Started"), (13, "Succeeded")]
    assert world.events("Killing") == [(10, "Killing"), (10, "Killing")]
    assert world.signals("side") == [(15.5, "SIGTERM"), (22.5, "SIGKILL")]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("setup", id="an init container, which it does not wait for"),
        pytest.param("app", id="an app container"),
    ],
)
def test_a_sidecar_waits_for_app_containers_alone(name: str) -> None:
    world = World()
    runs = (
        {"setup": {"runs": [{"forever": True}]}} if name == "setup" else {"setup": {"runs": [{"for": "0s"}]}}
    )
    behavior = {**runs, name: {**runs.get(name, {}), "onTerm": {"takes": "4s"}}}
    world.pod("app", init=("side*", "setup"), behavior=behavior)
    world.to(10).delete()
    world.to(60)
    assert stops(world) == [(10, name), (10 if name == "setup" else 14, "side")]


@pytest.mark.parametrize(
    "seconds, reason", [pytest.param(20, "DeadlineExceeded", id="passed"), pytest.param(60, None, id="ahead")]
)
def test_a_deadline_that_passes_while_a_pod_is_stopped_is_exceeded(seconds: int, reason: str | None) -> None:
    # Each status that is made of a pod asks for its deadline, so also the last two, at 25 s (ShouldEvict).
    world = World()
    behavior = {"app": {"onTerm": {"takes": "15s"}}}
    meta = {"finalizers": ["shop.example/hold"]}
    world.pod(behavior=behavior, meta=meta, activeDeadlineSeconds=seconds)
    world.to(10).delete()
    status = world.to(40).status()
    assert (status["phase"], status.get("reason")) == ("Failed" if reason else "Succeeded", reason)
    assert world.events("DeadlineExceeded") == [(25, "DeadlineExceeded")] * (2 if reason else 0)


@pytest.mark.parametrize(
    "hook, gone",
    [
        pytest.param({"exec": {"command": ["sleep", "8"]}}, 14, id="a command ends with its container"),
        pytest.param({"sleep": {"seconds": 8}}, 18, id="a sleep is the kubelet's own"),
    ],
)
def test_a_container_that_ends_before_its_hook(hook: dict[str, Any], gone: float) -> None:
    world = World()
    app = {"name": "app", **SHELL, "command": ["sh", "-c", "sleep 14"], "lifecycle": {"preStop": hook}}
    assert world.pod(app, restartPolicy="Never").ok
    world.to(10).delete()
    world.to(60)
    assert world.ends() == [(14, 0)]
    assert world.at("exists", "deleted") == [gone]
    assert len(world.events("FailedPreStopHook")) == ("exec" in hook)
