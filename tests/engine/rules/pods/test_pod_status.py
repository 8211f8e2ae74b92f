"""Phases, conditions and container statuses from what containers do."""

from typing import Any

import pytest

from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.objects.pods.runtime import RuntimeContainer
from lifecycle.engine.rules.pods.conditions import decide_conditions
from lifecycle.engine.rules.pods.container_status import (
    decide_container_status,
    decide_lost_status,
    image_id_of,
)
from lifecycle.engine.rules.pods.status import decide_phase
from tests.engine.rules.build import ended, make_spec, status

ONE_RULE = [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}]


def phase_of(spec: PodSpec, *statuses: Any, init: tuple[Any, ...] = (), **how: Any) -> str:
    how = {"is_terminal": False, "has_initialized": False, **how}
    return decide_phase(spec, init, statuses, **how)


@pytest.mark.parametrize(
    "policy, exit_code, expected",
    [
        pytest.param("Always", 0, "Running", marks=pytest.mark.spec("RPOL-09")),
        pytest.param("OnFailure", 0, "Succeeded", marks=pytest.mark.spec("RPOL-09", "POD-PHASE-07")),
        pytest.param("Never", 0, "Succeeded", marks=pytest.mark.spec("RPOL-09")),
        pytest.param("Always", 1, "Running", marks=pytest.mark.spec("RPOL-10", "POD-PHASE-19")),
        pytest.param("OnFailure", 1, "Running", marks=pytest.mark.spec("RPOL-10")),
        pytest.param("Never", 1, "Failed", marks=pytest.mark.spec("RPOL-10", "POD-PHASE-08")),
    ],
)
def test_one_ended_container(policy: str, exit_code: int, expected: str) -> None:
    assert phase_of(make_spec(policy=policy), status("app", ended(exit_code))) == expected


@pytest.mark.parametrize(
    "policy, second, expected",
    [
        pytest.param("Always", "running", "Running", marks=pytest.mark.spec("RPOL-11")),
        pytest.param("OnFailure", "running", "Running", marks=pytest.mark.spec("RPOL-11")),
        pytest.param("Never", "running", "Running", marks=pytest.mark.spec("RPOL-11")),
        pytest.param("Always", 1, "Running", marks=pytest.mark.spec("RPOL-12")),
        pytest.param("OnFailure", 1, "Running", marks=pytest.mark.spec("RPOL-12")),
        pytest.param("OnFailure", 0, "Running", marks=pytest.mark.spec("RPOL-12")),
        pytest.param("Never", 1, "Failed", marks=pytest.mark.spec("RPOL-12")),
        pytest.param("Never", 0, "Failed", marks=pytest.mark.spec("RPOL-12")),
    ],
)
def test_first_container_failed(policy: str, second: Any, expected: str) -> None:
    other = status("c2", ended(second) if isinstance(second, int) else second)
    assert phase_of(make_spec("c1", "c2", policy=policy), status("c1", ended(1)), other) == expected


@pytest.mark.spec("POD-PHASE-06")
def test_one_container_that_never_ran_keeps_the_pod_pending() -> None:
    seen = status("c1", "running"), status("c2", "ContainerCreating")
    assert phase_of(make_spec("c1", "c2"), *seen) == "Pending"


@pytest.mark.spec("POD-PHASE-10")
def test_a_crash_loop_is_running() -> None:
    waits = status("app", "CrashLoopBackOff", last_state=ended(1))
    assert phase_of(make_spec(), waits) == "Running"


@pytest.mark.spec("POD-PHASE-17")
@pytest.mark.parametrize("final", ["Succeeded", "Failed"])
def test_a_terminal_phase_is_final(final: str) -> None:
    assert phase_of(make_spec(), status("app", "running"), current_phase=final) == final


@pytest.mark.spec("POD-PHASE-18", "SIDECAR-13")
def test_a_killed_sidecar_does_not_fail_the_pod() -> None:
    spec = make_spec("app", init=("side*",), policy="Never")
    seen = phase_of(spec, status("app", ended(0)), init=(status("side", ended(137)),), has_initialized=True)
    assert seen == "Succeeded"


@pytest.mark.spec("SIDECAR-19")
def test_the_pod_is_pending_until_its_sidecar_has_started() -> None:
    spec = make_spec("app", init=("side*",))
    starting = (status("side", "running", started=False),)
    assert phase_of(spec, status("app", "PodInitializing"), init=starting) == "Pending"


@pytest.mark.parametrize(
    "own, policy, exit_code, expected",
    [
        pytest.param({}, "Never", 1, "Failed", marks=pytest.mark.spec("POD-PHASE-13", "RPOL-08")),
        pytest.param({"restartPolicy": "Never"}, "Always", 1, "Failed", marks=pytest.mark.spec("CRULE-10")),
        pytest.param({}, "Always", 1, "Pending", marks=pytest.mark.spec("RPOL-06")),
        pytest.param(
            {"restartPolicy": "OnFailure"}, "Never", 1, "Pending", marks=pytest.mark.spec("CRULE-01")
        ),
        pytest.param({}, "Never", 0, "Pending", id="succeeded"),
    ],
)
def test_an_init_container_ended(own: dict[str, Any], policy: str, exit_code: int, expected: str) -> None:
    spec = make_spec("app", init=({"name": "init", **own},), policy=policy)
    init = (status("init", ended(exit_code), ready=exit_code == 0),)
    assert phase_of(spec, status("app", "PodInitializing"), init=init) == expected


@pytest.mark.parametrize(
    "exit_code, expected",
    [
        pytest.param(42, "Running", marks=pytest.mark.spec("CRULE-11", "CRULE-15")),
        pytest.param(1, "Failed", marks=pytest.mark.spec("CRULE-07", "CRULE-15")),
        pytest.param(0, "Succeeded", marks=pytest.mark.spec("CRULE-07")),
    ],
)
def test_rules_decide_before_the_containers_policy(exit_code: int, expected: str) -> None:
    worker = {"name": "worker", "restartPolicy": "Never", "restartPolicyRules": ONE_RULE}
    assert phase_of(make_spec(worker, policy="Never"), status("worker", ended(exit_code))) == expected


@pytest.mark.spec("POD-PHASE-14", "POD-TERM-18")
@pytest.mark.parametrize("codes, expected", [((0, 0), "Succeeded"), ((0, 143), "Failed")])
def test_a_deleted_pod_ends_by_its_exit_codes(codes: tuple[int, int], expected: str) -> None:
    seen = [status(name, ended(code)) for name, code in zip(("c1", "c2"), codes, strict=True)]
    assert phase_of(make_spec("c1", "c2"), *seen, is_terminal=True) == expected


@pytest.mark.spec("RALL-12")
def test_an_in_place_restart_keeps_the_phase_running_while_init_runs_again() -> None:
    spec = make_spec("app", init=("init",), policy="Never")
    app = status("app", "RestartingAllContainers", last_state=ended(137, "RestartingAllContainers"))
    init = (status("init", "running"),)
    assert phase_of(spec, app, init=init, current_phase="Running") == "Running"


# --- conditions -------------------------------------------------------------------------------------

SCHEDULED = Condition("PodScheduled", "True", "", "", 0, None, None, 1)


def conditions_of(spec: PodSpec, phase: str, *statuses: Any, **how: Any) -> dict[str, Condition]:
    init, old = how.pop("init", ()), how.pop("old", (SCHEDULED,))
    how = {"sandbox_ready": True, "now_ms": 5000, "generation": 1, **how}
    return {one.type: one for one in decide_conditions(spec, phase, init, statuses, old, **how)}


@pytest.mark.spec("COND-08", "COND-09", "COND-12", "SBOX-02")
def test_a_new_pod_without_init_containers_is_initialized_before_its_sandbox() -> None:
    seen = conditions_of(make_spec(), "Pending", status("app", "ContainerCreating"), sandbox_ready=False)
    assert {name: one.status for name, one in seen.items()} == {
        "PodScheduled": "True",
        "PodReadyToStartContainers": "False",
        "Initialized": "True",
        "ContainersReady": "False",
        "Ready": "False",
    }
    assert (seen["Ready"].reason, seen["Ready"].message) == (
        "ContainersNotReady",
        "containers with unready status: [app]",
    )


@pytest.mark.spec("COND-11")
def test_an_initializing_pod_names_its_incomplete_containers() -> None:
    spec = make_spec("app", init=("a", "b"))
    init = (status("a", "running", ready=False), status("b", "PodInitializing"))
    seen = conditions_of(spec, "Pending", status("app", "PodInitializing"), init=init)["Initialized"]
    assert (seen.status, seen.reason, seen.message) == (
        "False",
        "ContainersNotInitialized",
        "containers with incomplete status: [a b]",
    )


@pytest.mark.spec("COND-10")
@pytest.mark.parametrize("started, expected", [(False, "False"), (True, "True")])
def test_a_sidecar_counts_as_initialized_once_started(started: bool, expected: str) -> None:
    spec = make_spec("app", init=("side*",))
    init = (status("side", "running", started=started),)
    seen = conditions_of(spec, "Pending", status("app", "PodInitializing"), init=init)
    assert seen["Initialized"].status == expected


@pytest.mark.parametrize(
    "app, expected",
    [
        pytest.param(status("app", "running"), "True", id="while an app container runs"),
        pytest.param(status("app", ended(1)), "True", id="once it has ended"),
        pytest.param(
            status("app", "CrashLoopBackOff", last_state=ended(1)), "False", id="not while it waits"
        ),
    ],
)
def test_a_pod_with_a_sidecar_that_starts_again_is_initialized(app: Any, expected: str) -> None:
    spec = make_spec("app", init=("side*",))
    init = (status("side", "running", started=False),)
    assert conditions_of(spec, "Running", app, init=init)["Initialized"].status == expected


@pytest.mark.spec("COND-12", "SIDECAR-10")
def test_a_sidecar_that_is_not_ready_makes_the_pod_not_ready() -> None:
    spec = make_spec("app", init=("side*",))
    init = (status("side", "running", ready=False),)
    seen = conditions_of(spec, "Running", status("app", "running"), init=init)
    assert seen["ContainersReady"].message == "containers with unready status: [side]"
    assert seen["Ready"].status == "False"


@pytest.mark.parametrize(
    "gate, reason, message",
    [
        pytest.param(
            None,
            "ReadinessGatesNotReady",
            'corresponding condition of pod readiness gate "example.com/x" does not exist.',
            marks=pytest.mark.spec("RGATE-02", "RGATE-04", "COND-14"),
        ),
        pytest.param(
            "False",
            "ReadinessGatesNotReady",
            'the status of pod readiness gate "example.com/x" is not "True", but False',
            marks=pytest.mark.spec("RGATE-07"),
        ),
        pytest.param("True", "", "", marks=pytest.mark.spec("RGATE-03")),
    ],
)
def test_a_readiness_gate_holds_back_ready_alone(gate: str | None, reason: str, message: str) -> None:
    spec = make_spec("app", readinessGates=[{"conditionType": "example.com/x"}])
    old = (SCHEDULED, Condition("example.com/x", gate)) if gate else (SCHEDULED,)
    seen = conditions_of(spec, "Running", status("app", "running"), old=old)
    assert seen["ContainersReady"].status == "True"
    assert (seen["Ready"].status, seen["Ready"].reason, seen["Ready"].message) == (
        "False" if reason else "True",
        reason,
        message,
    )


@pytest.mark.spec("COND-22")
def test_foreign_conditions_and_podscheduled_are_kept() -> None:
    foreign = Condition("example.com/x", "True", "Because", "of that", 7)
    seen = conditions_of(make_spec(), "Running", status("app", "running"), old=(SCHEDULED, foreign))
    assert seen["example.com/x"] is foreign
    assert seen["PodScheduled"] is SCHEDULED


@pytest.mark.parametrize(
    "phase, reason",
    [
        pytest.param("Succeeded", "PodCompleted", marks=pytest.mark.spec("COND-14", "COND-21")),
        pytest.param("Failed", "PodFailed", marks=pytest.mark.spec("COND-14", "COND-21")),
    ],
)
def test_a_finished_pod_is_not_ready_but_stays_initialized(phase: str, reason: str) -> None:
    seen = conditions_of(make_spec(policy="Never"), phase, status("app", ended(0)))
    assert (seen["Ready"].status, seen["Ready"].reason) == ("False", reason)
    assert (seen["ContainersReady"].status, seen["ContainersReady"].reason) == ("False", reason)
    assert seen["Initialized"].status == "True"


@pytest.mark.spec("COND-04")
def test_the_transition_time_moves_with_the_status_only() -> None:
    spec = make_spec("a", "b")
    at_5 = decide_conditions(
        spec,
        "Running",
        (),
        (status("a", "running", ready=False), status("b", "running", ready=False)),
        (SCHEDULED,),
        sandbox_ready=True,
        now_ms=5000,
    )
    at_9 = decide_conditions(
        spec,
        "Running",
        (),
        (status("a", "running"), status("b", "running", ready=False)),
        at_5,
        sandbox_ready=True,
        now_ms=9000,
    )
    ready = next(one for one in at_9 if one.type == "Ready")
    assert (ready.message, ready.last_transition_ms) == ("containers with unready status: [b]", 5000)


def test_nothing_new_gives_the_old_conditions_themselves() -> None:
    now = {"sandbox_ready": True, "now_ms": 5000, "generation": 1}
    old = decide_conditions(make_spec(), "Running", (), (status("app", "running"),), (SCHEDULED,), **now)
    later = {**now, "now_ms": 8000}
    assert decide_conditions(make_spec(), "Running", (), (status("app", "running"),), old, **later) is old


@pytest.mark.spec("SBOX-09")
def test_without_its_gate_the_sandbox_condition_is_absent() -> None:
    gates = {"PodReadyToStartContainersCondition": False}
    seen = conditions_of(make_spec(), "Running", status("app", "running"), features=gates)
    assert "PodReadyToStartContainers" not in seen


@pytest.mark.spec("RALL-04", "RALL-05")
def test_an_in_place_restart_is_a_condition_of_its_own() -> None:
    during = conditions_of(make_spec(), "Running", status("app", ended(88)), restarting=True)
    assert (during["PodRestartInPlace"].status, during["PodRestartInPlace"].reason) == (
        "True",
        "RestartAllContainersStarted",
    )
    after = conditions_of(
        make_spec(), "Running", status("app", "running"), old=tuple(during.values()), restarting=False
    )
    assert after["PodRestartInPlace"].status == "False"
    never = conditions_of(make_spec(), "Running", status("app", "running"), restarting=False)
    assert "PodRestartInPlace" not in never


# --- container statuses -----------------------------------------------------------------------------

APP = make_spec().containers[0]
RUN_1 = RuntimeContainer("app", "id-1", "running", started_ms=1000, image=APP.image)
END_1 = RUN_1.replace(state="exited", exit_code=1, reason="Error", finished_ms=2000)
RUN_2 = RuntimeContainer("app", "id-2", "running", started_ms=2000, image=APP.image)


def told(runtime: Any, previous: Any, waits: Any = None, count: int = 0) -> Any:
    is_up = runtime is not None and runtime.state == "running" and waits is None
    return decide_container_status(
        APP, runtime, previous, waits, ready=is_up, started=is_up, restart_count=count
    )


@pytest.mark.spec("CSTATE-01", "CSTATE-06", "CSTATE-09", "CSTATE-13", "CSTATE-16")
def test_a_run_its_end_and_its_restart() -> None:
    created = told(None, None, ("ContainerCreating", None))
    assert created.to_json()["state"] == {"waiting": {"reason": "ContainerCreating"}}
    running = told(RUN_1, created)
    assert running.to_json()["state"] == {"running": {"startedAt": "1970-01-01T00:00:01Z"}}
    over = told(END_1, running)
    assert over.to_json()["state"] == {
        "terminated": {
            "exitCode": 1,
            "reason": "Error",
            "startedAt": "1970-01-01T00:00:01Z",
            "finishedAt": "1970-01-01T00:00:02Z",
            "containerID": "id-1",
        }
    }
    again = told(RUN_2, over, count=1)
    assert (again.last_state, again.restart_count, again.container_id) == (over.state, 1, "id-2")


def test_a_back_off_moves_the_end_to_the_last_state() -> None:
    over = told(END_1, told(RUN_1, None))
    held = told(END_1, over, ("CrashLoopBackOff", "back-off 10s restarting failed container=app"))
    assert held.state.reason == "CrashLoopBackOff"
    assert held.last_state is over.state
    assert told(RUN_2, held, count=1).last_state is over.state


@pytest.mark.parametrize(
    "runtime, waits",
    [(RUN_1, None), (END_1, None), (END_1, ("CrashLoopBackOff", "back-off")), (None, ("ErrImagePull", None))],
)
def test_nothing_new_gives_the_old_status_itself(runtime: Any, waits: Any) -> None:
    old = told(runtime, None, waits)
    assert told(runtime, old, waits) is old


@pytest.mark.parametrize("is_deleted, count", [(False, 1), (True, 0)])
def test_a_lost_container_ended_with_137(is_deleted: bool, count: int) -> None:
    lost = decide_lost_status(APP, make_spec(), told(RUN_1, None), is_deleted=is_deleted)
    assert (lost.state.reason, lost.restart_count) == ("ContainerCreating", count)
    assert (lost.last_state.exit_code, lost.last_state.reason) == (137, "ContainerStatusUnknown")


def test_an_image_is_named_as_its_runtime_knows_it_once_that_has_a_container_of_it() -> None:
    waits = told(None, None, ("ContainerCreating", None))
    assert (waits.image, waits.image_id) == ("sim/server:1", "")
    runs = told(RUN_1, waits)
    assert runs.image == "docker.io/sim/server:1"
    assert runs.image_id.startswith("docker.io/sim/server@sha256:")


def test_an_image_has_one_digest() -> None:
    assert image_id_of("example.com:5000/web:1").startswith("example.com:5000/web@sha256:")
    assert image_id_of("nginx") == image_id_of("nginx") != image_id_of("nginx:2")
