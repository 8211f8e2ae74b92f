"""Zip archives as folders: paths to bytes, within bounds; nothing is written anywhere.

Only what may hold a manifest is unpacked. Archives inside an archive stay closed.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from lifecycle.input.folders import LONGEST_PATH, find_trick, may_hold_manifests
from lifecycle.input.problems import ManifestError, Problem, refuse
from lifecycle.input.reading import Batch

MOST_ENTRIES = 5_000
_MEBIBYTE = 1024 * 1024
_BEGINNINGS = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED = 0x1
# What a broken archive makes of the library that reads it.
_UNREADABLE = (
    BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    OverflowError,
)


def is_archive(content: bytes) -> bool:
    """Whether a file begins as zip archives do."""
    return content.startswith(_BEGINNINGS)


def unpack(content: bytes, name: str, limit_bytes: int) -> Batch:
    """The archive as a folder that is called `name`; what cannot be taken from it is named as unreadable.

    Raises ManifestError for an archive that is broken, encrypted or larger than is read.
    """
    found = _Found(name, limit_bytes)
    try:
        with ZipFile(BytesIO(content)) as archive:
            for entry in found.choose(archive.infolist()):
                # A header may lie about the size; what is read never is more than is left.
                with archive.open(entry) as file:
                    found.keep(entry, file.read(found.left_bytes + 1))
    except ManifestError:
        raise
    except _UNREADABLE as error:
        refuse(name, f"no zip archive that can be read: {error}", "pack it again")
    return Batch(found.files, name, is_folder=True, unreadable=tuple(found.problems))


@dataclass(slots=True)
class _Found:
    """What has been found in an archive so far."""

    name: str
    limit_bytes: int
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    left_bytes: int = 0

    def choose(self, entries: list[ZipInfo]) -> Iterator[ZipInfo]:
        """The entries to unpack; the others are known by their names alone."""
        self.left_bytes = self.limit_bytes
        if len(entries) > MOST_ENTRIES:
            refuse(self.name, f"{len(entries):,} files are more than {MOST_ENTRIES:,}", _PACK_LESS)
        if any(entry.flag_bits & _ENCRYPTED for entry in entries):
            refuse(self.name, "it is encrypted", "pack it without a password")
        for entry in entries:
            if entry.filename.endswith("/"):
                continue
            if trick := find_trick(entry.filename):
                self._complain(entry, trick, "pack it from its own folder")
                continue
            path = PurePosixPath(entry.filename)
            if str(path) in self.files:
                self._complain(entry, "it is in the archive twice", "pack it once")
            elif not may_hold_manifests(path):
                self.files[str(path)] = b""
            elif entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                self._complain(entry, "it is compressed in a rare way", "pack it with `zip`")
            else:
                yield entry

    def keep(self, entry: ZipInfo, content: bytes) -> None:
        """Take what was unpacked, as long as all together is not too much."""
        self.left_bytes -= len(content)
        if self.left_bytes < 0:
            limit = f"{self.limit_bytes / _MEBIBYTE:.3g} MiB"
            refuse(self.name, f"its manifests unpack to more than {limit}", _PACK_LESS)
        self.files[str(PurePosixPath(entry.filename))] = content

    def _complain(self, entry: ZipInfo, message: str, remedy: str) -> None:
        source = f"{self.name}/{entry.filename[:LONGEST_PATH]}"
        self.problems.append(Problem(message, remedy, source=source))


_PACK_LESS = "pack only the manifests, or give them in parts"
