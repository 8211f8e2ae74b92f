"""The processes inside a container as plain data: tasks, their frames, what they wait for.

Everything here can be saved between two instants as JSON-able data and loaded elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SUBSTITUTIONS = "substitutions"
"""Where a task's state keeps how many command substitutions it is inside of."""


class Wait:
    """What a task waits for; `value` is plain data whose meaning depends on the kind."""

    __slots__ = ("kind", "value")

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
    INPUT_UNTIL = "inputUntil"
    """The same, but no longer than until an instant: [open file, ms]."""
    SPACE = "space"
    """Until a pipe has been read from."""
    CHANGE = "change"
    """Until the files have changed, or until an instant: [version seen, ms or None]."""
    FIFO = "fifo"
    """Until the other end of a named pipe is opened: [pipe, end wanted, times the other one was opened]."""
    SIGNAL = "signal"
    """For nothing but a signal."""

    def __init__(self, kind: str, value: Any = None) -> None:
        self.kind = kind
        self.value = value

    def save(self) -> list[Any]:
        return [self.kind, self.value]


class LoopState:
    """One loop being run, innermost last. `items` are what is left of a `for`."""

    __slots__ = ("again", "depth", "end", "items", "next_item", "status")

    def __init__(self, again: int, end: int, depth: int) -> None:
        self.again = again
        self.end = end
        self.depth = depth
        """How many redirections were entered before the loop."""
        self.items: list[str] = []
        self.next_item = 0
        self.status = 0

    def save(self) -> list[Any]:
        return [self.again, self.end, self.depth, self.items[self.next_item :], self.status]

    @classmethod
    def load(cls, data: list[Any]) -> LoopState:
        loop = cls(data[0], data[1], data[2])
        loop.items, loop.status = data[3], data[4]
        return loop


MAIN, FUNCTION, SOURCE, TRAP, EXIT_TRAP = "main", "function", "source", "trap", "exitTrap"


class Frame:
    """A position in a program: of the script itself, a function, an eval or sourced text, a trap."""

    __slots__ = (
        "at",
        "is_tested",
        "kind",
        "loops",
        "program",
        "redirects",
        "saved_arguments",
        "saved_arrays",
        "saved_locals",
        "saved_status",
        "subject",
        "substituted",
    )

    def __init__(self, kind: str, program: str, at: int = 0, is_tested: bool = False) -> None:
        self.kind = kind
        self.program = program
        """The text it was compiled from."""
        self.at = at
        self.is_tested = is_tested
        """Called from a condition: `set -e` does not apply."""
        self.loops: list[LoopState] = []
        self.substituted: dict[int, str] = {}
        self.redirects: list[dict[int, int | None]] = []
        """Descriptors to restore, one entry per redirected compound command."""
        self.subject = ""
        self.saved_arguments: list[str] | None = None
        self.saved_locals: dict[str, str | None] = {}
        self.saved_arrays: dict[str, tuple[list[str | None] | None, dict[str, str] | None]] = {}
        """What local arrays hide: an indexed array and an associative one of the same name."""
        self.saved_status = 0

    def save(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "program": self.program,
            "at": self.at,
            "is_tested": self.is_tested,
            "loops": [loop.save() for loop in self.loops],
            "substituted": [[slot, text] for slot, text in self.substituted.items()],
            "redirects": [[[fd, old] for fd, old in saved.items()] for saved in self.redirects],
            "subject": self.subject,
            "saved_arguments": self.saved_arguments,
            "saved_locals": dict(self.saved_locals),
            "saved_arrays": {name: list(pair) for name, pair in self.saved_arrays.items()},
            "saved_status": self.saved_status,
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> Frame:
        frame = cls(data["kind"], data["program"], data["at"], data["is_tested"])
        frame.loops = [LoopState.load(entry) for entry in data["loops"]]
        frame.substituted = dict(data["substituted"])
        frame.redirects = [dict(saved) for saved in data["redirects"]]
        frame.subject = data["subject"]
        frame.saved_arguments = data["saved_arguments"]
        frame.saved_locals = dict(data["saved_locals"])
        frame.saved_arrays = {name: (pair[0], pair[1]) for name, pair in data["saved_arrays"].items()}
        frame.saved_status = data["saved_status"]
        return frame

    def copy(self, at: int) -> Frame:
        """The frame a forked child starts with: same program, elsewhere, nothing to return to."""
        frame = Frame(MAIN, self.program, at, self.is_tested)
        frame.subject = self.subject
        return frame


class Shell:
    """The part of a task that only a shell has: variables, functions, traps, options."""

    __slots__ = (
        "arguments",
        "arrays",
        "exported",
        "flavour",
        "frames",
        "functions",
        "jobs",
        "last_background",
        "maps",
        "name",
        "options",
        "readonly",
        "seconds_ms",
        "status",
        "variables",
    )

    def __init__(self, flavour: str, name: str, arguments: list[str]) -> None:
        self.flavour = flavour
        """`dash`, `ash` (busybox) or `bash`: they differ in `echo`, `[[` and arrays."""
        self.name = name
        self.arguments = arguments
        self.variables: dict[str, str] = {}
        self.arrays: dict[str, list[str | None]] = {}
        """Elements by place; None for one that is not set."""
        self.maps: dict[str, dict[str, str]] = {}
        """Associative arrays of bash."""
        self.exported: set[str] = set()
        self.readonly: set[str] = set()
        self.functions: dict[str, tuple[str, int]] = {}
        self.options: set[str] = set()
        self.status = 0
        self.last_background = 0
        self.jobs: list[int] = []
        """Process ids of background commands by job number, from 1 on; begun anew when all have ended."""
        self.frames: list[Frame] = []
        self.seconds_ms = 0
        """The instant the shell started: `$SECONDS` counts from it."""

    def fork(self, at: int | None = None) -> Shell:
        """A subshell's copy; `at` is where in the current program the child goes on."""
        child = Shell(self.flavour, self.name, list(self.arguments))
        child.variables = dict(self.variables)
        child.arrays = {name: list(values) for name, values in self.arrays.items()}
        child.maps = {name: dict(values) for name, values in self.maps.items()}
        child.exported = set(self.exported)
        child.readonly = set(self.readonly)
        child.functions = dict(self.functions)
        child.options = set(self.options)
        child.status = self.status
        child.last_background = self.last_background
        child.seconds_ms = self.seconds_ms
        if at is not None:
            child.frames = [self.frames[-1].copy(at)]
        return child

    def restore_variables(self, before: Mapping[str, str | None]) -> None:
        """Give variables their former values; None for those that were not set."""
        for name, value in before.items():
            if value is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = value

    def save(self) -> dict[str, Any]:
        """The shell as JSON-able data."""
        return {
            "flavour": self.flavour,
            "name": self.name,
            "arguments": list(self.arguments),
            "variables": dict(self.variables),
            "arrays": {name: list(values) for name, values in self.arrays.items()},
            "maps": {name: list(values.items()) for name, values in self.maps.items()},
            "exported": sorted(self.exported),
            "readonly": sorted(self.readonly),
            "functions": {name: list(place) for name, place in self.functions.items()},
            "options": sorted(self.options),
            "status": self.status,
            "last_background": self.last_background,
            "jobs": list(self.jobs),
            "seconds_ms": self.seconds_ms,
            "frames": [frame.save() for frame in self.frames],
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> Shell:
        shell = cls(data["flavour"], data["name"], data["arguments"])
        shell.variables = data["variables"]
        shell.arrays = data["arrays"]
        shell.maps = {name: dict(pairs) for name, pairs in data["maps"].items()}
        shell.exported = set(data["exported"])
        shell.readonly = set(data["readonly"])
        shell.functions = {name: (place[0], place[1]) for name, place in data["functions"].items()}
        shell.options = set(data["options"])
        shell.status = data["status"]
        shell.last_background = data["last_background"]
        shell.jobs = data["jobs"]
        shell.seconds_ms = data["seconds_ms"]
        shell.frames = [Frame.load(frame) for frame in data["frames"]]
        return shell


class Task:
    """One process of the container: a shell, or a tool with its own state."""

    __slots__ = (
        "arguments",
        "cpu_milli",
        "environment",
        "fds",
        "folder",
        "memory_bytes",
        "parent",
        "pending",
        "pid",
        "ports",
        "reaped",
        "root",
        "shell",
        "started_ms",
        "state",
        "stepped_ms",
        "steps",
        "tool",
        "traps",
        "wait",
    )

    def __init__(self, pid: int, parent: int, root: int, arguments: list[str], started_ms: int) -> None:
        self.pid = pid
        self.parent = parent
        self.root = root
        """The process its tree began with: 1, or that of a hook or check."""
        self.arguments = arguments
        self.started_ms = started_ms
        self.fds: dict[int, int] = {}
        self.folder = "/"
        self.environment: dict[str, str] = {}
        self.shell: Shell | None = None
        self.tool = ""
        self.state: dict[str, Any] = {}
        self.wait: Wait | None = None
        self.traps: dict[str, str] = {}
        """Action by signal name without SIG, and EXIT; an empty action ignores the signal."""
        self.pending: list[str] = []
        self.reaped: dict[int, int] = {}
        """Statuses of ended children that nobody has waited for yet."""
        self.ports: list[int] = []
        self.cpu_milli = 0
        self.memory_bytes = 1 << 18
        self.stepped_ms = started_ms
        self.steps = 0
        """Instructions run since the task last let time pass."""

    def save(self) -> dict[str, Any]:
        return {
            "pid": self.pid,
            "parent": self.parent,
            "root": self.root,
            "arguments": list(self.arguments),
            "started_ms": self.started_ms,
            "fds": [[fd, number] for fd, number in self.fds.items()],
            "folder": self.folder,
            "environment": dict(self.environment),
            "shell": self.shell.save() if self.shell else None,
            "tool": self.tool,
            "state": dict(self.state),
            "wait": self.wait.save() if self.wait else None,
            "traps": dict(self.traps),
            "pending": list(self.pending),
            "reaped": [[pid, status] for pid, status in self.reaped.items()],
            "ports": list(self.ports),
            "cpu_milli": self.cpu_milli,
            "memory_bytes": self.memory_bytes,
            "steps": self.steps,
            "stepped_ms": self.stepped_ms,
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> Task:
        task = cls(data["pid"], data["parent"], data["root"], data["arguments"], data["started_ms"])
        task.fds = dict(data["fds"])
        task.folder = data["folder"]
        task.environment = data["environment"]
        task.shell = Shell.load(data["shell"]) if data["shell"] else None
        task.tool = data["tool"]
        task.state = data["state"]
        task.wait = Wait(*data["wait"]) if data["wait"] else None
        task.traps = data["traps"]
        task.pending = data["pending"]
        task.reaped = dict(data["reaped"])
        task.ports = data["ports"]
        task.cpu_milli = data["cpu_milli"]
        task.memory_bytes = data["memory_bytes"]
        task.steps = data["steps"]
        task.stepped_ms = data["stepped_ms"]
        return task
