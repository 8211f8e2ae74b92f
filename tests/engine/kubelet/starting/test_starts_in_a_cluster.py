"""From create to Ready in a running cluster: images, init containers, sidecars, gates, deadlines."""

from typing import Any

import pytest

from tests.engine.kubelet.world import World


@pytest.mark.spec("POD-PHASE-03", "POD-PHASE-04", "CSTATE-02", "CSTATE-17", "COND-06", "COND-18", "SBOX-06")
def test_s01_a_plain_pod() -> None:
    world = World()
    world.pod(behavior={"app": {"pull": {"takes": "3s"}}})
    world.to(10)
    assert world.lane("phase") == [(0, "Pending"), (3, "Running")]
    assert world.lane("status") == [(0, "Pending"), (0, "ContainerCreating"), (3, "Running")]
    assert world.lane("ready") == [(0, "0/1"), (3, "1/1")]
    assert world.condition("Ready") == [(0, "False"), (3, "True")]
    assert [row["field"] for row in world.rows if row["kind"] == "Pod" and row.get("new") == "True"] == [
        "condition.PodScheduled",
        "condition.Initialized",
        "condition.PodReadyToStartContainers",
        "condition.ContainersReady",
        "condition.Ready",
    ]
    assert world.events() == [
        (0, "Scheduled"),
        (0, "Pulling"),
        (3, "Pulled"),
        (3, "Created"),
        (3, "Started"),
    ]


@pytest.mark.spec("POD-TERM-03", "RPOL-01", "QOS-01")
def test_of_a_pod_a_kubelet_tells_25_normal_events_at_once() -> None:
    """The burst of client-go's spam filter; thirteen containers have four each to tell, or three."""
    world = World()
    assert world.pod(*(f"app-{number}" for number in range(13))).ok
    world.to(10)
    assert len(world.events("Pulling", "Pulled", "Created", "Started")) == 25


def test_s01_defaults_are_visible() -> None:
    world = World()
    world.pod()
    found = world.to(1).get()
    assert found is not None
    assert found["spec"]["restartPolicy"] == "Always"
    assert found["spec"]["terminationGracePeriodSeconds"] == 30
    assert found["status"]["qosClass"] == "BestEffort"


@pytest.mark.spec("IMGPULL-01", "IMGPULL-02")
def test_failed_pulls_are_spaced_out() -> None:
    world = World()
    world.pod(behavior={"app": {"pull": {"error": "ErrImagePull"}}})
    world.to(151)
    told = [row for row in world.rows if str(row.get("message")).startswith("Failed to pull")]
    failed = [row["at_ms"] // 1000 for row in told]
    assert failed == [0, 10, 30, 70, 150]
    # A look tells why the one before it failed, and comes every 10 s but for the one after the new sandbox.
    waits = world.waits()
    assert [at for at, reason in waits if reason == "ErrImagePull"] == [0, 20, 40, 80]
    assert [at for at, reason in waits if reason == "ImagePullBackOff"] == [10, 30, 50, 90]
    assert world.status()["phase"] == "Pending"


@pytest.mark.spec("IMGPULL-03", "IMGPULL-04")
def test_a_second_pod_finds_the_image_on_the_node() -> None:
    world = World()
    behavior = {"app": {"pull": {"takes": "3s"}}}
    world.pod(behavior=behavior)
    world.to(10).pod(behavior=behavior, meta={"name": "second"})
    world.to(20)
    assert world.starts(name="second") == [10]


@pytest.mark.spec("COND-06")
def test_a_pod_that_names_its_node_itself_is_bound_all_the_same() -> None:
    world = World()
    assert world.pod(nodeName="node-1").ok
    assert world.to(5).condition("PodScheduled") == [(0, "True")]
    assert world.condition("Ready")[-1] == (0, "True")
    assert world.status()["conditions"][-1]["type"] == "PodScheduled"


def test_a_pull_that_was_given_up_does_not_help_the_next() -> None:
    world = World(timing={"preset": "instant", "image_pull": "5s"})
    app = {"name": "app", "image": "sim/big:1"}
    assert world.pod(app, behavior={"app": {"pull": {"takes": "20s"}}}).ok
    world.to(5).delete(0, force=True)
    assert world.to(30).pod(app, meta={"name": "next"}).ok
    world.to(60)
    assert world.starts(name="next") == [35]


@pytest.mark.spec("IMGPULL-06")
def test_a_malformed_image_is_never_pulled() -> None:
    world = World()
    world.pod({"name": "app", "image": "not a//reference::"})
    world.to(30)
    assert world.waits()[-1][1] == "InvalidImageName"
    assert world.events("Pulling") == []


@pytest.mark.spec("IMGPULL-03")
def test_never_pull_needs_the_image_on_the_node() -> None:
    world = World()
    world.pod({"name": "app", "imagePullPolicy": "Never"}, behavior={"app": {"pull": {"takes": "3s"}}})
    assert world.to(5).waits()[-1][1] == "ErrImageNeverPull"


@pytest.mark.spec("POD-PHASE-13", "RPOL-08", "CRULE-10", "COND-20")
def test_s04_the_pod_fails_if_init_fails() -> None:
    world = World()
    world.pod(
        "main",
        init=({"name": "init", "restartPolicy": "Never"},),
        behavior={"init": {"runs": [{"for": "10s", "exit": 1}]}},
    )
    world.to(20)
    assert world.lane("phase") == [(0, "Pending"), (10, "Failed")]
    assert world.lane("status")[-1] == (10, "Init:Error")
    assert world.condition("Initialized") == [(0, "False")]
    assert (world.starts("main"), world.container("main")["state"]["waiting"]["reason"]) == (
        [],
        "PodInitializing",
    )


@pytest.mark.spec("INIT-03", "INIT-04", "INIT-14", "INIT-15", "COND-19", "POD-COL-07")
def test_init_containers_run_in_order_before_the_apps() -> None:
    world = World()
    once = {"runs": [{"for": "5s", "exit": 0}]}
    world.pod("a", "b", init=("one", "two"), behavior={"one": once, "two": once})
    world.to(20)
    starts = [world.starts(name) for name in ("one", "two", "a", "b")]
    assert starts == [[0], [5], [10], [10]]
    assert [one for one in world.lane("status") if one[1].startswith("Init:")] == [
        (0, "Init:0/2"),
        (5, "Init:1/2"),
    ]
    assert world.condition("Initialized") == [(0, "False"), (10, "True")]
    assert world.lane("phase") == [(0, "Pending"), (10, "Running")]


@pytest.mark.spec("INIT-08", "RESTART-16", "POD-COL-08")
def test_a_failing_init_container_is_tried_again() -> None:
    world = World()
    runs = [{"for": "1s", "exit": 1}, {"for": "1s", "exit": 1}, {"for": "1s", "exit": 0}]
    world.pod(init=("init",), behavior={"init": {"runs": runs}})
    world.to(20)
    assert world.starts("init") == [0, 1, 12]
    # The recording init-onfailure-retries outranks the specification for v1.35: why it waits is told by the
    # look that starts it again.
    assert (2, "Init:Error") in world.lane("status")
    assert (12, "Init:CrashLoopBackOff") in world.lane("status")
    assert world.starts() == [13]


@pytest.mark.spec("SIDECAR-03", "SIDECAR-04", "SIDECAR-05", "SIDECAR-06", "SIDECAR-19")
def test_s31_a_sidecar_with_a_startup_probe_holds_back_the_app() -> None:
    world = World()
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 10, "failureThreshold": 10}
    world.pod(
        init=({"name": "side", "restartPolicy": "Always", "startupProbe": probe},),
        behavior={
            "side": {
                "probes": {"startup": [{"at": "0s", "result": "failure"}, {"at": "15s", "result": "success"}]}
            }
        },
    )
    world.to(40)
    assert (world.starts("side"), world.starts()) == ([0], [20])
    assert world.lane("phase") == [(0, "Pending"), (20, "Running")]
    assert world.lane("ready")[-1] == (20, "2/2")


@pytest.mark.spec("SIDECAR-07", "SIDECAR-08")
def test_s31_a_sidecar_restarts_alone() -> None:
    world = World()
    world.pod(
        init=("side*",),
        behavior={"side": {"runs": [{"for": "100s", "exit": 1}, {"forever": True}]}},
        restartPolicy="Never",
    )
    world.to(120)
    assert (world.starts("side"), world.starts()) == ([0, 100], [0])
    assert world.lane("phase") == [(0, "Pending"), (0, "Running")]


@pytest.mark.spec("SIDECAR-10")
def test_s31_a_sidecar_that_is_not_ready_takes_the_pod_out() -> None:
    world = World()
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 10, "failureThreshold": 1}
    seen = [
        {"at": "0s", "result": "success"},
        {"at": "200s", "result": "failure"},
        {"at": "230s", "result": "success"},
    ]
    world.pod(
        init=({"name": "side", "restartPolicy": "Always", "readinessProbe": probe},),
        behavior={"side": {"probes": {"readiness": seen}}},
    )
    world.to(300)
    assert world.condition("Ready") == [(0, "False"), (0, "True"), (200, "False"), (230, "True")]


@pytest.mark.spec("RGATE-01", "RGATE-02", "RGATE-03", "RGATE-04", "RGATE-06", "RGATE-07")
def test_s10_a_readiness_gate() -> None:
    world = World()
    kind = "www.example.com/feature-1"
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 1}
    world.pod(
        {"name": "app", "readinessProbe": probe},
        behavior={
            "app": {
                "probes": {
                    "readiness": [{"at": "0s", "result": "failure"}, {"at": "2s", "result": "success"}]
                }
            }
        },
        readinessGates=[{"conditionType": kind}],
    )
    for seconds, value in ((20, "True"), (50, "False")):
        world.to(seconds)
        kept = [one for one in world.status()["conditions"] if one["type"] != kind]
        answer = world.patch({"status": {"conditions": [*kept, {"type": kind, "status": value}]}}, "status")
        assert answer.ok, answer.status
    world.to(60)
    assert world.condition("ContainersReady") == [(0, "False"), (2, "True")]
    ready = [
        (row["at_ms"] // 1000, row["new"], row["reason"])
        for row in world.rows
        if row["type"] == "transition" and row["kind"] == "Pod" and row["field"] == "condition.Ready"
    ]
    assert ready == [
        (0, "False", "ContainersNotReady"),
        (2, "False", "ReadinessGatesNotReady"),
        (20, "True", None),
        (50, "False", "ReadinessGatesNotReady"),
    ]


@pytest.mark.spec("POD-LIFE-16", "INIT-22", "POD-PHASE-20")
@pytest.mark.parametrize("init", [(), ("init",)])
def test_an_active_deadline_ends_the_pod(init: tuple[str, ...]) -> None:
    world = World()
    world.pod(init=init, activeDeadlineSeconds=40)
    world.to(80)
    status = world.status()
    assert (status["phase"], status["reason"]) == ("Failed", "DeadlineExceeded")
    assert world.at("phase", "Failed") == [40]


@pytest.mark.spec("SGATE-01", "SGATE-03", "POD-COL-11")
def test_a_scheduling_gate_holds_the_pod_back() -> None:
    world = World()
    world.pod(schedulingGates=[{"name": "example.com/wait"}])
    world.to(20)
    assert (world.lane("status"), world.events()) == ([(0, "SchedulingGated")], [])
    assert world.patch({"spec": {"schedulingGates": []}}).ok
    world.to(21)
    assert world.starts() == [20]


@pytest.mark.spec("CSTATE-07")
def test_a_container_runs_when_its_post_start_hook_is_done() -> None:
    world = World()
    hook = {"postStart": {"exec": {"command": ["true"]}}}
    world.pod({"name": "app", "lifecycle": hook}, behavior={"app": {"postStart": {"takes": "4s", "exit": 0}}})
    assert world.to(10).starts() == [4]


@pytest.mark.spec("CSTATE-08")
def test_a_failed_post_start_hook_kills_the_container() -> None:
    world = World()
    hook = {"postStart": {"exec": {"command": ["true"]}}}
    behavior: Any = {"app": {"postStart": {"takes": "1s", "exit": 1}, "onTerm": {"takes": "0s", "exit": 143}}}
    world.pod({"name": "app", "lifecycle": hook}, behavior=behavior, restartPolicy="Never")
    world.to(60)
    assert world.events("FailedPostStartHook")[0] == (1, "FailedPostStartHook")
    assert world.status()["phase"] == "Failed"


@pytest.mark.spec("POD-OBJ-18", "INIT-18")
def test_a_new_image_restarts_that_container_only() -> None:
    world = World()
    world.pod("app", "other")
    before = world.to(10).get()
    patch = {"spec": {"containers": [{"name": "app", "image": "sim/server:2"}]}}
    answer = world.submit("patch", kind="Pod", namespace="default", name="web", type="strategic", patch=patch)
    assert answer.ok
    after = world.to(20).get()
    assert before is not None and after is not None
    assert before["metadata"]["uid"] == after["metadata"]["uid"]
    assert (world.container()["restartCount"], world.container("other")["restartCount"]) == (1, 0)
    assert world.starts()[-1] == 10


def test_a_sidecar_still_being_pulled_never_starts_once_its_pod_ends() -> None:
    world = World()
    world.pod(init=("side*",), behavior={"side": {"pull": {"takes": "10s"}}}, activeDeadlineSeconds=3)
    world.to(60)
    assert world.lane("phase") == [(0, "Pending"), (3, "Failed")]
    assert world.starts("side") == []


def test_a_container_says_why_it_waited_until_it_runs() -> None:
    # Checked at the registry for two seconds after a back-off of ten.
    world = World(timing={"preset": "instant", "image_check": "2s"})
    app = {"name": "app", "imagePullPolicy": "Always"}
    world.pod(app, behavior={"app": {"runs": [{"for": "5s", "exit": 1}]}})
    world.to(31)
    states = [value for at, value in world.lane("container.app.state") if at > 0]
    # 0-5; at once, checked, 7-12; back-off until 22, told then, checked, 24-29.
    assert states == ["Terminated", "Running", "Terminated", "Waiting", "Running", "Terminated"]
    assert world.starts() == [0, 7, 24]


@pytest.mark.spec("CSTATE-07")
def test_a_restarted_container_says_why_it_waited_while_its_hook_runs() -> None:
    hook = {"postStart": {"exec": {"command": ["true"]}}}
    behavior = {"postStart": {"takes": "3s"}, "runs": [{"for": "10s", "exit": 1}]}
    world = World()
    world.pod({"name": "app", "lifecycle": hook}, behavior={"app": behavior})
    world.to(32)
    # Runs 0-10 and 10-20, shown as running from 3 and 13 s on; then held back for ten seconds. The recording
    # policy-always-two-crashloops outranks the specification for v1.35: the look that ends them tells it.
    shown = [(at, value) for at, value in world.lane("container.app.state")]
    assert shown[1:] == [
        (3, "Running"),
        (10, "Terminated"),
        (13, "Running"),
        (20, "Terminated"),
        (30, "Waiting"),
    ]
