"""Signals as on Linux: process 1, its children, handlers, foreground and background."""

import pytest

from tests.engine.programs.worlds import FakeWorld, pod_spec, run_until, start, start_script

GRACE_END_MS = 35_000


def stop(script: str, signal: str = "SIGTERM", at_ms: int = 5_500, **spec: object) -> tuple[int, int]:
    """Sends a signal, and SIGKILL 30 s later as a kubelet does; gives the end's instant and code."""
    world = FakeWorld()
    process = start(pod_spec({"command": ["sh", "-c", script]}, **spec), world)
    run_until(process, world, at_ms)
    process.signal(at_ms, signal, world)
    run_until(process, world, GRACE_END_MS)
    process.signal(GRACE_END_MS, "SIGKILL", world)
    assert process.exit is not None
    return process.exit.at_ms, process.exit.code


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        pytest.param("sleep 3600", (GRACE_END_MS, 137), id="a shell without handler ignores TERM"),
        pytest.param("exec sleep 3600", (GRACE_END_MS, 137), id="so does a bare sleep"),
        pytest.param("trap 'exit 3' TERM; sleep 3600", (GRACE_END_MS, 137), id="handler waits for the child"),
        pytest.param(
            "trap 'exit 3' TERM; while :; do sleep 2; done",
            (6_000, 3),
            id="handler runs between two children",
        ),
        pytest.param("trap 'exit 3' TERM; sleep 3600 & wait", (5_500, 3), id="handler interrupts wait"),
        pytest.param("trap 'exit 3' TERM; sleep 3600 & wait $!", (5_500, 3), id="and wait for one job"),
        pytest.param(
            "trap 'sleep 2; exit 4' TERM; sleep 3600 & wait", (7_500, 4), id="a handler may take its time"
        ),
        pytest.param("trap '' TERM; sleep 3600", (GRACE_END_MS, 137), id="ignored on purpose"),
        pytest.param(
            "sleep 3600 & p=$!; trap 'kill $p' TERM; wait $p; wait $p; exit 6",
            (5_500, 6),
            id="handler passes the signal on",
        ),
        pytest.param("trap 'exit 0' TERM; read x; sleep 3600", (GRACE_END_MS, 137), id="end of input first"),
        pytest.param("exec tini -- sleep 3600", (5_500, 143), id="behind an init it is not process 1"),
        pytest.param("tini -- sleep 3600", (5_500, 143), id="a shell becomes its last command"),
        pytest.param("tini -- sleep 3600; true", (GRACE_END_MS, 137), id="and waits for any other"),
        pytest.param("redis-server", (5_510, 0), id="a server takes the signal itself"),
        pytest.param("redis-server; true", (GRACE_END_MS, 137), id="not behind a shell"),
    ],
)
@pytest.mark.spec("POD-TERM-08", "POD-TERM-16")
def test_end_after_a_stop_signal(script: str, expected: tuple[int, int]) -> None:
    assert stop(script) == expected


def test_without_process_one_of_its_own_the_default_action_applies() -> None:
    """In a pod with one process namespace, process 1 is the pause container."""
    assert stop("sleep 3600", shareProcessNamespace=True) == (5_500, 143)


@pytest.mark.parametrize("signal", ["SIGQUIT", "SIGUSR1", "SIGWINCH", "SIGRTMIN+3"])
def test_other_stop_signals_reach_their_handlers(signal: str) -> None:
    name = signal.removeprefix("SIG")
    assert stop(f"trap 'exit 9' {name}; sleep 60 & wait", signal) == (5_500, 9)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        pytest.param("sleep 60 & kill $!; wait $!", 143, id="TERM ends a child"),
        pytest.param("sleep 60 & kill -9 $!; wait $!", 137, id="KILL ends a child"),
        pytest.param("sleep 60 & kill -INT $!; wait $!", 0, id="background children ignore INT"),
        pytest.param("kill -9 1; echo still here; exit 3", 3, id="process 1 cannot kill itself"),
        pytest.param("kill 1; exit 4", 4, id="nor send itself an unhandled TERM"),
        pytest.param(
            "(trap 'exit 5' TERM; sleep 60 & wait) & sleep 1; kill $!; wait $!", 5, id="own handler"
        ),
        pytest.param("sleep 60 & sleep 1; pkill sleep; wait $!", 143, id="pkill by name"),
        pytest.param("sleep 2 & while kill -0 $!; do sleep 1; done; exit 8", 8, id="kill -0 sees the end"),
    ],
)
def test_signals_inside_a_container(script: str, code: int) -> None:
    world = FakeWorld()
    process = start_script(script, world)
    run_until(process, world)
    assert process.exit is not None and process.exit.code == code


@pytest.mark.spec("POD-TERM-16")
def test_end_of_process_one_takes_its_children_along() -> None:
    world = FakeWorld()
    process = start_script("(sleep 10; echo never) & sleep 1", world)
    run_until(process, world)
    assert process.exit is not None and process.exit.at_ms == 1_000
    assert process.take_output() == []
