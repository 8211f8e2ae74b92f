"""Kubelets that restart and nodes that are cut off (S14, S16, S38). The kubelet goes at 100 s."""

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.kubelet.world import World

GATE = "ChangeContainerStatusOnKubeletRestart"
ENDS = {"runs": [{"for": "110s", "exit": 1}, {"forever": True}]}
CRASH = {"runs": [{"for": "20s", "exit": 1}]}


def since(time: str) -> int:
    """Seconds since the epoch."""
    return int(time[14:16]) * 60 + int(time[17:19])


def fault(world: World, kind: str, seconds: float | None = None) -> None:
    payload = {"for": f"{seconds}s"} if seconds is not None else {}
    assert world.submit("fault", node="node-1", kind=kind, **payload).ok


def running(behavior: Any = None, gates: dict[str, bool] | None = None, **pod: Any) -> World:
    world = World(gates=gates)
    apps = pod.pop("apps", ("app",))
    assert world.pod(*apps, behavior=behavior, **pod).ok
    return world.to(100)


@pytest.mark.spec("KUBELET-01", "KUBELET-02", "KUBELET-05")
def test_containers_never_notice_a_restart_of_the_kubelet() -> None:
    world = running()
    fault(world, "kubeletRestart", 3)
    world.to(200)
    assert world.starts() == [0]
    assert world.lane("container.app.ready") == [(0, False), (0, True)]
    assert world.condition("Ready") == [(0, "False"), (0, "True")]
    assert world.events("Killing") == []


@pytest.mark.spec("KUBELET-03")
def test_a_kubelet_tells_that_it_was_restarted() -> None:
    world = running()
    fault(world, "kubeletRestart", 3)
    world.to(200)
    rows = [row for row in world.rows if row["type"] == "event" and row["reason"] == "Starting"]
    assert [(row["at_ms"], row["name"], row["detail"]) for row in rows] == [
        (103_000, "node-1", {"detected": "kubelet restart"})
    ]


def test_each_start_of_a_kubelet_is_told_for_it_knows_nothing_of_those_before() -> None:
    """client-go counts events, and holds them back, in the memory of the process that tells them."""
    world = running()
    for _ in range(30):
        fault(world, "kubeletRestart", 1)
        world.to(world.cluster.now_ms // 1000 + 2)
    rows = [row for row in world.rows if row["type"] == "event" and row["reason"] == "Starting"]
    assert [row["at_ms"] for row in rows] == [101_000 + 2_000 * number for number in range(30)]
    assert {row["count"] for row in rows} == {1} and len({row["eventId"] for row in rows}) == 30


def test_all_pods_of_a_restarted_kubelet_are_resumed_by_its_start_and_not_by_one_another() -> None:
    world = running(gates={GATE: True})
    assert world.pod("app", meta={"name": "other"}).ok
    world.to(110)
    fault(world, "kubeletRestart", 3)
    world.to(120)
    lost = [
        row
        for row in world.rows
        if row["at_ms"] == 113_000 and row["type"] == "transition" and row["field"] == "condition.Ready"
    ]
    causes = {row["name"]: row["cause"] for row in lost if row["new"] == "False"}
    assert len(causes) == 2
    assert len(set(causes.values())) == 1


@pytest.mark.spec("KUBELET-04")
def test_a_node_found_not_ready_meanwhile_makes_it_a_stop_and_a_start() -> None:
    world = running()
    fault(world, "kubeletRestart", 60)
    node = world.to(150).cluster.get("Node", None, "node-1")
    assert node is not None
    ready = {**node["status"]["conditions"][0], "status": "False", "reason": "KubeletNotReady"}
    patch = {"status": {"conditions": [ready]}}
    where = {"kind": "Node", "name": "node-1", "type": "merge", "subresource": "status"}
    assert world.submit("patch", **where, patch=patch).ok
    world.to(200)
    rows = [row for row in world.rows if row["type"] == "event" and row["reason"] == "Starting"]
    assert [row["detail"] for row in rows] == [{"detected": "kubelet stop and start"}]


@pytest.mark.spec("KUBELET-06")
@pytest.mark.parametrize(
    "probe, ready_again",
    [
        pytest.param(None, 103, id="without a probe"),
        pytest.param({"exec": {"command": ["true"]}, "successThreshold": 3}, 123, id="three successes"),
    ],
)
def test_with_the_gate_readiness_is_evaluated_anew(probe: Any, ready_again: float) -> None:
    app = {"name": "app", **({"readinessProbe": probe} if probe else {})}
    behavior = {"app": {"probes": {"readiness": [{"at": "0s", "result": "success"}]}}}
    world = running(behavior, {GATE: True}, apps=(app,))
    fault(world, "kubeletRestart", 3)
    world.to(200)
    assert world.lane("container.app.ready")[-2:] == [(103, False), (ready_again, True)]
    assert world.container()["restartCount"] == 0


@pytest.mark.spec("KUBELET-05")
def test_a_ready_container_stays_ready_until_its_probe_says_otherwise() -> None:
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 10, "failureThreshold": 3}
    points = [{"at": "0s", "result": "success"}, {"at": "101s", "result": "failure"}]
    world = running(
        {"app": {"probes": {"readiness": points}}}, apps=({"name": "app", "readinessProbe": probe},)
    )
    fault(world, "kubeletRestart", 3)
    world.to(200)
    # Checks at 103, 113, 123: the counting begins again with the kubelet.
    assert world.lane("container.app.ready")[-1] == (123, False)
    assert world.at("container.app.ready", False)[-1] == 123


@pytest.mark.spec("PROBE-26")
@pytest.mark.parametrize("is_saved", [False, True])
def test_an_initial_delay_holds_whatever_becomes_of_the_kubelet(is_saved: bool) -> None:
    probe = {"exec": {"command": ["true"]}, "initialDelaySeconds": 300}
    sick = {"app": {"probes": {"liveness": [{"at": "0s", "result": "failure"}]}}}
    world = running(behavior=sick, apps=[{"name": "app", "livenessProbe": probe}])
    fault(world, "kubeletRestart", 3)
    if is_saved:
        assert world.to(110).rows
        world.cluster = Cluster.load(world.cluster.save())
    world.to(350)
    # Counted from the start of the container: checked, and failing, at 300, 310 and 320.
    assert world.lane("probe.app.liveness")[0] == (300, "Failure")
    assert world.events("Killing") == [(320, "Killing")]


def test_nobody_probes_while_the_kubelet_is_down() -> None:
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 10, "failureThreshold": 1}
    points = [{"at": "0s", "result": "success"}, {"at": "105s", "result": "failure"}]
    world = running(
        {"app": {"probes": {"liveness": points}}}, apps=({"name": "app", "livenessProbe": probe},)
    )
    fault(world, "kubeletRestart", 60)
    world.to(200)
    assert world.at("probe.app.liveness", "Failure") == [160]
    assert world.signals() == [(160, "SIGTERM")]


@pytest.mark.spec("RESTART-13")
def test_a_restart_of_the_kubelet_forgets_back_off() -> None:
    # Ends at 20, 40, 70 (10 s), 110 (20 s): held back until 150 but for the restart at 115. That one counts,
    # as it follows an end (doBackOff): the next one, of 135, is held back for 10 s.
    world = World()
    world.pod(behavior={"app": CRASH})
    world.to(112)
    assert world.starts() == [0, 20, 50, 90]
    fault(world, "kubeletRestart", 3)
    world.to(160)
    assert world.starts() == [0, 20, 50, 90, 115, 145]


def test_an_end_while_the_kubelet_is_down_is_told_when_it_is_back() -> None:
    world = running({"app": {"runs": [{"for": "110s", "exit": 3}, {"forever": True}]}})
    fault(world, "kubeletRestart", 30)
    world.to(129)
    assert world.ends() == []
    world.to(200)
    assert world.at("container.app.state", "Terminated") == [130]
    assert world.ends() == [(110, 3)]
    ended = world.container()["lastState"]["terminated"]
    assert ended["finishedAt"] == "2026-01-01T00:01:50Z"
    assert world.starts() == [0, 130]


def test_a_pod_bound_meanwhile_starts_when_the_kubelet_is_back() -> None:
    world = running()
    fault(world, "kubeletRestart", 30)
    world.to(110).pod(meta={"name": "late"})
    world.to(200)
    assert world.lane("node", "late") == [(110, "node-1")]
    assert world.starts(name="late") == [130]


@pytest.mark.spec("SBOX-05", "SBOX-11")
def test_a_kubelet_that_starts_again_makes_the_sandbox_that_its_predecessor_could_not() -> None:
    world = running()
    fault(world, "sandboxFailure", 20)
    assert world.to(105).submit("fault", pod="web", kind="sandbox").ok
    # It would have tried again at 125.
    fault(world.to(122), "kubeletRestart", 30)
    world.to(300)
    assert world.at("condition.PodReadyToStartContainers", "True") == [0, 152]
    assert world.starts() == [0, 152]
    series = [row for row in world.rows if row.get("reason") == "FailedCreatePodSandBox"]
    assert [(row["at_ms"], row["count"], row["last_ms"]) for row in series] == [
        (105_000, 1, 105_000),
        (122_000, 2, 115_000),
    ]


def test_a_cut_off_kubelet_that_starts_again_cannot_say_so() -> None:
    world = running()
    fault(world, "partition", 60)
    fault(world, "kubeletRestart", 10)
    world.to(200)
    assert [row for row in world.rows if row["type"] == "event" and row["reason"] == "Starting"] == []


@pytest.mark.parametrize("system", ["linux", "windows"])
@pytest.mark.parametrize("is_removed", [False, True])
def test_a_pod_that_its_kubelet_has_not_heard_of_waits_for_the_network(system: str, is_removed: bool) -> None:
    world = World(timing={"preset": "instant", "watch": "10s"})
    assert world.pod(os={"name": system}).ok
    fault(world.to(2), "partition", 60)
    if is_removed:
        world.to(5).delete(0, force=True)
    world.to(61)
    assert world.events("PodOSNotSupported", "Started") == []
    assert world.lane("phase") == [(0, "Pending")]
    world.to(200)
    if is_removed:
        assert world.events("PodOSNotSupported", "Started") == []
    elif system == "linux":
        assert world.starts() == [62]
    else:
        assert world.at("phase", "Failed") == [62]


@pytest.mark.spec("POD-TERM-22", "KUBELET-08")
def test_a_hook_is_run_again_when_the_termination_is_repeated() -> None:
    app = {"name": "app", "lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", "sleep 1"]}}}}
    behavior = {"app": {"preStop": {"takes": "10s", "exit": 0}, "onTerm": {"ignore": True}}}
    world = running(behavior, apps=(app,))
    world.delete()
    fault(world.to(105), "kubeletRestart", 2)
    world.to(200)
    assert world.at("hook.app.preStop", "Started") == [100, 107]
    assert world.signals() == [(117, "SIGTERM"), (137, "SIGKILL")]
    assert world.at("exists", "deleted") == [137]


@pytest.mark.spec("KUBELET-08")
def test_a_kubelet_that_was_restarted_cannot_mount_what_an_ending_pod_had() -> None:
    """Recording kubelet-restart-terminating: at once, then after 0.5, 1, 2, 4, 8 s, till the end."""
    volumes = [
        {"name": "files", "configMap": {"name": "some"}},
        {"name": "both", "projected": {"sources": [{"secret": {"name": "a"}}, {"configMap": {"name": "b"}}]}},
        {"name": "cache", "emptyDir": {}},
    ]
    world = World()
    for kind, name in (("ConfigMap", "some"), ("Secret", "a"), ("ConfigMap", "b")):
        world.create({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}})
    assert world.pod("app", behavior={"app": {"onTerm": {"ignore": True}}}, volumes=volumes).ok
    world.to(100).delete(30)
    fault(world.to(105), "kubeletRestart", 2)
    world.to(200)
    rows = [row for row in world.rows if row["type"] == "event" and row["reason"] == "FailedMount"]
    tries = [107.0, 107.5, 108.5, 110.5, 114.5, 122.5]
    assert [row["at_ms"] / 1000 for row in rows if '"files"' in row["message"]] == tries
    failed = "MountVolume.SetUp failed for volume"
    assert [row["message"] for row in rows[:2]] == [
        f'{failed} "files" : object "default"/"some" not registered',
        f'{failed} "both" : [object "default"/"a" not registered, object "default"/"b" not registered]',
    ]
    assert rows[2]["message"].endswith(' : object "default"/"kube-root-ca.crt" not registered')
    assert len(rows) == 3 * len(tries)
    assert world.at("exists", "deleted") == [137]


def test_a_restart_without_a_length_takes_what_the_timing_table_says() -> None:
    world = running()
    fault(world, "kubeletRestart")
    world.delete()
    world.to(200)
    assert world.at("exists", "deleted") == [100]


@pytest.mark.spec("FORCE-04", "FORCE-08")
def test_s16_containers_of_an_unreachable_node_run_on_after_a_forced_deletion() -> None:
    world = running({"app": {"runs": [{"for": "150s", "exit": 0}, {"forever": True}]}})
    uid = world.get()["metadata"]["uid"]  # type: ignore[index]
    fault(world, "partition")
    world.delete(0, force=True)
    assert world.pod().ok
    world.to(500)
    assert world.at("exists", "deleted") == [100]
    assert world.signals() == []
    again = world.get()
    assert again is not None and again["metadata"]["uid"] != uid
    assert again["status"]["phase"] == "Pending"


def test_a_cut_off_kubelet_acts_when_it_is_back() -> None:
    world = running({"app": {"onTerm": {"takes": "4s"}}})
    fault(world, "partition", 60)
    world.delete()
    world.to(159)
    assert world.signals() == []
    world.to(200)
    assert world.signals() == [(160, "SIGTERM")]
    assert world.at("exists", "deleted") == [164]


def test_a_cut_off_kubelet_restarts_what_crashes_and_tells_it_later() -> None:
    world = running({"app": {"runs": [{"for": "110s", "exit": 3}, {"forever": True}]}})
    fault(world, "partition", 60)
    world.to(159)
    assert world.ends() == []
    assert world.container()["restartCount"] == 0
    world.to(200)
    assert world.lane("container.app.restartCount") == [(160, 1)]
    assert world.container()["state"]["running"]["startedAt"] == "2026-01-01T00:01:50Z"


@pytest.mark.spec("CSTATE-13")
@pytest.mark.parametrize(
    "runs, state, last_start, last_code, restarts",
    [
        # Cut off from 100 s to 160 s; run 0 ends at 110 s and the next starts at once.
        pytest.param([(110, 3), (None, 0)], "running", 0, 3, 1, id="one end"),
        # 110-120, held back 10 s, 130 on.
        pytest.param([(110, 3), (10, 4), (None, 0)], "running", 110, 4, 2, id="two ends"),
        # 110-120, 130-150, held back 20 s: waiting at 160.
        pytest.param([(110, 3), (10, 4), (20, 5), (None, 0)], "waiting", 130, 5, 2, id="back-off"),
    ],
)
@pytest.mark.parametrize("is_saved", [False, True])
def test_the_last_state_is_the_newest_run_that_ended_however_few_were_told(
    runs: list[tuple[int | None, int]],
    state: str,
    last_start: int,
    last_code: int,
    restarts: int,
    is_saved: bool,
) -> None:
    entries = [{"forever": True} if end is None else {"for": f"{end}s", "exit": code} for end, code in runs]
    world = running({"app": {"runs": entries}})
    fault(world, "partition", 60)
    world.to(155)
    if is_saved:
        assert world.rows
        world.cluster = Cluster.load(world.cluster.save())
    world.to(160)
    app = world.container()
    assert list(app["state"]) == [state]
    last = app["lastState"]["terminated"]
    assert last["startedAt"] == f"2026-01-01T00:{last_start // 60:02}:{last_start % 60:02}Z"
    assert (last["exitCode"], app["restartCount"]) == (last_code, restarts)


def test_the_end_that_is_shown_is_not_the_last_state_too() -> None:
    # Runs 0-110 and 110-120, the second the last: told after 160 s.
    world = running(
        {"app": {"runs": [{"for": "110s", "exit": 3}, {"for": "10s", "exit": 0}]}}, restartPolicy="OnFailure"
    )
    fault(world, "partition", 60)
    app = world.to(170).container()
    assert app["state"]["terminated"]["finishedAt"] == "2026-01-01T00:02:00Z"
    assert app["lastState"]["terminated"]["finishedAt"] == "2026-01-01T00:01:50Z"


@pytest.mark.spec("RALL-11")
def test_a_restart_in_place_while_cut_off_is_told_by_the_last_state() -> None:
    rules = [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [88]}}]
    apps = ("app", {"name": "trigger", "restartPolicyRules": rules, "restartPolicy": "Never"})
    behavior = {"trigger": {"runs": [{"for": "110s", "exit": 88}, {"forever": True}]}}
    gates = {"RestartAllContainersOnContainerExits": True, "ContainerRestartRules": True}
    world = running(behavior, gates, apps=apps)
    fault(world, "partition", 60)
    world.to(200)
    for name in ("app", "trigger"):
        last = world.container(name)["lastState"]["terminated"]
        assert (last["reason"], last["exitCode"]) == ("RestartingAllContainers", 137), name
        assert last["finishedAt"] == "2026-01-01T00:01:50Z", name
        assert world.container(name)["restartCount"] == 1


def test_an_end_while_nobody_was_there_is_told_after_the_partition_that_followed() -> None:
    world = running({"app": {"runs": [{"for": "105s", "exit": 3}, {"forever": True}]}})
    fault(world, "kubeletRestart", 20)
    fault(world.to(110), "partition", 60)
    world.to(200)
    app = world.container()
    assert (app["restartCount"], app["lastState"]["terminated"]["exitCode"]) == (1, 3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["kubeletRestart", "partition"])
@pytest.mark.parametrize("at", [101, 115, 131])
def test_an_outage_survives_saving(kind: str, at: float) -> None:
    def live(saved_at: float | None) -> list[Any]:
        world = running({"app": {"onTerm": {"ignore": True}}})
        world.pod(meta={"name": "crashing"}, behavior={"app": CRASH})
        fault(world, kind, 30)
        world.to(110).delete()
        world.delete(0, force=True, name="crashing")
        if saved_at is not None:
            world.to(saved_at)
            assert world.rows
            world.cluster = Cluster.load(world.cluster.save())
        return world.to(300).rows

    assert live(at) == live(None)


@pytest.mark.parametrize(
    "payload, message",
    [
        (
            {"node": "node-1", "kind": "flood"},
            "fault.kind 'flood': on a node, use one of crash, kubeletDown, kubeletRestart",
        ),
        (
            {"node": "node-1", "kind": "partition", "for": "soon"},
            "fault.for 'soon': use a duration such as 30s",
        ),
        ({"node": "node-1", "kind": "partition", "for": -5}, "fault.for -5: use a duration such as 30s"),
        ({"node": "node-1", "kind": "crash", "for": "9" * 400 + "s"}, "use a duration such as 30s"),
        ({"node": "node-1", "kind": "crash", "for": 10**20}, "use a duration such as 30s"),
        (
            {"pod": "web", "kind": "exit", "reason": {"a": 1}},
            "fault.reason {'a': 1}: use a word such as OOMKilled",
        ),
    ],
)
def test_a_fault_that_cannot_be_read_is_refused(payload: dict[str, Any], message: str) -> None:
    answer = running().submit("fault", **payload)
    assert answer.code == 400
    assert answer.status is not None and message in answer.status["message"]


@pytest.mark.parametrize("is_saved", [False, True])
@pytest.mark.parametrize("kind", ["kubeletRestart", "reboot"])
def test_a_kubelet_that_starts_while_cut_off_knows_its_static_pods_alone(kind: str, is_saved: bool) -> None:
    # Both run for 110 s, are cut off from 100 on, and their kubelet is away from 105 to 107.
    world = World()
    meta = {"name": "static", "annotations": {"podline.dev/behavior": json.dumps({"app": ENDS})}}
    spec = {"containers": [{"name": "app", "image": "sim/server:1"}]}
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}
    assert world.submit("staticPod", node="node-1", manifest=manifest).ok
    assert world.pod(behavior={"app": ENDS}).ok
    assert world.pod(meta={"name": "going"}).ok
    fault(world.to(100), "partition", 100)
    fault(world.to(105), kind, 2)
    assert world.to(150).delete(0, force=True, name="going").ok
    if is_saved:
        assert world.rows
        world.cluster = Cluster.load(world.cluster.save())
    world.to(300)
    ended = 105 if kind == "reboot" else 110
    # Told at 200; of the one begun anew then, of the other when its kubelet could see to it.
    static = world.container(pod="static-node-1")
    assert since(static["state"]["running"]["startedAt"]) == (107 if kind == "reboot" else 110)
    app = world.container()
    assert since(app["state"]["running"]["startedAt"]) == 200
    assert since(app["lastState"]["terminated"]["finishedAt"]) == ended
    # What nobody wants any more is stopped by whoever finds it.
    assert world.signals(name="going") == ([(200, "SIGTERM")] if kind == "kubeletRestart" else [])


def test_what_a_kubelet_hears_of_again_is_probed_and_timed_again() -> None:
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 10, "failureThreshold": 1}
    points = [{"at": "0s", "result": "success"}, {"at": "205s", "result": "failure"}]
    behavior = {"app": {"probes": {"liveness": points}}}
    world = running(behavior, apps=({"name": "app", "livenessProbe": probe},), activeDeadlineSeconds=250)
    fault(world, "partition", 100)
    fault(world, "kubeletRestart", 2)
    world.to(400)
    assert world.at("probe.app.liveness", "Failure") == [210]
    assert world.starts() == [0, 210]
    # Recorded by v1.35 (rs-failed-pod-replaced): with each of the statuses that are made once it has passed.
    assert world.events("DeadlineExceeded") == [(250, "DeadlineExceeded")] * 4


@pytest.mark.slow
@pytest.mark.spec("PODGC-03", "PODGC-07", "PODGC-09", "DCOND-05")
def test_the_pods_of_a_deleted_node_run_on_through_saving_until_they_are_collected() -> None:
    world = running({"app": {"runs": [{"for": "110s", "exit": 1}, {"forever": True}]}})
    assert world.submit("delete", kind="Node", name="node-1").ok
    assert world.rows
    world.cluster = Cluster.load(world.cluster.save())
    assert world.to(139).starts()[-1] == 110
    assert world.to(300).lane("phase")[-1] == (140, "Failed")
    assert world.condition("DisruptionTarget") == [(140, "True")]
    assert world.get() is None and world.at("exists", "deleted") == [140]


def test_what_a_cut_off_kubelet_holds_back_or_finds_unhealthy_is_not_told() -> None:
    probe = {"exec": {"command": ["true"]}, "failureThreshold": 9}
    points = [{"at": "0s", "result": "success"}, {"at": "105s", "result": "failure"}]
    behavior = {
        "app": {"probes": {"readiness": points}},
        "crashing": {"runs": [{"for": "110s", "exit": 1}, {"for": "1s", "exit": 1}]},
    }
    world = running(behavior, apps=({"name": "app", "readinessProbe": probe}, "crashing"))
    fault(world, "partition", 60)
    world.to(159)
    assert [event for event in world.events("BackOff", "Unhealthy") if event[0] < 160] == []
    assert world.at("probe.app.readiness", "Failure") == [110]


def test_a_pod_that_finished_while_cut_off_is_told_and_not_begun_again() -> None:
    world = running({"app": {"runs": [{"for": "110s", "exit": 0}]}}, restartPolicy="OnFailure")
    fault(world, "partition", 60)
    world.to(300)
    assert world.lane("phase") == [(0, "Pending"), (0, "Running"), (160, "Succeeded")]
    assert world.starts() == [0]
