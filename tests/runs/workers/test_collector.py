"""The cycle collector around engines: what they make is out of sight, and freed once they are let go."""

import gc
import weakref

import pytest

from lifecycle.runs import collector

pytestmark = pytest.mark.slow


class Ring:
    """A thing that only the cycle collector can free."""

    def __init__(self):
        self.own = self


@pytest.fixture(autouse=True)
def seen_again(monkeypatch):
    monkeypatch.setattr(collector, "_has_let_go", False)
    monkeypatch.setattr(collector, "_next_look", 0.0)
    yield
    gc.unfreeze()
    gc.collect()


def test_what_a_run_makes_is_never_looked_through():
    with collector.out_of_sight():
        assert not gc.isenabled()
        made = Ring()
    assert gc.isenabled()
    assert all(one is not made for one in gc.get_objects())


def test_a_failed_run_leaves_the_collector_on():
    with pytest.raises(ValueError), collector.out_of_sight():
        raise ValueError
    assert gc.isenabled()


def test_rings_made_between_runs_are_freed_by_the_next():
    gone = weakref.ref(Ring())
    with collector.out_of_sight():
        assert gone() is None


def test_an_engine_that_was_let_go_is_freed():
    with collector.out_of_sight():
        gone = weakref.ref(Ring())
    gc.collect()
    assert gone() is not None
    collector.let_go(None)
    with collector.out_of_sight():
        pass
    assert gone() is not None
    collector.let_go(object())
    with collector.out_of_sight():
        assert gone() is None


def test_all_is_looked_through_only_now_and_then():
    def let_one_go():
        with collector.out_of_sight():
            gone = weakref.ref(Ring())
        collector.let_go(object())
        with collector.out_of_sight():
            pass
        return gone

    assert let_one_go()() is None
    assert let_one_go()() is not None
