"""The queue of keys: repeats coalesce, the first cause wins, failed keys wait as in a work queue."""

import json
from collections.abc import Callable
from functools import partial

import pytest

from lifecycle.engine.heart.agenda import Agenda
from lifecycle.engine.heart.clock import Clock
from lifecycle.engine.heart.errors import ApiError
from lifecycle.engine.heart.loop import Loop
from lifecycle.engine.heart.timing import Timing
from lifecycle.engine.heart.trace import Trace


class Queue:
    """A loop with one controller `slow`, which gathers changes for 15 ms, and one `quick`."""

    def __init__(self, on_sync: Callable[[str], None] = lambda key: None) -> None:
        self.clock, self.agenda, self.trace = Clock(0), Agenda(), Trace()
        self.loop = Loop(self.clock, self.agenda, self.trace, Timing("realistic"))
        self.looks: list[tuple[int, str, object]] = []
        self.on_sync = on_sync
        self.loop.register("quick", self._sync)
        self.loop.register("slow", self._sync, "controller_sync")

    def _sync(self, namespace: str, name: str) -> None:
        self.looks.append((self.clock.now_ms, name, self.trace.cause))
        self.on_sync(name)

    def live(self, until_ms: int) -> list[tuple[int, str, object]]:
        """(instant, key, cause) of every look until an instant."""
        self.loop.drain()
        while (due_ms := self.agenda.next_due_ms()) is not None and due_ms <= until_ms:
            self.clock.now_ms = due_ms
            self.loop.drain()
        self.clock.now_ms = until_ms
        return self.looks


def test_repeats_coalesce_and_the_first_cause_wins():
    queue = Queue()
    for cause, name in ((1, "web"), (2, "web"), (3, "db")):
        queue.trace.cause = cause
        queue.loop.enqueue("quick", "default", name)
    assert queue.live(0) == [(0, "web", 1), (0, "db", 3)]
    assert queue.trace.cause is None


def test_a_controller_that_gathers_looks_once_after_its_delay():
    queue = Queue()
    queue.loop.enqueue("slow", "default", "web")
    queue.clock.now_ms = 10
    queue.loop.enqueue("slow", "default", "web")
    assert [(at_ms, name) for at_ms, name, _ in queue.live(100)] == [(15, "web")]


@pytest.mark.parametrize(
    "dues_ms, expected",
    [
        pytest.param([50, 20], [20], id="the earlier look replaces the later"),
        pytest.param([20, 50], [20], id="the later one is not added"),
        pytest.param([0], [0], id="an instant that is now"),
        pytest.param([-5], [0], id="an instant that has passed"),
    ],
)
def test_a_key_waits_for_one_look_only(dues_ms: list[int], expected: list[int]):
    queue = Queue()
    for due_ms in dues_ms:
        queue.loop.enqueue_at("quick", "default", "web", due_ms)
    assert [at_ms for at_ms, _, _ in queue.live(1000)] == expected


def test_a_look_takes_the_place_of_the_one_that_waits():
    queue = Queue()
    queue.loop.enqueue_at("quick", "default", "web", 500)
    queue.loop.enqueue("quick", "default", "web")
    assert [at_ms for at_ms, _, _ in queue.live(1000)] == [0]


def test_what_is_enqueued_in_a_look_is_looked_at_in_the_same_instant():
    queue = Queue()
    queue.on_sync = lambda name: queue.loop.enqueue("quick", "", "second") if name == "first" else None
    queue.loop.enqueue("quick", "", "first")
    assert [(at_ms, name) for at_ms, name, _ in queue.live(0)] == [(0, "first"), (0, "second")]


def test_retries_double_from_5_ms_and_are_quick_again_after_a_success():
    """client-go's ItemExponentialFailureRateLimiter: 5 ms, doubling, at most 1,000 s."""
    queue = Queue()
    delays_ms = [queue.loop.retry("quick", "", "web") for _ in range(20)]
    assert delays_ms[:5] == [5, 10, 20, 40, 80]
    assert delays_ms[17:] == [655_360, 1_000_000, 1_000_000]
    queue.loop.forget("quick", "", "web")
    assert queue.loop.retry("quick", "", "web") == 5


def test_a_look_in_between_does_not_put_a_retry_off():
    """client-go's delaying queue moves what waits in it forward only; each failure counts."""
    queue = Queue()
    retry = partial(queue.loop.retry, "quick", "", "web")
    queue.on_sync = lambda _name: retry()
    assert [retry() for _ in range(4)] == [5, 10, 20, 40]
    # It waits until 5 ms. The looks at 1 and at 5 ms fail too: for 80 ms from 1, and for 160 ms from 5.
    queue.agenda.add(1, "nudge", "")
    queue.loop.on_timer("nudge", lambda _timer: queue.loop.enqueue("quick", "", "web"))
    assert [at_ms for at_ms, _, _ in queue.live(200)] == [1, 5, 165]


def test_a_key_that_never_rests_backs_off_and_is_told_once():
    queue, told = Queue(), []
    queue.on_sync = lambda name: queue.loop.enqueue("quick", "", name)
    queue.loop.on_hot_key = lambda key, delay_ms: told.append((key, delay_ms))
    queue.loop.enqueue("quick", "", "web")
    queue.loop.drain()
    assert len(queue.looks) == 100
    assert told == [(("quick", "", "web"), 5)]
    assert queue.agenda.next_due_ms() == 5


def test_a_key_that_never_rests_waits_twice_as_long_each_time_and_is_quick_again_once_it_was_quiet():
    """client-go's ItemExponentialFailureRateLimiter again: success in between does not make it quick."""
    queue, told = Queue(), []
    queue.on_sync = lambda name: queue.loop.enqueue("quick", "", name) or queue.loop.forget("quick", "", name)
    queue.loop.on_hot_key = lambda key, delay_ms: told.append(delay_ms)
    queue.loop.enqueue("quick", "", "web")
    at_ms = [at_ms for at_ms, _, _ in queue.live(80)]
    assert told == [5, 10, 20, 40, 80]
    assert sorted(set(at_ms)) == [0, 5, 15, 35, 75] and len(at_ms) == 500

    again = Queue()
    again.agenda.load(json.loads(json.dumps(queue.agenda.save())))
    again.loop.load(json.loads(json.dumps(queue.loop.save())))
    again.on_sync, again.loop.on_hot_key = queue.on_sync, queue.loop.on_hot_key
    again.on_sync = lambda name: again.loop.enqueue("quick", "", name) if again.clock.now_ms < 900 else None
    again.live(1_000)
    assert told == [5, 10, 20, 40, 80, 160, 320, 640]
    # It waits until 1,115 ms, and was quiet for longer than that wait then.
    again.live(2_000)
    again.on_sync = lambda name: again.loop.enqueue("quick", "", name)
    again.loop.enqueue("quick", "", "web")
    again.loop.drain()
    assert told[-1] == 5


def test_waiting_keys_and_failures_outlive_a_save():
    queue = Queue()
    assert [queue.loop.retry("quick", "", "web") for _ in range(3)] == [5, 10, 20]
    again = Queue()
    again.agenda.load(json.loads(json.dumps(queue.agenda.save())))
    again.loop.load(json.loads(json.dumps(queue.loop.save())))
    # The first of the retries still waits; no second look is added for the same key.
    again.loop.enqueue_at("quick", "", "web", 7)
    assert [at_ms for at_ms, _, _ in again.live(100)] == [5]
    assert again.loop.retry("quick", "", "web") == 40


def test_who_asks_is_told_of_keys_that_begin_to_fail_and_of_those_that_fail_no_more():
    queue, told = Queue(), []
    queue.loop.on_failing("quick", told.append)
    for _ in range(2):
        queue.loop.retry("quick", "", "web")
    queue.loop.retry("quick", "", "db")
    queue.loop.retry("slow", "", "web")
    assert told == [True, True]
    for _ in range(2):
        queue.loop.forget("quick", "", "db")
    assert told == [True, True, False]
    again, told_again = Queue(), []
    again.loop.on_failing("quick", told_again.append)
    again.agenda.load(queue.agenda.save())
    again.loop.load(queue.loop.save())
    assert told_again == [True]


def test_what_a_policy_refused_is_quick_again_after_a_success_that_comes_after_a_load():
    def refuse(_name: str) -> None:
        refusal = ApiError("no")
        refusal.is_by_policy = True
        raise refusal

    queue, again = Queue(refuse), Queue()
    queue.loop.enqueue("quick", "", "web")
    queue.loop.drain()
    again.agenda.load(json.loads(json.dumps(queue.agenda.save())))
    again.loop.load(json.loads(json.dumps(queue.loop.save())))
    assert again.loop.count_retries("quick", "", "web") == 1
    again.live(10)
    assert again.loop.count_retries("quick", "", "web") == 0


def test_a_key_that_waits_follows_from_a_later_row_but_never_from_an_earlier_one_nor_off_a_command():
    queue = Queue()
    for cause, name, led in ((3, "later", 5), (3, "earlier", 2), ("command:c1", "asked", 5)):
        queue.trace.cause = cause
        queue.loop.enqueue("quick", "default", name)
        queue.trace.cause = led
        queue.loop.lead_on("quick", "default", name)
        queue.loop.lead_on("quick", "default", "not-waiting")
    assert queue.live(0) == [(0, "later", 5), (0, "earlier", 3), (0, "asked", "command:c1")]
