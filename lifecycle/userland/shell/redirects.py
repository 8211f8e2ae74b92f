"""Redirections: which open files a command's descriptors point at, and putting them back."""

from __future__ import annotations

from ..file_system import FIFO, FOLDER, FileProblem
from .dialects import refuse_syntax
from .expansion import expand_text
from .fifos import MustWait, open_fifo
from .machine import Machine
from .open_files import FILE, LOG, NULL, TEXT, ZERO, OpenFile
from .scope import ShellScope
from .task import Task
from .word_parts import Redirect

_OWN_DESCRIPTORS = {
    "/dev/stdin": 0,
    "/dev/stdout": 1,
    "/dev/stderr": 2,
    "/dev/fd/0": 0,
    "/dev/fd/1": 1,
    "/dev/fd/2": 2,
    "/proc/self/fd/0": 0,
    "/proc/self/fd/1": 1,
    "/proc/self/fd/2": 2,
}
_LOG_PATHS = frozenset(("/proc/1/fd/1", "/proc/1/fd/2", "/dev/console", "/dev/tty", "/dev/termination-log-"))
_SILENT_PATHS = frozenset(("/dev/null", "/dev/full"))
_ENDLESS_PATHS = frozenset(("/dev/zero", "/dev/urandom", "/dev/random"))


def apply_redirects(
    machine: Machine, task: Task, redirects: tuple[Redirect, ...], scope: ShellScope
) -> dict[int, int | None] | str:
    """Applies redirections in order. Gives what to restore, or what went wrong (then nothing is changed).

    Raises MustWait, nothing changed, where a named pipe cannot be opened yet.
    """
    saved: dict[int, int | None] = {}
    for redirect in redirects:
        try:
            problem = _apply(machine, task, redirect, scope, saved)
        except MustWait:
            restore_redirects(machine, task, saved)
            raise
        if problem is not None:
            restore_redirects(machine, task, saved)
            return problem
    return saved


def restore_redirects(machine: Machine, task: Task, saved: dict[int, int | None]) -> None:
    for fd, number in saved.items():
        machine.set_fd(task, fd, number)
        if number is not None:
            machine.open_files.release(number)


def keep_redirects(machine: Machine, saved: dict[int, int | None]) -> None:
    """Makes redirections permanent, as `exec` without a command does."""
    for number in saved.values():
        if number is not None:
            machine.open_files.release(number)


def _save(machine: Machine, task: Task, fd: int, saved: dict[int, int | None]) -> None:
    if fd not in saved:
        old = task.fds.get(fd)
        saved[fd] = old
        if old is not None:
            machine.open_files.retain(old)


def _apply(
    machine: Machine, task: Task, redirect: Redirect, scope: ShellScope, saved: dict[int, int | None]
) -> str | None:
    operator = redirect.operator
    fd = redirect.fd if redirect.fd is not None else 0 if operator[0] == "<" else 1
    target = expand_text(redirect.target, scope)
    if operator == "<<<":
        refuse_syntax(scope.shell, "<")
    if operator in ("<<", "<<<"):
        text = target + ("\n" if operator == "<<<" else "")
        _point(machine, task, fd, machine.open_files.open(OpenFile(TEXT, text=text)), saved)
        return None
    if operator in (">&", "<&") and (target.isdigit() or target == "-"):
        if target == "-":
            _point(machine, task, fd, None, saved)
            return None
        number = task.fds.get(int(target))
        if number is None:
            return f"{target}: Bad file descriptor"
        _point(machine, task, fd, number, saved)
        return None
    both = operator in ("&>", "&>>") or operator == ">&"
    number_or_problem = open_path(machine, task, target, "<" if operator == "<" else operator.strip("&"))
    if isinstance(number_or_problem, str):
        return number_or_problem
    _point(machine, task, fd, number_or_problem, saved)
    if both:
        _point(machine, task, 2, number_or_problem, saved)
    return None


def _point(machine: Machine, task: Task, fd: int, number: int | None, saved: dict[int, int | None]) -> None:
    _save(machine, task, fd, saved)
    machine.set_fd(task, fd, number)


def open_path(machine: Machine, task: Task, target: str, operator: str) -> int | str:
    """An open file for a path, or the message of what is wrong with it."""
    path = machine.absolute(task, target)
    if path.startswith(("/dev/tcp/", "/dev/udp/")):
        return _open_connection(machine, path)
    if path in _OWN_DESCRIPTORS:
        number = task.fds.get(_OWN_DESCRIPTORS[path])
        return number if number is not None else f"{target}: No such device or address"
    if path in _LOG_PATHS:
        return machine.open_files.open(OpenFile(LOG))
    if path in _SILENT_PATHS:
        return machine.open_files.open(OpenFile(NULL))
    if path in _ENDLESS_PATHS:
        return machine.open_files.open(OpenFile(ZERO, path))
    files = machine.file_system
    entry = files.find(path)
    if entry is not None and entry.kind == FIFO:
        return open_fifo(machine, task, path, operator)
    try:
        if operator == "<":
            files.read(path)
            return machine.open_files.open(OpenFile(FILE, path))
        if operator == ">>" or (operator == "<>" and files.find(path) is not None):
            files.write(path, "", append=True)
        else:
            files.write(path, "")
    except FileProblem as problem:
        return f"can't {'open' if operator == '<' else 'create'} {target}: {problem}"
    entry = files.find(path)
    assert entry is not None and entry.kind != FOLDER, path
    # What is read through this descriptor begins at the front; what is written goes to the end.
    return machine.open_files.open(OpenFile(FILE, path))


def _open_connection(machine: Machine, path: str) -> int | str:
    machine.is_volatile = True
    _, _, _, host, port = [*path.split("/"), "", ""][:5]
    address = machine.world.resolve(host)
    if address is None:
        return f"{host}: Name or service not known"
    if not port.isdigit() or not machine.world.connect(host, int(port), machine.now_ms).is_connected:
        return f"connect: Connection refused: {path}"
    return machine.open_files.open(OpenFile(NULL))
