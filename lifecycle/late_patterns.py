"""Regular expressions that are compiled when they are first used: a command starts with a hundred of them."""

from __future__ import annotations

import re
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


__all__ = ["late_pattern"]
