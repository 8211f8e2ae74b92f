"""Durations: how they are written, how they are drawn."""

from itertools import pairwise

import pytest

from lifecycle.engine.heart.timing import parse_milliseconds
from lifecycle.engine.programs.durations import Duration, read_duration


def always(chance: float):
    return lambda purpose, *key: chance


@pytest.mark.parametrize(
    ("text", "expected_ms"),
    [
        ("3s", 3_000),
        ("250ms", 250),
        ("1m30s", 90_000),
        ("1.5s", 1_500),
        ("2h", 7_200_000),
        ("0s", 0),
        ("1500us", 2),
        ("0.4ms", 0),
    ],
)
def test_text_is_read_in_whole_milliseconds(text: str, expected_ms: int) -> None:
    assert parse_milliseconds(text) == expected_ms


@pytest.mark.parametrize(
    "text", ["", "3", "s", "3 s", "-1s", "3d", "1s2", "three", "9" * 200_000, "9" * 200_000 + "s"]
)
def test_other_text_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="write for example 3s"):
        parse_milliseconds(text)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3s", Duration(3_000, 3_000)),
        ("2s..6s", Duration(2_000, 6_000)),
        ("2s .. 6s", Duration(2_000, 6_000)),
        ({"normal": ["3s", "500ms"]}, Duration(3_000, 3_000, 500)),
        (0, Duration(0, 0)),
    ],
)
def test_value_of_a_behaviour_is_read(value: object, expected: Duration) -> None:
    assert read_duration(value) == expected


@pytest.mark.parametrize("value", [3, True, None, "6s..2s", {"normal": ["3s"]}, {"mean": "3s"}, ["3s"]])
def test_what_is_no_duration_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        read_duration(value)


def test_fixed_duration_asks_for_no_chance() -> None:
    def refuse(purpose: str, *key: object) -> float:
        raise AssertionError("no chance is needed")

    assert Duration.fixed(700).draw_ms(refuse, "run") == 700


@pytest.mark.parametrize(("chance", "expected_ms"), [(0.0, 2_000), (0.5, 4_000), (0.999999, 6_000)])
def test_range_reaches_both_its_ends(chance: float, expected_ms: int) -> None:
    assert Duration.between(2_000, 6_000).draw_ms(always(chance), "run") == expected_ms


@pytest.mark.parametrize(
    ("chance", "expected_ms"),
    [(0.5, 3_000), (0.8413447460685429, 3_500), (0.15865525393145707, 2_500), (0.0, 0)],
)
def test_normal_follows_the_bell_and_never_goes_below_zero(chance: float, expected_ms: int) -> None:
    assert Duration.normal(3_000, 500).draw_ms(always(chance), "run") == expected_ms


def test_normal_grows_with_chance() -> None:
    drawn = [Duration.normal(3_000, 500).draw_ms(always(step / 100), "run") for step in range(1, 100)]
    assert all(first <= second for first, second in pairwise(drawn))
