"""A shell while it runs: everything its instructions and builtins work on, handed along as one."""

from __future__ import annotations

from ..errors import CannotInterpret
from .instructions import Run
from .machine import Machine
from .reading.word_parts import CommandText
from .scope import ShellScope
from .task import Frame, Shell, Task

_MOST_FRAMES = 200
_NO_COMMAND = Run(CommandText((), (), (), ()), is_checked=False, is_tail=False)


class Activation:
    """One shell from the moment it may run until it waits or ends; made anew each time."""

    __slots__ = (
        "command",
        "frame",
        "keeps_redirects",
        "machine",
        "replaces_process",
        "runs_tool",
        "saved",
        "scope",
        "shell",
        "task",
    )

    def __init__(self, machine: Machine, task: Task) -> None:
        assert task.shell is not None, task.pid
        self.machine = machine
        self.task = task
        self.shell: Shell = task.shell
        self.scope = ShellScope(machine, task)
        self.frame: Frame = task.shell.frames[-1]
        """Where the instruction under way stands; by its end another one may be on top."""
        self.begin_command(_NO_COMMAND)

    def begin_command(self, command: Run) -> None:
        """Make a simple command the one under way; builtins say below what is to happen after them."""
        self.command = command
        self.saved: dict[int, int | None] | None = None
        """The descriptors to put back behind the command; None when somebody else does."""
        self.keeps_redirects = False
        self.replaces_process: list[str] = []
        self.runs_tool: list[str] = []

    @property
    def is_tested(self) -> bool:
        """Whether what the command runs is part of a condition: `set -e` does not apply to it."""
        return self.shell.frames[-1].is_tested or not self.command.is_checked

    def out(self, text: str) -> int:
        """Write to standard output; the status is 0 unless nobody reads it."""
        return 0 if self.machine.write(self.task, 1, text) else 1

    def fail(self, message: str, status: int = 1) -> int:
        """Say on standard error what is wrong; gives the status to end with."""
        self.machine.write(self.task, 2, f"{self.shell.name}: {message}\n")
        return status

    def need_room(self, caller: str) -> None:
        """Raises CannotInterpret where texts and functions call each other, or themselves, without end."""
        if len(self.shell.frames) > _MOST_FRAMES:
            raise CannotInterpret(f"{caller}, which calls itself without end")

    def push(self, frame: Frame) -> None:
        """Run another text first; the command's redirections hold until it ends."""
        self.need_room("a text")
        if self.saved is not None:
            frame.redirects.append(self.saved)
            self.saved = None
        self.shell.frames.append(frame)
