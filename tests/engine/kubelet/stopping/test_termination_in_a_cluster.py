"""Deletion, hooks, forced deletion and sidecar order in a running cluster (S13 to S17). Deleted at 60 s."""

from typing import Any

import pytest

from lifecycle.engine.heart.timing import Timing
from tests.engine.kubelet.world import World

DELETED_AT = 60
LOOK_MS = Timing().spread("kubelet_look")[0]
IGNORE = {"onTerm": {"ignore": True}}


def takes(seconds: int, code: int = 0) -> dict[str, Any]:
    return {"onTerm": {"takes": f"{seconds}s", "exit": code}}


def running(behavior: Any, kubernetes: str | None = None, **pod: Any) -> World:
    world = World(kubernetes=kubernetes)
    apps = pod.pop("apps", ("app",))
    assert world.pod(*apps, behavior=behavior, **pod).ok
    return world.to(DELETED_AT)


def hooked(takes_seconds: int, code: int = 0) -> dict[str, Any]:
    return {"preStop": {"takes": f"{takes_seconds}s", "exit": code}}


def app_with_hook(name: str = "app") -> dict[str, Any]:
    return {"name": name, "lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", "sleep 1"]}}}}


def since(lane: list[tuple[float, Any]]) -> list[tuple[float, Any]]:
    return [(seconds - DELETED_AT, value) for seconds, value in lane if seconds >= DELETED_AT]


@pytest.mark.spec("POD-TERM-02", "POD-TERM-03", "POD-TERM-04", "POD-TERM-05", "POD-TERM-06", "POD-TERM-08")
def test_s13_a_graceful_deletion_begins() -> None:
    world = running({"app": takes(4)})
    world.delete()
    found = world.get()
    assert found is not None
    assert found["metadata"]["deletionTimestamp"] == "2026-01-01T00:01:30Z"
    assert found["metadata"]["deletionGracePeriodSeconds"] == 30
    assert found["status"]["phase"] == "Running"
    assert world.lane("status")[-1] == (60, "Terminating")
    assert since(world.events("Killing")) == [(0, "Killing")]
    assert since(world.signals()) == [(0, "SIGTERM")]


@pytest.mark.parametrize(
    "code, phase",
    [
        pytest.param(0, "Succeeded", marks=pytest.mark.spec("POD-TERM-18", "POD-PHASE-14")),
        pytest.param(143, "Failed", marks=pytest.mark.spec("POD-TERM-18", "POD-PHASE-14")),
    ],
)
def test_s13_a_graceful_deletion_ends(code: int, phase: str) -> None:
    world = running({"app": takes(4, code)})
    world.delete()
    world.to(100)
    assert since(world.ends()) == [(4, code)]
    assert since(world.lane("phase")) == [(4, phase)]
    assert world.at("exists", "deleted") == [64]
    assert world.get() is None


@pytest.mark.spec("POD-TERM-23")
def test_the_stages_of_a_graceful_deletion_come_in_order() -> None:
    world = running({"app": takes(4)})
    world.delete()
    world.to(100)
    assert world.lane("deletion") == [(60, "requested"), (60, "SIGTERM"), (64, "removed")]


@pytest.mark.parametrize(
    "first, second, killed",
    [
        pytest.param(None, None, 30, id="default", marks=pytest.mark.spec("POD-TERM-16", "POD-TERM-20")),
        pytest.param(5, None, 5, id="five", marks=pytest.mark.spec("FORCE-01", "GRACE-01")),
        # The recording delete-twice-shorter outranks the specification for v1.35: the kubelet goes on with
        # the time it began with.
        pytest.param(None, 5, 30, id="shortened", marks=pytest.mark.spec("GRACE-20", "GRACE-21")),
        pytest.param(None, 60, 30, id="not lengthened", marks=pytest.mark.spec("GRACE-21")),
    ],
)
def test_s14_a_pod_that_ignores_term(first: int | None, second: int | None, killed: int) -> None:
    world = running({"app": IGNORE})
    world.delete(first)
    if second is not None:
        world.to(70).delete(second)
    world.to(120)
    assert since(world.ends()) == [(killed, 137)]
    assert since(world.signals())[0] == (0, "SIGTERM")
    assert since(world.signals())[-1] == (killed, "SIGKILL")
    assert since(world.lane("phase")) == [(killed, "Failed")]
    assert world.at("exists", "deleted") == [60 + killed]


@pytest.mark.spec("POD-TERM-22", "KUBELET-08")
def test_s14_a_kubelet_restart_repeats_the_whole_grace() -> None:
    world = running({"app": IGNORE})
    world.delete()
    node = world.get()["spec"]["nodeName"]  # type: ignore[index]
    world.to(80).submit("fault", node=node, kind="kubeletRestart", **{"for": "2s"})
    world.to(150)
    assert since(world.signals()) == [(0, "SIGTERM"), (22, "SIGTERM"), (52, "SIGKILL")]
    assert world.at("exists", "deleted") == [112]


@pytest.mark.parametrize(
    "behavior, kubernetes, grace, signals, end",
    [
        pytest.param(
            {**hooked(10), **takes(5)},
            None,
            30,
            [(10, "SIGTERM")],
            (15, 0),
            id="hook, then term",
            marks=pytest.mark.spec("PRESTOP-01", "POD-TERM-07"),
        ),
        pytest.param(
            {**hooked(10), **IGNORE},
            None,
            30,
            [(10, "SIGTERM"), (30, "SIGKILL")],
            (30, 137),
            id="hook shares the budget",
            marks=pytest.mark.spec("PRESTOP-03", "GRACE-11"),
        ),
        pytest.param(
            {**hooked(60), **IGNORE},
            None,
            30,
            [(30, "SIGTERM"), (32, "SIGKILL")],
            (32, 137),
            id="hook overruns",
            marks=pytest.mark.spec("PRESTOP-04", "PRESTOP-05"),
        ),
        pytest.param(
            {**hooked(0, 1), **takes(5)},
            None,
            30,
            [(0, "SIGTERM")],
            (5, 0),
            id="hook fails",
            marks=pytest.mark.spec("PRESTOP-05"),
        ),
        pytest.param(
            {**hooked(10), **IGNORE},
            "v1.23.1",
            30,
            [(10, "SIGTERM"), (40, "SIGKILL")],
            (40, 137),
            id="v1.23.1: hook, then all of it",
            marks=pytest.mark.spec("PRESTOP-08"),
        ),
        pytest.param(
            {**hooked(60), **IGNORE},
            "v1.23.1",
            30,
            [(30, "SIGTERM"), (60, "SIGKILL")],
            (60, 137),
            id="v1.23.1: hook overruns",
            marks=pytest.mark.spec("PRESTOP-08"),
        ),
    ],
)
def test_s15_pre_stop(
    behavior: Any, kubernetes: str | None, grace: int, signals: list[Any], end: tuple[float, int]
) -> None:
    world = running(
        {"app": behavior},
        kubernetes,
        apps=(app_with_hook(),),
        terminationGracePeriodSeconds=grace,
    )
    world.delete()
    world.to(200)
    assert since(world.signals()) == signals
    assert since(world.ends()) == [end]
    assert len([one for one in world.lane("hook.app.preStop") if one[1] == "Started"]) == 1


@pytest.mark.spec("PRESTOP-07")
def test_a_failed_hook_is_an_event() -> None:
    world = running({"app": {**hooked(0, 1), **takes(5)}}, apps=(app_with_hook(),))
    world.delete()
    assert since(world.to(70).events("FailedPreStopHook")) == [(0, "FailedPreStopHook")]


@pytest.mark.spec("PRESTOP-07")
def test_a_hook_whose_container_ends_meanwhile_has_failed() -> None:
    runs = {"runs": [{"for": f"{DELETED_AT + 4}s", "exit": 0}]}
    world = running({"app": {**hooked(10), **runs}}, apps=(app_with_hook(),))
    world.delete()
    assert since(world.to(90).events("FailedPreStopHook")) == [(4, "FailedPreStopHook")]
    assert since(world.lane("hook.app.preStop")) == [(0, "Started"), (4, "Failed")]
    assert since(world.ends()) == [(4, 0)]


@pytest.mark.spec("PRESTOP-02")
def test_s15_no_grace_no_hook() -> None:
    world = running(
        {"app": {**hooked(10), **IGNORE}}, apps=(app_with_hook(),), terminationGracePeriodSeconds=0
    )
    world.delete()
    assert world.get() is None
    world.to(70)
    assert world.lane("hook.app.preStop") == []
    assert since(world.signals()) == [(0, "SIGTERM"), (2, "SIGKILL")]


@pytest.mark.spec("FORCE-02", "FORCE-04", "FORCE-05", "FORCE-06", "FORCE-07", "FORCE-10", "POD-PHASE-15")
def test_s16_a_forced_deletion() -> None:
    world = running({"app": IGNORE})
    old = world.get()
    assert old is not None
    world.delete(0, force=True)
    assert world.get() is None
    assert since(world.lane("phase")) == []
    assert world.to(60.1).pod().ok
    new = world.get()
    assert new is not None and new["metadata"]["uid"] != old["metadata"]["uid"]
    world.to(70)
    rows = [row for row in world.rows if row["uid"] == old["metadata"]["uid"]]
    assert [(row["at_ms"], row["new"]) for row in rows if row.get("field") == "signal.app"] == [
        (60_000, "SIGTERM"),
        (62_000, "SIGKILL"),
    ]


@pytest.mark.spec("FORCE-03")
def test_s16_zero_without_force_is_one_second() -> None:
    world = running({"app": IGNORE})
    world.delete(0)
    found = world.get()
    assert found is not None
    assert found["metadata"]["deletionGracePeriodSeconds"] == 1


@pytest.mark.spec("POD-LIFE-14")
def test_a_name_is_taken_while_the_old_pod_ends() -> None:
    world = running({"app": IGNORE})
    world.delete()
    refused = world.to(61).pod()
    assert (refused.code, refused.status["reason"]) == (409, "AlreadyExists")


ORDERED = {"apps": ("main",), "init": ("side-a*", "side-b*")}


@pytest.mark.parametrize(
    "behavior, main, side_b, side_a, gone, phase",
    [
        pytest.param(
            {"main": takes(5), "side-b": takes(1), "side-a": takes(2, 143)},
            [(5, 0)],
            [(6, 0)],
            [(8, 143)],
            8,
            "Succeeded",
            id="in order",
            marks=pytest.mark.spec("SCTERM-01", "SCTERM-02", "SCTERM-03", "SIDECAR-11", "POD-PHASE-18"),
        ),
        pytest.param(
            {"main": IGNORE, "side-b": IGNORE, "side-a": IGNORE},
            [(30, 137)],
            [(32, 137)],
            [(32, 137)],
            32,
            "Failed",
            id="all ignore",
            marks=pytest.mark.spec("SCTERM-04", "SCTERM-05"),
        ),
        pytest.param(
            {"main": takes(20), "side-b": IGNORE, "side-a": IGNORE},
            [(20, 0)],
            [(30, 137)],
            [(32, 137)],
            32,
            "Succeeded",
            id="late main",
            marks=pytest.mark.spec("SCTERM-05", "SCTERM-07", "SCTERM-09"),
        ),
    ],
)
def test_s17_sidecars_end_last_and_in_reverse(
    behavior: Any, main: Any, side_b: Any, side_a: Any, gone: int, phase: str
) -> None:
    world = running(behavior, **ORDERED)
    world.delete()
    world.to(120)
    assert since(world.ends("main")) == main
    assert since(world.ends("side-b")) == side_b
    assert since(world.ends("side-a")) == side_a
    assert since(world.lane("phase")) == [(gone, phase)]
    assert world.at("exists", "deleted") == [60 + gone]


@pytest.mark.spec("SCTERM-06")
def test_s17_a_hook_of_the_main_container_outlasts_the_grace() -> None:
    world = running(
        {"main": {**hooked(60), **IGNORE}, "side-a": IGNORE, "side-b": IGNORE},
        **{**ORDERED, "apps": (app_with_hook("main"),)},
    )
    world.delete()
    world.to(120)
    for name in ("main", "side-a", "side-b"):
        assert since(world.signals(name)) == [(30, "SIGTERM"), (32, "SIGKILL")]


@pytest.mark.spec("SCTERM-10")
def test_sidecars_end_when_the_main_container_is_done() -> None:
    world = World()
    behavior = {"main": {"runs": [{"for": "5s", "exit": 0}]}, "side": takes(1)}
    world.pod("main", init=("side*",), behavior=behavior, restartPolicy="Never")
    world.to(20)
    assert (world.signals("side"), world.ends("side")) == ([(5, "SIGTERM")], [(6, 0)])
    assert world.lane("phase")[-1] == (6, "Succeeded")


def test_the_end_of_a_pod_is_told_two_looks_after_that_of_its_sidecars() -> None:
    """A look stops the sidecars and tells of it; the two steps that follow wait for a look each."""
    world = World(timing="realistic")
    behavior = {"main": {"runs": [{"for": "5s", "exit": 0}]}, "side": {"onTerm": {"takes": "0s"}}}
    world.pod("main", init=("side*",), behavior=behavior, restartPolicy="Never")
    world.to(30)
    ((main, _),) = world.ends("main")
    (side,) = world.at("container.side.state", "Terminated")
    (told,) = world.at("container.main.state", "Terminated")
    assert main <= told
    assert side == pytest.approx(told + LOOK_MS / 1000)
    assert [at for at, _ in world.condition("Ready")[-2:]] == [told, side]
    assert world.lane("phase")[-1] == (pytest.approx(side + 2 * LOOK_MS / 1000), "Succeeded")


def test_containers_that_never_ran_are_told_ended_when_nothing_is_left_of_their_pod() -> None:
    """A deleted pod whose image never came: its sandbox goes first, and it fails as it is removed."""
    world = World(timing="realistic")
    world.pod("app", behavior={"app": {"pull": {"error": "ErrImagePull"}}})
    world.to(20)
    world.delete()
    world.to(40)
    removed = world.at("exists", "deleted")
    assert world.at("phase", "Failed") == world.at("container.app.state", "Terminated") == removed
    (torn_down,) = [at for at, value in world.condition("PodReadyToStartContainers") if value == "False"][1:]
    assert 20 <= torn_down <= removed[0] - 0.3


@pytest.mark.spec("POD-TERM-26")
def test_nothing_restarts_in_a_terminating_pod() -> None:
    world = running({"app": takes(4, 1), "slow": takes(10)}, apps=("app", "slow"))
    world.delete()
    world.to(120)
    assert world.starts() == [0]


@pytest.mark.spec("POD-TERM-24")
def test_a_finalizer_keeps_the_object() -> None:
    world = running({"app": takes(4)}, meta={"finalizers": ["example.com/hold"]})
    world.delete()
    world.to(100)
    assert world.status()["phase"] == "Succeeded"
    world.patch({"metadata": {"finalizers": None}})
    assert world.get() is None


@pytest.mark.spec("POD-TERM-25")
def test_liveness_is_not_acted_on_any_more() -> None:
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 1, "failureThreshold": 1}
    behavior = {
        "app": {
            **takes(20),
            "probes": {"liveness": [{"at": "0s", "result": "success"}, {"at": "65s", "result": "failure"}]},
        }
    }
    world = running(behavior, apps=({"name": "app", "livenessProbe": probe},))
    world.delete()
    world.to(120)
    assert since(world.ends()) == [(20, 0)]


@pytest.mark.spec("POD-TERM-12", "POD-TERM-11", "PROBE-33")
def test_s13_the_endpoint_of_a_terminating_pod_serves_but_is_not_ready() -> None:
    world = World()
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
    assert world.create(service).ok
    world.pod(behavior={"app": takes(4)}, meta={"labels": {"app": "web"}})
    world.to(DELETED_AT).delete()
    world.to(62)
    slices = world.slices()
    conditions = [one["conditions"] for found in slices for one in found["endpoints"]]
    assert conditions == [{"ready": False, "serving": True, "terminating": True}]
    world.to(100)
    slices = world.slices()
    assert [one for found in slices for one in found.get("endpoints") or []] == []


def test_checks_that_run_a_command_are_canceled_while_their_pod_ends() -> None:
    """Recording pdb-unhealthy-policy; what was known of the readiness stands, though it would now fail."""
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 2, "failureThreshold": 1}
    world = World()
    behavior = {
        "app": {
            "onTerm": {"ignore": True},
            "probes": {"readiness": [{"at": "0s", "result": "success"}, {"at": "11s", "result": "failure"}]},
        }
    }
    assert world.pod({"name": "app", "readinessProbe": probe}, behavior=behavior).ok
    world.to(9).delete(8)
    world.to(30)
    rows = [row for row in world.rows if row["type"] == "event" and row["reason"] == "Unhealthy"]
    text = "Readiness probe errored and resulted in unknown state: rpc error: code = Canceled desc ="
    text += " context canceled"
    assert [(row["at_ms"], row["message"]) for row in rows][:1] == [(10_000, text)]
    assert {row["message"] for row in rows} == {text}
    assert world.lane("container.app.ready")[:2] == [(0, False), (0, True)]
    assert [at for at, ready in world.lane("container.app.ready") if not ready] == [0, 17]
