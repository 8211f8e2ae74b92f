"""Archives as folders: paths to bytes, within bounds; nothing is written anywhere.

Only what may hold a manifest is unpacked, and of an archive with a chart or a kustomization all that it may
be rendered from. Links are not followed, and archives inside an archive stay closed.
"""

from __future__ import annotations

import gzip
import struct
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import PurePosixPath
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from lifecycle.input.folders import LONGEST_PATH, find_trick, is_source, is_source_root, may_hold_manifests
from lifecycle.input.problems import ManifestError, Problem, refuse
from lifecycle.input.reading import Batch
from lifecycle.lean_dataclasses import dataclass, field

MOST_ENTRIES = 5_000
MOST_UNPACKED_BYTES = 128 * 1024 * 1024
"""So much of a tar archive is looked through for what is wanted of it."""
_MEBIBYTE = 1024 * 1024
_ZIP_BEGINNINGS = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP_BEGINNING = b"\x1f\x8b"
_ENCRYPTED = 0x1
_LINK = "it is a link, and links are not followed"
# What a broken archive makes of the library that reads it.
_UNREADABLE = (
    BadZipFile,
    tarfile.TarError,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    OverflowError,
)


def is_archive(content: bytes) -> bool:
    """Whether a file begins as zip archives do, or as what gzip has packed."""
    return content.startswith((*_ZIP_BEGINNINGS, _GZIP_BEGINNING))


def unpack(content: bytes, name: str, limit_bytes: int, is_for_rendering: bool = False) -> Batch:
    """The archive as a folder that is called `name`; what cannot be taken from it is named as unreadable.

    `is_for_rendering`: charts and kustomizations are wanted with all their files. Raises ManifestError for an
    archive that is broken, encrypted or larger than is read.
    """
    found = _Found(name, limit_bytes, is_for_rendering)
    is_tar = content.startswith(_GZIP_BEGINNING)
    try:
        (_unpack_tar if is_tar else _unpack_zip)(content, found)
    except ManifestError:
        raise
    except _UNREADABLE as error:
        kind = "tar.gz" if is_tar else "zip"
        refuse(name, f"no {kind} archive that can be read: {error}", "pack it again")
    return Batch(found.files, name, is_folder=True, unreadable=tuple(found.problems))


def _unpack_zip(content: bytes, found: _Found) -> None:
    with ZipFile(BytesIO(content)) as archive:
        entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
        found.begin(entry.filename for entry in entries)
        if any(entry.flag_bits & _ENCRYPTED for entry in entries):
            refuse(found.name, "it is encrypted", "pack it without a password")
        for entry in entries:
            if not found.wants(entry.filename):
                continue
            if why := _find_rarity(entry):
                found.complain(entry.filename, why, "pack it with `zip`")
                continue
            # A header may lie about the size; what is read never is more than is left.
            with archive.open(entry) as file:
                found.keep(entry.filename, file)


def _find_rarity(entry: ZipInfo) -> str:
    """Why an entry stays packed; "" for one that is packed as usual."""
    # The upper half of these bits is the file's mode where Unix packed it: a link's begins with 12.
    if entry.external_attr >> 28 == 0o12:
        return _LINK
    return "" if entry.compress_type in (ZIP_STORED, ZIP_DEFLATED) else "it is compressed in a rare way"


def _unpack_tar(content: bytes, found: _Found) -> None:
    found.begin(member.filename for member in _list_members(content, found.name))
    for member in _list_members(content, found.name):
        if member.is_link:
            found.complain(member.filename, _LINK, "pack the file itself")
        elif found.wants(member.filename):
            found.keep(member.filename, member.file)


@dataclass(slots=True)
class _Member:
    filename: str
    is_link: bool
    file: IO[bytes]


def _list_members(content: bytes, name: str) -> Iterator[_Member]:
    """The files and links of a tar archive, in turn; devices and the like are nobody's manifests."""
    # Of a stream nothing but `read` is wanted.
    unpacked: Any = _Bounded(gzip.GzipFile(fileobj=BytesIO(content)), name)
    with tarfile.open(fileobj=unpacked, mode="r|") as archive:
        for member in archive:
            if member.issym() or member.islnk():
                yield _Member(member.name, True, BytesIO())
            elif member.isreg() and (file := archive.extractfile(member)):
                yield _Member(member.name, False, file)


class _Bounded:
    """A stream that is read no further than a bound: a few kilobytes may unpack to gigabytes."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile, name: str) -> None:
        self._stream = stream
        self._name = name
        self._left_bytes = MOST_UNPACKED_BYTES

    def read(self, size: int) -> bytes:
        part = self._stream.read(size)
        self._left_bytes -= len(part)
        if self._left_bytes < 0:
            refuse(self._name, f"it unpacks to more than {MOST_UNPACKED_BYTES // _MEBIBYTE} MiB", _PACK_LESS)
        return part


@dataclass(slots=True)
class _Found:
    """What has been found in an archive so far. Files that are not wanted are known by their names alone."""

    name: str
    limit_bytes: int
    is_for_rendering: bool = False
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    left_bytes: int = 0

    def begin(self, names: Iterable[str]) -> None:
        """Look at all names before anything is unpacked."""
        self.left_bytes = self.limit_bytes
        first = list(islice(names, MOST_ENTRIES + 1))
        if len(first) > MOST_ENTRIES:
            refuse(self.name, f"its files are more than {MOST_ENTRIES:,}", _PACK_LESS)
        self.is_for_rendering &= any(is_source_root(PurePosixPath(name)) for name in first)

    def wants(self, name: str) -> bool:
        """Whether an entry is to be unpacked."""
        if trick := find_trick(name):
            self.complain(name, trick, "pack it from its own folder")
            return False
        path = PurePosixPath(name)
        if str(path) in self.files:
            self.complain(name, "it is in the archive twice", "pack it once")
            return False
        if may_hold_manifests(path) or (self.is_for_rendering and is_source(path)):
            return True
        self.files[str(path)] = b""
        return False

    def keep(self, name: str, file: IO[bytes]) -> None:
        """Unpack a file, as long as all together is not too much."""
        content = file.read(self.left_bytes + 1)
        self.left_bytes -= len(content)
        if self.left_bytes < 0:
            limit = f"{self.limit_bytes / _MEBIBYTE:.3g} MiB"
            refuse(self.name, f"its manifests unpack to more than {limit}", _PACK_LESS)
        self.files[str(PurePosixPath(name))] = content

    def complain(self, name: str, message: str, remedy: str) -> None:
        """Say why an entry stays packed."""
        self.problems.append(Problem(message, remedy, source=f"{self.name}/{name[:LONGEST_PATH]}"))


_PACK_LESS = "pack only the manifests, or give them in parts"
