"""A pod's `state`: decided from its status, and told in rows at the end of each write that changes it."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.objects.pods.container import ContainerState
from lifecycle.engine.objects.pods.pod import Pod, PodSpec
from lifecycle.engine.rules.pods.state import decide_state
from lifecycle.engine.rules.reasons import RESTARTING_ALL
from tests.dashboard.plots.test_states import run
from tests.engine.rules.build import ended, make_pod, make_spec, status

STATES = "pending starting ready notReady stuck crashing terminating succeeded failed unknown".split()

READY = Condition("Ready", "True")
NOT_READY = Condition("Ready", "False", "ContainersNotReady", "containers with unready status: [app]")
GATE_NOT_MET = Condition("Ready", "False", "ReadinessGatesNotReady")
GATED = Condition("PodScheduled", "False", "SchedulingGated")
NO_ROOM = Condition("PodScheduled", "False", "Unschedulable", "0/3 nodes are available: 3 Insufficient cpu.")
NO_CLAIM = Condition("PodScheduled", "False", "Unschedulable", 'persistentvolumeclaim "data" not found')
EVICTED = Condition("DisruptionTarget", "True", "EvictionByEvictionAPI")
SPARED = Condition("DisruptionTarget", "False", "EvictionByEvictionAPI")
DELETED = {"deletionTimestamp": "1970-01-01T00:00:30Z"}

PENDING, RUNNING = {"phase": "Pending"}, {"phase": "Running"}


def waits(*reasons: str) -> dict[str, Any]:
    """Containers of which each waits for a reason; `ready` and `running` are no reasons."""
    made = [status("c", "running", ready=True) if one == "ready" else status("c", one) for one in reasons]
    return {"containers": tuple(made)}


def made(fields: dict[str, Any], node: str = "node-1", metadata: dict[str, Any] | None = None) -> Pod:
    pod = make_pod(metadata=metadata or {}, **fields)
    pod.node_name = node
    return pod


@pytest.mark.parametrize(
    "fields, node, metadata, state, reason",
    [
        # No node yet.
        (PENDING, "", {}, "pending", None),
        (PENDING | {"conditions": (GATED,)}, "", {}, "pending", "SchedulingGated"),
        (PENDING | {"conditions": (NO_ROOM,)}, "", {}, "stuck", "Unschedulable"),
        (PENDING | {"conditions": (NO_CLAIM,)}, "", {}, "stuck", "Unschedulable"),
        # On a node: whoever is not held up comes along.
        (PENDING, "node-1", {}, "starting", "ContainerCreating"),
        (PENDING | waits("ContainerCreating"), "node-1", {}, "starting", "ContainerCreating"),
        (PENDING | waits("ready", "ContainerCreating"), "node-1", {}, "starting", "ContainerCreating"),
        (
            PENDING | waits("PodInitializing") | {"init_containers": (status("i", "running"),)},
            "node-1",
            {},
            "starting",
            "PodInitializing",
        ),
        # What somebody has to mend: images, configuration.
        *(
            (PENDING | waits(reason), "node-1", {}, "stuck", reason)
            for reason in (
                *("ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"),
                *("CreateContainerConfigError", "CreateContainerError", "RunContainerError"),
            )
        ),
        (RUNNING | waits("ready", "ImagePullBackOff"), "node-1", {}, "stuck", "ImagePullBackOff"),
        (PENDING | waits("ContainerCreating", "ErrImagePull"), "node-1", {}, "stuck", "ErrImagePull"),
        (
            PENDING | waits("PodInitializing") | {"init_containers": (status("i", "ImagePullBackOff"),)},
            "node-1",
            {},
            "stuck",
            "ImagePullBackOff",
        ),
        # What ran and failed is worse than what never ran.
        (RUNNING | waits("CrashLoopBackOff"), "node-1", {}, "crashing", "CrashLoopBackOff"),
        (RUNNING | waits("PostStartHookError"), "node-1", {}, "crashing", "PostStartHookError"),
        (RUNNING | waits("ImagePullBackOff", "CrashLoopBackOff"), "n", {}, "crashing", "CrashLoopBackOff"),
        (
            PENDING | waits("PodInitializing") | {"init_containers": (status("i", "CrashLoopBackOff"),)},
            "node-1",
            {},
            "crashing",
            "CrashLoopBackOff",
        ),
        # It runs.
        (RUNNING | {"conditions": (READY,)}, "node-1", {}, "ready", None),
        (
            RUNNING | waits("running") | {"conditions": (NOT_READY,)},
            "n",
            {},
            "notReady",
            "ContainersNotReady",
        ),
        (
            RUNNING | waits("ready") | {"conditions": (GATE_NOT_MET,)},
            "node-1",
            {},
            "notReady",
            "ReadinessGatesNotReady",
        ),
        (
            RUNNING | {"containers": (status("app", ended(1)),), "conditions": (NOT_READY,)},
            "node-1",
            {},
            "crashing",
            "Error",
        ),
        # What ended well is not crashing.
        (
            RUNNING | {"containers": (status("app", ended(0)),), "conditions": (NOT_READY,)},
            "node-1",
            {},
            "notReady",
            "Completed",
        ),
        # It goes, or is over; an end is an end, also of what is being deleted.
        (RUNNING | {"conditions": (READY,)}, "node-1", DELETED, "terminating", None),
        (RUNNING | {"conditions": (READY, EVICTED)}, "n", DELETED, "terminating", "EvictionByEvictionAPI"),
        (RUNNING | {"conditions": (READY, SPARED)}, "node-1", DELETED, "terminating", None),
        (RUNNING | waits("CrashLoopBackOff"), "node-1", DELETED, "terminating", None),
        (PENDING | {"conditions": (NO_ROOM,)}, "", DELETED, "terminating", None),
        ({"phase": "Succeeded"}, "node-1", {}, "succeeded", None),
        ({"phase": "Succeeded"}, "node-1", DELETED, "succeeded", None),
        ({"phase": "Failed", "reason": "Evicted"}, "node-1", {}, "failed", "Evicted"),
        ({"phase": "Failed", "containers": (status("app", ended(1)),)}, "node-1", {}, "failed", "Error"),
        ({"phase": "Failed"}, "node-1", {}, "failed", None),
        ({"phase": "Unknown"}, "node-1", {}, "unknown", None),
        (RUNNING | {"reason": "NodeLost"}, "node-1", DELETED, "unknown", "NodeLost"),
    ],
)
def test_state_and_reason(
    fields: dict[str, Any], node: str, metadata: dict[str, Any], state: str, reason: str | None
) -> None:
    found = decide_state(made(fields, node, metadata))
    assert (found.name, found.reason) == (state, reason)
    assert found.name in STATES


@pytest.mark.parametrize(
    "policy, state", [("Always", "crashing"), ("OnFailure", "crashing"), ("Never", "notReady")]
)
def test_a_container_that_failed_crashes_the_pod_if_it_is_to_start_again(policy: str, state: str) -> None:
    spec = PodSpec.from_json(
        {"restartPolicy": policy, "containers": [{"name": "app", "image": "x"}, {"name": "b"}]}
    )
    pod = make_pod(
        spec, phase="Running", containers=(status("app", ended(1)), status("b", "running", ready=True))
    )
    pod.node_name = "node-1"
    assert (decide_state(pod).name, decide_state(pod).reason) == (state, "Error")


def run_of(exit_code: int, restarts: int, ran_ms: int = 60_000) -> dict[str, Any]:
    end = ContainerState("Terminated", "Error" if exit_code else "Completed", "", 0, ran_ms, exit_code)
    return {"state": end, "restart_count": restarts}


@pytest.mark.parametrize(
    "policy, run, state",
    [
        pytest.param("Always", run_of(0, 0), "notReady", id="its first end is not held back"),
        pytest.param("Always", run_of(0, 1), "crashing", id="its second end is"),
        pytest.param("Always", run_of(0, 9), "crashing", id="so is any later one"),
        pytest.param("Always", run_of(0, 9, 601_000), "notReady", id="ten minutes make it forgotten"),
        pytest.param("Always", run_of(1, 0), "crashing", id="a failure is one, held back or not"),
        pytest.param("OnFailure", run_of(0, 1), "notReady", id="it is not to run again"),
        pytest.param("OnFailure", run_of(1, 1), "crashing", id="it is to run again"),
        pytest.param("Never", run_of(0, 1), "notReady", id="it never is"),
    ],
)
def test_an_end_that_was_none_crashes_the_pod_while_it_is_held_back(policy, run, state) -> None:
    """doBackOff looks at when the last run ended, not at its exit code."""
    spec = make_spec("app", "b", policy=policy)
    pod = make_pod(spec, phase="Running", containers=(status("app", **run), status("b", "running")))
    assert decide_state(pod).name == state


@pytest.mark.parametrize(
    "policy, app, sidecar, state",
    [
        pytest.param("Never", ended(0), ended(137), "notReady", id="killed, as the work is done"),
        pytest.param("Never", ended(3), ended(137), "notReady", id="killed, as the work has failed for good"),
        pytest.param("OnFailure", ended(0), ended(143), "notReady", id="ended with SIGTERM"),
        pytest.param("Never", ended(0), ended(0), "notReady", id="ended well"),
        pytest.param("OnFailure", ended(3), ended(137), "crashing", id="both start again"),
        pytest.param("Never", "running", ended(137), "crashing", id="it failed by itself, beside the work"),
        pytest.param(
            "Never", ended(137, RESTARTING_ALL), ended(1), "crashing", id="the whole pod is begun anew"
        ),
    ],
)
def test_a_sidecar_that_is_stopped_behind_its_pods_work_is_no_crash(policy, app, sidecar, state) -> None:
    """SidecarContainers: they are stopped when all containers have ended for good, and not started again."""
    spec = make_spec("app", init=("proxy*",), policy=policy)
    pod = make_pod(
        spec, phase="Running", init_containers=(status("proxy", sidecar),), containers=(status("app", app),)
    )
    assert decide_state(pod).name == state


def test_a_gated_pod_is_pending_with_its_reason() -> None:
    gated = decide_state(made(PENDING | {"conditions": (GATED,)}, ""))
    assert (gated.name, gated.reason) == ("pending", "SchedulingGated")


def test_the_message_is_that_of_what_holds_the_pod_up() -> None:
    assert decide_state(made(PENDING | {"conditions": (NO_ROOM,)}, "")).message == NO_ROOM.message
    assert decide_state(made(RUNNING | {"conditions": (NOT_READY,)})).message == NOT_READY.message


def test_a_pod_whose_status_hides_why_it_waits_is_starting() -> None:
    """FailedMount is told by an event alone: the status is that of any pod whose sandbox is to be made."""
    unmounted = Condition("PodReadyToStartContainers", "False")
    found = decide_state(made(PENDING | waits("ContainerCreating") | {"conditions": (unmounted, NOT_READY)}))
    assert (found.name, found.reason) == ("starting", "ContainerCreating")


# --- rows --------------------------------------------------------------------------------------------


def test_every_write_tells_the_state_last_when_it_or_its_reason_changed() -> None:
    shown: dict[str, tuple[str, str | None]] = {}
    states = set()
    for version in run().versions:
        pod = version.new
        if not isinstance(pod, Pod) or version.type == "DELETED":
            continue
        before, now = shown.get(pod.meta.uid), decide_state(pod)
        told = [change for change in version.changes if change[0] == "state"]
        if before == (now.name, now.reason):
            assert told == []
        else:
            was = before[0] if before is not None else None
            assert told == [("state", was, now.name, now.reason, now.message, None)]
            assert version.changes[-1] is told[0]
        shown[pod.meta.uid] = now.name, now.reason
        states.add(now.name)
    assert {"pending", "starting", "stuck", "notReady", "ready", "crashing", "terminating"} <= states
