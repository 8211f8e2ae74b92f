"""The reasons containers give for waiting and for having ended."""

from itertools import groupby
from typing import Any

import pytest

from tests.engine.kubelet.world import World

ALL_GATE = {"RestartAllContainersOnContainerExits": True}
ALL_RULES = [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [88]}}]
FROM_MAP = [{"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": "absent", "key": "key"}}}]


def start_error(error: str) -> dict[str, Any]:
    return {"app": {"start": {"error": error}}}


@pytest.mark.spec("CSTATE-05")
@pytest.mark.parametrize(
    "reason, app, behavior, init",
    [
        ("ContainerCreating", {}, {"app": {"pull": {"takes": "1h"}}}, ()),
        ("PodInitializing", {}, {"first": {"runs": [{"forever": True}]}}, ("first",)),
        ("ErrImagePull", {}, {"app": {"pull": {"error": "ErrImagePull"}}}, ()),
        ("ImagePullBackOff", {}, {"app": {"pull": {"error": "ErrImagePull"}}}, ()),
        ("CrashLoopBackOff", {}, {"app": {"runs": [{"for": "1s", "exit": 1}]}}, ()),
        ("CreateContainerConfigError", {"env": FROM_MAP}, {}, ()),
        ("CreateContainerError", {}, start_error("CreateContainerError"), ()),
        ("InvalidImageName", {"image": "UPPER/case:1"}, {}, ()),
        ("ErrImageNeverPull", {"image": "none:1", "imagePullPolicy": "Never"}, {}, ()),
        ("RunContainerError", {}, start_error("RunContainerError"), ()),
    ],
)
def test_a_container_says_why_it_waits(reason: str, app: Any, behavior: Any, init: Any) -> None:
    world = World()
    made = world.pod({"name": "app", **app}, behavior=behavior, init=init)
    assert made.ok, made.status
    world.to(60)
    assert reason in [why for _, why in world.waits()]


@pytest.mark.slow
@pytest.mark.parametrize("step", ["pull", "start"])
@pytest.mark.parametrize(
    "error",
    [
        "RegistryUnavailable",
        "SignatureValidationFailed",
        "ErrImagePull",
        "ImageInspectError",
        "PreCreateHookError",
        "RunContainerError",
        "NobodyKnowsThis",
    ],
)
def test_what_cannot_be_started_is_stuck_and_stays_so(step: str, error: str) -> None:
    """Between the tries the kubelet says the back-off; both mean the same."""
    world = World()
    assert world.pod("app", behavior={"app": {step: {"error": error}}}).ok
    world.to(900)
    states = [state for _, state in world.lane("state")]
    # A row of the same state tells another reason.
    assert [state for state, _ in groupby(states)] == ["pending", "starting", "stuck"]


def ended(container: dict[str, Any]) -> dict[str, Any]:
    found = container["state"].get("terminated") or container["lastState"]["terminated"]
    assert isinstance(found, dict)
    return found


@pytest.mark.spec("CSTATE-10")
@pytest.mark.parametrize(
    "run, code, reason",
    [
        ({"exit": 0}, 0, "Completed"),
        ({"exit": 3}, 3, "Error"),
        ({"exit": 137, "reason": "OOMKilled"}, 137, "OOMKilled"),
        ({"exit": 127, "reason": "ContainerCannotRun"}, 127, "ContainerCannotRun"),
        ({"exit": 137, "reason": "DeadlineExceeded"}, 137, "DeadlineExceeded"),
    ],
)
def test_a_run_that_ends_says_how(run: dict[str, Any], code: int, reason: str) -> None:
    world = World()
    world.pod(behavior={"app": {"runs": [{"for": "5s", **run}]}}, restartPolicy="Never")
    end = ended(world.to(10).container())
    assert (end["exitCode"], end["reason"]) == (code, reason)


@pytest.mark.spec("CSTATE-10")
def test_what_an_in_place_restart_ends_says_so() -> None:
    world = World(gates=ALL_GATE)
    trigger = {"name": "app", "restartPolicy": "Never", "restartPolicyRules": ALL_RULES}
    behavior = {"app": {"runs": [{"for": "5s", "exit": 88}, {"forever": True}]}}
    assert world.pod(trigger, "other", behavior=behavior).ok
    end = ended(world.to(10).container("other"))
    assert (end["exitCode"], end["reason"]) == (137, "RestartingAllContainers")
