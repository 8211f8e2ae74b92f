"""Which commands there are, and which one a process runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..file_layers import FOLDER, OPAQUE
from ..file_view import join_path
from ..shell.machine import UNKNOWN_TOOL, Machine
from ..shell.task import Task
from .call import Call, Outcome

Tool: TypeAlias = Callable[[Call], Outcome]

TOOLS: dict[str, Tool] = {}
SCRIPT_FILE, NOT_EXECUTABLE = "script file", "file that is not executable"
UNKNOWN = UNKNOWN_TOOL
_PROGRAM_FOLDERS = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/", "/")


def tool(*names: str) -> Callable[[Tool], Tool]:
    """Register a function under the names it is called by."""

    def register(function: Tool) -> Tool:
        for name in names:
            TOOLS[name] = function
        return function

    return register


def plain_name(command: str) -> str | None:
    """`ls` for `ls` and `/bin/ls`; None for a program outside of the usual folders."""
    folder, slash, name = command.rpartition("/")
    if not slash:
        return command
    # A path without a leading slash begins in the working folder, which is / unless the image says more.
    return name if f"/{folder.strip('/')}/".replace("//", "/") in _PROGRAM_FOLDERS else None


def is_absent(machine: Machine, task: Task, command: str) -> bool:
    """Whether a program is surely not there: not in the image, nor where somebody could have put it."""
    if machine.is_lenient or not machine.world.lacks(command):
        return False
    files = machine.file_system
    folders = [""] if "/" in command else task.environment.get("PATH", "").split(":")
    paths = [join_path(task.folder, f"{one}/{command}" if one else command) for one in folders]
    return not any(files.is_mounted(one) or files.find(one) is not None for one in paths)


def has_tool(machine: Machine, task: Task, command: str) -> bool:
    """Whether calling this name finds a program."""
    name = plain_name(command)
    if name in TOOLS and not is_absent(machine, task, command):
        return True
    entry = machine.file_system.find(join_path(task.folder, command)) if "/" in command else None
    return entry is not None and entry.kind != FOLDER


def find_tool(machine: Machine, task: Task) -> Tool:
    """The function of a task's program, looked up once: a file of the manifest, a tool, or unknown."""
    if not task.tool:
        task.tool = _name_of_tool(machine, task)
    return TOOLS[task.tool]


def _name_of_tool(machine: Machine, task: Task) -> str:
    command = task.arguments[0]
    if "/" in command:
        files, path = machine.file_system, join_path(task.folder, command)
        entry = files.find(path)
        if entry is not None and not files.can_execute(path, entry):
            return NOT_EXECUTABLE
        if entry is not None and entry.kind != FOLDER:
            return UNKNOWN if entry.kind == OPAQUE else SCRIPT_FILE
    name = plain_name(command)
    if name is None or name not in TOOLS or is_absent(machine, task, command):
        return UNKNOWN
    return name
