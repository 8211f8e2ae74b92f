"""Redirections: which open files a command's descriptors point at, and putting them back."""

from __future__ import annotations

from ..file_layers import FOLDER, FileProblem
from ..world import is_address, is_own_host
from .activation import Activation
from .expansion import expand_fields, expand_text
from .machine import Machine
from .neighbours import answers_on
from .open_files import CONNECTIONS, FILE, LOG, NULL, TEXT, ZERO, OpenFile
from .reading.dialects import refuse_syntax
from .reading.word_parts import Redirect

_STANDARD = ("/dev/stdin", "/dev/stdout", "/dev/stderr")
_OWN_DESCRIPTORS = {
    path: fd for fd, name in enumerate(_STANDARD) for path in (name, f"/dev/fd/{fd}", f"/proc/self/fd/{fd}")
}
_LOG_PATHS = frozenset(("/proc/1/fd/1", "/proc/1/fd/2", "/dev/console", "/dev/tty", "/dev/termination-log-"))
_SILENT_PATHS = frozenset(("/dev/null", "/dev/full"))
_ENDLESS_PATHS = frozenset(("/dev/zero", "/dev/urandom", "/dev/random"))


def apply_redirects(activation: Activation, redirects: tuple[Redirect, ...]) -> dict[int, int | None] | str:
    """Apply redirections in order. Gives what to restore, or what went wrong (then nothing is changed)."""
    saved: dict[int, int | None] = {}
    for redirect in redirects:
        problem = _apply(activation, redirect, saved)
        if problem is not None:
            restore_redirects(activation, saved)
            return problem
    return saved


def restore_redirects(activation: Activation, saved: dict[int, int | None]) -> None:
    """Point descriptors at what they pointed at before."""
    for fd, number in saved.items():
        activation.machine.set_fd(activation.task, fd, number)
    keep_redirects(activation, saved)


def keep_redirects(activation: Activation, saved: dict[int, int | None]) -> None:
    """Make redirections permanent, as `exec` without a command does."""
    for number in saved.values():
        if number is not None:
            activation.machine.open_files.release(number)


def _apply(activation: Activation, redirect: Redirect, saved: dict[int, int | None]) -> str | None:
    operator = redirect.operator
    fd = redirect.fd if redirect.fd is not None else 0 if operator[0] == "<" else 1
    target = _find_target(activation, redirect)
    if operator == "<<<":
        refuse_syntax(activation.shell, "<")
    found: int | str | None
    if operator in ("<<", "<<<"):
        text = target + ("\n" if operator == "<<<" else "")
        found = activation.machine.open_files.open(OpenFile(TEXT, text=text))
    elif operator in (">&", "<&") and target == "-":
        found = None
    elif operator in (">&", "<&") and target.isdigit():
        found = activation.task.fds.get(int(target), f"{target}: Bad file descriptor")
    else:
        found = _open_path(activation, target, "<" if operator == "<" else operator.strip("&"))
    if isinstance(found, str):
        return found
    _point(activation, fd, found, saved)
    if operator in ("&>", "&>>") or (operator == ">&" and not target.isdigit() and target != "-"):
        _point(activation, 2, found, saved)
    return None


def _find_target(activation: Activation, redirect: Redirect) -> str:
    """What stands behind the operator; in bash a pattern for the one file that it matches."""
    if activation.shell.flavour == "bash" and not redirect.operator.startswith("<<"):
        # More than one file is ambiguous; no file has their joined names.
        return " ".join(expand_fields((redirect.target,), activation.scope))
    return expand_text(redirect.target, activation.scope)


def _point(activation: Activation, fd: int, number: int | None, saved: dict[int, int | None]) -> None:
    machine, task = activation.machine, activation.task
    if fd not in saved:
        old = saved[fd] = task.fds.get(fd)
        if old is not None:
            machine.open_files.retain(old)
    machine.set_fd(task, fd, number)


def _open_path(activation: Activation, target: str, operator: str) -> int | str:
    """An open file for a path, or the message of what is wrong with it."""
    machine, task = activation.machine, activation.task
    path = machine.absolute(task, target)
    if path.startswith(CONNECTIONS):
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
    try:
        if operator == "<":
            files.read(path)
            return machine.open_files.open(OpenFile(FILE, path))
        files.need_file_name(path, target)
        if operator == ">>" or (operator == "<>" and files.find(path) is not None):
            files.write(path, "", append=True)
        else:
            files.write(path, "")
    except FileProblem as problem:
        return f"can't {'open' if operator == '<' else 'create'} {target}: {problem}"
    entry = files.find(path)
    if entry is None:
        # A link to /dev/null.
        return machine.open_files.open(OpenFile(NULL))
    assert entry.kind != FOLDER, path
    # What is read through this descriptor begins at the front; what is written goes to the end.
    return machine.open_files.open(OpenFile(FILE, path))


def _open_connection(machine: Machine, path: str) -> int | str:
    _, _, _, host, port = [*path.split("/"), "", ""][:5]
    if not is_address(host) and machine.world.resolve(host) is None:
        return f"{host}: Name or service not known"
    if not port.isdigit() or not _takes_connection(machine, host, int(port)):
        return f"connect: Connection refused: {path}"
    return machine.open_files.open(OpenFile(NULL, path))


def _takes_connection(machine: Machine, host: str, port: int) -> bool:
    if is_own_host(machine.world, host) and answers_on(machine, port):
        return True
    return machine.world.connect(host, port, machine.now_ms).is_connected
