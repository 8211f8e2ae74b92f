"""A postStart hook holds up all else that its pod's kubelet would do (recorded with v1.35.6)."""

import re
from typing import Any

import pytest

from tests.engine.kubelet.world import World

SHELL = {"image": "busybox:1.36", "imagePullPolicy": "IfNotPresent"}


def shell(name: str, main: str, hook: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name, **SHELL, "command": ["sh", "-c", main]}
    if hook is not None:
        made["lifecycle"] = {"postStart": {"exec": {"command": ["sh", "-c", hook]}}}
    return made


def test_a_hook_that_sleeps_ends() -> None:
    world = World()
    world.pod(shell("app", "sleep 60", "sleep 7"))
    world.to(10)
    assert world.starts() == [7] and world.at("hook.app.postStart", "Succeeded") == [7]


def test_nothing_is_written_while_it_runs() -> None:
    world = World()
    world.pod(shell("app", "sleep 60", "sleep 7"), shell("other", "sleep 60"))
    world.to(10)
    assert world.at("condition.PodReadyToStartContainers", "True") == [7]
    assert world.starts("other") == [7], "the next container starts after it"


@pytest.mark.parametrize("policy, phase", [("Never", "Succeeded"), ("Always", "Running")])
def test_the_main_process_takes_its_hook_with_it(policy: str, phase: str) -> None:
    world = World()
    world.pod(shell("app", "sleep 5", "sleep 12"), restartPolicy=policy)
    world.to(6)
    assert world.events("FailedPostStartHook", "Killing") == [(5, "FailedPostStartHook"), (5, "Killing")]
    assert world.status()["phase"] == phase
    waits = [reason for _, reason in world.waits() if reason != "ContainerCreating"]
    assert waits == ([] if policy == "Never" else ["PostStartHookError"])


@pytest.mark.slow
def test_a_failed_hook_is_why_a_container_waits() -> None:
    world = World()
    world.pod(shell("app", "trap 'exit 3' TERM; while true; do sleep 1; done", "sleep 2; exit 9"))
    world.to(20)
    waits = [reason for _, reason in world.waits() if reason != "ContainerCreating"]
    # Restarted at once after the first failure at 2 s, 10 s after the second, 20 s after the third at 18 s.
    assert waits == ["PostStartHookError", "CrashLoopBackOff"] * 2
    assert world.starts() == [], "it never counts as running"
    message = next(
        row["message"] for row in world.rows if row.get("reason") == "PostStartHookError" and row["message"]
    )
    assert message.startswith(
        'Exec lifecycle hook ([sh -c sleep 2; exit 9]) for Container "app" in Pod "web_default('
    )


@pytest.mark.parametrize(
    "request_, said",
    [
        pytest.param(
            {"port": 81, "path": "/up"},
            r'HTTP lifecycle hook \(/up\) .* failed - error: Get "http://([\d.]+):81/up":'
            r" dial tcp \1:81: connect: connection refused",
            id="nobody listens",
        ),
        pytest.param(
            {"port": 80, "host": "127.0.0.1"},
            r'HTTP lifecycle hook \(/\) .* failed - error: Get "http://127.0.0.1:80/":'
            r" dial tcp 127.0.0.1:80: connect: connection refused",
            id="the loopback is the node's",
        ),
        pytest.param(
            {"port": "web", "host": "example.com"},
            r'HTTP lifecycle hook \(/\) .* failed - error: strconv.Atoi: parsing "web": invalid syntax',
            id="no port of that name",
        ),
    ],
)
def test_a_request_that_failed_says_why(request_: dict[str, Any], said: str) -> None:
    """The first was recorded with v1.35.6; the other is ResolveContainerPort's."""
    world = World()
    container = shell("app", "sleep 100", "true") | {"lifecycle": {"postStart": {"httpGet": request_}}}
    world.pod(container, terminationGracePeriodSeconds=1)
    world.to(5)
    told = [row["message"] for row in world.rows if row.get("reason") == "PostStartHookError"]
    assert re.fullmatch(said, next(filter(None, told)))


def test_what_a_failed_command_has_written_is_told() -> None:
    world = World()
    world.pod(shell("app", "sleep 100", "echo no; echo why >&2; exit 4"), terminationGracePeriodSeconds=1)
    world.to(5)
    told = [row["message"] for row in world.rows if row.get("reason") == "PostStartHookError"]
    assert next(filter(None, told)).endswith(r'exited with 4: , message: "no\nwhy\n"')


def test_a_deletion_waits_for_it() -> None:
    world = World()
    world.pod(shell("app", "sleep 60", "sleep 20"), terminationGracePeriodSeconds=5)
    world.to(8).delete()
    world.to(30)
    assert [at for at, _ in world.signals()] == [20, 25]
    assert world.get() is None
