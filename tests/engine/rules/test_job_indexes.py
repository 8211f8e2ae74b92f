"""Sets of completion indexes: as text, together, and what they leave out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifecycle.engine.rules.jobs.indexes import (
    count_common,
    count_indexes,
    format_indexes,
    has_index,
    list_gaps,
    parse_indexes,
    with_indexes,
)

sets = st.sets(st.integers(0, 60))


@pytest.mark.spec("JOB-IDX-13")
@pytest.mark.parametrize(
    "indexes, text",
    [
        pytest.param([], "", id="none"),
        pytest.param([3], "3", id="one"),
        pytest.param([1, 2], "1,2", id="two neighbours stay apart"),
        pytest.param([0, 2, 3, 4, 6, 7], "0,2-4,6,7", id="three are shortened"),
    ],
)
def test_indexes_are_written_short(indexes: list[int], text: str):
    assert format_indexes(with_indexes((), indexes)) == text


@pytest.mark.parametrize("text", ["x", "1-x", "-", "-1", "٣", "1_0", " 1", "9" * 5000, "1\n"])
def test_what_cannot_be_read_is_left_out(text: str):
    assert parse_indexes(f"0,{text},2", 5) == ((0, 0), (2, 2))


@pytest.mark.parametrize(
    "text, expected",
    [
        pytest.param("1-2-3", ((1, 2),), id="what follows a second hyphen is not looked at"),
        pytest.param("+0,2", ((0, 0), (2, 2)), id="a sign"),
        pytest.param("0,9-x,2", ((0, 0),), id="nothing after one that is beyond"),
        pytest.param("0,12345678901,2", ((0, 0),), id="far beyond"),
    ],
)
def test_indexes_are_read_as_kubernetes_reads_them(text: str, expected: object):
    assert parse_indexes(text, 5) == expected


@pytest.mark.slow
@given(sets, sets)
def test_intervals_are_sets(one: set[int], other: set[int]):
    mine, theirs = with_indexes((), one), with_indexes((), other)
    assert parse_indexes(format_indexes(mine), 61) == mine
    assert with_indexes(mine, other) == with_indexes((), one | other)
    assert count_indexes(mine) == len(one)
    assert count_common(mine, theirs) == len(one & other)
    assert all(has_index(mine, index) == (index in one) for index in range(62))
    assert list(list_gaps(mine, 40)) == [index for index in range(40) if index not in one]
