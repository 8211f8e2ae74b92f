"""tar, as `kubectl cp` runs it: containers here have none, so archives are made and read on their behalf.

Regular files and folders are copied, by programs of the container (`find`, `stat`, `cat`, `mkdir`). Files of
containers hold text: what is none is refused, and so is what leads out of the folder it is sent to. What is
taken out is bounded by what the members hold, not by the archive: a sparse one of 2 KiB may say it has 1 TiB.
"""

from __future__ import annotations

import io
import posixpath
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
MOST_FILES = 200
MOST_BYTES = 1024 * 1024
"""What all files of one archive hold together, holes of sparse ones included."""
LONGEST_HEADER_BYTES = 1024
MOST_HEADERS = 8
"""How many a member has: its own, and those of long names and attributes before it."""
# What a broken archive makes of the library that reads it.
_UNREADABLE = (tarfile.TarError, EOFError, ValueError, OSError, ArithmeticError, LookupError, RuntimeError)
_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
# Files here have no owners.
_WITHOUT_EFFECT = ("--no-same-permissions", "--no-same-owner")
Run = Callable[[list[str], str], Json]
"""(command, its input): what the engine answers to an exec of a program, its `stdout` and `exitCode`."""
_DELAYED = "tar: error exit delayed from previous errors\n"
_STRIPPED = "tar: removing leading '/' from member names\n"


@dataclass(frozen=True, slots=True)
class Tar:
    """What is asked of tar: to take files out of its input into a folder, or to write `paths` out."""

    is_extraction: bool
    folder: str = ""
    paths: tuple[str, ...] = ()


@dataclass(slots=True)
class Done:
    """What tar would have written, and its exit code."""

    output: bytes = b""
    errors: str = ""
    code: int = 0


def read(command: Sequence[str]) -> Tar | None:
    """What a command asks of tar, if it is one of those that `kubectl cp` gives."""
    words = [word for word in command if word not in _WITHOUT_EFFECT]
    if len(words) < 3 or words[0] != "tar":
        return None
    letters, rest = {*words[1].removeprefix("-")}, words[2:]
    if rest[:1] != ["-"] or not letters <= {*"xcmfp"} or "f" not in letters:
        return None
    if "x" in letters:
        folder = rest[2] if rest[1:2] == ["-C"] and len(rest) == 3 else ""
        return Tar(True, folder) if folder or len(rest) == 1 else None
    return Tar(False, paths=tuple(rest[1:])) if "c" in letters and len(rest) > 1 else None


def carry_out(tar: Tar, run: Run, given: bytes) -> Done:
    """Do what is asked, by programs of the container; `given` is the input."""
    return _extract(tar.folder or "/", run, given) if tar.is_extraction else _write(tar.paths, run)


class _Header(tarfile.TarInfo):
    """A header block that cannot make its reader work for long: the library trusts what it says."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        """Read it. Raises ReadError for a size below 0, and for long names and attributes of great length."""
        found = super().frombuf(buf, encoding, errors)
        if found.size < 0 or (found.type in _HEADERS and found.size > LONGEST_HEADER_BYTES):
            raise tarfile.ReadError("bad header")
        return found

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> _Header:
        """Read the next one and its member's: the library calls itself for each that comes before it."""
        assert isinstance(tarfile, _Archive)
        with tarfile.count_header():
            return super().fromtarfile(tarfile)


class _Archive(tarfile.TarFile):
    tarinfo = _Header
    headers = 0

    @contextmanager
    def count_header(self) -> Iterator[None]:
        """One more header of one member. Raises ReadError for too many."""
        if self.headers == MOST_HEADERS:
            raise tarfile.ReadError("too many headers")
        self.headers += 1
        try:
            yield
        finally:
            self.headers -= 1


def _extract(folder: str, run: Run, given: bytes) -> Done:
    left_bytes = MOST_BYTES
    try:
        with _Archive.open(fileobj=io.BytesIO(given), mode="r:") as archive:
            for count, member in enumerate(archive):
                problem = _refuse(member, count, left_bytes) or _put(archive, member, folder, run)
                if problem:
                    return Done(errors=f"tar: {member.name}: {problem}\n", code=1)
                left_bytes -= member.size
    except _UNREADABLE:
        return Done(errors="tar: invalid tar magic\n", code=1)
    return Done()


def _refuse(member: tarfile.TarInfo, count: int, left_bytes: int) -> str:
    """Why a member is not taken out; "" when it is. `left_bytes`: what it may hold."""
    if count >= MOST_FILES:
        return f"at most {MOST_FILES} files are copied at once"
    if not (member.isfile() or member.isdir()):
        return "only regular files and folders are copied"
    # Attributes may give another size than the header did: one below 0 has no end.
    if not 0 <= member.size <= left_bytes:
        return f"at most {MOST_BYTES:,} bytes are copied at once"
    if member.name.startswith("/") or ".." in member.name.split("/"):
        return "leads out of the folder"
    return ""


def _put(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: str, run: Run) -> str:
    """Make a file or folder. What went wrong, "" when nothing did."""
    path = posixpath.join(folder, member.name)
    if member.isdir():
        return _failure(run(["mkdir", "-p", path], ""))
    source = archive.extractfile(member)
    data = source.read() if source is not None else b""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return "files of containers hold text here, and this is none"
    made = _failure(run(["mkdir", "-p", posixpath.dirname(path)], ""))
    return made or _failure(run(["sh", "-c", 'cat > "$0"', path], text))


def _failure(result: Json) -> str:
    return "" if result["exitCode"] == 0 else result["stderr"].strip() or f"exit code {result['exitCode']}"


def _write(paths: Sequence[str], run: Run) -> Done:
    done, buffer = Done(), io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in paths:
            found = run(["find", path, "-type", "f"], "")
            names = found["stdout"].splitlines()
            if found["exitCode"]:
                return Done(errors=f"tar: {path}: No such file or directory\n{_DELAYED}", code=1)
            if len(names) > MOST_FILES:
                return Done(errors=f"tar: {path}: more than {MOST_FILES} files\n", code=1)
            told = run(["stat", "-c", "%Y %a", *names], "")["stdout"].splitlines() if names else []
            if len(told) != len(names):
                return Done(errors=f"tar: {path}: file changed as we read it\n", code=1)
            for name, (changed, mode) in zip(names, map(str.split, told), strict=True):
                data = run(["cat", name], "")["stdout"].encode()
                member = tarfile.TarInfo(name.lstrip("/"))
                member.size, member.mtime, member.mode = len(data), int(changed), int(mode, 8)
                archive.addfile(member, io.BytesIO(data))
                if buffer.tell() > MOST_BYTES:
                    return Done(errors=f"tar: {path}: more than {MOST_BYTES:,} bytes\n", code=1)
            if path.startswith("/"):
                done.errors = _STRIPPED
    done.output = buffer.getvalue()
    return done
