"""What travels by one connection of a client's, and how: channels of a WebSocket, or streams of SPDY.

A WebSocket's message says by its first byte which channel it is of. SPDY comes by itself, or inside of a
WebSocket's messages, as kubectl forwards ports; both are the same here.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import orjson

from lifecycle.kube_api.containers import carrying
from lifecycle.kube_api.containers.carrying import Carrying
from lifecycle.kube_api.containers.forwarding import MOST_CONNECTIONS, Forwarding
from lifecycle.kube_api.containers.inlet import Inlet, TooMuch
from lifecycle.kube_api.spdy.connection import Connection
from lifecycle.kube_api.spdy.frames import Data, Opened, Reset

INPUT, OUTPUT, ERRORS, PROBLEM, CLOSE = 0, 1, 2, 3, 255
PART_BYTES = 32 * 1024
CREATION_SECONDS = 30.0
"""So long has a client to begin the streams that it asked for (DefaultStreamCreationTimeout)."""
_NUMBERS = {carrying.OUTPUT: OUTPUT, carrying.ERRORS: ERRORS}
Send = Callable[[bytes], Awaitable[None]]


class Link(ABC):
    """A connection that is open."""

    def __init__(self, send: Send) -> None:
        self._send = send

    @abstractmethod
    async def receive(self, message: bytes) -> None:
        """Take what the client sent."""

    @abstractmethod
    def end(self) -> None:
        """The client has gone."""

    @abstractmethod
    async def carry(self) -> None:
        """Do what was asked for, to its end."""

    async def _send_parts(self, send: Callable[[bytes], Awaitable[None]], data: bytes) -> None:
        for start in range(0, len(data), PART_BYTES):
            await send(data[start : start + PART_BYTES])


class ChannelCommand(Link):
    """exec and attach by channels."""

    def __init__(self, send: Send, carried: Carrying) -> None:
        super().__init__(send)
        self._carried = carried
        carried.write = self._write

    async def receive(self, message: bytes) -> None:
        """A piece of the input, its end, or the size of a terminal, which changes nothing here."""
        inlet = self._carried.inlet
        if message[:1] == bytes([CLOSE]):
            inlet.end()
        elif message[:1] == bytes([INPUT]) and self._carried.asked.has_input:
            try:
                await inlet.put(message[1:])
            except TooMuch as problem:
                self._carried.problem = str(problem)

    def end(self) -> None:
        """On a node, too, the connection's end is that of the input, and what was written is read."""
        self._carried.is_gone = True
        self._carried.inlet.end()

    async def carry(self) -> None:
        status = await self._carried.carry_out()
        await self._say(PROBLEM, orjson.dumps(status))

    async def _write(self, stream: str, data: bytes) -> None:
        await self._send_parts(lambda part: self._say(_NUMBERS[stream], part), data)

    async def _say(self, channel: int, message: bytes) -> None:
        await self._send(bytes([channel]) + message)


class ChannelForward(Link):
    """Ports by channels, two for each: its bytes, and what went wrong. A connection a port, begun at once."""

    def __init__(self, send: Send, forwarding: Forwarding, ports: Sequence[int]) -> None:
        super().__init__(send)
        self._forwarding, self._ports = forwarding, ports
        self._inlets = [Inlet() for _ in ports]

    async def receive(self, message: bytes) -> None:
        place, is_error = divmod(message[0], 2) if message else (0, 1)
        if not is_error and place < len(self._inlets):
            await _put(self._inlets[place], message[1:])

    def end(self) -> None:
        for inlet in self._inlets:
            inlet.end()

    async def carry(self) -> None:
        # Each channel begins with its port, as a client may check.
        for place, port in enumerate(self._ports):
            for channel in (2 * place, 2 * place + 1):
                await self._say(channel, port.to_bytes(2, "little"))
        await asyncio.gather(*map(self._serve, range(len(self._ports))))

    async def _serve(self, place: int) -> None:
        async def write(data: bytes) -> None:
            await self._send_parts(lambda part: self._say(2 * place, part), data)

        problem = await self._forwarding.serve(self._ports[place], self._inlets[place], write)
        # The other ports go on, whatever still comes for this one.
        self._inlets[place].end()
        if problem:
            await self._say(2 * place + 1, problem.encode())

    async def _say(self, channel: int, message: bytes) -> None:
        await self._send(bytes([channel]) + message)


async def _put(inlet: Inlet, data: bytes) -> None:
    """A connection that sends more than is read is closed: its end is said by that."""
    try:
        await inlet.put(data)
    except TooMuch:
        inlet.end()


class _SpdyLink(Link):
    """What both uses of SPDY share."""

    def __init__(self, send: Send) -> None:
        super().__init__(send)
        self.connection = Connection()
        self._sending = asyncio.Lock()

    async def receive(self, message: bytes) -> None:
        for event in self.connection.receive(message):
            match event:
                case Opened():
                    self._open(event)
                case Data():
                    await self._take(event)
                case Reset(stream):
                    self._close(stream)
        await self.flush()
        if self.connection.has_ended:
            self.end()

    async def flush(self) -> None:
        """Send what is to be sent, in its order."""
        async with self._sending:
            sent = self.connection.take_sent()
            if sent:
                await self._send(sent)

    async def write(self, stream: int, data: bytes, is_end: bool = False) -> None:
        """Bytes of a stream, in frames of a modest size."""
        for start in range(0, len(data), PART_BYTES):
            self.connection.write(stream, data[start : start + PART_BYTES])
            await self.flush()
        if is_end:
            self.connection.write(stream, b"", True)
            await self.flush()

    @abstractmethod
    def _open(self, opened: Opened) -> None:
        """A stream has begun."""

    @abstractmethod
    async def _take(self, data: Data) -> None:
        """Bytes of a stream that is open."""

    @abstractmethod
    def _close(self, stream: int) -> None:
        """A stream was broken off."""


class SpdyCommand(_SpdyLink):
    """exec and attach, with a stream for each of input, output, errors, and the status."""

    def __init__(self, send: Send, carried: Carrying, is_status_json: bool) -> None:
        super().__init__(send)
        self._carried, self._is_status_json = carried, is_status_json
        carried.write = self._write
        self._streams: dict[str, int] = {}
        self._is_complete = asyncio.Event()

    def _open(self, opened: Opened) -> None:
        kind = opened.headers.get("streamtype", "")
        if kind not in ("error", "stdin", "stdout", "stderr", "resize") or kind in self._streams:
            self.connection.refuse(opened.stream)
            return
        self._streams[kind] = opened.stream
        if kind == "stdin" and opened.is_end:
            self._carried.inlet.end()
        if self._list_wanted() <= self._streams.keys():
            self._is_complete.set()

    def _list_wanted(self) -> set[str]:
        asked = self._carried.asked
        wanted = {"stdin": asked.has_input, "stdout": asked.wants_output}
        # A terminal has no errors of its own.
        wanted["stderr"] = asked.wants_errors and not asked.is_terminal
        return {"error", *(name for name, is_wanted in wanted.items() if is_wanted)}

    async def _take(self, data: Data) -> None:
        if data.stream != self._streams.get("stdin") or not self._carried.asked.has_input:
            return
        try:
            await self._carried.inlet.put(data.data)
        except TooMuch as problem:
            self._carried.problem = str(problem)
        if data.is_end:
            self._carried.inlet.end()

    def _close(self, stream: int) -> None:
        if stream == self._streams.get("stdin"):
            self._carried.inlet.end()

    def end(self) -> None:
        self._carried.is_gone = True
        self._carried.inlet.end()
        self._is_complete.set()

    async def carry(self) -> None:
        try:
            await asyncio.wait_for(self._is_complete.wait(), CREATION_SECONDS)
        except TimeoutError:
            return
        if not self._list_wanted() <= self._streams.keys():
            # The client went before it had said where everything goes.
            return
        status = await self._carried.carry_out()
        if self._is_status_json:
            said = orjson.dumps(status)
        else:
            said = b"" if status["status"] == "Success" else str(status["message"]).encode()
        await self.write(self._streams.get("error", 0), said, True)
        for name in ("stdout", "stderr"):
            await self.write(self._streams.get(name, 0), b"", True)
        self.connection.end()
        await self.flush()

    async def _write(self, stream: str, data: bytes) -> None:
        await self.write(self._streams.get(stream, 0), data)


@dataclass(slots=True)
class _Pair:
    """The two streams of one forwarded connection."""

    port: int
    data: int = 0
    error: int = 0
    inlet: Inlet = field(default_factory=Inlet)
    is_served: bool = False


class SpdyForward(_SpdyLink):
    """Ports, with two streams for each connection."""

    def __init__(self, send: Send, forwarding: Forwarding) -> None:
        super().__init__(send)
        self._forwarding = forwarding
        self._pairs: dict[str, _Pair] = {}
        self._pair_of: dict[int, _Pair] = {}
        self._served: set[asyncio.Task[None]] = set()
        self._has_ended = asyncio.Event()

    def _open(self, opened: Opened) -> None:
        kind, port = opened.headers.get("streamtype"), read_port(opened.headers.get("port", ""))
        if kind not in ("data", "error") or port is None:
            self.connection.refuse(opened.stream)
            return
        # Clients from before there were requests' numbers begin the error's stream just before the data's.
        usual = opened.stream if kind == "error" else opened.stream - 2
        key = opened.headers.get("requestid") or f"stream {usual}"
        pair = self._pairs.setdefault(key, _Pair(port))
        if getattr(pair, kind) or len(self._pairs) > MOST_CONNECTIONS:
            self.connection.refuse(opened.stream)
            if not (pair.data or pair.error):
                del self._pairs[key]
            return
        setattr(pair, kind, opened.stream)
        if kind == "data":
            self._pair_of[opened.stream] = pair
            if opened.is_end:
                pair.inlet.end()
        if pair.data and pair.error and not pair.is_served:
            pair.is_served = True
            task = asyncio.ensure_future(self._serve(key, pair))
            self._served.add(task)
            task.add_done_callback(self._served.discard)

    async def _take(self, data: Data) -> None:
        pair = self._pair_of.get(data.stream)
        if pair is not None:
            await _put(pair.inlet, data.data)
            if data.is_end:
                pair.inlet.end()

    def _close(self, stream: int) -> None:
        pair = self._pair_of.get(stream)
        if pair is not None:
            pair.inlet.end()

    async def _serve(self, key: str, pair: _Pair) -> None:
        async def write(data: bytes) -> None:
            await self.write(pair.data, data)

        try:
            problem = await self._forwarding.serve(pair.port, pair.inlet, write)
            await self.write(pair.error, problem.encode(), True)
            if problem:
                self.connection.reset(pair.data)
                await self.flush()
            else:
                await self.write(pair.data, b"", True)
        finally:
            pair.inlet.end()
            self._pairs.pop(key, None)
            self._pair_of.pop(pair.data, None)

    def end(self) -> None:
        for pair in self._pairs.values():
            pair.inlet.end()
        self._has_ended.set()

    async def carry(self) -> None:
        await self._has_ended.wait()
        if self._served:
            await asyncio.wait(self._served)


def read_port(text: str) -> int | None:
    """A port's number; None for anything else."""
    if not (text.isascii() and text.isdigit() and len(text) <= 5):
        return None
    return int(text) if 0 < int(text) < 1 << 16 else None
