"""`$(NAME)` in `command` and `args`: replaced from the container's own environment, as the kubelet does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_REFERENCE = re.compile(r"\$(\$|\((\w[\w.-]*)\))")


def container_environment(raw: Mapping[str, Any]) -> dict[str, str]:
    """The variables whose values are written in the manifest itself, references among them resolved."""
    values: dict[str, str] = {}
    for entry in raw.get("env") or ():
        if "valueFrom" not in entry:
            values[str(entry.get("name", ""))] = expand_references(str(entry.get("value") or ""), values)
    return values


def expand_references(text: str, values: Mapping[str, str]) -> str:
    """Known names are replaced, unknown ones stay as written; `$$(NAME)` is the way to write `$(NAME)`."""

    def replace(match: re.Match[str]) -> str:
        if match[1] == "$":
            return "$"
        return values.get(match[2], match[0])

    return _REFERENCE.sub(replace, text)
