"""What the cycle collector does around engines: each claim is called in a process that holds nothing else."""

import gc
import sys
import weakref

from lifecycle.runs import collector


class Ring:
    """A thing that only the cycle collector can free."""

    def __init__(self):
        self.own = self


def what_a_run_makes_is_never_looked_through():
    with collector.out_of_sight():
        assert not gc.isenabled()
        made = Ring()
    assert gc.isenabled()
    assert all(one is not made for one in gc.get_objects())


def a_failed_run_leaves_the_collector_on():
    try:
        with collector.out_of_sight():
            raise ValueError
    except ValueError:
        assert gc.isenabled()
    else:
        raise AssertionError("what goes wrong in a run is told")


def rings_made_between_runs_are_freed_by_the_next():
    gone = weakref.ref(Ring())
    with collector.out_of_sight():
        assert gone() is None


def an_engine_that_was_let_go_is_freed():
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


def all_is_looked_through_only_now_and_then():
    assert _let_one_go()() is None
    assert _let_one_go()() is not None


def _let_one_go():
    with collector.out_of_sight():
        gone = weakref.ref(Ring())
    collector.let_go(object())
    with collector.out_of_sight():
        pass
    return gone


CLAIMS = [
    what_a_run_makes_is_never_looked_through,
    a_failed_run_leaves_the_collector_on,
    rings_made_between_runs_are_freed_by_the_next,
    an_engine_that_was_let_go_is_freed,
    all_is_looked_through_only_now_and_then,
]

if __name__ == "__main__":
    globals()[sys.argv[1]]()
