"""The inputs of a check as they were in a revision of git, in a folder of their own.

Blobs are read one by one: nothing is checked out, no filter, hook or attribute of the repository is run or
followed, and nothing is fetched.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from lifecycle.input.folders import find_trick
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.lean_tuples import NamedTuple

LONGEST_SECONDS = 60
MOST_FILES, MOST_BYTES = 20_000, 256 * 1024 * 1024
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
_FILES = (b"100644", b"100755")
_ON_DISK = ("inputs", "values", "kustomize")
"""The options that name files and folders."""


class Blob(NamedTuple):
    """A file of a revision."""

    path: str
    name: bytes
    size_bytes: int


def place_revision(revision: str, options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Write what the options name, as it was, into a folder; the options that name it there.

    What was not there yet is left out. Raises ManifestError.
    """
    if "-" in options["inputs"]:
        raise _refuse(revision, "standard input has no earlier revision", "give files or folders")
    named = [*options["inputs"], *options["kustomize"]]
    first = Path(named[0]) if named else Path()
    home = first if first.is_dir() else first.parent
    top = Path(os.fsdecode(_git(revision, home, "rev-parse", "--show-toplevel").rstrip(b"\n")))
    commit = _find_commit(revision, home)
    wanted = {name: [_within(one, top, revision) for one in options[name]] for name in _ON_DISK}
    # A kustomization takes in what stands beside it.
    roots = [PurePosixPath()] if options["kustomize"] else [one for found in wanted.values() for one in found]
    _write(_list_blobs(revision, home, commit, roots), revision, home, folder)
    moved = {
        name: [str(folder / one) for one in found if (folder / one).exists()]
        for name, found in wanted.items()
    }
    return {**options, **moved}


def _refuse(revision: str, message: str, remedy: str) -> ManifestError:
    return ManifestError([Problem(message, remedy, source=f"--against {revision}")])


def _git(revision: str, folder: Path, *words: str, given: bytes = b"") -> bytes:
    """What git says. Raises ManifestError with its own words where it fails."""
    command = ["git", *_SAFE, "-C", str(folder), *words]
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, timeout=LONGEST_SECONDS, env={**os.environ, **_QUIET}
        )
    except FileNotFoundError:
        raise _refuse(revision, "git is not installed", "give a folder or an earlier JSON report") from None
    except subprocess.TimeoutExpired:
        told = f"git took longer than {LONGEST_SECONDS} s"
        raise _refuse(revision, told, "give a folder or an earlier JSON report") from None
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip().partition("\n")[0] or "git failed"
        raise _refuse(revision, told, "give a revision, a folder or an earlier JSON report")
    return done.stdout


def _find_commit(revision: str, folder: Path) -> str:
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    try:
        return _git(revision, folder, *words).decode().strip()
    except ManifestError:
        told = "no file, folder or revision is called so"
        remedy = "git rev-parse says which revisions there are; a shallow clone has few of them"
        raise _refuse(revision, told, remedy) from None


def _within(name: str, top: Path, revision: str) -> PurePosixPath:
    """A path as git names it."""
    try:
        return PurePosixPath(Path(name).resolve().relative_to(top.resolve()).as_posix())
    except ValueError:
        told = f"{name} is not in the repository {top.name}"
        raise _refuse(revision, told, "give a folder or an earlier JSON report") from None


def _list_blobs(revision: str, folder: Path, commit: str, roots: Sequence[PurePosixPath]) -> list[Blob]:
    """The files of a revision below some paths. Links and submodules are left out."""
    found = []
    told = _git(revision, folder, "ls-tree", "-r", "-z", "--long", "--full-tree", commit)
    for line in filter(None, told.split(b"\0")):
        head, _, name = line.partition(b"\t")
        mode, _, blob, size = head.split()
        path = os.fsdecode(name)
        pure = PurePosixPath(path)
        is_wanted = any(root == pure or root in pure.parents for root in roots)
        if mode in _FILES and is_wanted and not find_trick(path):
            found.append(Blob(path, blob, int(size)))
    if len(found) > MOST_FILES or sum(one.size_bytes for one in found) > MOST_BYTES:
        message = f"more than {MOST_FILES:,} files or {MOST_BYTES >> 20} MiB"
        raise _refuse(revision, message, "give a folder or an earlier JSON report")
    return found


def _write(blobs: Sequence[Blob], revision: str, home: Path, folder: Path) -> None:
    asked = b"".join(one.name + b"\n" for one in blobs)
    told = _git(revision, home, "cat-file", "--batch", given=asked) if blobs else b""
    for blob, content in zip(blobs, _read_batch(told, blobs), strict=True):
        path = folder / blob.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _read_batch(told: bytes, blobs: Sequence[Blob]) -> Iterator[bytes]:
    """After a line that says what comes, each blob, and a newline."""
    at = 0
    for blob in blobs:
        start = told.index(b"\n", at) + 1
        at = start + blob.size_bytes + 1
        yield told[start : at - 1]
