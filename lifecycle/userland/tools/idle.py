"""Tools that only have a status: `true`, `false`, and what changes nothing a script here could look at."""

from __future__ import annotations

from .call import Call, Outcome
from .registry import tool


@tool(
    "true", ":", "stty", "sync", "clear", "reset", "umount", "swapoff", "ulimit", "chown", "chgrp", "setcap"
)
@tool("update-ca-certificates", "ldconfig", "locale-gen", "adduser", "addgroup", "useradd", "groupadd")
def true(call: Call) -> Outcome:
    """`true`: succeed, as does what changes and sets up nothing a script here can look at."""
    return 0


@tool("false")
def false(call: Call) -> Outcome:
    """`false`: fail."""
    return 1
