"""The examples of protobuf.dev, "Encoding", and what no message is."""

from __future__ import annotations

import pytest

from lifecycle.engine.objects.wire import Malformed, split_message

NUMBER, TEXT, DOUBLE = b"\x08\x96\x01", b"\x12\x07testing", b"\x19" + b"\x01" + b"\x00" * 7


@pytest.mark.parametrize(
    "message, fields",
    [
        (b"", []),
        (NUMBER, [(1, 150)]),
        (TEXT, [(2, b"testing")]),
        pytest.param(b"\x08" + b"\xff" * 9 + b"\x01", [(1, (1 << 64) - 1)], id="minus one"),
        pytest.param(NUMBER + DOUBLE + NUMBER, [(1, 150), (3, 1), (1, 150)], id="in their order"),
    ],
)
def test_the_fields_of_a_message_are_read_in_order(message: bytes, fields: list[tuple[int, object]]) -> None:
    assert list(split_message(message)) == list(split_message(memoryview(message))) == fields


@pytest.mark.parametrize(
    "message", [TEXT[:-1], NUMBER[:-1], DOUBLE[:-1], b"\x08" + b"\xff" * 10, b"\x0b\x0c"]
)
def test_what_ends_too_early_or_never_or_is_a_group_is_malformed(message: bytes) -> None:
    with pytest.raises(Malformed):
        list(split_message(message))
