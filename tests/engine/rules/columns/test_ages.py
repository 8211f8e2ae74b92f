"""Durations and ages as kubectl prints them."""

import pytest

from lifecycle.engine.rules.columns.ages import age_text, human_duration

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize(
    "duration_ms, text",
    [
        (-2 * SECOND, "<invalid>"),
        (-1_999, "0s"),
        (999, "0s"),
        (119 * SECOND, "119s"),
        (120 * SECOND, "2m"),
        (200 * SECOND, "3m20s"),
        (10 * MINUTE + 5 * SECOND, "10m"),
        (179 * MINUTE, "179m"),
        (3 * HOUR, "3h"),
        (7 * HOUR + 59 * MINUTE, "7h59m"),
        (8 * HOUR + 59 * MINUTE, "8h"),
        (47 * HOUR, "47h"),
        (2 * DAY + 9 * HOUR, "2d9h"),
        (8 * DAY + 9 * HOUR, "8d"),
        (729 * DAY, "729d"),
        (2 * 365 * DAY + 3 * DAY, "2y3d"),
        (8 * 365 * DAY + 3 * DAY, "8y"),
    ],
)
def test_durations_are_coarser_the_longer_they_are(duration_ms, text):
    assert human_duration(duration_ms) == text


@pytest.mark.parametrize("since_ms, text", [(None, "<unknown>"), (2_300, "3s"), (5_200, "0s")])
def test_an_age_counts_from_the_whole_second(since_ms, text):
    assert age_text(since_ms, 5_200) == text
