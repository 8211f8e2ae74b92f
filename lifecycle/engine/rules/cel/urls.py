"""URLs (pkg/cel/library/urls.go), read as Go's `url.ParseRequestURI` reads them."""

from __future__ import annotations

from typing import Any
from urllib.parse import SplitResult, parse_qs, quote, urlsplit

from lifecycle.late_patterns import late_pattern

from . import values

URL = "net.URL"
_UNREADABLE = "URL parse error during conversion from string"
_SCHEME = late_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:")
_BAD_ESCAPE = late_pattern(r"%(?![0-9A-Fa-f]{2})")
_BAD_HOST = late_pattern(r"[\s<>\"{}|\\^`]")
_PATH_SAFE = "/!$&'()*+,;=:@%~-._[]"


def url(text: str) -> dict[str, str]:
    """A URL, with its scheme or from its root on. Raises ValueError for what is none."""
    if not text.startswith("/") and not _SCHEME.match(text):
        raise ValueError(f"{_UNREADABLE}: invalid URI for request")
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise ValueError(f"{_UNREADABLE}: invalid control character in URL")
    parts = _split(text)
    if _BAD_HOST.search(parts.netloc) or _BAD_ESCAPE.search(parts.path):
        raise ValueError(f"{_UNREADABLE}: invalid character in host name or path")
    return values.make(URL, text)


def is_url(text: str) -> bool:
    """Whether a text is a URL."""
    try:
        url(text)
    except ValueError:
        return False
    return True


def scheme(value: Any) -> str:
    """The scheme; "" of one that starts at its root."""
    return _read(value).scheme


def host(value: Any) -> str:
    """The host with its port, without who asks."""
    return _read(value).netloc.rpartition("@")[2]


def hostname(value: Any) -> str:
    """The host without its port, and without brackets."""
    name = host(value)
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]


def port(value: Any) -> str:
    """The port; "" where none is given."""
    name = host(value).rpartition("]")[2]
    return name.rpartition(":")[2] if ":" in name else ""


def escaped_path(value: Any) -> str:
    """The path as it is sent."""
    return quote(_read(value).path, safe=_PATH_SAFE)


def query(value: Any) -> dict[str, list[str]]:
    """What is asked, by name."""
    return parse_qs(_read(value).query, keep_blank_values=True, max_num_fields=1000)


def _read(value: Any) -> SplitResult:
    return _split(values.read(value, URL))


def _split(text: str) -> SplitResult:
    """Raises ValueError for a port that is no number, or an address that is none."""
    # What follows a `#` is no part of its own in what is requested.
    is_rooted = text.startswith("//")
    parts = SplitResult("", "", *_cut(text)) if is_rooted else urlsplit(text, allow_fragments=False)
    name = parts.netloc.rpartition("@")[2].rpartition("]")[2]
    number = name.rpartition(":")[2] if ":" in name else ""
    if not (number.isascii() and (number.isdigit() or not number)) or name.count(":") > 1:
        raise ValueError(f"{_UNREADABLE}: invalid port after host")
    return parts


def _cut(text: str) -> tuple[str, str, str]:
    path, _, asked = text.partition("?")
    return path, asked, ""
