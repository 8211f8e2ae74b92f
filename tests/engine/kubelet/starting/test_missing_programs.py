"""Commands that an image does not have: the runtime cannot start them (recorded with v1.35.6)."""

from typing import Any

import pytest

from tests.engine.kubelet.world import World

PROBLEM = (
    "Error: failed to create containerd task: failed to create shim task: OCI runtime create failed:"
    " runc create failed: unable to start container process: exec: "
)
ABSENT = {"image": "busybox:1.36", "imagePullPolicy": "IfNotPresent", "command": ["/no/such/binary"]}


def told(world: World, reason: str) -> list[str]:
    return [row["message"] for row in world.rows if row.get("reason") == reason and row["type"] == "event"]


@pytest.mark.parametrize(
    ("command", "cause"),
    [
        ("/no/such", '"/no/such": stat /no/such: no such file or directory: unknown'),
        ("nosuch", '"nosuch": executable file not found in $PATH: unknown'),
    ],
)
def test_a_program_that_is_not_there_is_named(command: str, cause: str) -> None:
    world = World()
    world.pod({"name": "app", **ABSENT, "command": [command]}, restartPolicy="Never")
    assert told(world.to(5), "Failed") == [PROBLEM + cause]
    assert world.events("Created") and not world.events("Started")


@pytest.mark.parametrize("init", [(), ({"name": "setup", **ABSENT},)], ids=["app", "init"])
def test_under_never_it_is_the_end(init: Any) -> None:
    world = World()
    world.pod({"name": "app", **ABSENT}, init=init, restartPolicy="Never")
    ended = world.to(5).container("setup" if init else "app")["state"]["terminated"]
    assert (ended["reason"], ended["exitCode"]) == ("StartError", 128)
    assert world.status()["phase"] == "Failed"


def test_else_it_is_tried_again_as_after_a_crash() -> None:
    world = World()
    world.pod({"name": "app", **ABSENT})
    world.to(32)
    reasons = [reason for _, reason in world.waits() if reason != "ContainerCreating"]
    assert reasons[:2] == ["RunContainerError", "CrashLoopBackOff"]
    assert world.starts() == [] and set(world.events("Failed")) == {(at, "Failed") for at in (0, 10, 30)}
    last = world.container()["lastState"]["terminated"]
    assert (last["reason"], world.container()["restartCount"]) == ("StartError", 3)


def test_a_volume_may_hold_it() -> None:
    world = World()
    mount = {"name": "tools", "mountPath": "/no/such"}
    spec = {"volumes": [{"name": "tools", "emptyDir": {}}], "restartPolicy": "Never"}
    world.pod({"name": "app", **ABSENT, "volumeMounts": [mount]}, **spec)
    assert world.to(5).starts() == [0]


def test_a_liveness_check_that_cannot_be_made_kills_nothing() -> None:
    check = {"httpGet": {"port": "nothere"}, "periodSeconds": 2, "failureThreshold": 2}
    world = World()
    world.pod({"name": "app", "livenessProbe": check, "readinessProbe": {"tcpSocket": {"port": "other"}}})
    world.to(30)
    assert not world.events("Killing") and not world.container()["ready"]
    cause = "probe errored and resulted in unknown state: strconv.Atoi: parsing"
    assert set(told(world, "Unhealthy")) == {
        f'Liveness {cause} "nothere": invalid syntax',
        f'Readiness {cause} "other": invalid syntax',
    }


def test_a_hook_that_is_not_there_fails() -> None:
    hook = {"lifecycle": {"postStart": {"exec": {"command": ["/no/such"]}}}}
    world = World()
    world.pod({"name": "app", **ABSENT, "command": ["sleep", "60"], **hook}, restartPolicy="Never")
    assert told(world.to(5), "FailedPostStartHook") == ["PostStartHook failed"]
