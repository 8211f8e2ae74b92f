"""`--part 1/2`: the first of two processes that share the test files, and need not know of each other.

Under xdist every worker reads all files and tells of every test: where tests take milliseconds, that is a
third of all. Which part a file is of follows from the files alone, so that each is of exactly one: the
largest go first, each to the part that has the least until then. Files of a group stay together.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.groups import read_group
from tests.tiers import LEFT_OUT, read_tiers

_OTHERS = pytest.StashKey[frozenset[Path]]()


def share_out(sizes: Mapping[str, int], parts: int, folders: Mapping[str, str]) -> list[frozenset[str]]:
    """Who is in which part, so that their sizes sum up to about the same, in each of their folders as well.

    A letter of one folder's tests costs ten times what it costs in another's.
    """
    shares: list[set[str]] = [set() for _ in range(parts)]
    totals = [0] * parts
    sums: dict[str, list[int]] = {folder: [0] * parts for folder in folders.values()}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        own = sums[folders[name]]
        least = min(range(parts), key=lambda part: (own[part], totals[part]))
        shares[least].add(name)
        own[least] += sizes[name]
        totals[least] += sizes[name]
    return [frozenset(share) for share in shares]


def find_files(tests: Path, left_out: frozenset[str]) -> dict[str, dict[Path, int]]:
    """The test files of wanted tiers with their sizes, by group; a file without a group is one by itself."""
    groups: dict[str, dict[Path, int]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        source = path.read_text()
        if not left_out & read_tiers(source):
            groups.setdefault(read_group(source) or str(path), {})[path] = len(source)
    return groups


def find_others(tests: Path, left_out: frozenset[str], part: int, parts: int) -> frozenset[Path]:
    """The files of the other parts."""
    groups = find_files(tests, left_out)
    sizes = {name: sum(files.values()) for name, files in groups.items()}
    folders = {name: str(next(iter(files)).parent) for name, files in groups.items()}
    shares = share_out(sizes, parts, folders)
    own = shares[part - 1]
    return frozenset(path for name, files in groups.items() if name not in own for path in files)


def read_part(text: str) -> tuple[int, int]:
    """Of `1/2` 1 and 2."""
    part, slash, parts = text.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise pytest.UsageError(f"--part {text}: write which of how many, such as 1/2")
    return int(part), int(parts)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part", metavar="N/M", default="1/1", help="run the tests of one part of the files, such as 1/2"
    )


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    part, parts = read_part(config.getoption("part"))
    left_out = config.stash[LEFT_OUT]
    others = find_others(config.rootpath / "tests", left_out, part, parts) if parts > 1 else frozenset()
    config.stash[_OTHERS] = others


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether a file is another part's; None leaves the question to others."""
    return True if collection_path in config.stash[_OTHERS] else None
