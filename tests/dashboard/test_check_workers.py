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
    monkeypatch.setattr(
        os,
        "sched_setscheduler",
        lambda _pid, policy, _param: asked.append("idle" if policy == os.SCHED_IDLE else "other"),
    )
    return asked, file


@pytest.mark.parametrize("leader, told", [(None, "19"), (1, "/autogroup-7 nice 0")], ids=["own", "shared"])
def test_a_session_of_their_own_gives_way_and_one_of_others_is_left(given, monkeypatch, leader, told):
    asked, file = given
    monkeypatch.setattr(os, "getsid", lambda _: leader or os.getpid())
    check_workers.give_way()
    assert asked == [19, "idle"]
    assert file.read_text() == told


def test_who_is_to_stop_gives_way_no_more_as_far_as_it_may(given, monkeypatch):
    asked, file = given
    monkeypatch.setattr(os, "getsid", lambda _: os.getpid())

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refuse)
    check_workers.take_a_turn()
    # It counts among those that are not idle, though it may not be as nice as before.
    assert asked == ["other"] and file.read_text() == "0"


def test_where_the_kernel_knows_no_such_thing_nothing_is_said(given, monkeypatch):
    asked, file = given
    file.unlink()
    monkeypatch.setattr(os, "getsid", lambda _: os.getpid())
    check_workers.give_way()
    assert asked == [19, "idle"] and not file.exists()
