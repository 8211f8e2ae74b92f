"""Programs cost what they do: a process is due only when something happens in it."""

import pytest

from tests.engine.programs.worlds import FakeWorld, pod_spec, start, start_script

HOUR_MS = 3_600_000


def count_wakes(script: str, until_ms: int = HOUR_MS) -> int:
    world = FakeWorld()
    process = start_script(script, world)
    count = 0
    while (due_ms := process.next_wake_ms()) is not None and due_ms <= until_ms:
        process.run(due_ms, world)
        count += 1
    return count


@pytest.mark.parametrize(
    ("script", "wakes"),
    [
        ("sleep 3600", 1),
        ("sleep infinity", 0),
        ("tail -f /dev/null", 0),
        ("while true; do sleep 600; done", 6),
        ("sleep 3000 & sleep 3000 & wait", 1),
        ("exec nginx -g 'daemon off;'", 1),
        ("nc -l -p 80", 0),
        ("touch /tmp/log; tail -f /tmp/log", 0),
        ("while read line; do echo $line; done", 0),
    ],
)
def test_wakes_of_an_hour(script: str, wakes: int) -> None:
    assert count_wakes(script) == wakes


@pytest.mark.parametrize("image", ["nginx", "own:1", "sim/server:1"])
def test_server_without_a_script_never_wakes(image: str) -> None:
    assert start(pod_spec({"image": image})).next_wake_ms() is None


@pytest.mark.parametrize("script", ["sleep infinity", "touch /l; tail -f /l", "timeout 0 tail -f /dev/null"])
def test_what_waits_for_ever_has_no_instant_at_all(script: str) -> None:
    assert start_script(script).next_wake_ms() is None


def test_waking_too_early_changes_nothing() -> None:
    world = FakeWorld()
    process = start_script("while true; do echo tick; sleep 10; done", world)
    process.take_output()
    before = process.save()
    for now_ms in range(1, 10_000, 999):
        process.run(now_ms, world)
    after = process.save()
    before["machine"]["now"] = after["machine"]["now"]
    assert after == before


def test_saved_program_is_small() -> None:
    import json

    world = FakeWorld()
    process = start_script("while true; do sleep 10; done", world)
    assert len(json.dumps(process.save())) < 4_000
