"""The wire format of Protocol Buffers: the fields of one message, by number.

Models google.golang.org/protobuf, encoding/protowire. Left out: groups, which nothing that is read here has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED = {_FIXED64: 8, _FIXED32: 4}
Bytes = TypeVar("Bytes", bytes, memoryview)


class Malformed(Exception):
    """The bytes are no such message; the text says why."""


def split_message(message: Bytes) -> Iterator[tuple[int, int | Bytes]]:
    """(number, value) of each field, in order: a number as such, without its sign, all else as bytes.

    Raises Malformed.
    """
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        number, form = key >> 3, key & 7
        if form == _VARINT:
            value, at = _read_varint(message, at)
            yield number, value
            continue
        if form == _BYTES:
            size, at = _read_varint(message, at)
        elif form in _FIXED:
            size = _FIXED[form]
        else:
            raise Malformed(f"proto: illegal wireType {form}")
        if at + size > len(message):
            raise Malformed("unexpected EOF")
        part = message[at : at + size]
        at += size
        yield number, part if form == _BYTES else int.from_bytes(part, "little")


def _read_varint(message: bytes | memoryview, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the least first, and where it ends."""
    value = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise Malformed("unexpected EOF" if shift < 64 else "proto: integer overflow")
