"""One call of a builtin: what it sees, and what it asks to happen afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .frames import need_room
from .instructions import Run
from .machine import Machine
from .scope import ShellScope
from .task import Frame, Shell, Task


@dataclass(slots=True)
class Context:
    """One call of a builtin, and what it asks to happen afterwards."""

    machine: Machine
    task: Task
    shell: Shell
    scope: ShellScope
    instruction: Run
    saved: dict[int, int | None] | None
    keeps_redirects: bool = False
    replaces_process: list[str] = field(default_factory=list)
    runs_tool: list[str] = field(default_factory=list)

    def out(self, text: str) -> int:
        """Writes to standard output; the status is 0 unless nobody reads it."""
        return 0 if self.machine.write(self.task, 1, text) else 1

    def fail(self, message: str, status: int = 1) -> int:
        self.machine.write(self.task, 2, f"{self.shell.name}: {message}\n")
        return status

    def environment(self) -> dict[str, str]:
        return self.scope.environment()

    def push(self, frame: Frame) -> None:
        """Runs another text first; the command's redirections hold until it ends."""
        need_room(self.shell, "a text")
        if self.saved is not None:
            frame.redirects.append(self.saved)
            self.saved = None
        self.shell.frames.append(frame)


Builtin = Callable[[Context, list[str]], int | None]
