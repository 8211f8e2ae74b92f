"""Which tests one process runs: those of a file, or of a group of files, and what they share is made once.

`--dist loadgroup` promises that for `pytest.mark.xdist_group`, but xdist 3.8 tells its controller of a group
by an id that pytest 9 does not let it write any more: no test is in any group, and nothing says so. All
groups here are of whole files, which say so at their top, where the controller can read it as well.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.tiers import read_marks, read_tiers

_GROUP = re.compile(r"xdist_group\(\"(\w+)\"\)")


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


class ByGroup(LoadScopeScheduling):
    """A file by one process, so that what is made for all its tests is made once; a group's files as well."""

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        super().__init__(config, log)
        self._folder = config.rootpath
        self._scopes: dict[str, str] = {}
        self._ranks: dict[str, int] = {}

    def _split_scope(self, nodeid: str) -> str:
        path, _, _ = nodeid.partition("::")
        if path not in self._scopes:
            source = (self._folder / path).read_text()
            self._scopes[path] = scope = read_group(source) or path
            self._ranks[scope] = max(rank(source), self._ranks.get(scope, 0))
        return self._scopes[path]

    def _assign_work_unit(self, node: Any) -> None:
        """What takes long is not left to the end, where one process would wait for the other."""
        first = max(self.workqueue, key=lambda scope: self._ranks[scope])
        self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)

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
