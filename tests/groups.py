"""Which tests one process runs, so that what is costly to begin is begun once.

`--dist loadgroup` promises that for `pytest.mark.xdist_group`, but xdist 3.8 tells its controller of a group
by an id that pytest 9 does not let it write any more: no test is in any group, and nothing says so. All
groups here are of whole files, which say so at their top, where the controller can read it as well.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.tiers import read_marks

_GROUP = re.compile(r"xdist_group\(\"(\w+)\"\)")


def read_group(source: str, path: str) -> str:
    """The group of a file's tests; "" for none. Tests in a browser are one, file by file."""
    marks = read_marks(source)
    found = _GROUP.search(marks)
    if found:
        return found[1]
    return path if "pytest.mark.browser" in marks else ""


class ByGroup(LoadScopeScheduling):
    """One after the other where they are of a group, each by itself where not."""

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        super().__init__(config, log)
        self._group_of = cache(lambda path: read_group((config.rootpath / path).read_text(), path))

    def _split_scope(self, nodeid: str) -> str:
        path, _, _ = nodeid.partition("::")
        return self._group_of(path) or nodeid

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """What is done is forgotten: else each of thousands of tests would go through all before it."""
        super().mark_test_complete(node, item_index, duration)
        scope = self._split_scope(self.registered_collections[node][item_index])
        if all(self.assigned_work[node][scope].values()):
            del self.assigned_work[node][scope]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByGroup | None:
    """None leaves the other ways of spreading tests to xdist."""
    return ByGroup(config, log) if config.getvalue("dist") == "loadgroup" else None
