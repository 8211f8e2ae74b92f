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


BY_CHANCE = "by the chance of which pod a connection meets"


def list_ranges(rows: list[Row], per_second: int) -> tuple[int, int, int, int]:
    """How many were lost of how many, from how few to how many by chance; in the first minute."""
    return Courses(rows).sum_up(None, 60_000).count_requests(per_second)


@pytest.mark.parametrize(
    "rows, expected",
    [
        pytest.param([], (0, 0, 0, 0), id="nobody sends"),
        pytest.param([told(0, None, 0)], (0, 6000, 0, 0), id="none"),
        # That all are lost, or none, is no chance.
        pytest.param([told(0, None, 0), told(50_000, 0, 1000, "nobody")], (1000, 6000, 1000, 1000), id="all"),
        # 100 of them with a chance of 1/2: 50, variance 25, 2.054 times 5.
        pytest.param(
            [told(0, None, 0), told(10_000, 0, 500, "refused"), told(11_000, 500, 0)],
            (50, 6000, 39, 61),
            id="half of them for a second",
        ),
        # 900 · 0.1 · 0.9 = 81 and 100 · 1 · 0: 2.054 times 9 about 90, and 100 more.
        pytest.param(
            [
                told(0, None, 0),
                told(10_000, 0, 100, "timedOut"),
                told(19_000, 100, 1000, "nobody"),
                told(20_000, 1000, 0),
            ],
            (190, 6000, 171, 209),
            id="variances add up",
        ),
        # Ten with a chance of 0.1: 1, and 2.054 times 0.95 less is below none.
        pytest.param(
            [told(0, None, 0), told(10_000, 0, 100, "refused"), told(10_100, 100, 0)],
            (1, 6000, 0, 3),
            id="never below none",
        ),
        # Ten with a chance of 0.9 are all that there are.
        pytest.param([told(59_900, None, 900, "refused")], (9, 10, 7, 10), id="never more than were sent"),
        # Of 20 that were under way an endpoint had a fifth: 4, variance 3.2.
        pytest.param(
            [told(0, None, 0), told(9_000, 0, 0, "reset", atOnceMs=40, atOnceOfMs=200)],
            (4, 6000, 0, 8),
            id="under way at one of five",
        ),
        pytest.param(
            [told(0, None, 0), told(9_000, 0, 0, "reset", atOnceMs=200, atOnceOfMs=200)],
            (20, 6000, 20, 20),
            id="under way at the only one",
        ),
        # Each half of the requests: 100 lost of all by one, with no chance, and 50 ± 10.27 by the other.
        pytest.param(
            [
                told(0, None, 0, sender="ingress"),
                told(0, None, 0),
                told(10_000, 0, 500, "refused", sender="ingress"),
                told(10_000, 0, 1000, "refused"),
                told(11_000, 500, 0, sender="ingress"),
                told(11_000, 1000, 0),
            ],
            # (50 + 100) / 2, variance 25 / 2: 2.054 times 3.54.
            (75, 6000, 67, 83),
            id="two that send",
        ),
    ],
)
def test_by_chance_more_or_fewer_are_lost(rows: list[Row], expected: tuple[int, int, int, int]):
    assert list_ranges(rows, 100) == expected


def test_without_how_many_there_are_no_range_is_told():
    courses = Courses([told(0, None, 500, "refused")])
    assert set(sum_up(courses, None, 1_000)) == {"lostMs", "pods"}
    assert sum_up(courses, None, 1_000, 100)["pods"] == {
        "lostMs": 500,
        "lost": 50,
        "sent": 100,
        "lowest": 39,
        "highest": 61,
    }
    assert tell_lost(courses, None, 1_000, 100) == [
        f"lost 50 of 100 requests (39 to 61 {BY_CHANCE}), worst 1 of 2 refused since 00:00:00.0"
    ]


def told_unready(at_ms: int, unready: int, **more: Any) -> Row:
    """From now on so many of a thousand are served by pods that are not ready, and none is lost."""
    return told(at_ms, 0, 0, served=1000 - unready, notReady=unready, **more)


@pytest.mark.parametrize(
    "rows, unready_ms, lost_ms",
    [
        pytest.param([told(0, None, 0)], 0, 0, id="never"),
        # 4 s of a half, and 1 s of all.
        pytest.param(
            [told(0, None, 0), told_unready(1_000, 500), told_unready(5_000, 1000), told(6_000, 0, 0)],
            3000,
            0,
            id="more and more",
        ),
        pytest.param(
            [
                told(0, None, 0),
                told_unready(1_000, 500),
                told(5_000, 0, 1000, "nobody"),
                told(6_000, 1000, 0),
            ],
            2000,
            1000,
            id="until there is nobody",
        ),
        # What is under way is lost at the instant from which on all is served by who is not ready.
        pytest.param(
            [told(0, None, 0), told_unready(1_000, 1000, atOnceMs=40, atOnceOfMs=80), told(3_000, 0, 0)],
            2000,
            40,
            id="with some lost at once",
        ),
    ],
)
def test_what_pods_that_are_not_ready_serve_is_no_loss(rows: list[Row], unready_ms: int, lost_ms: int):
    course = Courses(rows).by_sender["pods"]
    assert (course.sum_unready(None, 60_000), course.sum_lost(None, 60_000)) == (unready_ms, lost_ms)


def test_a_share_keeps_its_reason_where_what_was_under_way_has_another():
    rows = [
        told(0, None, 500, "refused"),
        told(1_000, 500, 500, "reset", atOnceMs=5, refused=500, served=480),
    ]
    rows[1]["detail"] |= {"reset": 0, "notReady": 20}
    course = Courses(rows).by_sender["pods"]
    assert [(one.reason, one.unready) for one in course.stretches] == [("refused", 0), ("refused", 20)]
    assert [one.reason for one in course.lumps] == ["reset"]


def test_how_what_was_under_way_was_lost_is_not_told_by_a_share_that_begins_then():
    rows = [told(0, None, 0), told(1_000, 0, 500, "refused", atOnceMs=5), told(2_000, 500, 0)]
    course = Courses(rows).by_sender["pods"]
    assert [one.reason for one in course.stretches] == [None, "refused", None]
    assert [one.reason for one in course.lumps] == [None]


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
