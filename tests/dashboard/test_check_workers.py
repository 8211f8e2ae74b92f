"""Workers of checks give way to all others, in a session of their own too."""

import os

import pytest

from dashboard import check_workers


@pytest.fixture
def given(monkeypatch, tmp_path):
    """What they ask of the kernel; the file tells how the session is weighed."""
    asked, file = [], tmp_path / "autogroup"
    file.write_text("/autogroup-7 nice 0")
    monkeypatch.setattr(check_workers, "_OF_SESSION", file)
    monkeypatch.setattr(os, "nice", asked.append)
    monkeypatch.setattr(os, "sched_setscheduler", lambda *_: asked.append("idle"))
    return asked, file


@pytest.mark.parametrize("leader, told", [(None, "19"), (1, "/autogroup-7 nice 0")], ids=["own", "shared"])
def test_a_session_of_their_own_gives_way_and_one_of_others_is_left(given, monkeypatch, leader, told):
    asked, file = given
    monkeypatch.setattr(os, "getsid", lambda _: leader or os.getpid())
    check_workers.give_way()
    assert asked == [19, "idle"]
    assert file.read_text() == told


def test_where_the_kernel_knows_no_such_thing_nothing_is_said(given, monkeypatch):
    asked, file = given
    file.unlink()
    monkeypatch.setattr(os, "getsid", lambda _: os.getpid())
    check_workers.give_way()
    assert asked == [19, "idle"] and not file.exists()
