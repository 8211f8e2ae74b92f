"""Ends of a shell's frames: errors under `set -e`, `exit` with its trap, and what is put back."""

from __future__ import annotations

from .activation import Activation
from .compiler import compile_text
from .redirects import restore_redirects
from .task import EXIT_TRAP, Frame


def check_error(activation: Activation, frame: Frame) -> None:
    """`set -e`: a failed command ends the shell, unless it is part of a condition."""
    shell = activation.shell
    if shell.status == 0 or "errexit" not in shell.options or frame.is_tested:
        return
    instruction = compile_text(frame.program)[frame.at - 1]
    if getattr(instruction, "is_checked", False):
        leave_shell(activation, shell.status)


def leave_shell(activation: Activation, status: int) -> None:
    """`exit`: run the EXIT trap, once, and end the task."""
    shell, task = activation.shell, activation.task
    action = task.traps.pop("EXIT", "")
    while shell.frames:
        leave_frame(activation)
    if not action:
        activation.machine.finish(task, status & 255)
        return
    shell.status = status & 255
    activation.machine.work_reading(task, action)
    frame = Frame(EXIT_TRAP, action)
    frame.saved_status = status & 255
    shell.frames.append(frame)
    task.wait = None


def leave_frame(activation: Activation) -> Frame:
    """Take the innermost frame off: redirections, arguments and local variables are as they were before."""
    shell = activation.shell
    frame = shell.frames.pop()
    while frame.redirects:
        restore_redirects(activation, frame.redirects.pop())
    if frame.saved_arguments is not None:
        shell.arguments = frame.saved_arguments
    shell.restore_variables(frame.saved_locals)
    # What was local is not read-only any more: the next call declares it again.
    shell.readonly -= frame.saved_locals.keys()
    for name, (elements, pairs) in frame.saved_arrays.items():
        shell.arrays.pop(name, None)
        shell.maps.pop(name, None)
        if elements is not None:
            shell.arrays[name] = elements
        if pairs is not None:
            shell.maps[name] = pairs
    return frame
