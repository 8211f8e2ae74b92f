"""postStart and preStop: run beside the main process, in its files."""

import pytest

from tests.engine.programs.worlds import (
    FakeWorld,
    exec_probe,
    pod_spec,
    reload,
    run_until,
    start,
    start_script,
)


def command(*words: str) -> dict[str, object]:
    return {"exec": {"command": list(words)}}


def test_command_runs_in_the_containers_files() -> None:
    world = FakeWorld()
    process = start_script("sleep 600", world)
    hook = process.hook("postStart", command("sh", "-c", "echo hello > /tmp/greeting"), 0, world)
    assert (hook.finished_ms, hook.exit_code) == (0, 0)
    assert process.probe("liveness", exec_probe("cat", "/tmp/greeting"), 0, world).message == "hello\n"


def test_end_of_a_long_command_is_known_when_it_has_come() -> None:
    world = FakeWorld()
    process = start_script("sleep 600", world)
    hook = process.hook("preStop", command("sh", "-c", "sleep 10; exit 3"), 1_000, world)
    assert hook.finished_ms is None
    assert process.next_wake_ms() == 11_000
    process = reload(process)
    run_until(process, world, 11_000)
    hook = process.hooks["preStop"]
    assert (hook.finished_ms, hook.exit_code) == (11_000, 3)


@pytest.mark.spec("POD-TERM-07")
def test_hook_can_stop_what_the_main_process_waits_for() -> None:
    world = FakeWorld()
    process = start_script("while [ ! -f /tmp/stop ]; do sleep 1; done; echo drained", world)
    run_until(process, world, 4_500)
    process.hook("preStop", command("touch", "/tmp/stop"), 4_500, world)
    run_until(process, world)
    assert process.exit is not None and process.exit.at_ms == 5_000
    assert process.take_output() == [(5_000, "drained")]


def test_hook_dies_with_the_main_process() -> None:
    world = FakeWorld()
    process = start_script("sleep 5", world)
    process.hook("postStart", command("sleep", "60"), 0, world)
    run_until(process, world)
    hook = process.hooks["postStart"]
    assert (hook.finished_ms, hook.exit_code) == (5_000, 137)


def test_nginx_is_told_to_quit() -> None:
    world = FakeWorld()
    process = start(pod_spec({"image": "nginx"}), world)
    process.hook(
        "preStop",
        command("/bin/sh", "-c", "nginx -s quit; while killall -0 nginx; do sleep 1; done"),
        0,
        world,
    )
    run_until(process, world)
    assert process.exit is not None and (process.exit.at_ms, process.exit.code) == (0, 0)


@pytest.mark.parametrize(
    ("handler", "finished_ms", "exit_code"),
    [
        ({"sleep": {"seconds": 7}}, 8_000, 0),
        ({"httpGet": {"port": 80}}, 1_000, 0),
        ({"httpGet": {"port": 81}}, 1_000, 1),
        ({"tcpSocket": {"port": 80}}, 1_000, 0),
    ],
)
def test_other_handlers(handler: dict[str, object], finished_ms: int, exit_code: int) -> None:
    process = start(pod_spec({"image": "nginx"}))
    hook = process.hook("preStop", handler, 1_000, FakeWorld())
    assert (hook.finished_ms, hook.exit_code) == (finished_ms, exit_code)


def test_output_of_a_hook_is_no_log_unless_it_is_sent_there() -> None:
    world = FakeWorld()
    process = start_script("sleep 60", world)
    process.hook("preStop", command("sh", "-c", "echo quiet; echo loud > /proc/1/fd/1"), 0, world)
    assert process.take_output() == [(0, "loud")]
