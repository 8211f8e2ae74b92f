"""Regular expressions that are compiled when they are first used: a command starts with a hundred of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    late_pattern = re.compile
else:

    class late_pattern:
        """What `re.compile` gives, once somebody asks something of it."""

        def __init__(self, *pattern_and_flags: Any) -> None:
            self._given = pattern_and_flags

        def __getattr__(self, name: str) -> Any:
            """Only what was not asked for before: each method stays on the object."""
            found = getattr(re.compile(*self._given), name)
            self.__dict__[name] = found
            return found


@contextmanager
def patterns_compiled_late() -> Iterator[None]:
    """What is imported meanwhile for the first time has late patterns too, although it asks for others."""
    soon = re.compile
    vars(re)["compile"] = late_pattern
    try:
        yield
    finally:
        vars(re)["compile"] = soon


__all__ = ["late_pattern", "patterns_compiled_late"]
