"""What a process hands back to the kubelet: sights and hooks."""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass
from lifecycle.lean_tuples import NamedTuple
from lifecycle.userland.saved import Saved


class Sight(NamedTuple):
    """What one check would see now.

    `takes_ms` is how long the check runs (the kubelet compares it with the probe's timeout). `until_ms` is
    the instant until which the answer surely stays the same; None is for ever, unless the process' `version`
    changes. An answer that rests on a volume others may write to (`sees_volumes`) is certain for now only.
    `is_singular`: the message holds an identity, so that no other check says the same.
    """

    result: str
    message: str = ""
    takes_ms: int = 0
    until_ms: int | None = None
    sees_volumes: bool = False
    is_singular: bool = False


@dataclass(slots=True)
class HookRun(Saved):
    """A lifecycle hook under way. `finished_ms` None: not known yet; ask again after the process has run."""

    kind: str
    finished_ms: int | None
    exit_code: int = 0
    message: str = ""
    task: int | None = None
    """The process inside the container that runs it, while it runs."""
    output: int | None = None
    """The number of what that process writes to."""
    said: str = ""
    """What it has written, once it is over."""


class Served(NamedTuple):
    """What a request finds in a folder that is served: the status, and the file's text."""

    status: int
    reads_volumes: bool
    text: str
