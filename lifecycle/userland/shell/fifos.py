"""Named pipes: opening one end waits, as on Linux, until somebody opens the other."""

from __future__ import annotations

from .machine import Machine
from .open_files import BOTH, READER, WRITER, OpenFile, Pipe
from .task import Task, Wait

_STATE = "fifo"


class MustWait(Exception):
    """The file cannot be opened yet; what wants it is tried again when the wait is over."""

    def __init__(self, wait: Wait) -> None:
        super().__init__(wait.kind)
        self.wait = wait


def open_fifo(machine: Machine, task: Task, path: str, operator: str) -> int:
    """The number of an open end of the named pipe at a path. Raises MustWait."""
    number = machine.open_files.fifo(path)
    pipe = machine.open_files.pipes[number]
    if operator == "<>":
        return machine.open_files.open(OpenFile(BOTH, path, number))
    kind = READER if operator == "<" else WRITER
    waited = task.state.get(_STATE)
    others = _opened(pipe, kind)
    has_come = waited is not None and waited[0] == number and others > waited[1]
    is_there = (pipe.writers if kind == READER else pipe.readers) > 0
    is_waiting = not is_there and not has_come and _has_partner(machine, task, number, kind)
    if not (is_there or has_come or is_waiting):
        task.state[_STATE] = [number, others]
        raise MustWait(Wait(Wait.FIFO, [number, kind, others]))
    task.state.pop(_STATE, None)
    # One who is about to open the other end counts as there: no end of file before it has come.
    return machine.open_files.open(OpenFile(kind, path, number, offset=others + is_waiting))


def _opened(pipe: Pipe, kind: str) -> int:
    """How often the other end was opened so far."""
    return pipe.opened[WRITER if kind == READER else READER]


def _has_partner(machine: Machine, task: Task, number: int, kind: str) -> bool:
    """Whether another process waits for this one to open its end."""
    return any(
        other is not task and _wants(other) == [number, WRITER if kind == READER else READER]
        for other in machine.tasks.values()
    )


def _wants(task: Task) -> list[object] | None:
    wait = task.wait
    return wait.value[:2] if wait is not None and wait.kind == Wait.FIFO else None


def is_fifo_shut(machine: Machine, task: Task, value: list[object]) -> bool:
    """Whether the other end of a named pipe has not been opened yet, nor is about to be."""
    number, kind, others = value
    assert isinstance(number, int) and isinstance(kind, str), value
    pipe = machine.open_files.pipes[number]
    is_there = (pipe.writers if kind == READER else pipe.readers) > 0
    return not is_there and _opened(pipe, kind) == others and not _has_partner(machine, task, number, kind)
