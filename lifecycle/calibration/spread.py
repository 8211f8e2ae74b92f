"""From samples to one duration as behaviours are written: fixed, a range, or normal."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median, stdev

from lifecycle.calibration.windows import Window
from lifecycle.input.scenario import format_duration

MANY = 5
"""From so many samples on their middle and outliers are told apart."""


def decide_spread(samples: Sequence[Window]) -> str | dict[str, list[str]]:
    """The duration that samples speak for; each is a window in which the true one lies.

    One sample: itself. Up to four: from the least to the most. More: normal, where they lie evenly around
    their middle and differ by more than each of them leaves open; else from the 5th to the 95th hundredth
    (nearest rank; up to nineteen: the least and the most).
    """
    assert samples, "nothing was measured"
    if len(samples) >= MANY and (bell := _find_bell(samples)):
        return {"normal": [format_duration(bell[0]), format_duration(bell[1])]}
    count = len(samples)
    first, last = (count // 20, -(-19 * count // 20) - 1) if count >= MANY else (0, count - 1)
    low_ms = sorted(one.low_ms for one in samples)[first]
    high_ms = sorted(one.high_ms for one in samples)[last]
    if low_ms == high_ms:
        return format_duration(low_ms)
    return f"{format_duration(low_ms)}..{format_duration(high_ms)}"


def _find_bell(samples: Sequence[Window]) -> tuple[int, int] | None:
    """Mean and deviation in ms; None where a bell would say what the samples do not."""
    middles = [one.middle_ms for one in samples]
    mean, deviation = fmean(middles), stdev(middles)
    is_even = abs(mean - median(middles)) <= deviation / 4
    # What is below 0 is cut off, which would move the mean.
    is_clear = mean >= 2 * deviation > 0
    is_sharp = fmean(one.width_ms for one in samples) <= 2 * deviation
    return (round(mean), round(deviation)) if is_even and is_clear and is_sharp else None
