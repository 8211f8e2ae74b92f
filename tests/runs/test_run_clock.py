"""Wall time into virtual time."""

import pytest

from lifecycle.runs.run_clock import LIMIT_MS, RunClock, StepWatch


def clock(**changes) -> RunClock:
    columns = {
        "anchor_instant_ms": 1000,
        "anchor_wall": 50.0,
        "speed": 1.0,
        "is_paused": False,
        "as_fast_as_possible": False,
        "run_until_ms": None,
        "condition": "",
    }
    return RunClock(**(columns | changes))


@pytest.mark.parametrize(
    ("changes", "wall", "expected"),
    [
        pytest.param({}, 50.0, 1000, id="at the anchor"),
        pytest.param({}, 52.5, 3500, id="as long as on the wall"),
        pytest.param({"speed": 100.0}, 52.5, 251_000, id="a hundred times as fast"),
        pytest.param({"speed": 0.5}, 52.0, 2000, id="half as fast"),
        pytest.param({"is_paused": True}, 99.0, 1000, id="standing"),
        pytest.param({"run_until_ms": 3000}, 99.0, 3000, id="no further than it was sent"),
        pytest.param({"anchor_wall": None}, 99.0, 1000, id="never served"),
        pytest.param({}, 40.0, 1000, id="never backwards"),
        pytest.param({"as_fast_as_possible": True}, 99.0, 1000, id="flat out, the engine says where it is"),
    ],
)
def test_virtual_now(changes, wall, expected):
    assert clock(**changes).now_ms(wall) == expected


def test_flat_out_goes_where_it_was_sent_or_a_day():
    assert clock(as_fast_as_possible=True, run_until_ms=9000).target_ms(50.0) == 9000
    assert clock(as_fast_as_possible=True).target_ms(50.0) == 1000 + LIMIT_MS


@pytest.mark.parametrize(("speed", "expected"), [(1.0, 52.0), (4.0, 50.5)])
def test_when_an_instant_will_be(speed, expected):
    assert clock(speed=speed).wall_of(3000) == expected


def test_paused_no_instant_will_ever_be():
    assert clock(is_paused=True).wall_of(3000) is None


@pytest.mark.parametrize("step", [-400 * 86_400.0, -3_600.0, -1.5, 1.5, 3_600.0])
def test_a_clock_that_was_set_either_way_is_noticed_once(step):
    watch = StepWatch(1_000.0, 10.0)
    assert not watch.has_stepped(1_005.2, 15.0)
    assert watch.has_stepped(1_006.0 + step, 16.0)
    assert not watch.has_stepped(1_016.0 + step, 26.0)
