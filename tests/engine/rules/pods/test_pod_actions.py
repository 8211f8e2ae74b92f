"""What the next sync of a pod starts and kills; the decision tables hold the rest."""

from typing import Any

import pytest

from lifecycle.engine.objects.pods.runtime import RuntimePod
from lifecycle.engine.rules.pods.actions import decide_pod_actions
from tests.engine.rules.build import make_runtime, make_spec

RESTART_ALL = [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [88]}}]


@pytest.mark.spec("INIT-04")
def test_app_containers_start_together_after_the_last_init_container() -> None:
    actions = decide_pod_actions(make_spec("a", "b", init=("init",)), make_runtime(init=0))
    assert actions.containers_to_start == ["a", "b"]


@pytest.mark.parametrize(
    "runtime, expected",
    [
        pytest.param({}, ["one"], id="first"),
        pytest.param({"one": "running"}, [], id="wait"),
        pytest.param({"one": 0}, ["two"], id="next"),
        pytest.param({"one": 1}, ["one"], id="again"),
    ],
)
@pytest.mark.spec("INIT-03")
def test_init_containers_run_one_at_a_time(runtime: dict[str, Any], expected: list[str]) -> None:
    actions = decide_pod_actions(make_spec("app", init=("one", "two")), make_runtime(**runtime))
    assert (actions.init_containers_to_start, actions.containers_to_start) == (expected, [])


@pytest.mark.spec("SIDECAR-04")
def test_a_started_sidecar_lets_the_next_one_start() -> None:
    actions = decide_pod_actions(make_spec("app", init=("side*", "init")), make_runtime(side="running"))
    assert actions.init_containers_to_start == ["init"]


@pytest.mark.parametrize("result, expected", [(None, []), ("Unknown", []), ("Success", ["init"])])
@pytest.mark.spec("SIDECAR-04", "SIDECAR-05")
def test_a_sidecar_with_a_startup_probe_has_started_when_it_succeeds(
    result: str | None, expected: list[str]
) -> None:
    side = {"name": "side", "restartPolicy": "Always", "startupProbe": {"exec": {}}}
    results = {"side": {"startup": result}} if result else {}
    actions = decide_pod_actions(
        make_spec("app", init=(side, "init")), make_runtime(side="running"), probe_results=results
    )
    assert actions.init_containers_to_start == expected


@pytest.mark.parametrize(
    "policy, starts, message",
    [
        ("Always", ["app"], "Container app failed liveness probe, will be restarted"),
        ("Never", [], "Container app failed liveness probe"),
    ],
)
@pytest.mark.spec("PROBE-13", "PROBE-29")
def test_a_failed_liveness_probe_kills(policy: str, starts: list[str], message: str) -> None:
    actions = decide_pod_actions(
        make_spec(policy=policy), make_runtime(app="running"), probe_results={"app": {"liveness": "Failure"}}
    )
    killed = [(one.name, one.reason, one.message) for one in actions.containers_to_kill]
    assert killed == [("app", "LivenessProbe", message)]
    assert actions.containers_to_start == starts


@pytest.mark.spec("POD-OBJ-18")
def test_a_new_image_replaces_that_run_only() -> None:
    spec = make_spec({"name": "a", "image": "sim/server:2"}, "b", policy="Never")
    actions = decide_pod_actions(spec, make_runtime(a="running", b="running"))
    assert [one.name for one in actions.containers_to_kill] == actions.containers_to_start == ["a"]


@pytest.mark.spec("INIT-18")
def test_a_new_init_image_restarts_nothing() -> None:
    spec = make_spec("app", init=({"name": "init", "image": "sim/other:1"},))
    actions = decide_pod_actions(spec, make_runtime(init=0, app="running"))
    assert (actions.containers_to_kill, actions.init_containers_to_start) == ([], [])


@pytest.mark.spec("RALL-01", "RALL-07")
@pytest.mark.parametrize("trigger, expected", [(88, "side"), (1, "")])
def test_a_matching_exit_restarts_everything(trigger: int, expected: str) -> None:
    side = {"name": "side", "restartPolicy": "Always", "restartPolicyRules": RESTART_ALL}
    spec = make_spec("app", init=("init", side), policy="Never")
    actions = decide_pod_actions(spec, make_runtime(init=0, side=trigger, app="running"))
    assert actions.restart_all == expected
    assert [one.name for one in actions.containers_to_kill] == (["app"] if expected else [])


@pytest.mark.spec("RALL-06")
def test_after_an_in_place_restart_init_runs_again() -> None:
    side = {"name": "side", "restartPolicy": "Always", "restartPolicyRules": RESTART_ALL}
    actions = decide_pod_actions(make_spec("app", init=("init", side), policy="Never"), make_runtime())
    assert actions.init_containers_to_start == ["init"]


@pytest.mark.spec("POD-TERM-26")
def test_nothing_starts_in_a_terminating_pod() -> None:
    actions = decide_pod_actions(make_spec(), make_runtime(app=1), is_terminating=True)
    assert (actions.kill_pod, actions.containers_to_start) == (True, [])


@pytest.mark.parametrize(
    "ready, ip, host_network, expected",
    [
        pytest.param(True, "10.0.0.1", False, False, id="stands"),
        pytest.param(False, "10.0.0.1", False, True, id="lost", marks=pytest.mark.spec("SBOX-05", "INIT-17")),
        pytest.param(True, "", False, True, id="no network"),
        pytest.param(True, "", True, False, id="host network needs none"),
    ],
)
def test_a_lost_sandbox_begins_the_pod_again(
    ready: bool, ip: str, host_network: bool, expected: bool
) -> None:
    spec = make_spec("app", init=("init",), hostNetwork=host_network)
    runtime = RuntimePod("sandbox", ready, 0, ip, make_runtime(init=0, app="running").containers)
    actions = decide_pod_actions(spec, runtime)
    assert actions.create_sandbox is expected
    assert actions.init_containers_to_start == (["init"] if expected else [])


@pytest.mark.spec("EPHEM-03")
@pytest.mark.parametrize("debug, expected", [(None, ["debug"]), (1, [])])
def test_an_ephemeral_container_starts_once(debug: int | None, expected: list[str]) -> None:
    spec = make_spec(ephemeralContainers=[{"name": "debug", "image": "busybox"}])
    states: dict[str, Any] = {"app": "running"} if debug is None else {"app": "running", "debug": debug}
    assert decide_pod_actions(spec, make_runtime(**states)).ephemeral_containers_to_start == expected


@pytest.mark.parametrize(
    "runtime, is_over",
    [
        pytest.param({"init": 0, "app": 0}, True, id="all is done"),
        pytest.param({"app": 0}, True, id="nobody knows of its initialization any more"),
        pytest.param({"init": 1, "app": 0}, True, id="an init container failed in a later sandbox"),
        pytest.param({"init": 0, "app": 1}, False, id="a failure comes back"),
        pytest.param({"init": 0}, False, id="it had not come so far"),
    ],
)
def test_a_pod_that_loses_its_sandbox_is_over_when_its_containers_have_succeeded(
    runtime: dict[str, Any], is_over: bool
) -> None:
    lost = make_runtime(**runtime).replace(sandbox_ready=False)
    actions = decide_pod_actions(make_spec("app", init=("init",), policy="OnFailure"), lost)
    starts = [] if is_over else ["init"]
    assert (actions.create_sandbox, actions.init_containers_to_start) == (not is_over, starts)
