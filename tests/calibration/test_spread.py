"""From samples to one duration."""

import pytest

from lifecycle.calibration.spread import decide_spread
from lifecycle.calibration.windows import Window
from lifecycle.engine.programs.durations import read_duration


def exact(*milliseconds):
    return [Window(one, one) for one in milliseconds]


def whole_seconds(*seconds):
    return [Window(one * 1000 - 999, one * 1000 + 999) for one in seconds]


@pytest.mark.parametrize(
    "samples, expected",
    [
        pytest.param(exact(3000), "3s", id="one"),
        pytest.param(exact(2345), "2345ms", id="one, not whole"),
        pytest.param([Window(1001, 2999)], "1001ms..2999ms", id="one that is not sharp"),
        pytest.param(exact(3000, 2000), "2s..3s", id="two"),
        pytest.param(exact(2000, 2000, 2000), "2s", id="three alike"),
        pytest.param([Window(1001, 2999), Window(2001, 3999)], "1001ms..3999ms", id="two that are not sharp"),
        pytest.param(exact(9000, 2000, 3000, 4000), "2s..9s", id="four: the outlier counts"),
        # Mean and median 4 s; deviations -2 -1 0 1 2 s, squares 10, a fourth of it 2.5, root 1.581.
        pytest.param(exact(2000, 3000, 4000, 5000, 6000), {"normal": ["4s", "1581ms"]}, id="five, even"),
        pytest.param(exact(2000, 2000, 2000, 2100, 9000), "2s..9s", id="five, uneven"),
        # Mean 10.82 s, median 10 s, deviation 1.778 s.
        pytest.param(
            exact(10_000, 10_000, 10_000, 10_100, 14_000), "10s..14s", id="five, far from 0, uneven"
        ),
        pytest.param(exact(5000, 5000, 5000, 5000, 5000), "5s", id="five alike"),
        # Deviation 707 ms, each open to 1.998 s.
        pytest.param(whole_seconds(9, 10, 10, 10, 11), "8001ms..11999ms", id="five, even, not sharp"),
        # Mean 1 s, deviation 791 ms: many would be below 0.
        pytest.param(exact(0, 500, 1000, 1500, 2000), "0s..2s", id="five near 0"),
        pytest.param(whole_seconds(3, 3, 3, 3, 4), "2001ms..4999ms", id="they differ by less than is open"),
        # Deviation 3.162 s, each open to 1.998 s.
        pytest.param(
            whole_seconds(8, 10, 12, 14, 16), {"normal": ["12s", "3162ms"]}, id="they differ by more"
        ),
        pytest.param(exact(*range(1000, 20_001, 1000), 90_000), "2s..20s", id="21: of each end one is cut"),
        pytest.param(exact(*range(1000, 18_001, 1000), 90_000), "1s..90s", id="19: nothing is cut"),
    ],
)
def test_samples_become_one_duration(samples, expected):
    spread = decide_spread(samples)
    assert spread == expected
    # The engine reads it.
    assert read_duration(spread)


def test_the_order_of_samples_does_not_matter():
    samples = exact(2000, 3000, 4000, 5000, 6000)
    assert decide_spread(samples) == decide_spread(samples[::-1])
