"""What comes and goes: pods that are ready and then not, again and again, within ten minutes."""

from __future__ import annotations

import pytest

from lifecycle.engine.rules.telling.losses import Losses, find_losses, is_loss

NOW_MS = 1_000_000


@pytest.mark.parametrize(
    ("losses", "found"),
    [
        pytest.param({}, None, id="none"),
        pytest.param({"a": [900_000]}, None, id="once"),
        pytest.param({"a": [900_000], "b": [900_000], "c": [900_001]}, None, id="many, once each"),
        pytest.param({"a": [500_000, 900_000]}, Losses(1, 2, 900_000), id="one again"),
        pytest.param({"a": [500_000, 900_000], "b": [700_000]}, Losses(2, 3, 900_000), id="and another"),
        pytest.param({"a": [300_000, 399_999, 900_000]}, None, id="the others long ago"),
    ],
)
def test_it_is_told_of_pods_that_are_lost_again(losses: dict[str, list[int]], found: Losses | None) -> None:
    assert find_losses(losses, NOW_MS) == found


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("ready", "notReady", True),
        ("ready", "crashing", True),
        ("ready", "unknown", True),
        ("ready", "ready", False),
        ("ready", "terminating", False),
        ("ready", "succeeded", False),
        ("ready", None, False),
        ("starting", "crashing", False),
    ],
)
def test_a_pod_that_goes_is_not_lost(old: str, new: str | None, expected: bool) -> None:
    assert is_loss(old, new) == expected


def test_it_says_how_often_and_when_last() -> None:
    assert Losses(2, 8, 720_000).tell() == (
        "2 pods were ready and then not 8 times in the last 10 minutes, last at 00:12:00"
    )
