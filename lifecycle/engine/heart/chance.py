"""Chance, keyed and not streamed: a draw depends on the seed, its purpose and its key alone.

One more draw in one place therefore never shifts a delay in another, and a fork of a cluster stays equal
to its parent wherever it is untouched.
"""

from __future__ import annotations

from hashlib import blake2b
from struct import Struct

from ..objects.names import SAFE_LETTERS

"""The letters of generated names: no vowels and no look-alikes, as Kubernetes uses them."""
_LETTER_OF_BYTE = bytes(ord(SAFE_LETTERS[number % len(SAFE_LETTERS)]) for number in range(256))
_SCALE = float(1 << 64)
_read_number = Struct(">Q").unpack
PART = "\x1f"
"""What parts the parts of a key."""


class Chance:
    """Keyed draws: names and uids from one seed, all else from a second one, which is the same at first.

    So several futures of one cluster can have other delays and still call their pods by the same names.
    """

    __slots__ = ("_by_purpose", "_identity", "_latency", "_salt", "drawn_from")

    def __init__(self, seed: int) -> None:
        self._salt = _salt(seed)
        # Salted once, copied for each draw.
        self._identity = blake2b(digest_size=24, salt=self._salt)
        self.draw_from(seed)

    def draw_from(self, seed: int) -> None:
        """From now on draw from this seed; what is drawn already stays."""
        self.drawn_from = seed
        self._latency = blake2b(digest_size=8, salt=_salt(seed))
        # And told the purpose once: there are few.
        self._by_purpose: dict[str, blake2b] = {}

    def draw(self, purpose: str, *key: object) -> float:
        """A number in [0, 1). Keys are strings and whole numbers."""
        digest = self._latency.copy()
        text = f"{purpose}{PART}{key!r}" if key else purpose
        digest.update(text.encode("utf-8", "surrogatepass"))
        number: int = _read_number(digest.digest())[0]
        return number / _SCALE

    def draw_ms(self, purpose: str, key: str, low_ms: int, high_ms: int) -> int:
        """Whole milliseconds, evenly from low to high, both included. A key's parts are parted by PART."""
        known = self._by_purpose.get(purpose)
        if known is None:
            known = self._by_purpose[purpose] = self._latency.copy()
            known.update(f"{purpose}{PART}".encode())
        digest = known.copy()
        digest.update(key.encode() if key.isascii() else key.encode("utf-8", "surrogatepass"))
        number: int = _read_number(digest.digest())[0]
        return low_ms + number % (high_ms - low_ms + 1)

    def uid(self, *key: object) -> str:
        """A version 4 UUID, the same for the same key."""
        text = f"uid{PART}{key!r}" if key else "uid"
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, salt=self._salt).digest()
        return uuid_text(digest.hex())

    def uid_and_suffix(self, owner_uid: str, count: int) -> tuple[str, str]:
        """The uid and the five-letter name suffix of an owner's `count`th creation."""
        hashed = self._identity.copy()
        hashed.update(f"new{PART}{owner_uid}{PART}{count}".encode("utf-8", "surrogatepass"))
        digest = hashed.digest()
        return uuid_text(digest[:16].hex()), digest[16:21].translate(_LETTER_OF_BYTE).decode()


def _salt(seed: int) -> bytes:
    return blake2b(str(seed).encode(), digest_size=16).digest()


def uuid_text(hexadecimal: str) -> str:
    """32 hexadecimal digits spelled as a version 4 UUID."""
    digits = hexadecimal
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
