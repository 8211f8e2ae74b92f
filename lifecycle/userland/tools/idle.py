"""Tools that only have a status: `true`, `false`, and what changes nothing a script here could look at."""

from __future__ import annotations

from .call import Call, Outcome
from .registry import tool


@tool("true", ":")
def true(call: Call) -> Outcome:
    """`true`: succeed."""
    return 0


@tool("false")
def false(call: Call) -> Outcome:
    """`false`: fail."""
    return 1


@tool("stty", "sync", "clear", "reset", "umount", "swapoff", "ulimit", "chown", "chgrp")
def nothing_to_see(call: Call) -> Outcome:
    """Change something no script here can look at."""
    return 0


@tool(
    "setcap", "update-ca-certificates", "ldconfig", "locale-gen", "adduser", "addgroup", "useradd", "groupadd"
)
def settings(call: Call) -> Outcome:
    """Set up what no script here can look at."""
    return 0
