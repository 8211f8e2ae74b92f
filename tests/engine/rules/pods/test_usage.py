"""What containers use together, now and as far ahead as it is known."""

import pytest

from lifecycle.engine.rules.pods.usage import memory_of, next_crossing_ms, sum_usage


class Program:
    """Uses what its points say, from each of them on: (instant, CPU, memory)."""

    def __init__(self, *points: tuple[int, int, int]) -> None:
        self.usage_points = points

    def usage(self, now_ms: int) -> tuple[int, int]:
        known = [point for point in self.usage_points if point[0] <= now_ms]
        return (known[-1][1], known[-1][2]) if known else (0, 0)


@pytest.mark.spec("QOS-08")
@pytest.mark.parametrize(
    "limits, memory",
    [
        ({}, 70),
        ({"memory": 50}, 50),
        ({"cpu": 200}, 70),
        ({"cpu": 900, "memory": 90}, 70),
    ],
)
def test_nobody_uses_more_than_his_limit(limits, memory):
    assert memory_of((Program((0, 300, 70)), limits), 5) == memory


def test_what_does_not_run_uses_nothing():
    assert memory_of((None, {}), 0) == 0


def test_the_sum_is_told_at_each_known_change():
    users = [
        (Program((0, 0, 100)), {}),
        (Program((0, 0, 20), (5_000, 0, 50), (9_000, 0, 500)), {"memory": 60}),
        (Program((5_000, 0, 7)), {}),
        (None, {}),
    ]
    assert list(sum_usage(users, 1_000, memory_of)) == [(1_000, 120), (5_000, 157), (9_000, 167)]


@pytest.mark.parametrize(
    "series, is_below, at_ms",
    [
        pytest.param([(0, 50), (10, 95)], [False], 10, id="too little is left"),
        pytest.param([(0, 50), (10, 90)], [False], None, id="just enough"),
        pytest.param([(0, 95), (10, 50)], [True], 10, id="enough again"),
        pytest.param([(0, 95)], [False], 0, id="now, and not known yet"),
        pytest.param([(0, 500)], [True], None, id="more than there is"),
    ],
)
def test_a_crossing_is_where_what_is_known_turns_wrong(series, is_below, at_ms):
    assert next_crossing_ms(series, 100, [10], is_below) == at_ms
