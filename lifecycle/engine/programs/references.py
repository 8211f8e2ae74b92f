"""`$(NAME)` in `command` and `args`: replaced from the container's own environment, as the kubelet does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lifecycle.late_patterns import late_pattern

MOST_BYTES = 128 * 1024
"""Linux starts no program with a longer argument or variable."""
# A name reaches to the first closing bracket: of `$(echo $(NAME))` nothing is replaced.
_REFERENCE = late_pattern(r"\$(\$|\(([^)]*)\))")


def expand_check(words: Iterable[str], raw: Mapping[str, Any]) -> list[str]:
    """An exec probe's command: only texts of the manifest are put in, as they are; other variables are empty.

    Models the kubelet's ExpandContainerCommandOnlyStatic.
    """
    values = {str(entry.get("name", "")): str(entry.get("value") or "") for entry in raw.get("env") or ()}
    return [expand_references(word, values) for word in words]


def list_references(text: str) -> list[str]:
    """The names that a text refers to."""
    return [match[2] for match in _REFERENCE.finditer(text) if match[1] != "$"]


def expand_references(text: str, values: Mapping[str, str]) -> str:
    """Known names are replaced, unknown ones stay as written; `$$(NAME)` is the way to write `$(NAME)`.

    So do references that would make a text of more than Linux takes (MOST_BYTES).
    """
    size = len(text)

    def replace(match: re.Match[str]) -> str:
        nonlocal size
        if match[1] == "$":
            return "$"
        value = values.get(match[2], match[0])
        if size + len(value) > MOST_BYTES:
            return match[0]
        size += len(value)
        return value

    return _REFERENCE.sub(replace, text)
