"""What was lost of requests, summed from rows and put into words; all figures reckoned by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from lifecycle.lost_requests import Courses, sum_up, tell_amount, tell_lost, tell_now, tell_share
from tests.dashboard.requests import Row, gone, told

# A third from 10 s to 12 s, two thirds from 12 s to 13 s.
ROLLOUT = [
    told(1_000, None, 0),
    told(10_000, 0, 333, "refused"),
    told(12_000, 333, 667, "timedOut"),
    told(13_000, 667, 0),
]


@pytest.mark.parametrize(
    "rows, from_ms, to_ms, lost",
    [
        pytest.param([], None, 60_000, 0, id="nobody sends"),
        pytest.param(ROLLOUT[:1], None, 60_000, 0, id="all served"),
        # 2 s × 333 ‰ + 1 s × 667 ‰
        pytest.param(ROLLOUT, None, 60_000, 1333, id="of all there was"),
        pytest.param(ROLLOUT, 12_000, 60_000, 667, id="from an instant on"),
        pytest.param(ROLLOUT, None, 11_000, 333, id="up to an instant"),
        pytest.param(ROLLOUT, 11_000, 12_500, Fraction(6665, 10), id="within a span"),
        pytest.param(ROLLOUT[:3], None, 15_000, 666 + 2001, id="going on"),
        pytest.param([*ROLLOUT[:3], gone(14_000)], None, 60_000, 666 + 1334, id="until the Service is gone"),
        pytest.param(
            [*ROLLOUT[:3], told(14_000, 667, None)],
            None,
            60_000,
            666 + 1334,
            id="until nobody sends any more",
        ),
        # Of what went before the first row only that row tells.
        pytest.param(ROLLOUT[2:], 11_500, 60_000, Fraction(1665, 10) + 667, id="held before the first row"),
        pytest.param(ROLLOUT[2:], None, 60_000, 667, id="not known since when"),
        pytest.param(
            [*ROLLOUT, told(20_000, 0, 0, atOnceMs=80)], None, 60_000, 1333 + 80, id="with some at once"
        ),
        pytest.param(
            [*ROLLOUT, told(20_000, 0, 0, atOnceMs=80)], 20_001, 60_000, 0, id="at once before the span"
        ),
        pytest.param(
            [*ROLLOUT[:2], told(11_000, 333, 333, "refused", atOnceMs=5), *ROLLOUT[2:]],
            None,
            60_000,
            1333 + 5,
            id="at once while others are lost",
        ),
        # Rows of one instant: the last holds.
        pytest.param(
            [told(1_000, None, 1000, "refused"), told(1_000, 1000, 0)],
            None,
            60_000,
            0,
            id="for no time at all",
        ),
        # Half of the requests by each: (2 s + 0) / 2.
        pytest.param(
            [
                told(0, None, 1000, "refused", sender="ingress"),
                told(0, None, 0, sender="pods"),
                told(2_000, 1000, 0, sender="ingress"),
            ],
            None,
            60_000,
            1000,
            id="two that send",
        ),
    ],
)
def test_what_was_lost_in_a_span_is_the_sum_of_its_parts(
    rows: list[Row], from_ms: int | None, to_ms: int, lost: int
):
    assert Courses(rows).sum_lost(from_ms, to_ms) == lost


def test_spans_that_follow_one_another_lose_together_what_the_whole_does():
    rows = [*ROLLOUT, told(20_000, 0, 0, atOnceMs=80), told(30_000, 0, 1000, "nobody"), gone(31_000)]
    courses = Courses(rows)
    # No cut lies on the instant of what was lost at once: it belongs to both its sides.
    cuts = [0, 3_000, 10_500, 12_000, 12_750, 25_000, 30_100, 40_000]
    parts = [courses.sum_lost(start, end) for start, end in pairwise(cuts)]
    assert sum(parts) == courses.sum_lost(None, 40_000) == 1333 + 80 + 1000


def test_a_sum_is_told_by_who_sends():
    rows = [told(0, None, 1000, "refused", sender="ingress"), told(0, None, 0)]
    assert sum_up(Courses(rows), None, 2_000) == {
        "lostMs": 1000,
        "pods": {"lostMs": 0},
        "ingress": {"lostMs": 2000},
    }
    # What is not nothing is not told as nothing.
    assert sum_up(Courses([told(0, None, 1, "reset")]), None, 10) == {"lostMs": 1, "pods": {"lostMs": 1}}


@pytest.mark.parametrize(
    "lost, words",
    [
        (1000, "all"),
        (667, "2 of 3"),
        (333, "1 of 3"),
        (500, "1 of 2"),
        (250, "1 of 4"),
        (750, "3 of 4"),
        (417, "5 of 12"),
        (83, "1 of 12"),
        (412, "41.2 %"),
        (1, "0.1 %"),
        (999, "99.9 %"),
    ],
)
def test_a_share_is_told_in_the_smallest_numbers_that_say_it(lost: int, words: str):
    assert tell_share(lost) == words


@pytest.mark.parametrize(
    "lost_ms, per_second, words",
    [
        (80, None, "80ms of all requests"),
        (Fraction(1, 3), None, "1ms of all requests"),
        (1379, None, "1.4s of all requests"),
        (125_000, None, "2m 05s of all requests"),
        (1400, 200, "280 requests (1.4s of all)"),
        # A request is lost whole: rounded up.
        (1, 10, "1 request (1ms of all)"),
        (3, 400, "2 requests (3ms of all)"),
    ],
)
def test_an_amount_is_told_in_time_and_in_requests(lost_ms: Any, per_second: int | None, words: str):
    assert tell_amount(lost_ms, per_second) == words


@pytest.mark.parametrize(
    "rows, words",
    [
        pytest.param(ROLLOUT[:1], [], id="nothing"),
        pytest.param(
            ROLLOUT,
            ["lost 1.3s of all requests, worst 2 of 3 timed out from 00:00:12.0 to 00:00:13.0"],
            id="over",
        ),
        pytest.param(
            ROLLOUT[:3],
            ["lost 32.7s of all requests, worst 2 of 3 timed out since 00:00:12.0"],
            id="going on",
        ),
        pytest.param(
            [told(0, None, 0), told(20_250, 0, 0, "reset", atOnceMs=80)],
            ["lost 80ms of all requests, under way and reset at 00:00:20.2"],
            id="at once alone",
        ),
        pytest.param(
            [
                told(0, None, 0),
                told(5_000, 0, 1000, "nobody", sender="dns"),
                told(6_000, 1000, 0, sender="dns"),
            ],
            [
                "lost 1.0s of all requests by DNS names,"
                " worst all sent to nobody from 00:00:05.0 to 00:00:06.0"
            ],
            id="of one of two that send",
        ),
        pytest.param(
            [
                told(0, None, 1000, "refused"),
                told(20, 1000, 0),
                told(5_000, 0, 333, "timedOut"),
                told(6_000, 333, 0),
            ],
            ["lost 353ms of all requests, worst 1 of 3 timed out from 00:00:05.0 to 00:00:06.0"],
            id="all for a glimpse is less than a third for a second",
        ),
    ],
)
def test_losses_are_told_with_the_worst_of_them(rows: list[Row], words: list[str]):
    assert tell_lost(Courses(rows), None, 60_000) == words


def test_what_is_lost_now_is_told_while_it_is():
    assert tell_now(Courses(ROLLOUT)) == []
    assert tell_now(Courses(ROLLOUT[:3])) == ["2 of 3 timed out since 00:00:12.0"]
    assert tell_now(Courses([*ROLLOUT[:3], gone(14_000)])) == []
