"""SPDY/3.1, by its description: what bytes say, what is answered, and that nothing hostile costs much."""

from __future__ import annotations

import random
import struct
import zlib

import pytest

from lifecycle.kube_api.spdy import frames
from lifecycle.kube_api.spdy.connection import MOST_STREAMS, Connection
from lifecycle.kube_api.spdy.frames import Data, GoAway, Opened, Ping, Reader, Reset, Writer
from lifecycle.kube_api.spdy.headers import DICTIONARY, MOST_BYTES, Packer, Unpacker, Unreadable

HEADERS = {"streamtype": "data", "port": "80", "requestid": "0"}


def test_the_dictionary_is_the_protocols():
    """Its checksum stands at the beginning of every connection's first block: 78 xx e3 c6 a7 c2."""
    assert len(DICTIONARY) == 1423 and zlib.adler32(DICTIONARY) == 0xE3C6A7C2
    assert DICTIONARY.startswith(b"\0\0\0\x07options\0\0\0\x04head") and DICTIONARY.endswith(b",enq=0.")
    assert Packer().pack({})[2:6].hex() == "e3c6a7c2"


def make_block(plain: bytes) -> bytes:
    packer = zlib.compressobj(zdict=DICTIONARY)
    return packer.compress(plain) + packer.flush(zlib.Z_SYNC_FLUSH)


def make_control(kind: int, body: bytes, flags: int = 0, version: int = 3) -> bytes:
    """As the description draws it: a bit, 15 of the version, 16 of the kind, 8 of flags, 24 of the length."""
    return struct.pack(">HHI", 0x8000 | version, kind, flags << 24 | len(body)) + body


PLAIN = b"\0\0\0\x01\0\0\0\x0aStreamType\0\0\0\x05error"
SYN = make_control(1, b"\0\0\0\x01" + bytes(6) + make_block(PLAIN))


@pytest.mark.parametrize(
    "given, expected",
    [
        pytest.param(SYN, [Opened(1, {"streamtype": "error"}, False)], id="SYN_STREAM"),
        pytest.param(b"\0\0\0\x03\0\0\0\x02hi", [Data(3, b"hi", False)], id="data"),
        pytest.param(b"\0\0\0\x03\x01\0\0\x02hi", [Data(3, b"hi", True)], id="last data"),
        pytest.param(b"\0\0\0\x03\x01\0\0\0", [Data(3, b"", True)], id="no data, but the end"),
        pytest.param(make_control(3, b"\0\0\0\x05\0\0\0\x05"), [Reset(5)], id="RST_STREAM"),
        pytest.param(make_control(6, b"\0\0\0\x09"), [Ping(9)], id="PING"),
        pytest.param(make_control(7, bytes(8)), [GoAway()], id="GOAWAY"),
        pytest.param(make_control(4, bytes(4)) + make_control(9, bytes(8)), [], id="SETTINGS, WINDOW_UPDATE"),
        pytest.param(
            make_control(8, b"\0\0\0\x01" + make_block(PLAIN)) + make_control(6, b"\0\0\0\x01"),
            [Ping(1)],
            id="HEADERS are read over",
        ),
    ],
)
def test_frames_are_read(given, expected):
    assert list(Reader().feed(given)) == expected
    reader = Reader()
    # In the smallest of pieces data comes byte by byte, and all else whole.
    found = [frame for byte in given for frame in reader.feed(bytes([byte]))]
    together = b"".join(one.data for one in found if isinstance(one, Data))
    assert together == b"".join(one.data for one in expected if isinstance(one, Data))
    assert [one for one in found if not isinstance(one, Data)] == [
        one for one in expected if not isinstance(one, Data)
    ]


def test_what_is_written_is_read_with_one_history_of_headers():
    writer, reader = Writer(), Reader()
    sent = writer.open(1, HEADERS) + writer.open(3, {**HEADERS, "requestid": "1"}, is_end=True)
    sent += frames.data(1, b"x" * 70_000, is_end=True) + frames.reset(3, frames.CANCEL) + frames.ping(2)
    sent += frames.go_away(3)
    first, second, data, *rest = list(reader.feed(sent))
    assert first == Opened(1, HEADERS, False) and second == Opened(3, {**HEADERS, "requestid": "1"}, True)
    assert data == Data(1, b"x" * 70_000, True) and rest == [Reset(3), Ping(2), GoAway()]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(make_control(1, bytes(4), version=2), id="another version"),
        pytest.param(make_control(1, b"\0\0\0\x01" + bytes(6) + b"no zlib"), id="no zlib"),
        pytest.param(make_control(1, b"\0"), id="cut off"),
        pytest.param(struct.pack(">HHI", 0x8003, 1, 0xFFFFFF), id="a frame of 16 MiB"),
        pytest.param(
            make_control(1, bytes(10) + make_block(b"\0\0\0\1" + b"x" * (8 << 20))[:16_000]), id="a bomb"
        ),
        pytest.param(
            make_control(1, bytes(10) + make_block(b"\0\0\0\1" + bytes(3 * MOST_BYTES))), id="a small bomb"
        ),
        pytest.param(make_control(1, bytes(10) + make_block(b"\xff\xff\xff\xff")), id="pairs without end"),
        pytest.param(
            make_control(1, bytes(10) + make_block(b"\0\0\0\1\xff\xff\xff\xff")), id="a name without end"
        ),
        pytest.param(make_control(1, bytes(10) + make_block(b"\0\0")), id="half a number"),
    ],
)
def test_what_cannot_be_read_ends_the_connection(given):
    with pytest.raises(Unreadable):
        list(Reader().feed(given))
    connection = Connection()
    assert connection.receive(given) == [] and connection.has_ended
    assert list(Reader().feed(connection.take_sent())) == [GoAway()]


def test_data_of_a_stream_that_nobody_has_begun_ends_the_connection():
    connection = Connection()
    assert connection.receive(b"GET / HTTP/1.1\r\n") == [] and connection.has_ended


@pytest.mark.slow
def test_headers_are_unpacked_to_a_bounded_size():
    block = make_block(b"\0\0\0\1" + b"a" * (64 << 20))
    with pytest.raises(Unreadable):
        Unpacker().unpack(block)


class Client:
    """The other end."""

    def __init__(self) -> None:
        self.server, self.writer, self.reader = Connection(), Writer(), Reader()

    def say(self, sent: bytes) -> list[object]:
        return list(self.server.receive(sent))

    def hear(self) -> bytes:
        return self.server.take_sent()


def test_streams_are_taken_and_each_end_closes_its_half():
    client = Client()
    assert client.say(client.writer.open(1, HEADERS)) == [Opened(1, HEADERS, False)]
    # The reply: a control frame of kind 2 for stream 1.
    assert client.hear()[:4].hex() == "80030002"
    assert client.say(frames.data(1, b"hi", is_end=True)) == [Data(1, b"hi", True)]
    client.server.write(1, b"ho")
    client.server.write(1, b"", is_end=True)
    assert list(client.reader.feed(client.hear())) == [Data(1, b"ho", False), Data(1, b"", True)]
    assert client.server.streams == {}
    client.server.write(1, b"late")
    assert client.hear() == b"" and client.say(frames.data(1, b"late")) == []


@pytest.mark.parametrize("number", [2, 0, 1, 3])
def test_numbers_of_streams_are_odd_and_rise(number):
    client = Client()
    client.say(client.writer.open(3, {}))
    client.hear()
    assert client.say(client.writer.open(number, {})) == []
    assert list(client.reader.feed(client.hear())) == [Reset(number)]


def test_one_connection_has_so_many_streams():
    client = Client()
    for number in range(MOST_STREAMS):
        client.say(client.writer.open(2 * number + 1, {}))
    client.hear()
    assert client.say(client.writer.open(2 * MOST_STREAMS + 1, {})) == []
    assert list(client.reader.feed(client.hear())) == [Reset(2 * MOST_STREAMS + 1)]
    client.say(frames.reset(1, frames.CANCEL))
    assert client.say(client.writer.open(2 * MOST_STREAMS + 3, {})) == [
        Opened(2 * MOST_STREAMS + 3, {}, False)
    ]


def test_a_ping_comes_back():
    client = Client()
    client.say(frames.ping(7))
    assert list(client.reader.feed(client.hear())) == [Ping(7)]


@pytest.mark.parametrize("seed", range(20))
def test_any_bytes_are_taken(seed):
    chance = random.Random(seed)
    client = Client()
    sent = bytearray(client.writer.open(1, HEADERS) + frames.data(1, b"x" * 100) + frames.ping(1))
    for _ in range(chance.randrange(1, 6)):
        sent[chance.randrange(len(sent))] = chance.randrange(256)
    for _ in range(20):
        client.say(bytes(sent) if chance.random() < 0.5 else chance.randbytes(50))
    assert len(client.hear()) < 10_000
