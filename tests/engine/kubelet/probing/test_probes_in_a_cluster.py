"""Probes in a running cluster (S18, S19 and what their results do).

Liveness and startup probes tick once a period from the pod's start on, before its containers run: the first
check is made at the first tick after the initial delay (worker.go, as recorded with v1.35.6). The
specification has it right after the delay.
"""

from typing import Any

import pytest

from tests.engine.kubelet.world import World

EXEC = {"exec": {"command": ["true"]}}


def probed(probes: Any, seen: Any, **spec: Any) -> World:
    world = World()
    behavior = {"app": {"probes": seen, **spec.pop("behaves", {})}}
    assert world.pod({"name": "app", **probes}, behavior=behavior, **spec).ok
    return world


def failing(*since: tuple[str, str]) -> list[dict[str, str]]:
    return [{"at": at, "result": result} for at, result in since]


S18 = {"livenessProbe": {**EXEC, "initialDelaySeconds": 15}}
SICK = {"liveness": failing(("0s", "success"), ("10s", "failure"))}


@pytest.mark.spec("PROBE-13", "PROBE-25", "PROBE-26", "PROBE-36", "PROBE-38")
def test_s18_a_failing_liveness_probe_restarts() -> None:
    world = probed(S18, SICK, behaves={"onTerm": {"takes": "0s", "exit": 2}}).to(139)
    # The recording probe-tcp-no-listener outranks the specification for v1.35: a look that kills counts the
    # delay from the end before, so that runs of 40 s wait for none of 10 s and 20 s.
    assert world.starts() == [0, 40, 80, 120]
    # The look that kills starts the next run, and tells of both as one.
    assert world.ends() == [] and world.container()["lastState"]["terminated"]["exitCode"] == 2
    assert world.events("Killing")[:3] == [(40, "Killing"), (80, "Killing"), (120, "Killing")]
    assert world.events("Unhealthy")[0] == (20, "Unhealthy")
    assert world.lane("phase") == [(0, "Pending"), (0, "Running")]


@pytest.mark.spec("PROBE-29")
def test_s18_with_never_it_stays_down() -> None:
    world = probed(S18, SICK, behaves={"onTerm": {"takes": "0s", "exit": 2}}, restartPolicy="Never").to(60)
    assert (world.starts(), world.lane("phase")[-1]) == ([0], (40, "Failed"))


def test_s18_a_healthy_server_is_left_alone() -> None:
    world = probed(S18, {"liveness": failing(("0s", "success"))}).to(200)
    assert (world.starts(), world.events("Unhealthy", "Killing")) == ([0], [])


STARTUP = {"startupProbe": {**EXEC, "failureThreshold": 30}, "livenessProbe": EXEC}


@pytest.mark.spec("PROBE-19", "PROBE-21", "PROBE-22")
def test_s19_a_slow_start_within_its_budget() -> None:
    slow = failing(("0s", "failure"), ("95s", "success"))
    world = probed(STARTUP, {"startup": slow, "liveness": slow}).to(300)
    assert world.starts() == [0]
    assert world.at("container.app.started", True) == [100]
    assert world.at("container.app.ready", True) == [100]
    assert [row for row in world.lane("probe.app.liveness") if row[0] < 100] == []


@pytest.mark.spec("PROBE-20", "PROBE-27")
def test_s19_a_start_that_never_comes() -> None:
    never = failing(("0s", "failure"))
    behaves = {"onTerm": {"takes": "0s", "exit": 0}}
    world = probed(STARTUP, {"startup": never, "liveness": never}, behaves=behaves).to(300)
    assert world.starts() == [0, 300]


@pytest.mark.spec("PROBE-27")
def test_s19_liveness_alone_kills_a_slow_start() -> None:
    never = failing(("0s", "failure"), ("95s", "success"))
    behaves = {"onTerm": {"takes": "0s", "exit": 0}}
    assert probed({"livenessProbe": EXEC}, {"liveness": never}, behaves=behaves).to(35).starts() == [0, 30]


@pytest.mark.spec("PROBE-15", "PROBE-16", "PROBE-30", "PROBE-31")
def test_readiness_moves_ready_and_never_restarts() -> None:
    seen = failing(("0s", "failure"), ("5s", "success"), ("22s", "failure"), ("55s", "success"))
    world = probed({"readinessProbe": EXEC}, {"readiness": seen}).to(100)
    assert world.condition("Ready") == [(0, "False"), (10, "True"), (50, "False"), (60, "True")]
    assert world.starts() == [0]


@pytest.mark.spec("PROBE-18", "PROBE-21")
def test_without_probes_a_running_container_is_ready_and_started() -> None:
    app = probed({}, {}).to(0)
    assert (app.container()["ready"], app.container()["started"]) == (True, True)


@pytest.mark.spec("PROBE-11")
def test_unknown_changes_nothing() -> None:
    seen = failing(("0s", "success"), ("5s", "unknown"))
    world = probed({"livenessProbe": EXEC, "readinessProbe": EXEC}, {"liveness": seen, "readiness": seen})
    world.to(200)
    assert (world.starts(), world.condition("Ready")[-1]) == ([0], (0, "True"))


@pytest.mark.parametrize(
    "grace, killed",
    [
        pytest.param({"terminationGracePeriodSeconds": 5}, 35, id="its own grace"),
        pytest.param({}, 60, id="the pod's grace"),
    ],
)
@pytest.mark.spec("PROBE-34", "GRACE-10")
def test_a_liveness_kill_is_graceful(grace: dict[str, int], killed: int) -> None:
    probe = {"livenessProbe": {**EXEC, **grace}}
    world = probed(probe, {"liveness": failing(("0s", "failure"))}, behaves={"onTerm": {"ignore": True}})
    world.to(killed)
    assert (world.starts(), world.container()["lastState"]["terminated"]["exitCode"]) == ([0, killed], 137)
    assert world.signals()[:2] == [(30, "SIGTERM"), (killed, "SIGKILL")]


def test_a_check_of_a_neighbours_port_goes_on_and_is_upkeep_in_the_end() -> None:
    world = World()
    check = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 5}
    web = {"name": "web", "image": "nginx:1.27", "ports": [{"containerPort": 80}]}
    side = {"name": "side", "image": "busybox", "command": ["sleep", "100000"], "readinessProbe": check}
    assert world.pod(web, side).ok
    world.to(60)
    assert world.condition("Ready")[-1][1] == "True" and not world.cluster.is_idle()
    # As with what programs do, ten minutes are waited for.
    assert world.to(620).cluster.is_idle()


@pytest.mark.parametrize(
    "handler, expected",
    [
        pytest.param({"httpGet": {"port": 80}}, "Readiness probe failed: Get ", id="http"),
        pytest.param({"tcpSocket": {"port": 80}}, "Readiness probe failed: dial tcp ", id="tcp"),
        pytest.param(
            {"exec": {"command": ["true"]}},
            "Readiness probe errored and resulted in unknown state: rpc error: code = Unknown desc ="
            " failed to exec in container: container is in CONTAINER_EXITED state",
            id="exec",
        ),
    ],
)
def test_a_check_after_the_end_that_nobody_knows_of_meets_nobody(handler: Any, expected: str) -> None:
    """worker.go, doProbe: by its status the container runs until the next relist, a second later at most."""
    world = World(timing={"preset": "instant", "kubelet_look": "1004ms"})
    app = {"name": "app", "readinessProbe": {**handler, "periodSeconds": 1}}
    world.pod(app, behavior={"app": {"runs": [{"for": "4900ms", "exit": 2}]}})
    world.to(300)
    told = [row for row in world.rows if row["type"] == "event" and row["reason"] == "Unhealthy"]
    assert any(row["message"].startswith(expected) for row in told), told
