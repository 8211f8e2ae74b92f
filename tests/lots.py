"""Which test files are run together, and which are to begin soon.

A lot is one file, or the files of a group: one process runs it, so that what they share is made once. A file
says at its top that it is of a group: `pytestmark = pytest.mark.together("floors")`.
"""

from __future__ import annotations

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
    top: pytest.Config = session.config
    folders: dict[Path, pytest.Directory] = {}
    found = {
        file.path: file
        for argument in top.args
        for file in _walk(_place(session, top.invocation_params.dir / argument, folders))
    }
    return [found[path] for path in sorted(found)]


def _place(
    session: pytest.Session, path: Path, folders: dict[Path, pytest.Directory]
) -> list[pytest.Collector]:
    """The node of a folder or a file, below those of the folders it is in."""
    parent: pytest.Collector = session
    ways = [*reversed(path.relative_to(session.config.rootpath).parents)]
    for folder in (session.config.rootpath / way for way in ways):
        if folder not in folders:
            folders[folder] = parent.ihook.pytest_collect_directory(path=folder, parent=parent)
        parent = folders[folder]
    if path.is_dir():
        return [parent.ihook.pytest_collect_directory(path=path, parent=parent)]
    return parent.ihook.pytest_collect_file(file_path=path, parent=parent)


def _walk(nodes: Iterable[pytest.Collector]) -> Iterator[pytest.File]:
    """The files among these and in these folders."""
    for node in nodes:
        if isinstance(node, pytest.Directory):
            yield from _walk(collect_one_node(node).result)
        else:
            yield node


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
