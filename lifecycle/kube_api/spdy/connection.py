"""The server's end of one connection: which streams there are, and what is to be sent."""

from __future__ import annotations

from dataclasses import dataclass

from lifecycle.kube_api.spdy import frames
from lifecycle.kube_api.spdy.frames import Data, Opened, Ping, Reader, Reset, Writer
from lifecycle.kube_api.spdy.headers import Unreadable

MOST_STREAMS = 128
"""So many may be open at once in one connection: two of each connection that is forwarded."""


@dataclass(slots=True)
class Stream:
    """One stream. Each end closes its own half."""

    number: int
    headers: dict[str, str]
    is_read: bool = False
    """The client writes nothing more to it."""
    is_written: bool = False
    """Neither do we."""


Event = Opened | Data | Reset


class Connection:
    """What comes in is turned into events of streams; what is to go out waits for `take_sent`."""

    def __init__(self) -> None:
        self.streams: dict[int, Stream] = {}
        self.has_ended = False
        self._reader, self._writer = Reader(), Writer()
        self._sent = bytearray()
        self._last = 0

    def receive(self, data: bytes) -> list[Event]:
        """What happens to streams by the next bytes. What is no SPDY ends the connection."""
        found: list[Event] = []
        try:
            for frame in self._reader.feed(data):
                match frame:
                    case Ping(number):
                        self._sent += frames.ping(number)
                    case Opened():
                        if self._open(frame):
                            found.append(frame)
                    case Data() | Reset() if frame.stream in self.streams:
                        self._note(frame)
                        found.append(frame)
                    case Data() if not 0 < frame.stream <= self._last:
                        raise Unreadable("data of a stream that nobody has begun")
                    case _:
                        # Streams that are open go on when the client begins no more; what comes of one that
                        # is closed was on its way then.
                        pass
        except Unreadable:
            self._sent += frames.go_away(self._last)
            self.has_ended = True
        return found

    def take_sent(self) -> bytes:
        """What is to be sent; each once."""
        sent = bytes(self._sent)
        self._sent.clear()
        return sent

    def write(self, stream: int, piece: bytes, is_end: bool = False) -> None:
        """Send bytes of a stream, unless it is gone or closed."""
        found = self.streams.get(stream)
        if found is None or found.is_written:
            return
        found.is_written = is_end
        self._sent += frames.data(stream, piece, is_end)
        self._forget(found)

    def reset(self, stream: int) -> None:
        """Break off a stream."""
        if self.streams.pop(stream, None) is not None:
            self._sent += frames.reset(stream, frames.CANCEL)

    def refuse(self, stream: int) -> None:
        """Break off a stream whose headers say what there is not."""
        if self.streams.pop(stream, None) is not None:
            self._sent += frames.reset(stream, frames.REFUSED_STREAM)

    def end(self) -> None:
        """Say that nothing more comes."""
        self._sent += frames.go_away(self._last)
        self.has_ended = True

    def _open(self, frame: Opened) -> bool:
        # A client's streams have odd numbers, each above the last (2.3.2).
        if frame.stream <= self._last or not frame.stream % 2:
            self._sent += frames.reset(frame.stream, frames.PROTOCOL_ERROR)
            return False
        self._last = frame.stream
        if len(self.streams) >= MOST_STREAMS:
            self._sent += frames.reset(frame.stream, frames.REFUSED_STREAM)
            return False
        self.streams[frame.stream] = Stream(frame.stream, frame.headers, frame.is_end)
        self._sent += self._writer.reply(frame.stream)
        return True

    def _note(self, frame: Data | Reset) -> None:
        stream = self.streams[frame.stream]
        if isinstance(frame, Reset):
            del self.streams[frame.stream]
        elif frame.is_end:
            stream.is_read = True
            self._forget(stream)

    def _forget(self, stream: Stream) -> None:
        if stream.is_read and stream.is_written:
            self.streams.pop(stream.number, None)
