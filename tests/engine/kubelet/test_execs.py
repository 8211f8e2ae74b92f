"""Commands sent into containers: they see and change what runs there, and answer with what they wrote."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.kubelet.world import World

SLEEPER = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", "echo up; sleep 1000"]}


def make_world(container: dict[str, Any] = SLEEPER) -> World:
    world = World()
    world.pod(container)
    world.cluster.run_until(5_000)
    return world


def run(world: World, *words: str, **more: Any) -> dict[str, Any]:
    result = world.submit("exec", pod="web", command=list(words), **more)
    assert result.code == 200, result.status
    assert result.object is not None
    return result.object


def test_the_streams_and_the_exit_code_come_back():
    found = run(make_world(), "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (found["stdout"], found["stderr"], found["exitCode"]) == ("out\n", "err\n", 3)


def test_a_command_reads_what_it_is_given():
    world = make_world()
    assert run(world, "cat", stdin="a\nb\n")["stdout"] == "a\nb\n"
    assert run(world, "wc", "-l", stdin="a\nb\n")["stdout"].split()[0] == "2"
    assert run(world, "cat")["stdout"] == ""


def test_what_a_command_writes_stays():
    world = make_world()
    run(world, "sh", "-c", "cat > /tmp/told", stdin="you\n")
    world.cluster.run_until(60_000)
    assert run(world, "cat", "/tmp/told")["stdout"] == "you\n"


def test_a_command_takes_no_time_from_the_others():
    world = make_world()
    found = run(world, "sh", "-c", "sleep 7; date +%S")
    assert (found["takesMs"], found["stdout"]) == (7000, "12\n")
    assert world.cluster.now_ms == 5_000


def test_a_command_that_does_not_end_is_killed():
    found = run(make_world(), "sleep", "3600")
    assert (found["exitCode"], found["stderr"]) == (137, "podline: killed after 60 s of virtual time\n")


def test_a_program_that_is_not_there_is_said_so_in_the_runtimes_words():
    found = run(make_world(), "psql")
    assert 'exec: "psql": executable file not found in $PATH' in found["problem"]


def test_what_cannot_be_interpreted_is_no_success():
    world = make_world(SLEEPER | {"image": "debian:12"})
    for _ in range(2):
        found = run(world, "tar", "cf", "-", "/tmp")
        assert found["exitCode"] == 126
        assert found["stderr"].startswith("podline: cannot interpret 'tar cf - /tmp'")


def test_a_command_that_kills_the_program_ends_the_container():
    script = "trap 'exit 7' TERM; while true; do sleep 1; done"
    world = make_world(SLEEPER | {"command": ["sh", "-c", script]})
    run(world, "kill", "1")
    world.cluster.run_until(8_000)
    [status] = world.cluster.get("Pod", "default", "web")["status"]["containerStatuses"]
    assert status["restartCount"] == 1 and status["lastState"]["terminated"]["exitCode"] == 7


@pytest.mark.parametrize(
    "payload, code, words",
    [
        ({"pod": "none", "command": ["ls"]}, 404, 'pods "none" not found'),
        ({"pod": "web", "command": ["ls"], "container": "x"}, 400, 'container not found ("x")'),
        ({"pod": "web", "command": []}, 400, "exec.command []: use a list of words"),
        ({"pod": "web", "command": [1]}, 400, "use a list of words"),
    ],
)
def test_nothing_runs_where_nothing_can(payload, code, words):
    result = make_world().submit("exec", **payload)
    assert result.code == code and result.status is not None
    assert words in result.status["message"]


def test_a_cluster_that_was_saved_goes_on_after_a_command():
    world = make_world()
    run(world, "sh", "-c", "echo x > /tmp/x")
    world.cluster.take_changes()
    world.cluster = type(world.cluster).load(world.cluster.save())
    assert run(world, "cat", "/tmp/x")["stdout"] == "x\n"
