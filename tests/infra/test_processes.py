"""What `up` keeps running: started again when it dies, given up when it dies of itself again and again."""

import os
import shutil
import signal
import sys
from types import SimpleNamespace

import pytest

from lifecycle.management import processes
from lifecycle.management.commands.up import keep_bytecode
from lifecycle.management.processes import MAX_DEATHS, Child, HopelessChild, stop_all


def make_child(program: str) -> Child:
    child = Child("ticker", [sys.executable, "-c", program], {})
    child.start()
    return child


def end(child: Child, number: int | None = None) -> int:
    assert child.process is not None
    if number is not None:
        child.process.send_signal(number)
    child.process.wait(30)
    return child.process.pid


@pytest.mark.slow
def test_one_that_is_killed_from_outside_is_started_as_often_as_that():
    child = make_child("import time; time.sleep(60)")
    try:
        for _ in range(MAX_DEATHS + 2):
            dead = end(child, signal.SIGKILL)
            assert child.look() == dead
        assert child.look() is None
    finally:
        stop_all([child])


@pytest.mark.slow
def test_one_that_ends_as_soon_as_it_is_started_is_hopeless():
    child = make_child("raise SystemExit(3)")
    for _ in range(MAX_DEATHS - 1):
        dead = end(child)
        assert child.look() == dead
    end(child)
    with pytest.raises(HopelessChild, match="the ticker stopped 5 times as soon as it was started"):
        child.look()


@pytest.mark.parametrize(
    "keeps_none, free, expected",
    [
        pytest.param(True, 2**40, "bytecode", id="Python is told to keep none"),
        pytest.param(True, 2**24, "", id="there is little room"),
        pytest.param(False, 2**40, "", id="Python keeps them beside the modules"),
    ],
)
def test_modules_are_compiled_once(monkeypatch, tmp_path, keeps_none, free, expected):
    monkeypatch.setattr(sys, "dont_write_bytecode", keeps_none)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=free))
    given = keep_bytecode(tmp_path)
    assert given.get("PYTHONPYCACHEPREFIX", "") == (str(tmp_path / expected) if expected else "")
    assert given.get("PYTHONDONTWRITEBYTECODE", "") == ""


STEPS = [
    # Seconds later, its state, the seconds that it has run by then; whether it has had its 15 seconds.
    (10.0, "S", 0.0, False),
    (10.0, "R", 0.5, False),
    (10.0, "R", 1.0, False),
    (3.0, "R", 4.0, False),
    (2.0, "S", 4.0, True),
]


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(STEPS, id="what it waits for a processor does not count"),
        pytest.param([(14.0, "", 0.0, False), (2.0, "", 0.0, True)], id="where nothing is known all counts"),
        pytest.param([(44.0, "R", 0.0, False), (1.0, "R", 0.0, True)], id="in the end it is enough"),
    ],
)
def test_a_child_has_its_time_to_stop_however_busy_the_machine_is(monkeypatch, tmp_path, steps):
    now, stat = [100.0], tmp_path / "stat"
    monkeypatch.setattr(processes.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(processes, "Path", lambda _name: stat)
    patience = processes.Patience(1, 15.0, 45.0)
    for passed, state, ran_seconds, is_over in steps:
        now[0] += passed
        ticks = int(ran_seconds * os.sysconf("SC_CLK_TCK"))
        if state:
            stat.write_text(f"1 (a) b) {state} {'0 ' * 10}{ticks} 0 0")
        assert patience.is_over() is is_over, (passed, state)


@pytest.mark.slow
def test_one_that_does_not_stop_is_killed():
    child = make_child("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)")
    assert child.process is not None
    child.wait(0.5)
    assert child.process.returncode == -signal.SIGKILL
