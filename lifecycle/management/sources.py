"""Checkouts of Kubernetes: which file is where in a revision, and what changed between two of them.

A checkout is one of kubernetes/kubernetes, or of a repository that has a copy of it: whole in some folder, or
vendored. In a vendoring one `pkg/…` is `vendor/k8s.io/kubernetes/pkg/…`, and `staging/src/k8s.io/…` is
`vendor/k8s.io/…`. Files are compared by what is in them, wherever each revision has them.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

STAGING = "staging/src/"
# Every whole copy of Kubernetes has this file there.
_LANDMARK = STAGING + "k8s.io/apimachinery/pkg/util/validation/validation.go"
_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@ ?(.*)$")
_FUNCTION = re.compile(r"^func (?:\([^)]*\) )?(\w+)")
# Blank lines, comments and imports.
_IDLE = re.compile(r"^\s*(?://.*|(?:import )?(?:[\w.]+ )?\"[\w./-]+\"|import \(|\))?$")


class SourceError(Exception):
    """What is wrong with a checkout or a revision of it, and what would be right."""


@dataclass(frozen=True)
class FileChange:
    """What two revisions have of one file.

    `functions`: those of Go in which lines differ, in their order. `others`: lines that differ and are in no
    function, such as constants; imports, comments and blank ones are left out.
    """

    path: str
    added: int = 0
    removed: int = 0
    functions: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    is_new: bool = False
    is_gone: bool = False

    def concerns(self, words: Sequence[str]) -> bool:
        """Whether it is about one of these words; without words it is about everything."""
        return not words or self.is_new or self.is_gone or bool(self.list_places(words))

    def list_places(self, words: Sequence[str]) -> list[str]:
        """The functions that differ and have one of these words in their names; without words all.

        What stands outside of functions is one place, where a line of it has such a word.
        """
        places = [name for name in self.functions if _has_any(name, words)]
        if any(_has_any(line, words) for line in self.others):
            places.append("what is outside of functions")
        return places


def _has_any(text: str, words: Sequence[str]) -> bool:
    return not words or any(word.lower() in text.lower() for word in words)


class Revision:
    """The files of one revision of a checkout, by the paths that kubernetes/kubernetes gives them."""

    def __init__(self, folder: Path, name: str) -> None:
        self.blobs = _read_tree(folder, name)
        roots = (path.removesuffix(_LANDMARK) for path in self.blobs if path.endswith(_LANDMARK))
        # The checkout itself comes before a copy in some folder of it.
        self._roots = sorted(roots, key=len)
        if not self._roots and not any(path.startswith("vendor/k8s.io/") for path in self.blobs):
            raise SourceError(
                f"{name} of {folder} has no Kubernetes in it; give a checkout of kubernetes/kubernetes,"
                " or of a repository that vendors it"
            )

    def find(self, path: str) -> str | None:
        """The content of a file, as git names it; None where the revision has no such file."""
        places = (*(root + path for root in self._roots), vendored(path))
        return next((self.blobs[place] for place in places if place in self.blobs), None)

    def list_beside(self, folders: Iterable[str]) -> set[str]:
        """The Go files, tests left out, right in these folders of Kubernetes."""
        found = set()
        for folder in folders:
            for place in (*(root + folder for root in self._roots), vendored(folder)):
                found |= {f"{folder}/{name}" for name in self._by_folder.get(place, ())}
        return found

    @cached_property
    def _by_folder(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.blobs:
            folder, _, name = path.rpartition("/")
            if name.endswith(".go") and not name.endswith("_test.go"):
                found.setdefault(folder, []).append(name)
        return found


def vendored(path: str) -> str:
    """Where a vendoring repository has a file or folder of Kubernetes."""
    if path.startswith(STAGING):
        return "vendor/" + path.removeprefix(STAGING)
    return "vendor/k8s.io/kubernetes/" + path


def compare(folder: Path, path: str, old: Revision, new: Revision) -> FileChange | None:
    """What changed of one file; None where nothing did, or neither revision has it."""
    before, after = old.find(path), new.find(path)
    if before == after:
        return None
    if before is None or after is None:
        return FileChange(path, is_new=before is None, is_gone=after is None)
    return read_change(path, _ask(folder, "diff", "--no-color", "-U0", before, after))


def read_change(path: str, diff: str) -> FileChange:
    """What a diff without context says."""
    added, removed, function = 0, 0, ""
    functions, others = [], []
    for line in diff.splitlines():
        if hunk := _HUNK.match(line):
            removed += int(hunk[1] or 1)
            added += int(hunk[2] or 1)
            # What git shows beside a hunk is the last line before it that begins something.
            function = _name_of(hunk[3])
        elif not line.startswith(("+", "-")) or line.startswith(("+++", "---")):
            continue
        elif begun := _name_of(line[1:]):
            function = begun
        elif _IDLE.match(line[1:]):
            continue
        if function:
            functions.append(function)
        elif not hunk:
            others.append(line[1:])
    return FileChange(path, added, removed, tuple(dict.fromkeys(functions)), tuple(others))


def _name_of(line: str) -> str:
    function = _FUNCTION.match(line)
    return function[1] if function else ""


def _read_tree(folder: Path, name: str) -> dict[str, str]:
    """What is in every file of a revision, by its path, as git names contents."""
    _require_repository(folder)
    try:
        commit = _ask(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}")
    except SourceError:
        raise SourceError(
            f"--source {folder} has no revision {name}; `git -C {folder} branch -a` and"
            f" `git -C {folder} tag` list what it has"
        ) from None
    return dict(_read_rows(_ask(folder, "ls-tree", "-r", "-z", "--full-tree", commit.strip())))


def _read_rows(listing: str) -> Iterator[tuple[str, str]]:
    for row in listing.split("\0"):
        if row:
            described, _, path = row.partition("\t")
            _mode, _kind, blob = described.split(" ")
            yield path, blob


def _require_repository(folder: Path) -> None:
    if not folder.is_dir():
        raise SourceError(f"--source {folder}: there is no such folder; give a git checkout of Kubernetes")
    _ask(folder, "rev-parse", "--git-dir")


def _ask(folder: Path, *words: str) -> str:
    """What git answers. Raises SourceError with what git said where it refuses."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise SourceError("git is not installed; it reads the checkout") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise SourceError(f"--source {folder}: git says: {said[0] if said else 'no'}")
    return done.stdout.decode(errors="replace")
