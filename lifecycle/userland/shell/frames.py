"""Ends of a shell's frames: errors under `set -e`, `exit` with its trap, and what is put back."""

from __future__ import annotations

from ..errors import CannotInterpret
from .compiler import compile_text
from .machine import Machine
from .redirects import restore_redirects
from .task import EXIT_TRAP, Frame, Shell, Task

_MOST_FRAMES = 200


def need_room(shell: Shell, caller: str) -> None:
    """Raises CannotInterpret where texts and functions call each other, or themselves, without end."""
    if len(shell.frames) > _MOST_FRAMES:
        raise CannotInterpret(f"{caller}, which calls itself without end")


def complain(machine: Machine, task: Task, shell: Shell, message: str) -> None:
    machine.write(task, 2, f"{shell.name}: {message}\n")


def check_error(machine: Machine, task: Task, shell: Shell, frame: Frame) -> None:
    """`set -e`: a failed command ends the shell, unless it is part of a condition."""
    if shell.status == 0 or "errexit" not in shell.options or frame.is_tested:
        return
    instruction = compile_text(frame.program)[frame.at - 1]
    if getattr(instruction, "is_checked", False):
        leave_shell(machine, task, shell.status)


def leave_shell(machine: Machine, task: Task, status: int) -> None:
    """`exit`: runs the EXIT trap, once, and ends the task."""
    shell = task.shell
    assert shell is not None, task.pid
    action = task.traps.pop("EXIT", "")
    while shell.frames:
        leave_frame(machine, task, shell)
    if not action:
        machine.finish(task, status & 255)
        return
    shell.status = status & 255
    frame = Frame(EXIT_TRAP, action)
    frame.saved_status = status & 255
    shell.frames.append(frame)
    task.wait = None


def leave_frame(machine: Machine, task: Task, shell: Shell) -> Frame:
    """Takes the innermost frame off: redirections, arguments and local variables as they were before."""
    frame = shell.frames.pop()
    while frame.redirects:
        restore_redirects(machine, task, frame.redirects.pop())
    if frame.saved_arguments is not None:
        shell.arguments = frame.saved_arguments
    for name, value in frame.saved_locals.items():
        if value is None:
            shell.variables.pop(name, None)
        else:
            shell.variables[name] = value
    for name, (elements, pairs) in frame.saved_arrays.items():
        shell.arrays.pop(name, None)
        shell.maps.pop(name, None)
        if elements is not None:
            shell.arrays[name] = elements
        if pairs is not None:
            shell.maps[name] = pairs
    return frame
