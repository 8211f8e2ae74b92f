"""Frames of SPDY/3.1, read from bytes as they come and written to bytes.

Data is handed on as it comes, whatever length its frame says; what controls the connection is read whole, and
has to be short. Settings and windows are read over: nobody who speaks to a kubelet keeps to windows
(moby/spdystream).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from lifecycle.kube_api.spdy.headers import Packer, Unpacker, Unreadable

_VERSION = 3
_FIN = 1
_HEAD = struct.Struct(">II")
_NUMBER = struct.Struct(">I")
MOST_CONTROL_BYTES = 16 * 1024
_STREAM = 0x7FFFFFFF
PROTOCOL_ERROR, REFUSED_STREAM, CANCEL = 1, 3, 5
"""Why a stream is reset (2.6.3)."""


class Kind(IntEnum):
    """Numbers of control frames (2.6)."""

    SYN_STREAM = 1
    SYN_REPLY = 2
    RST_STREAM = 3
    PING = 6
    GOAWAY = 7
    HEADERS = 8


@dataclass(frozen=True, slots=True)
class Opened:
    """The client begins a stream. `is_end`: it will write nothing to it."""

    stream: int
    headers: dict[str, str]
    is_end: bool


@dataclass(frozen=True, slots=True)
class Data:
    """Bytes of a stream, and whether they are the last."""

    stream: int
    data: bytes
    is_end: bool


@dataclass(frozen=True, slots=True)
class Reset:
    """A stream is broken off."""

    stream: int


@dataclass(frozen=True, slots=True)
class Ping:
    """Asks for the same number back."""

    number: int


@dataclass(frozen=True, slots=True)
class GoAway:
    """The client begins no more streams."""


Frame = Opened | Data | Reset | Ping | GoAway


class Reader:
    """Frames from one direction of a connection."""

    def __init__(self) -> None:
        self._unpacker = Unpacker()
        self._buffer = bytearray()
        self._stream = 0
        self._left = 0
        self._is_last = False

    def feed(self, data: bytes) -> Iterator[Frame]:
        """What the next bytes complete. Raises Unreadable; nothing can be read after that."""
        self._buffer += data
        while True:
            if self._left:
                if not self._buffer:
                    return
                yield self._take_data()
                continue
            if len(self._buffer) < _HEAD.size:
                return
            first, second = _HEAD.unpack_from(self._buffer)
            flags, length = second >> 24, second & 0xFFFFFF
            if not first >> 31:
                del self._buffer[: _HEAD.size]
                yield from self._begin_data(first & _STREAM, flags, length)
                continue
            if (first >> 16) & 0x7FFF != _VERSION:
                raise Unreadable("no SPDY/3.1")
            if length > MOST_CONTROL_BYTES:
                raise Unreadable(f"a control frame of more than {MOST_CONTROL_BYTES:,} bytes")
            if len(self._buffer) < _HEAD.size + length:
                return
            body = bytes(self._buffer[_HEAD.size : _HEAD.size + length])
            del self._buffer[: _HEAD.size + length]
            yield from self._read_control(first & 0xFFFF, flags, body)

    def _begin_data(self, stream: int, flags: int, length: int) -> Iterator[Frame]:
        self._stream, self._left, self._is_last = stream, length, bool(flags & _FIN)
        if not length:
            yield Data(stream, b"", self._is_last)

    def _take_data(self) -> Data:
        piece = bytes(self._buffer[: self._left])
        del self._buffer[: len(piece)]
        self._left -= len(piece)
        return Data(self._stream, piece, self._is_last and not self._left)

    def _read_control(self, kind: int, flags: int, body: bytes) -> Iterator[Frame]:
        try:
            match kind:
                case Kind.SYN_STREAM:
                    number = _NUMBER.unpack_from(body)[0] & _STREAM
                    # Behind it: which stream it belongs to, its priority, its slot.
                    yield Opened(number, self._unpacker.unpack(body[10:]), bool(flags & _FIN))
                case Kind.SYN_REPLY | Kind.HEADERS:
                    # They tell nothing here, and are unpacked for those that follow.
                    self._unpacker.unpack(body[4:])
                case Kind.RST_STREAM:
                    yield Reset(_NUMBER.unpack_from(body)[0] & _STREAM)
                case Kind.PING:
                    yield Ping(_NUMBER.unpack_from(body)[0])
                case Kind.GOAWAY:
                    yield GoAway()
        except struct.error:
            raise Unreadable("a control frame that is cut off") from None


class Writer:
    """Bytes of frames for one direction of a connection."""

    def __init__(self) -> None:
        self._packer = Packer()

    def open(self, stream: int, headers: dict[str, str], is_end: bool = False) -> bytes:
        """Begin a stream, as a client does."""
        body = _NUMBER.pack(stream) + bytes(6) + self._packer.pack(headers)
        return _control(Kind.SYN_STREAM, _FIN if is_end else 0, body)

    def reply(self, stream: int) -> bytes:
        """Take a stream that the other end has begun."""
        return _control(Kind.SYN_REPLY, 0, _NUMBER.pack(stream) + self._packer.pack({}))


def data(stream: int, piece: bytes, is_end: bool = False) -> bytes:
    """Bytes of a stream."""
    return _HEAD.pack(stream, (_FIN if is_end else 0) << 24 | len(piece)) + piece


def reset(stream: int, why: int) -> bytes:
    """Break off a stream."""
    return _control(Kind.RST_STREAM, 0, _NUMBER.pack(stream) + _NUMBER.pack(why))


def ping(number: int) -> bytes:
    """Ask for a number, or give it back."""
    return _control(Kind.PING, 0, _NUMBER.pack(number))


def go_away(last_stream: int) -> bytes:
    """Take no more streams."""
    return _control(Kind.GOAWAY, 0, _NUMBER.pack(last_stream) + _NUMBER.pack(0))


def _control(kind: int, flags: int, body: bytes) -> bytes:
    return _HEAD.pack(1 << 31 | _VERSION << 16 | kind, flags << 24 | len(body)) + body
