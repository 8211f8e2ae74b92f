"""Blocks of headers: pairs of name and value, packed as one text from a connection's beginning to its end.

Both ends begin with the same dictionary, which the protocol's description lists (SPDY/3, 2.6.10.1): words
with their lengths in front, then a text of what is frequent.
"""

from __future__ import annotations

import struct
import zlib

MOST_BYTES = 16 * 1024
"""So much a block may unpack to: 16 MiB of one letter are 16 KiB packed."""
_WORDS = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges"
    " age allow authorization cache-control connection content-base content-encoding content-language"
    " content-length content-location content-md5 content-range content-type date etag expect expires from"
    " host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location"
    " max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer"
    " transfer-encoding upgrade user-agent vary via warning www-authenticate method get status"
).split()
_LAST_WORDS = ("200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin")
_FREQUENT = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 "
    "Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 "
    "Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar "
    "Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,"
    "image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,"
    "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)
_LENGTH = struct.Struct(">I")


class Unreadable(Exception):
    """Bytes that are no SPDY, or more than is read."""


def _with_length(text: str) -> bytes:
    encoded = text.encode("utf-8", "replace")
    return _LENGTH.pack(len(encoded)) + encoded


DICTIONARY = b"".join(map(_with_length, (*_WORDS, *_LAST_WORDS))) + _FREQUENT.encode()


class Packer:
    """Packs the blocks of one direction of a connection."""

    def __init__(self) -> None:
        self._zlib = zlib.compressobj(zdict=DICTIONARY)

    def pack(self, headers: dict[str, str]) -> bytes:
        """A block that the other end's unpacker reads."""
        pairs = (_with_length(part) for pair in headers.items() for part in pair)
        plain = _LENGTH.pack(len(headers)) + b"".join(pairs)
        return self._zlib.compress(plain) + self._zlib.flush(zlib.Z_SYNC_FLUSH)


class Unpacker:
    """Unpacks the blocks of one direction, in their order."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(zdict=DICTIONARY)

    def unpack(self, block: bytes) -> dict[str, str]:
        """The headers, by their names in small letters. Raises Unreadable."""
        try:
            plain = self._zlib.decompress(block, MOST_BYTES)
        except zlib.error as problem:
            raise Unreadable(f"headers: {problem}") from None
        if self._zlib.unconsumed_tail or self._zlib.eof:
            raise Unreadable(f"headers of more than {MOST_BYTES:,} bytes")
        return _read_pairs(plain)


def _read_pairs(plain: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    try:
        (count,) = _LENGTH.unpack_from(plain)
        at = _LENGTH.size
        # Each pair has two lengths at least: a count beyond that is none.
        if count > len(plain) // (2 * _LENGTH.size):
            raise Unreadable("headers that are cut off")
        for _ in range(count):
            name, at = _read_text(plain, at)
            found[name.lower()], at = _read_text(plain, at)
    except struct.error:
        raise Unreadable("headers that are cut off") from None
    return found


def _read_text(plain: bytes, at: int) -> tuple[str, int]:
    (length,) = _LENGTH.unpack_from(plain, at)
    begin = at + _LENGTH.size
    if begin + length > len(plain):
        raise Unreadable("headers that are cut off")
    return plain[begin : begin + length].decode("utf-8", "replace"), begin + length
