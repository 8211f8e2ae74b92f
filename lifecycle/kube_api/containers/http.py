"""HTTP/1.x as a simulated program answers it: requests read from bytes, answers written to bytes.

What is answered is decided by the cluster. Of a program's text only that of files it serves is known: where
another one would stand, the answer is empty and a header says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httptools

MOST_HEAD_BYTES = 64 * 1024
MOST_BODY_BYTES = 32 * 1024 * 1024
NOT_KNOWN = ("X-Podline", "the program is simulated, and what it would write is not known")
_WITHOUT_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


class NotHttp(Exception):
    """Bytes that are no HTTP/1.x, or more of it than is read."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, read to its end."""

    method: str
    path: str
    keeps_open: bool


class Requests:
    """Reads requests from a connection's bytes."""

    def __init__(self) -> None:
        self._parser = httptools.HttpRequestParser(self)
        self._done: list[Request] = []
        self._url = b""
        self._size = 0
        self._limit = MOST_HEAD_BYTES
        self.wants_more = False
        """Whether the client waits to be told to send the body."""

    def feed(self, data: bytes) -> list[Request]:
        """The requests that the next bytes complete. Raises NotHttp."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # Nobody here speaks anything else: it is answered as a request, the last one.
            if not self._done:
                self.on_message_complete()
            self._done[-1] = Request(self._done[-1].method, self._done[-1].path, False)
        except httptools.HttpParserError as problem:
            raise NotHttp(str(problem)) from None
        # Of what a request has, that is counted which came behind the end of the one before.
        self._size = 0 if self._done else self._size + len(data)
        if self._size > self._limit:
            raise NotHttp("a request that is too large")
        done, self._done = self._done, []
        return done

    # Called by the parser.

    def on_message_begin(self) -> None:
        """A request begins."""
        self._url, self._limit = b"", MOST_HEAD_BYTES

    def on_url(self, url: bytes) -> None:
        """A piece of its address."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """One of its headers."""
        if name.lower() == b"expect" and value.lower() == b"100-continue":
            self.wants_more = True

    def on_headers_complete(self) -> None:
        """Its body begins, which nobody reads."""
        self._limit = MOST_BODY_BYTES

    def on_message_complete(self) -> None:
        """It has ended."""
        method = self._parser.get_method().decode("latin-1")
        self.wants_more = False
        self._done.append(Request(method, _read_path(self._url), bool(self._parser.should_keep_alive())))


def _read_path(url: bytes) -> str:
    """The path and the query: an absolute address names a host besides."""
    text = url.decode("latin-1")
    scheme, separator, rest = text.partition("://")
    if separator and scheme.isalpha():
        text = "/" + rest.partition("/")[2]
    return text or "/"


def write_answer(request: Request, met: dict[str, Any]) -> bytes:
    """What the program answers. `met`: what the cluster says of the connection."""
    status, text = met["status"], met["text"]
    body = (text or "").encode("utf-8", "replace")
    head = [f"HTTP/1.1 {tell_status(status)}", f"Content-Length: {len(body)}"]
    if status in _WITHOUT_BODY:
        head.pop()
        body = b""
    head.append("Content-Type: text/plain; charset=utf-8")
    if text is None:
        head.append(": ".join(NOT_KNOWN))
    if not request.keeps_open:
        head.append("Connection: close")
    return "\r\n".join([*head, "", ""]).encode("latin-1") + (b"" if request.method == "HEAD" else body)


def tell_status(status: int) -> str:
    """A status with its words."""
    known = status in HTTPStatus.__members__.values()
    return f"{status} {HTTPStatus(status).phrase}" if known else f"{status} "
