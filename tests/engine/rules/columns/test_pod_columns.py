"""READY, STATUS, RESTARTS and AGE: what people see."""

from typing import Any

import pytest

from lifecycle.engine.kinds.presentation import decide_columns, summarize
from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.rules.columns.ages import human_duration
from lifecycle.engine.rules.columns.pods import (
    decide_shown,
    node_status_text,
    pod_status_text,
    ready_text,
    restarts_text,
)
from tests.engine.rules.build import ended, make_pod, make_spec, status

READY = Condition("Ready", "True")
NOT_READY = Condition("Ready", "False")
INITIALIZED = Condition("Initialized", "True")
GATED = Condition("PodScheduled", "False", "SchedulingGated")


def text(pod_fields: dict[str, Any], **how: Any) -> str:
    return pod_status_text(make_pod(**how, **{"phase": "Running", **pod_fields}))


@pytest.mark.parametrize(
    "fields, expected",
    [
        pytest.param({"phase": "Pending"}, "Pending", id="phase", marks=pytest.mark.spec("POD-COL-04")),
        pytest.param(
            {"phase": "Failed", "reason": "Evicted"},
            "Evicted",
            id="reason",
            marks=pytest.mark.spec("POD-COL-04"),
        ),
        pytest.param(
            {"containers": (status("app", "CrashLoopBackOff", last_state=ended(1)),)},
            "CrashLoopBackOff",
            id="crash loop",
            marks=pytest.mark.spec("POD-COL-05"),
        ),
        pytest.param(
            {"containers": (status("app", "ContainerCreating"),)},
            "ContainerCreating",
            id="creating",
            marks=pytest.mark.spec("POD-COL-14"),
        ),
        pytest.param(
            {"phase": "Pending", "conditions": (GATED,)},
            "SchedulingGated",
            id="gated",
            marks=pytest.mark.spec("POD-COL-11", "SGATE-03"),
        ),
        pytest.param({"containers": (status("app", ended(1)),)}, "Error", id="error"),
        pytest.param({"containers": (status("app", ended(137, "OOMKilled")),)}, "OOMKilled", id="oom"),
        pytest.param(
            {"containers": (status("app", ended(3).replace(reason="")),)},
            "ExitCode:3",
            id="exit code",
            marks=pytest.mark.spec("POD-COL-09"),
        ),
        pytest.param(
            {"containers": (status("app", ended(137, signal=9).replace(reason="")),)},
            "Signal:9",
            id="signal",
            marks=pytest.mark.spec("POD-COL-09"),
        ),
        pytest.param(
            {"containers": (status("a", ended(1)), status("b", "running"))},
            "Error",
            id="the first container has the last word",
            marks=pytest.mark.spec("POD-COL-09"),
        ),
        pytest.param(
            {"containers": (status("a", ended(0)), status("b", "running")), "conditions": (NOT_READY,)},
            "NotReady",
            id="main done, sibling running",
            marks=pytest.mark.spec("POD-COL-10"),
        ),
        pytest.param(
            # Recorded by v1.35 (policy-onfailure-two).
            {"containers": (status("a", ended(0)), status("b", ended(1))), "conditions": (NOT_READY,)},
            "Error",
            id="main done, sibling failed",
            marks=pytest.mark.spec("POD-COL-10"),
        ),
        pytest.param(
            {"containers": (status("a", ended(0)), status("b", "running")), "conditions": (READY,)},
            "Running",
            id="main done, pod ready",
            marks=pytest.mark.spec("POD-COL-10"),
        ),
    ],
)
def test_status_of_an_initialized_pod(fields: dict[str, Any], expected: str) -> None:
    assert text(fields) == expected


@pytest.mark.parametrize(
    "states, conditions, before, since",
    [
        # printPod of the releases: reason, hasRunning, and since v1.35 errorReason
        pytest.param((ended(0), ended(1)), (NOT_READY,), "Completed", "Error", id="one of two failed"),
        pytest.param((ended(0), ended(137, "OOMKilled")), (), "Completed", "OOMKilled", id="by its reason"),
        pytest.param(
            (ended(0), ended(3).replace(reason="")), (), "Completed", "ExitCode:3", id="by its code"
        ),
        pytest.param(
            (ended(0), ended(1), "running"), (NOT_READY,), "NotReady", "Error", id="a third one runs"
        ),
        pytest.param((ended(0), ended(1), "running"), (READY,), "Running", "Running", id="and is enough"),
        pytest.param((ended(1), ended(0)), (NOT_READY,), "Error", "Error", id="the first one failed"),
        pytest.param((ended(0), ended(0)), (NOT_READY,), "Completed", "Completed", id="none failed"),
    ],
)
def test_before_v1_35_a_pod_has_completed_although_a_later_container_failed(
    states: tuple[Any, ...], conditions: tuple[Condition, ...], before: str, since: str
) -> None:
    statuses = tuple(status(name, state) for name, state in zip("abc", states, strict=False))
    pod = make_pod(phase="Running", containers=statuses, conditions=conditions)
    assert (pod_status_text(pod, last_end_is_status=True), pod_status_text(pod)) == (before, since)


@pytest.mark.parametrize(
    "init, expected",
    [
        pytest.param(["running", "PodInitializing"], "Init:0/2", marks=pytest.mark.spec("POD-COL-07")),
        pytest.param([ended(0), "running"], "Init:1/2", marks=pytest.mark.spec("POD-COL-07")),
        pytest.param([ended(1), "PodInitializing"], "Init:Error", marks=pytest.mark.spec("POD-COL-08")),
        pytest.param(["CrashLoopBackOff", "PodInitializing"], "Init:CrashLoopBackOff"),
        pytest.param(
            [ended(2).replace(reason=""), "PodInitializing"],
            "Init:ExitCode:2",
            marks=pytest.mark.spec("POD-COL-08"),
        ),
        pytest.param(
            [ended(137, signal=9).replace(reason=""), "PodInitializing"],
            "Init:Signal:9",
            marks=pytest.mark.spec("POD-COL-08"),
        ),
        pytest.param([ended(0), ended(0)], "PodInitializing", marks=pytest.mark.spec("POD-COL-14")),
    ],
)
def test_status_while_initializing(init: list[Any], expected: str) -> None:
    pod = make_pod(
        make_spec("app", init=("one", "two")),
        phase="Pending",
        init_containers=tuple(status(name, state) for name, state in zip(("one", "two"), init, strict=True)),
        containers=(status("app", "PodInitializing"),),
    )
    assert pod_status_text(pod) == expected
    assert ready_text(pod) == "0/1"


@pytest.mark.parametrize(
    "fields, expected",
    [
        pytest.param({}, "Terminating", marks=pytest.mark.spec("POD-COL-06")),
        pytest.param({"phase": "Succeeded"}, "Succeeded", marks=pytest.mark.spec("POD-COL-06")),
        pytest.param({"reason": "NodeLost"}, "Unknown", marks=pytest.mark.spec("POD-COL-12")),
    ],
)
def test_status_of_a_deleted_pod(fields: dict[str, Any], expected: str) -> None:
    deleted = {"deletionTimestamp": "1970-01-01T00:00:30Z"}
    assert text(fields, metadata=deleted) == expected


@pytest.mark.parametrize(
    "init, apps, expected",
    [
        pytest.param([], [("app", "CrashLoopBackOff")], "0/1", marks=pytest.mark.spec("POD-COL-03")),
        pytest.param(
            [("side*", "running")], [("app", "running")], "2/2", marks=pytest.mark.spec("POD-COL-03")
        ),
        pytest.param([("init", ended(0))], [("app", "running")], "1/1", marks=pytest.mark.spec("POD-COL-03")),
        pytest.param([("side*", "running"), ("init", "running")], [("app", "PodInitializing")], "1/2"),
    ],
)
def test_ready_counts_apps_and_sidecars(
    init: list[tuple[str, Any]], apps: list[tuple[str, Any]], expected: str
) -> None:
    pod = make_pod(
        make_spec(*(name for name, _ in apps), init=tuple(name for name, _ in init)),
        phase="Running",
        init_containers=tuple(status(name.rstrip("*"), state) for name, state in init),
        containers=tuple(status(name, state) for name, state in apps),
    )
    assert ready_text(pod) == expected


@pytest.mark.spec("POD-COL-13")
def test_restarts_count_apps_and_sidecars_with_the_time_since_the_last() -> None:
    pod = make_pod(
        make_spec("app", init=("init", "side*")),
        phase="Running",
        conditions=(INITIALIZED,),
        init_containers=(
            status("init", ended(0), restart_count=5, last_state=ended(1, finished_ms=90_000)),
            status("side", "running", restart_count=1, last_state=ended(1, finished_ms=60_000)),
        ),
        containers=(status("app", "running", restart_count=2, last_state=ended(1, finished_ms=20_000)),),
    )
    assert restarts_text(pod, 100_000) == "3 (40s ago)"


@pytest.mark.spec("POD-COL-13")
def test_restarts_count_init_containers_while_initializing() -> None:
    pod = make_pod(
        make_spec("app", init=("init",)),
        phase="Pending",
        init_containers=(status("init", "CrashLoopBackOff", restart_count=4),),
        containers=(status("app", "PodInitializing"),),
    )
    assert restarts_text(pod, 0) == "4"


@pytest.mark.spec("POD-COL-02")
def test_columns_come_in_kubectls_order() -> None:
    columns = decide_columns(make_pod(phase="Pending").to_json(), 0, wide=True)
    assert list(columns)[:6] == ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP"]


@pytest.mark.parametrize(
    "seconds, expected",
    [
        (-3, "<invalid>"),
        (-1, "0s"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (200, "3m20s"),
        (599, "9m59s"),
        (600, "10m"),
        (10799, "179m"),
        (10800, "3h"),
        (28799, "7h59m"),
        (28800, "8h"),
        (172799, "47h"),
        (205200, "2d9h"),
        (691199, "7d23h"),
        (691200, "8d"),
        (63071999, "729d"),
        (63072000, "2y"),
        (63158400, "2y1d"),
        (252288000, "8y"),
    ],
)
def test_ages_get_coarser(seconds: int, expected: str) -> None:
    assert human_duration(seconds * 1000) == expected


def test_a_summary_says_what_the_lists_show() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}
    pod = make_pod(
        metadata={"namespace": "default", "uid": "uid-1", "ownerReferences": [owner]},
        phase="Running",
        conditions=(READY,),
        containers=(status("app", "running", restart_count=2),),
    )
    pod.shown = decide_shown(pod, last_end_is_status=False)
    assert summarize(pod) == {
        "uid": "uid-1",
        "kind": "Pod",
        "namespace": "default",
        "name": "web-0",
        "owner": "ReplicaSet/web",
        "node": "node-1",
        "state": "ready",
        "phase": "Running",
        "status": "Running",
        "ready": "1/1",
        "restarts": 2,
        "revision": None,
        "created_ms": None,
        "deleted_ms": None,
        "rv": 0,
        "group": "",
    }


@pytest.mark.parametrize("ready, state", [(3, "ready"), (2, "notReady")])
def test_the_summary_of_a_deployment(ready: int, state: str) -> None:
    deployment = Deployment.from_json(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "annotations": {"deployment.kubernetes.io/revision": "4"}},
            "spec": {"replicas": 3},
            "status": {"readyReplicas": ready},
        }
    )
    seen = summarize(deployment)
    assert (seen["ready"], seen["state"], seen["revision"]) == (f"{ready}/3", state, 4)


@pytest.mark.parametrize(
    "ready, cordoned, expected",
    [("True", False, "Ready"), ("False", False, "NotReady"), ("True", True, "Ready,SchedulingDisabled")],
)
def test_the_status_of_a_node(ready: str, cordoned: bool, expected: str) -> None:
    node = Node.from_json(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "node-1"},
            "spec": {"unschedulable": cordoned},
            "status": {"conditions": [{"type": "Ready", "status": ready}]},
        }
    )
    assert node_status_text(node) == expected
