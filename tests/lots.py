"""Which test files are run together, and which are to begin soon.

A lot is one file, or the files of a group: one process runs it, so that what they share is made once. A file
says at its top that it is of a group: `pytestmark = pytest.mark.together("floors")`.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from _pytest.runner import collect_one_node

from tests.tiers import read_marks, read_tiers

_GROUP = re.compile(r"\bpytest\.mark\.together\(\"(\w+)\"\)")


def read_group(source: str) -> str:
    """The group of a file's tests; "" for none. What drives a browser is one: it shares a Podline."""
    found = _GROUP.search(read_marks(source))
    if found:
        return found[1]
    return "browser" if "browser" in read_tiers(source) else ""


def rank(source: str) -> int:
    """How soon a file is to begin: 2 what drives a browser, 1 what is slow, 0 what is done in a moment."""
    tiers = read_tiers(source)
    return 2 if "browser" in tiers else int("slow" in tiers)


def find_files(session: pytest.Session) -> list[pytest.File]:
    """The test files that the command line asks for, none of them read yet."""
    tree = Tree(session)
    top: pytest.Config = session.config
    found: dict[Path, pytest.File] = {}
    for argument in top.args:
        path = Path(os.path.normpath(top.invocation_params.dir / argument))
        if not path.exists():
            raise pytest.UsageError(f"file or directory not found: {argument}")
        found |= {file.path: file for file in tree.find_files(path)}
    return [found[path] for path in sorted(found)]


class Tree:
    """Folders as pytest sees them, each read once: to that its fixtures are tied."""

    def __init__(self, session: pytest.Session) -> None:
        self.top: Path = session.config.rootpath
        self.root = session.ihook.pytest_collect_directory(path=self.top, parent=session)
        self.known: dict[Path, list[pytest.Collector]] = {}

    def read(self, folder: pytest.Collector) -> list[pytest.Collector]:
        """What is in a folder, but for what is to be passed over."""
        if folder.path not in self.known:
            self.known[folder.path] = [*collect_one_node(folder).result]
        return self.known[folder.path]

    def find_folder(self, path: Path) -> pytest.Collector:
        if path == self.top:
            return self.root
        return next(one for one in self.read(self.find_folder(path.parent)) if one.path == path)

    def find_files(self, path: Path) -> Iterator[pytest.File]:
        """A file that is named is never passed over."""
        if path.is_dir():
            yield from self.walk(self.find_folder(path))
        else:
            folder = self.find_folder(path.parent)
            self.read(folder)
            yield from folder.ihook.pytest_collect_file(file_path=path, parent=folder)

    def walk(self, folder: pytest.Collector) -> Iterator[pytest.File]:
        for one in self.read(folder):
            if isinstance(one, pytest.Directory):
                yield from self.walk(one)
            else:
                yield one


def make_lots(files: Iterable[pytest.File]) -> list[list[pytest.File]]:
    """The files in lots, in the order in which these begin.

    What takes long is not left to the end, where one process would wait for the other.
    """
    lots: dict[str, list[pytest.File]] = {}
    ranks: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for file in files:
        source = file.path.read_text()
        name = read_group(source) or file.nodeid
        lots.setdefault(name, []).append(file)
        ranks[name] = max(ranks[name], rank(source))
        sizes[name] += len(source)
    return [lots[name] for name in sorted(lots, key=lambda name: (-ranks[name], -sizes[name], name))]
