"""One call of a tool: its arguments, its state, and the few things it can do.

A tool is a function of a `Call`. It returns its exit status, or a `Wait`: it is then called again when the
wait is over, with the state it left. It may also turn its process into another program and return None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from ..errors import CannotInterpret
from ..file_layers import FOLDER, OPAQUE, FileProblem
from ..file_system import NULL_DEVICE, FileSystem
from ..file_view import join_path
from ..guesses import ASKED_PROGRAM, FORM, OPTION
from ..lines import whole_lines_of
from ..shell.machine import Machine
from ..shell.open_files import CAPTURE, READER, WRITER
from ..shell.task import ASKED, CALLER, KEPT, Task, Wait
from ..world import World

Outcome: TypeAlias = int | Wait | None
_STDIN = "-"
_OUTPUTS = frozenset("-o -O -out -keyout --out --output --output-file".split())
"""What names the file that a program writes."""
_NOT_DONE = 126
_MOST_INPUT = 1 << 20
_MOST_LINES = 50_000
_BUFFERED = 64
_OPENING = frozenset("cat tail md5sum sha1sum sha256sum sha512sum".split())
"""BusyBox' tools that say of a file that they cannot open it."""
_SIGNS_OF_AN_ENTRY, _SIGNS_OF_A_LINE, _SIGNS_OF_A_SIGN = 4096, 64, 8
"""Looking at one is as much work as moving so many signs."""
_LINE_OF_MANY = 32
"""Putting a line in its place among others is as much work as looking at so many signs."""


class Call:
    """What a tool sees of its process and of the container."""

    __slots__ = ("buffer", "machine", "task")

    def __init__(self, machine: Machine, task: Task) -> None:
        self.machine = machine
        self.task = task
        self.buffer: list[str] | None = None

    @property
    def name(self) -> str:
        """The name the tool was called by, without its folder."""
        return self.task.arguments[0].rpartition("/")[2]

    @property
    def arguments(self) -> list[str]:
        """The words behind the name."""
        return self.task.arguments[1:]

    @property
    def state(self) -> dict[str, Any]:
        """What the tool keeps between two calls, as JSON-able data."""
        return self.task.state

    @property
    def environment(self) -> dict[str, str]:
        """The process' environment."""
        return self.task.environment

    @property
    def now_ms(self) -> int:
        """The instant."""
        return self.machine.now_ms

    @property
    def world(self) -> World:
        """The world around the container."""
        return self.machine.world

    @property
    def files(self) -> FileSystem:
        """The container's files."""
        return self.machine.file_system

    @property
    def is_alive(self) -> bool:
        """False once the process was killed, as by SIGPIPE."""
        return self.task.pid in self.machine.tasks

    def work(self, steps: int) -> None:
        """Count what is as much work as so many instructions."""
        self.machine.work(self.task, steps << 10)

    def path(self, text: str) -> str:
        """The absolute path that a word means here."""
        return join_path(self.task.folder, text)

    def out(self, text: str) -> bool:
        """Write to standard output; False when nobody reads it any more."""
        if self.buffer is None:
            return self.machine.write(self.task, 1, text)
        self.buffer.append(text)
        if len(self.buffer) >= _BUFFERED:
            self.flush()
        return True

    def err(self, message: str) -> None:
        """Say something on standard error, behind the tool's name."""
        self.flush()
        self.machine.write(self.task, 2, f"{self.name}: {message}\n")

    def fail(self, message: str, status: int = 1) -> int:
        """Say what is wrong; gives the status to end with."""
        self.err(message)
        return status

    def refuse(self, problem: str, status: int) -> int:
        """What the shell says of a command it cannot run, or the runtime of what it cannot turn into."""
        caller = f"{self.state[CALLER]}:" if CALLER in self.state else "exec"
        self.machine.write(self.task, 2, f"{caller} {self.task.arguments[0]}: {problem}\n")
        return status

    @property
    def is_asked(self) -> bool:
        """Whether it is part of what somebody sent into the container, and waits for."""
        root = self.machine.tasks.get(self.task.root)
        return root is not None and ASKED in root.state

    def refuse_asked(self) -> int:
        """For what somebody asks for and is not modelled: named, and fails. Nobody is told it was done."""
        self.machine.met_unknown = True
        what = " ".join(self.task.arguments)[:60]
        self.machine.note(f"cannot interpret {what!r}: {ASKED_PROGRAM.taken.format(status=_NOT_DONE)}")
        return _NOT_DONE

    def guess(self, what: str) -> int:
        """For an option of the tool that is not modelled: named, and taken to succeed as real programs do."""
        if self.is_asked:
            return self.refuse_asked()
        self.machine.note(f"cannot interpret {self.name} {what}: {OPTION.taken}")
        self.machine.met_unknown = True
        self.feed_unknown()
        return 0

    def write_outputs(self) -> None:
        """Make the files that a program which is not modelled is told to write, as `-out key.pem`."""
        for name, value in zip(self.arguments, self.arguments[1:], strict=False):
            path = self.path(value)
            is_file = value[:1] not in ("", "-") and "=" not in value and self.files.find(path) is None
            if name in _OUTPUTS and is_file and self.files.can_write(path):
                self.files.write_unknown(path)

    def cannot(self, what: str, status: int = 2) -> int:
        """For a form of the tool that is not modelled: named, and taken to fail."""
        self.machine.note(f"cannot interpret {self.name} {what}: {FORM.taken.format(status=status)}")
        return status

    def sleep_until(self, at_ms: int) -> Wait:
        """Wait until an instant, in ms."""
        return Wait(Wait.TIME, at_ms)

    # Input.

    def wait_for_input(self) -> Wait:
        """Wait until standard input has more, or ends."""
        return Wait(Wait.INPUT, self.task.fds[0])

    def whole_input(self) -> str | Wait:
        """All of standard input, once its end is reached; a Wait until then."""
        text, is_end = self.machine.read(self.task, 0)
        self.state["input"] = self.state.get("input", "") + text
        if len(self.state["input"]) > _MOST_INPUT:
            self.machine.work(self.task, _MOST_INPUT * _SIGNS_OF_A_SIGN)
            _check_size(_MOST_INPUT + 1, 0)
        if is_end or not self._is_pipe():
            return str(self.state["input"])
        return self.wait_for_input()

    def _is_pipe(self) -> bool:
        file = self.machine.open_files.files.get(self.task.fds.get(0, 0))
        return file is not None and file.kind == READER

    def read_file(self, name: str) -> str | None:
        """A file's text; None, after a message, when it cannot be read."""
        if self.path(name) == NULL_DEVICE:
            return ""
        try:
            text = self.files.read(self.path(name))
            if self.is_opaque(name):
                self.machine.met_unknown = True
                self.feed_unknown()
            return text
        except FileProblem as problem:
            if not self.is_known_absent(name):
                self.machine.met_unknown = True
            is_opened = self.name in _OPENING and self.state.get("flavour", self.machine.flavour) == "ash"
            self.err(f"can't open '{name}': {problem}" if is_opened else f"{name}: {problem}")
            self.state["failed"] = True
            return None

    def is_known_absent(self, name: str) -> bool:
        """Whether a missing file is surely missing, and not only unknown to the manifest."""
        path = self.path(name)
        inside = any(path.startswith(mount.path.rstrip("/") + "/") for mount in self.files.mounts)
        return inside or not self.machine.is_lenient

    def feed_unknown(self) -> None:
        """Note that nothing is known of what is written, where a pipe or a substitution takes it."""
        number = self.task.fds.get(1, 0)
        output, root = self.machine.open_files.files.get(number), self.machine.tasks.get(self.task.root)
        is_own = root is not None and root.fds.get(1) == number
        is_taken = output is not None and (output.kind == WRITER or (output.kind == CAPTURE and not is_own))
        self.machine.feeds_unknown |= is_taken

    def feed_answer(self) -> None:
        """The same for what a server that was reached answers: who looks for a word there finds it."""
        self.feed_unknown()
        output = self.machine.open_files.files.get(self.task.fds.get(1, 0))
        if output is not None and output.kind == WRITER:
            self.machine.open_files.pipes[output.pipe].is_answer = True

    @property
    def reads_answer(self) -> bool:
        """Whether standard input is such an answer."""
        source = self.machine.open_files.files.get(self.task.fds.get(0, 0))
        if source is None or source.kind != READER:
            return False
        return self.machine.open_files.pipes[source.pipe].is_answer

    def is_opaque(self, name: str) -> bool:
        """Whether a file is there and nothing is known of what is in it."""
        entry = self.files.find(self.path(name))
        return entry is not None and entry.kind == OPAQUE

    def whole_inputs(self, names: Sequence[str]) -> list[tuple[str, str]] | Wait:
        """Names and texts of the files given, or of standard input when there is none."""
        found: list[tuple[str, str]] = []
        for name in names or (_STDIN,):
            if name != _STDIN and self.path(name) not in ("/dev/stdin", "/proc/self/fd/0"):
                text = self.read_file(name)
                if text is not None:
                    found.append((name, text))
                continue
            read = self.whole_input()
            if isinstance(read, Wait):
                return read
            found.append((name, read))
        size, lines = (sum(map(count, (text for _, text in found))) for count in (len, _count_lines))
        self.machine.work(self.task, (size + _LINE_OF_MANY * lines) * _SIGNS_OF_A_SIGN)
        _check_size(size, lines)
        return found

    def walk(self, name: str) -> list[str]:
        """The path that a name stands for and all below it; more of them are more work."""
        found = list(self.files.walk(self.path(name)))
        self.machine.work(self.task, len(found) * _SIGNS_OF_AN_ENTRY)
        return found

    @property
    def status(self) -> int:
        """1 when a file could not be read, else 0."""
        return 1 if self.state.get("failed") else 0

    def each_line(self, names: Sequence[str], handle: Callable[[str], bool]) -> Outcome:
        """Hand over line after line as it comes, with its end; `handle` returns True to stop early."""
        if names and list(names) != [_STDIN]:
            texts = self.whole_inputs(names)
            if isinstance(texts, Wait):
                return texts
            for _, text in texts:
                if self._hand_over(whole_lines_of(text), handle):
                    return self.status
            return self.status
        while self.is_alive:
            text, is_end = self.machine.read(self.task, 0)
            lines = whole_lines_of(self.state.pop("partial", "") + text)
            if lines and not is_end and not lines[-1].endswith("\n"):
                self.state["partial"] = lines.pop()
            if self._hand_over(lines, handle):
                return 0
            if is_end:
                return 0
            if not text:
                return self.wait_for_input()
        return None

    def _hand_over(self, lines: list[str], handle: Callable[[str], bool]) -> bool:
        """What is written meanwhile goes out in larger pieces, as from any program."""
        self.machine.work(self.task, sum(map(len, lines)) * _SIGNS_OF_A_SIGN + len(lines) * _SIGNS_OF_A_LINE)
        self.buffer = []
        try:
            return any(handle(line) or not self.is_alive for line in _bounded(lines))
        finally:
            self.flush()
            self.buffer = None

    def flush(self) -> None:
        """Write what has waited for company."""
        if self.buffer:
            text, self.buffer = "".join(self.buffer), []
            self.machine.write(self.task, 1, text)

    # Processes.

    def become(self, arguments: list[str]) -> Outcome:
        """Go on as another program, in the same process."""
        self.task.arguments = arguments
        kept: dict[str, Any] = {
            name: self.state[name] for name in ("is_tail", "flavour", CALLER, *KEPT) if name in self.state
        }
        self.task.state = kept
        self.task.tool = ""
        return None

    def start_child(self, arguments: list[str]) -> Task:
        """Start another program as a child, which runs when this one waits."""
        child = self.machine.child_of(self.task, arguments)
        child.environment = dict(self.environment)
        child.state = {"is_tail": True, "flavour": self.state.get("flavour", self.machine.flavour)}
        return child

    def child_status(self, pid: int) -> int:
        """The status of a child that has ended."""
        return self.task.reaped.pop(pid, 0)

    def is_folder(self, name: str) -> bool:
        """Whether a folder is at a path."""
        entry = self.files.find(self.path(name))
        return entry is not None and entry.kind == FOLDER


def _count_lines(text: str) -> int:
    return text.count("\n")


def _bounded(lines: list[str]) -> Iterator[str]:
    """As many as a tool may look at in one go; some look at the first alone."""
    yield from lines[:_MOST_LINES]
    _check_size(0, len(lines))


def _check_size(signs: int, lines: int) -> None:
    """What a tool reads in one go is bounded: nothing else happens in the cluster meanwhile."""
    if signs > _MOST_INPUT:
        raise CannotInterpret(f"more than {_MOST_INPUT >> 20} MiB of input")
    if lines > _MOST_LINES:
        raise CannotInterpret(f"more than {_MOST_LINES:,} lines of input")
