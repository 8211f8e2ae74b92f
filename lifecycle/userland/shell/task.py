"""The processes inside a container as plain data: tasks, their frames, what they wait for.

Everything here can be saved between two instants as JSON-able data and loaded elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field, replace

from ..saved import Saved

SUBSTITUTIONS = "substitutions"
NULL_GLOB, SOURCED_UNKNOWN = "nullglob", "sourced unknown"
"""Beside the names that `set` knows: bash's option, and that a file of which nothing is known was sourced."""
HOOK, GUESSES, ASKED = "hook", "guesses", "asked"
KEPT = (HOOK, GUESSES, ASKED)
"""In the state of a first process, and kept when it becomes another program: that it is a hook's, that what
it does hangs on something nobody knows, that somebody sent it into the container."""
READS = "reads"
TERMINAL, STREAM = "terminal", "stream"
"""In the state of a shell that takes its commands from its input as they come: what that input is."""
"""Where a task's state keeps how many command substitutions it is inside of."""
CALLER = "caller"
"""Where it keeps the name of the shell that has called it; what a runtime starts has none."""


@dataclass(slots=True, eq=False)
class Wait(Saved):
    """What a task waits for; `value` is plain data whose meaning depends on the kind."""

    TIME = "time"
    """Until an instant, in ms."""
    CHILD = "child"
    """For the foreground child with this process id."""
    CHILD_UNTIL = "childUntil"
    """For a child, but no longer than until an instant: [process id, ms or None]."""
    CHILDREN = "children"
    """For all of a pipeline's stages, the last one's status counting."""
    CAPTURE = "capture"
    """For a substitution: [open file, process id]; until nobody can write to the file any more."""
    JOBS = "jobs"
    """The `wait` builtin: process ids, or None for all children; a trapped signal ends it."""
    ANY_JOB = "anyJob"
    """`wait -n`: for the first of these process ids to end; a trapped signal ends it."""
    INPUT = "input"
    """Until the open file with this number has something to read, or ends."""
    LINE = "line"
    """The same for a whole line."""
    SPACE = "space"
    """Until a pipe has been read from."""
    CHANGE = "change"
    """Until the files have changed, or until an instant: [version seen, ms or None]."""
    SIGNAL = "signal"
    """For nothing but a signal."""

    kind: str
    value: Any = None


@dataclass(slots=True, eq=False)
class LoopState(Saved):
    """One loop being run, innermost last. `items` are those of a `for`."""

    again: int
    end: int
    depth: int
    """How many redirections were entered before the loop."""
    items: list[str] = field(default_factory=list)
    next_item: int = 0
    status: int = 0


MAIN, FUNCTION, SOURCE, TRAP, EXIT_TRAP = "main", "function", "source", "trap", "exitTrap"


@dataclass(slots=True, eq=False)
class Frame(Saved):
    """A position in a program: of the script itself, a function, an eval or sourced text, a trap."""

    kind: str
    program: str
    """The text it was compiled from."""
    at: int = 0
    is_tested: bool = False
    """Called from a condition: `set -e` does not apply."""
    loops: list[LoopState] = field(default_factory=list)
    substituted: dict[int, str] = field(default_factory=dict)
    redirects: list[dict[int, int | None]] = field(default_factory=list)
    """Descriptors to restore, one entry per redirected compound command."""
    subject: str = ""
    saved_arguments: list[str] | None = None
    saved_locals: dict[str, str | None] = field(default_factory=dict)
    saved_arrays: dict[str, tuple[list[str | None] | None, dict[str, str] | None]] = field(
        default_factory=dict
    )
    """What local arrays hide: an indexed array and an associative one of the same name."""
    saved_status: int = 0

    def copy(self, at: int) -> Frame:
        """The frame a forked child starts with: same program, elsewhere, nothing to return to."""
        frame = Frame(MAIN, self.program, at, self.is_tested)
        frame.subject = self.subject
        return frame


@dataclass(slots=True, eq=False)
class Shell(Saved):
    """The part of a task that only a shell has: variables, functions, traps, options."""

    flavour: str
    """`dash`, `ash` (busybox) or `bash`: they differ in `echo`, `[[` and arrays."""
    name: str
    arguments: list[str]
    variables: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, list[str | None]] = field(default_factory=dict)
    """Elements by place; None for one that is not set."""
    maps: dict[str, dict[str, str]] = field(default_factory=dict)
    """Associative arrays of bash."""
    exported: set[str] = field(default_factory=set)
    readonly: set[str] = field(default_factory=set)
    functions: dict[str, tuple[str, int]] = field(default_factory=dict)
    options: set[str] = field(default_factory=set)
    status: int = 0
    last_background: int = 0
    jobs: list[int] = field(default_factory=list)
    """Process ids of background commands by job number, from 1 on; begun anew when all have ended."""
    frames: list[Frame] = field(default_factory=list)
    seconds_ms: int = 0
    """The instant the shell started: `$SECONDS` counts from it."""

    def fork(self, at: int | None = None) -> Shell:
        """Make a subshell's copy; `at` is where in the current program the child goes on."""
        return replace(
            self,
            arguments=list(self.arguments),
            variables=dict(self.variables),
            arrays={name: list(values) for name, values in self.arrays.items()},
            maps={name: dict(values) for name, values in self.maps.items()},
            exported=set(self.exported),
            readonly=set(self.readonly),
            functions=dict(self.functions),
            options=set(self.options),
            jobs=[],
            frames=[] if at is None else [self.frames[-1].copy(at)],
        )

    def restore_variables(self, before: Mapping[str, str | None]) -> None:
        """Give variables their former values; None for those that were not set."""
        for name, value in before.items():
            if value is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = value


@dataclass(slots=True, eq=False)
class Task(Saved):
    """One process of the container: a shell, or a tool with its own state."""

    pid: int
    parent: int
    root: int
    """The process its tree began with: 1, or that of a hook or check."""
    arguments: list[str]
    started_ms: int
    fds: dict[int, int] = field(default_factory=dict)
    folder: str = "/"
    environment: dict[str, str] = field(default_factory=dict)
    shell: Shell | None = None
    tool: str = ""
    state: dict[str, Any] = field(default_factory=dict)
    wait: Wait | None = None
    traps: dict[str, str] = field(default_factory=dict)
    """Action by signal name without SIG, and EXIT; an empty action ignores the signal."""
    pending: list[str] = field(default_factory=list)
    reaped: dict[int, int] = field(default_factory=dict)
    """Statuses of ended children that nobody has waited for yet."""
    ports: list[int] = field(default_factory=list)
    cpu_milli: int = 0
    memory_bytes: int = 1 << 18
    stepped_ms: int = 0
    steps: int = 0
    """Instructions run since the task last let time pass."""

    def __post_init__(self) -> None:
        self.stepped_ms = max(self.stepped_ms, self.started_ms)
