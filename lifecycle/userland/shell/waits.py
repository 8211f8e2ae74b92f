"""What tasks wait for: whether it has come, and when the next of it is due by itself."""

from __future__ import annotations

from .machine import Machine
from .open_files import PIPE_CHARACTERS, READER
from .task import Task, Wait


def is_blocked(machine: Machine, task: Task) -> bool:
    """Whether the task still has to wait for what it waits for."""
    wait = task.wait
    if wait is None:
        return False
    value = wait.value
    match wait.kind:
        case Wait.TIME:
            return bool(machine.now_ms < value)
        case Wait.CHILD:
            return value in machine.tasks
        case Wait.CHILD_UNTIL:
            return value[0] in machine.tasks and _is_before(machine, value[1])
        case Wait.CHILDREN:
            return any(pid in machine.tasks for pid in value)
        case Wait.CAPTURE:
            return _is_captured(machine, value[0], value[1])
        case Wait.ANY_JOB:
            return all(pid in machine.tasks for pid in value)
        case Wait.JOBS:
            return _has_jobs(machine, task, value)
        case Wait.INPUT | Wait.LINE:
            return _lacks_input(machine, value, "\n" if wait.kind == Wait.LINE else "")
        case Wait.SPACE:
            pipe = machine.open_files.pipes.get(value)
            return pipe is not None and pipe.readers > 0 and len(pipe.text) >= PIPE_CHARACTERS
        case Wait.CHANGE:
            return machine.root.version == value[0] and _is_before(machine, value[1])
    return True


def _is_before(machine: Machine, until_ms: int | None) -> bool:
    """Whether an instant is still to come; None never does."""
    return until_ms is None or machine.now_ms < until_ms


def _is_captured(machine: Machine, number: int, pid: int) -> bool:
    # The shell's own reference is the last one when all writers have closed theirs.
    return pid in machine.tasks or machine.open_files.files[number].references > 1


def _has_jobs(machine: Machine, task: Task, pids: list[int] | None) -> bool:
    if pids is None:
        return any(other.parent == task.pid for other in machine.tasks.values())
    return any(pid in machine.tasks for pid in pids)


def _lacks_input(machine: Machine, number: int, end: str) -> bool:
    """Whether a pipe holds nothing that goes up to an end, and may still be written to."""
    file = machine.open_files.files.get(number)
    if file is None or file.kind != READER:
        return False
    text = machine.open_files.pipes[file.pipe].text
    return not (text and end in text) and not machine.open_files.has_ended(file)


def next_wake_ms(machine: Machine, root: int | None = None) -> int | None:
    """The next instant at which a task is due by itself; at once, where one is ready already."""
    if machine.exit is not None:
        return None
    due: int | None = None
    for task in machine.tasks.values():
        if root is not None and task.root != root:
            continue
        # A check may have written what a task waits for.
        at_ms = _due_ms(task.wait) if task.wait and is_blocked(machine, task) else machine.now_ms
        if at_ms is not None and (due is None or at_ms < due):
            due = at_ms
    return due


def _due_ms(wait: Wait) -> int | None:
    """The instant at which a wait is over by itself."""
    at_ms: int | None = None
    if wait.kind == Wait.TIME:
        at_ms = wait.value
    elif wait.kind in (Wait.CHANGE, Wait.CHILD_UNTIL):
        at_ms = wait.value[1]
    return at_ms
