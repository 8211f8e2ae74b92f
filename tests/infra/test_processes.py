"""What `up` keeps running: started again when it dies, given up when it dies of itself again and again."""

import shutil
import signal
import sys
from types import SimpleNamespace

import pytest

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
