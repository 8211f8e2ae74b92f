"""How people write instants."""

from __future__ import annotations

import pytest

from lifecycle.input.instants import parse_instant


@pytest.mark.parametrize(
    "text, at_ms",
    [
        ("90000", 90_000),
        ("90s", 90_000),
        ("00:01:30", 90_000),
        ("1d 00:03:07.4", 86_587_400),
        ("1d00:03:07.4", 86_587_400),
        ("1970-01-01T00:01:30Z", 90_000),
    ],
)
def test_an_instant_is_read_as_pages_show_it(text: str, at_ms: int) -> None:
    assert parse_instant(text, 0) == at_ms


@pytest.mark.parametrize("text", ["", "soon", "00:61:00", "1:2", "00:00:99", "٠٠:٠١:٣٠"])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no instant"):
        parse_instant(text, 0)
