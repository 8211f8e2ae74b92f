"""Timers fire in the order (due, set); cancelled ones never; and a saved agenda goes on the same."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifecycle.engine.heart.agenda import Agenda


def fired(agenda: Agenda, now_ms: int) -> list[str]:
    """Targets of all timers due at or before now, in the order in which they are taken off."""
    return [timer.target for timer in agenda.take_due(now_ms)]


@pytest.mark.parametrize(
    "dues_ms, now_ms, expected",
    [
        pytest.param([30, 10, 20], 30, "bca", id="by instant"),
        pytest.param([10, 10, 10], 10, "abc", id="within an instant as they were set"),
        pytest.param([10, 20, 30], 20, "ab", id="nothing before its time"),
        pytest.param([5, 10], 4, "", id="nothing is due"),
    ],
)
def test_timers_fire_by_instant_and_order(dues_ms: list[int], now_ms: int, expected: str):
    agenda = Agenda()
    for target, due_ms in zip("abc", dues_ms, strict=False):
        agenda.add(due_ms, "probe", target)
    assert "".join(fired(agenda, now_ms)) == expected


def test_a_cancelled_timer_is_neither_fired_nor_waited_for():
    agenda = Agenda()
    first, second = agenda.add(10, "probe", "a"), agenda.add(20, "probe", "b")
    agenda.cancel(first)
    assert (agenda.next_due_ms(), len(agenda)) == (20, 1)
    agenda.cancel(second)
    assert (agenda.next_due_ms(), len(agenda), fired(agenda, 100)) == (None, 0, [])


def test_a_timer_that_is_set_while_its_instant_is_lived_fires_in_it():
    agenda = Agenda()
    agenda.add(10, "probe", "a")
    due = agenda.take_due(10)
    assert next(due).target == "a"
    agenda.add(10, "probe", "b")
    assert [timer.target for timer in due] == ["b"]


def test_upkeep_is_no_progress():
    agenda = Agenda()
    agenda.add(10, "probe", "a")
    upkeep = agenda.add(20, "probe", "b", is_progress=False)
    last = agenda.add(30, "probe", "c", is_progress=False)
    assert (len(agenda), agenda.progress_count) == (3, 1)
    agenda.cancel(upkeep, is_progress=False)
    assert (len(agenda), agenda.progress_count) == (2, 1)
    assert fired(agenda, 30) == ["a", "c"]
    assert (len(agenda), agenda.progress_count, last) == (0, 0, 3)


changes = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 50), st.booleans()),
        st.tuples(st.just("cancel"), st.integers(0, 40), st.just(True)),
        st.tuples(st.just("live"), st.integers(0, 20), st.just(True)),
        st.tuples(st.just("save"), st.just(0), st.just(True)),
    ),
    max_size=60,
)


@pytest.mark.slow
@given(changes)
def test_whatever_is_done_the_living_fire_in_order(steps: list[tuple[str, int, bool]]):
    """Held against a sorted list of what is left."""
    agenda, left, now_ms = Agenda(), {}, 0
    for what, number, is_progress in steps:
        if what == "add":
            left[agenda.add(now_ms + number, "probe", "x", is_progress=is_progress)] = (
                now_ms + number,
                is_progress,
            )
        elif what == "cancel" and number in left:
            agenda.cancel(number, left.pop(number)[1])
        elif what == "live":
            now_ms += number
            due = sorted((due_ms, one) for one, (due_ms, _) in left.items() if due_ms <= now_ms)
            assert [(timer.due_ms, timer.sequence) for timer in agenda.take_due(now_ms)] == due
            for _, one in due:
                del left[one]
        elif what == "save":
            data = json.loads(json.dumps(agenda.save()))
            agenda = Agenda()
            agenda.load(data)
        assert len(agenda) == len(left)
        assert agenda.progress_count == sum(is_progress for _, is_progress in left.values())
        assert agenda.next_due_ms() == min((due_ms for due_ms, _ in left.values()), default=None)


def test_what_was_cancelled_waits_for_something_to_do():
    agenda = Agenda()
    for number in [agenda.add(due_ms, "probe", "dead") for due_ms in range(10, 900)]:
        agenda.cancel(number)
    assert (agenda.next_due_ms(), len(agenda)) == (None, 0)
    agenda.add(500, "probe", "a")
    assert (agenda.next_due_ms(), len(agenda)) == (500, 1)
    assert fired(agenda, 1000) == ["a"]
    assert (agenda.next_due_ms(), agenda.timers()) == (None, [])
