"""The processes of one container, run in virtual time.

A machine holds tasks, open files and pipes as plain data and wakes only when something is due. Process 1
follows Linux: a signal it has no handler for is ignored, and when it ends every other process is killed.
Tasks run one after the other in the order of their process ids, each until it has to wait, so that a run has
one history. A task that never lets time pass is made to (`effort.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle.lean_dataclasses import dataclass, field

from ..crowd import Crowd
from ..errors import CannotInterpret
from ..file_layers import FileLayer, FileProblem
from ..file_system import FileSystem
from ..file_view import join_path
from ..guesses import LONG_OUTPUT
from ..signals import HARMLESS, STOPPING, signal_number
from ..world import OOM_KILLED, Exit, World, rights_of
from .effort import Effort
from .generated_files import Generated, generated_files
from .open_files import (
    CAPTURE,
    FILE,
    LOG,
    NULL,
    PIPE_CHARACTERS,
    READER,
    TEXT,
    WRITER,
    ZERO,
    OpenFile,
    OpenFiles,
)
from .task import SUBSTITUTIONS, Task, Wait

_MOST_TASKS, _MOST_REAPED = 256, 256
_STEPS_OF_A_FORK = 10
_MOST_CAPTURED = 4 << 20
UNKNOWN_TOOL = "unknown program"
_KILLED, _KILL = 137, 9


@dataclass(slots=True, eq=False)
class Machine(Effort):
    """One container's processes and files. `start` begins process 1; `run` does what is due."""

    flavour: str
    is_process_one: bool = True
    """False where processes are shared between containers: process 1 is then somebody else."""
    is_lenient: bool = False
    """The files of the image are not known: what is missing may well be there."""
    tail_runs: str = "forever"
    """What an unknown program does where nothing follows it: `forever`, `serves` (as forever, and whatever
    could do so is taken to), or `ends` after a while."""
    root: FileLayer = field(default_factory=FileLayer)
    tasks: dict[int, Task] = field(default_factory=dict)
    open_files: OpenFiles = field(default_factory=OpenFiles)
    next_pid: int = 1
    main_pid: int = 1
    """The container's main process: process 1, unless processes are shared between containers."""
    changes: int = 0
    entered_ms: int = 0
    """The instant of the world outside: a check runs ahead of it."""
    exit: Exit | None = None
    ended: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Instant and status of ended hooks and checks, by process id."""
    output: list[tuple[int, str]] = field(default_factory=list)
    partial: str = ""
    problems: list[str] = field(default_factory=list)
    is_volatile: bool = False
    """Something was asked whose answer may differ next time: the time, chance, other processes."""
    met_unknown: bool = False
    feeds_unknown: bool = False
    """Something of which nothing is known writes into a pipe: what reads there cannot be told."""
    passed_signals: list[str] = field(default_factory=list)
    """Signals sent to a process 1 of which only the name is known."""
    local_ports: Sequence[int] = ()
    """Ports the container answers on by itself, beside those of the tasks; 0 is every port."""
    _world: World | None = None
    _file_system: FileSystem | None = None
    _generated_names: dict[str, None] | None = None

    # The world, for the length of one call.

    @property
    def world(self) -> World:
        """The world, which is seen only during a call."""
        assert self._world is not None, "a machine sees its world only while it runs"
        return self._world

    @property
    def file_system(self) -> FileSystem:
        """The container's files, joined anew for each call."""
        if self._file_system is None:
            if self._generated_names is None:
                self._generated_names = dict.fromkeys(generated_files(self.world, self.flavour))
            # What the kernel tells changes with the container's resources.
            generated = Generated(self._generated_names, self.world, self.flavour)
            self._file_system = FileSystem(
                self.root,
                tuple(self.world.volumes),
                generated,
                self.now_ms,
                self.world.is_root_read_only,
                rights_of(self.world),
                self.world.image_files,
                self.is_lenient,
            )
        return self._file_system

    @property
    def crowd(self) -> Crowd:
        """The work of all containers."""
        return self.world.crowd

    @property
    def has_to_queue(self) -> bool:
        """Whether it is the others' instant as well."""
        return self.now_ms == self.entered_ms

    @property
    def reads_volumes(self) -> bool:
        """Whether something in a volume was looked at during this call."""
        return self._file_system is not None and self._file_system.reads_volumes

    @property
    def version(self) -> int:
        """Grows when anything a check could see changes."""
        return self.changes + self.root.version

    def enter(self, now_ms: int, world: World) -> None:
        """Begin a call at an instant, with the world as it is then."""
        self._world = world
        self.entered_ms = now_ms
        world.crowd.enter(now_ms)
        self.set_time(now_ms)

    def leave(self) -> None:
        """End the call: the world is let go."""
        for remark in self._file_system.remarks if self._file_system is not None else ():
            self.note(remark)
        self._world = None
        self._file_system = None

    def set_time(self, now_ms: int) -> None:
        """Move to an instant; a new one makes all work of before forgotten."""
        if now_ms != self.now_ms:
            self.steps = 0
        self.now_ms = now_ms
        if self._file_system is not None:
            self._file_system.now_ms = now_ms

    # Life of tasks.

    @property
    def main(self) -> Task | None:
        """The container's main process."""
        return self.tasks.get(self.main_pid)

    def new_task(self, parent: int, root: int, arguments: list[str]) -> Task:
        """A task with the next process id, not yet given anything to run. Raises CannotInterpret."""
        if len(self.tasks) >= _MOST_TASKS:
            raise CannotInterpret(f"more than {_MOST_TASKS} processes at once")
        namespace = self.world.processes
        if namespace is None:
            pid = self.next_pid
            self.next_pid += 1
        else:
            pid = namespace.take_pid()
        task = Task(pid, parent, root or pid, arguments, self.now_ms)
        self.tasks[pid] = task
        return task

    def child_of(self, task: Task, arguments: list[str]) -> Task:
        """A forked child: descriptors and folder of its parent, ignored signals stay ignored."""
        child = self.new_task(task.pid, task.root, arguments)
        task.steps += _STEPS_OF_A_FORK
        child.folder = task.folder
        child.fds = dict(task.fds)
        for number in child.fds.values():
            self.open_files.retain(number)
        child.traps = {name: "" for name, action in task.traps.items() if action == "" and name != "EXIT"}
        return child

    def fork_shell(self, task: Task, at: int | None = None) -> Task:
        """Make a subshell of a task; `at` is where in its program it goes on. Raises CannotInterpret."""
        assert task.shell is not None, task.pid
        child = self.child_of(task, task.arguments)
        child.environment = task.environment
        child.shell = task.shell.fork(at)
        child.state = {
            "shell_pid": task.state.get("shell_pid", task.pid),
            SUBSTITUTIONS: task.state.get(SUBSTITUTIONS, 0),
        }
        return child

    def finish(self, task: Task, status: int, signal: int | None = None) -> None:
        """End a task; the end of the main process ends the container."""
        if self.tasks.pop(task.pid, None) is None:
            return
        self.changes += bool(task.ports)
        for number in task.fds.values():
            self.open_files.release(number)
        task.fds = {}
        parent = self.tasks.get(task.parent)
        if parent is not None:
            parent.reaped[task.pid] = status
            if len(parent.reaped) > _MOST_REAPED:
                del parent.reaped[min(parent.reaped)]
        for child in self.tasks.values():
            if child.parent == task.pid:
                child.parent = 1
        if task.pid == task.root and task.pid != self.main_pid:
            self.ended[task.pid] = (self.now_ms, status)
        if task.pid == self.main_pid:
            self.end_all(Exit(self.now_ms, status, None, signal))

    def end_all(self, end: Exit) -> None:
        """The main process has ended: every other process of the container is killed.

        The kernel does it where that was process 1, else the container runtime.
        """
        if self.exit is not None:
            return
        self.exit = end
        for task in self.tasks.values():
            if task.pid == task.root and task.pid != self.main_pid:
                self.ended[task.pid] = (self.now_ms, _KILLED)
        self.tasks.clear()
        self.open_files = OpenFiles()
        self.flush_log(self.now_ms)
        self.changes += 1

    def kill_all(self, at_ms: int) -> None:
        """End every process at once, as the kernel does with a whole process namespace."""
        self.end_all(Exit(at_ms, _KILLED, None, _KILL))

    # Signals.

    def signal(self, task: Task, name: str, is_from_outside: bool = False) -> None:
        """Deliver a signal (its name without SIG), as the kernel would."""
        is_first = task.pid == 1 and self.is_process_one
        if name == "KILL":
            # Process 1 can be killed only from outside of its own process namespace.
            if not is_first or is_from_outside:
                self.finish(task, _KILLED, _KILL)
            return
        if "opaque" in task.state:
            # What the closed box does on a signal is decided where it is known.
            self.passed_signals.append(name)
            return
        action = task.traps.get(name)
        if action is not None or name in task.state.get("catches", ()):
            if action != "":
                task.pending.append(name)
                self._interrupt(task, name)
            return
        if is_first or name in HARMLESS or name in STOPPING:
            if name in STOPPING and not is_first:
                self.note(f"signal SIG{name}: stopping a process is not modelled; it goes on running")
            return
        number = signal_number(name)
        self.finish(task, 128 + number, number)

    def _interrupt(self, task: Task, name: str) -> None:
        """A trapped signal ends `wait` and `read` at once; a foreground child is waited for to its end."""
        if task.wait is None:
            return
        if task.shell is None:
            task.wait = None
        elif task.wait.kind in (Wait.JOBS, Wait.ANY_JOB, Wait.INPUT, Wait.LINE):
            task.wait = None
            task.shell.status = 128 + signal_number(name)

    # Open files.

    def set_fd(self, task: Task, fd: int, number: int | None) -> None:
        """Point a descriptor at an open file, or close it."""
        if number is not None:
            self.open_files.retain(number)
        old = task.fds.pop(fd, None)
        if number is not None:
            task.fds[fd] = number
        if old is not None:
            self.open_files.release(old)

    def write(self, task: Task, fd: int, text: str) -> bool:
        """Write text; False when the reader of a pipe has gone (the task has its SIGPIPE by then)."""
        file = self.open_files.files.get(task.fds.get(fd, 0))
        if file is None or not text:
            return file is not None
        self.work(task, len(text))
        if file.kind == LOG:
            self.log(text)
        elif file.kind == CAPTURE:
            if len(file.text) + len(text) > _MOST_CAPTURED:
                self.note(f"cannot interpret an output so long: {LONG_OUTPUT.taken}")
                return False
            file.text += text
        elif file.kind == FILE:
            try:
                self.file_system.write(file.path, text, append=True)
            except FileProblem:
                return False
        elif file.kind == WRITER:
            pipe = self.open_files.pipes[file.pipe]
            if self.open_files.has_no_reader(file):
                self.signal(task, "PIPE")
                return False
            pipe.text += text
            if len(pipe.text) >= PIPE_CHARACTERS and task.shell is not None and task.wait is None:
                task.wait = Wait(Wait.SPACE, file.pipe)
        return True

    def pad(self, task: Task, fd: int, count: int) -> bool:
        """Let the file behind a descriptor grow by signs that nobody asks for; False when it is full."""
        file = self.open_files.files.get(task.fds.get(fd, 0))
        return file is None or file.kind != FILE or self.file_system.pad(file.path, count)

    def log(self, text: str) -> None:
        """Add to the container's log, line by line."""
        *lines, self.partial = (self.partial + text).split("\n")
        self.output.extend((self.now_ms, line) for line in lines)

    def flush_log(self, at_ms: int) -> None:
        """End the log's last line, when its process has ended without doing so."""
        if self.partial:
            self.output.append((at_ms, self.partial))
            self.partial = ""

    def read(self, task: Task, fd: int, is_line: bool = False) -> tuple[str, bool]:
        """What there is to read now, or one line of it, and whether that is the end."""
        file = self.open_files.files.get(task.fds.get(fd, 0))
        if file is None or file.kind in (NULL, LOG, CAPTURE, WRITER, ZERO):
            self.feeds_unknown |= file is not None and file.is_connection
            return "", True
        if file.kind == READER:
            pipe = self.open_files.pipes[file.pipe]
            text, is_end = pipe.text, self.open_files.has_ended(file)
            self.work(task, len(text) >> 6 if is_line else len(text))
            taken = text[: text.find("\n") + 1] or text if is_line else text
            if is_line and not taken.endswith("\n") and not is_end:
                return "", False
            pipe.text = text[len(taken) :]
            return taken, is_end and not pipe.text
        text = file.text[file.offset :] if file.kind == TEXT else self._read_file(file)
        self.work(task, len(text) >> 6 if is_line else len(text))
        taken = text[: text.find("\n") + 1] or text if is_line else text
        file.offset += len(taken)
        return taken, len(taken) == len(text)

    def _read_file(self, file: OpenFile) -> str:
        entry = self.file_system.find(file.path)
        return entry.read_from(file.offset) if entry is not None else ""

    def check_memory(self) -> None:
        """End the container when its processes use more memory than its limit."""
        limit = self.world.limits.memory_bytes
        if limit is None or self.exit is not None:
            return
        # With one control group per container the kernel kills all of its processes together.
        if sum(task.memory_bytes for task in self.tasks.values()) > limit:
            self.end_all(Exit(self.now_ms, _KILLED, OOM_KILLED, _KILL))

    def take_work(self) -> int:
        """What looking for files has cost since the last time, in signs moved."""
        files = self._file_system
        if files is None:
            return 0
        work, files.work = files.work, 0
        return work

    def note(self, problem: str) -> None:
        """Keep a problem for the kubelet to report, once."""
        if problem not in self.problems:
            self.problems.append(problem)

    def usage(self) -> tuple[int, int]:
        """CPU in thousandths and memory in bytes of all processes."""
        return (
            sum(task.cpu_milli for task in self.tasks.values()),
            sum(task.memory_bytes for task in self.tasks.values()),
        )

    def listens_on(self, port: int) -> bool:
        """Whether a process listens on the port; one whose ports are not known answers on every one."""
        return any(port in task.ports or 0 in task.ports for task in self.tasks.values())

    @property
    def has_unknown_program(self) -> bool:
        """Whether something runs here of which nothing is known: it may do what no file tells of."""
        return any(task.tool == UNKNOWN_TOOL or "opaque" in task.state for task in self.tasks.values())

    def absolute(self, task: Task, path: str) -> str:
        """The absolute path that a path means to a task."""
        return join_path(task.folder, path)
