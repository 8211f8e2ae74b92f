"""Ranges of figures over futures."""

from __future__ import annotations

import pytest

from lifecycle.check.figures import spread, sum_up, worst_end, worst_of
from lifecycle.check.life import DEGRADED, STUCK, WHOLE, Figures, Future


def make_future(end: str = WHOLE, **figures: int | None) -> Future:
    plain = {"lost_ms": 0, "fewest_available": 3, "below_budget_ms": 0, "recovery_ms": 1000, "restarts": 0}
    return Future(1, Figures(**{**plain, **figures}), end, ())  # type: ignore[arg-type]


@pytest.mark.spec("CHECK-RUN-05")
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], (0, 0, 0, 0)),
        ([7], (7, 7, 7, 7)),
        ([3, 1, 2], (1, 2, 3, 3)),
        ([4, 1, 3, 2], (1, 2, 4, 4)),
        (range(1, 21), (1, 10, 19, 20)),
        (range(1, 101), (1, 50, 95, 100)),
    ],
)
def test_every_number_of_a_range_was_seen(values, expected):
    assert tuple(spread(values).values()) == expected


def test_the_worst_of_what_befell_several_is_that_of_each_figure():
    found = worst_of(
        [
            make_future(lost_ms=5, fewest_available=2),
            make_future(recovery_ms=9000, restarts=2, below_budget_ms=10),
        ]
    )
    assert found == Figures(5, 2, 10, 9000, 2)


def test_who_is_not_whole_again_has_no_time_of_it():
    assert worst_of([make_future(), make_future(recovery_ms=None)]).recovery_ms is None
    figures = sum_up([make_future(recovery_ms=None).figures, make_future(recovery_ms=1001).figures])
    assert figures["recoverySeconds"] == {"min": 2, "p50": 2, "p95": 2, "max": 2}


def test_the_worst_end_counts():
    assert worst_end([make_future(), make_future(STUCK), make_future(DEGRADED)]) == STUCK
    assert worst_end([]) == WHOLE
