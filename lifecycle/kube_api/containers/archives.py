"""tar, as clients run it to copy: containers here have none, so archives are made and read on their behalf.

Regular files and folders are copied, by programs of the container (`find`, `stat`, `cat`, `mkdir`). Files of
containers hold text: what is none is refused, and so is what leads out of the folder it is sent to. What is
taken out is bounded by what the members hold, not by the archive: a sparse one of 2 KiB may say it has 1 TiB.
"""

from __future__ import annotations

import gzip
import io
import posixpath
import tarfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
MOST_FILES = 200
MOST_BYTES = 1024 * 1024
"""What all files of one archive hold together, holes of sparse ones included."""
MOST_UNZIPPED = 2 * MOST_BYTES
"""With the heads of its members, which are unzipped before anything is looked at."""
_GZIP = 16 + zlib.MAX_WBITS
_END = bytes(2 * tarfile.BLOCKSIZE)
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
Run = Callable[[list[str], str], Json]
"""(command, its input): what the engine answers to an exec of a program, its `stdout` and `exitCode`."""
_DELAYED = "tar: error exit delayed from previous errors\n"
_STRIPPED = "tar: removing leading '/' from member names\n"


@dataclass(frozen=True, slots=True)
class Tar:
    """What is asked of tar: to take files out of its input into a folder, or to write `paths` of it out."""

    is_extraction: bool
    folder: str = ""
    paths: tuple[str, ...] = ()
    is_zipped: bool = False
    is_verbose: bool = False


@dataclass(slots=True)
class Done:
    """What tar would have written, and its exit code."""

    output: bytes = b""
    errors: str = ""
    code: int = 0


# Files here have no owners, and no dates but the cluster's.
_WITHOUT_EFFECT = frozenset(
    "no-same-permissions no-same-owner same-permissions preserve-permissions same-owner numeric-owner touch"
    " overwrite no-overwrite-dir warning=no-timestamp warning=no-unknown-keyword m p o".split()
)
_LONG = {"extract": "x", "get": "x", "create": "c", "gzip": "z", "gunzip": "z", "verbose": "v"}
_WITH_VALUE = {"f": "f", "C": "C", "file": "f", "directory": "C"}


def read(command: Sequence[str]) -> Tar | None:
    """What a command asks of tar, if it is to copy by its input or its output; None: that is not modelled."""
    if not command or command[0].rpartition("/")[2] != "tar" or len(command) < 2:
        return None
    switches, values, operands = _split(command[1:])
    is_known = switches - _WITHOUT_EFFECT <= {*"xczv"} and values.pop("f", "-") == "-"
    if not is_known or len(switches & {*"xc"}) != 1:
        return None
    is_extraction = "x" in switches
    if bool(operands) == is_extraction:
        return None
    folder = values.get("C", "")
    return Tar(is_extraction, folder, tuple(operands), "z" in switches, "v" in switches)


def _split(words: Sequence[str]) -> tuple[set[str], dict[str, str], list[str]]:
    """Switches, values of options, and operands. The first word's letters need no dash (tar(1), `xvf`)."""
    switches: set[str] = set()
    values: dict[str, str] = {}
    operands: list[str] = []
    left = list(words)
    if not left[0].startswith("-"):
        letters = left.pop(0)
        # In this style the values stand behind all letters, in their order.
        for letter in letters:
            if letter in _WITH_VALUE:
                values[letter] = left.pop(0) if left else ""
            else:
                switches.add(letter)
    while left:
        word = left.pop(0)
        if word == "--":
            operands += left
            break
        if word == "-" or not word.startswith("-"):
            operands.append(word)
        elif word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if name in _WITH_VALUE:
                values[_WITH_VALUE[name]] = value if equals else left.pop(0) if left else ""
            else:
                switches.add(_LONG.get(name, word[2:]))
        else:
            _read_letters(word[1:], left, switches, values)
    return switches, values, operands


def _read_letters(letters: str, left: list[str], switches: set[str], values: dict[str, str]) -> None:
    """Letters behind a dash: what stands behind one that has a value is that value, or the next word is."""
    for place, letter in enumerate(letters, 1):
        if letter in _WITH_VALUE:
            values[letter] = letters[place:] or (left.pop(0) if left else "")
            return
        switches.add(letter)


def carry_out(tar: Tar, run: Run, given: bytes) -> Done:
    """Do what is asked, by programs of the container; `given` is the input."""
    if not tar.is_extraction:
        return _write(tar, run)
    if tar.is_zipped:
        unzip = zlib.decompressobj(_GZIP)
        try:
            given = unzip.decompress(given, MOST_UNZIPPED)
        except zlib.error:
            return Done(errors="tar: invalid gzip magic\n", code=1)
        if unzip.unconsumed_tail:
            return Done(errors=f"tar: at most {MOST_BYTES:,} bytes are copied at once\n", code=1)
    return _extract(tar, run, given)


class Ending:
    """Finds the end of an archive that comes in pieces, each of which is looked at once."""

    def __init__(self, tar: Tar) -> None:
        self._unzip = zlib.decompressobj(_GZIP) if tar.is_zipped else None
        self._size, self._end = 0, b""

    def comes_with(self, piece: bytes) -> bool:
        """Whether the archive is whole with the next piece, whatever may follow."""
        if self._unzip is not None:
            try:
                self._unzip.decompress(piece, MOST_UNZIPPED)
            except zlib.error:
                return True
            # One that holds too much is refused: it need not be read to its end.
            return self._unzip.eof or bool(self._unzip.unconsumed_tail)
        self._size += len(piece)
        self._end = (self._end + piece)[-len(_END) :]
        return self._size % tarfile.BLOCKSIZE == 0 and self._end == _END


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


def _extract(tar: Tar, run: Run, given: bytes) -> Done:
    left_bytes, done = MOST_BYTES, Done()
    folders: set[str] = set()
    try:
        with _Archive.open(fileobj=io.BytesIO(given), mode="r:") as archive:
            for count, member in enumerate(archive):
                problem = _refuse(member, count, left_bytes) or _put(
                    archive, member, tar.folder or "/", folders, run
                )
                if problem:
                    done.errors, done.code = f"tar: {member.name}: {problem}\n", 1
                    return done
                left_bytes -= member.size
                done.output += f"{member.name}\n".encode("utf-8", "replace") if tar.is_verbose else b""
    except _UNREADABLE:
        done.errors, done.code = "tar: invalid tar magic\n", 1
    return done


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


def _put(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: str, folders: set[str], run: Run) -> str:
    """Make a file or folder. What went wrong, "" when nothing did. `folders`: those that were made."""
    # An entry `.` is the folder itself.
    path = posixpath.normpath(posixpath.join(folder, member.name))
    if member.isdir():
        return _make_folder(path, folders, run)
    source = archive.extractfile(member)
    data = source.read() if source is not None else b""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return "files of containers hold text here, and this is none"
    made = _make_folder(posixpath.dirname(path), folders, run)
    return made or _failure(run(["sh", "-c", 'cat > "$0"', path], text))


def _make_folder(path: str, folders: set[str], run: Run) -> str:
    if path in folders:
        return ""
    folders.add(path)
    return _failure(run(["mkdir", "-p", path], ""))


def _failure(result: Json) -> str:
    return "" if result["exitCode"] == 0 else result["stderr"].strip() or f"exit code {result['exitCode']}"


def _write(tar: Tar, run: Run) -> Done:
    done, buffer = Done(), io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in tar.paths:
            problem = _add_all(archive, tar, path, run) or (
                f"more than {MOST_BYTES:,} bytes\n" if buffer.tell() > MOST_BYTES else ""
            )
            if problem:
                return Done(errors=f"tar: {path}: {problem}", code=1)
            if path.startswith("/"):
                done.errors = _STRIPPED
        if tar.is_verbose:
            # The output is the archive.
            done.errors += "".join(f"{name}\n" for name in archive.getnames())
    done.output = buffer.getvalue()
    if tar.is_zipped:
        done.output = gzip.compress(done.output, mtime=0)
    return done


def _add_all(archive: tarfile.TarFile, tar: Tar, path: str, run: Run) -> str:
    """Add all files of a path. What went wrong, with the line's end; "" when nothing did."""
    whole = posixpath.join(tar.folder, path)
    found = run(["find", whole, "-type", "f"], "")
    names = found["stdout"].splitlines()
    if found["exitCode"]:
        return f"No such file or directory\n{_DELAYED}"
    if len(names) > MOST_FILES:
        return f"more than {MOST_FILES} files\n"
    told = run(["stat", "-c", "%Y %a", *names], "")["stdout"].splitlines() if names else []
    if len(told) != len(names):
        return "file changed as we read it\n"
    size = 0
    for name, (changed, mode) in zip(names, map(str.split, told), strict=True):
        data = run(["cat", name], "")["stdout"].encode()
        member = tarfile.TarInfo((path + name.removeprefix(whole)).lstrip("/"))
        member.size, member.mtime, member.mode = len(data), int(changed), int(mode, 8)
        archive.addfile(member, io.BytesIO(data))
        size += len(data)
        if size > MOST_BYTES:
            return f"more than {MOST_BYTES:,} bytes\n"
    return ""
