"""A shell that takes its commands from its input, each as soon as it is whole, as POSIX asks of `sh`.

What a command reads itself is taken from what follows it there. At a terminal the shell asks for each.
"""

from __future__ import annotations

from ..errors import CannotInterpret
from .activation import Activation
from .compiler import LONGEST_TEXT
from .frames import leave_frame, leave_shell
from .reading.completeness import find_missing
from .task import MAIN, READS, TERMINAL, Frame, Wait

_TYPED, _DELIMITER, _PROMPTED = "typed", "delimiter", "prompted"


def read_next(activation: Activation) -> None:
    """Take the next command, wait for it, or end with the input."""
    machine, task, shell = activation.machine, activation.task, activation.shell
    frame = shell.frames[-1]
    frame.program, frame.at = "", 0
    while True:
        _prompt(activation)
        line, is_end = machine.read(task, 0, is_line=True)
        if not line and not is_end:
            task.wait = Wait(Wait.LINE, task.fds[0])
            return
        task.state[_TYPED] = task.state.get(_TYPED, "") + line
        task.state.pop(_PROMPTED, None)
        if (not line and is_end) or _is_whole(activation):
            break
    text = task.state.pop(_TYPED)
    task.state.pop(_DELIMITER, None)
    if text:
        machine.work_reading(task, text)
        frame.program = text
    else:
        _leave(activation)


def _is_whole(activation: Activation) -> bool:
    """Whether what was typed is a command, or nothing that more lines would make one of."""
    state = activation.task.state
    text = state[_TYPED]
    delimiter = state.get(_DELIMITER)
    if len(text) > LONGEST_TEXT:
        return True
    # Nothing else ends a here-document: its lines are not looked at.
    if delimiter and text.rpartition("\n")[0].rpartition("\n")[2].lstrip("\t") != delimiter:
        return False
    activation.machine.work_reading(activation.task, text)
    try:
        missing = find_missing(text)
    except CannotInterpret:
        # It is refused when it is run.
        return True
    state[_DELIMITER] = missing
    return missing is None


def drop_command(activation: Activation, status: int) -> None:
    """Give up the command under way, and what was typed of the next one; the shell asks for another."""
    shell, state = activation.shell, activation.task.state
    while shell.frames:
        leave_frame(activation)
    shell.frames = [Frame(MAIN, "")]
    shell.status = status
    for name in (_TYPED, _DELIMITER, _PROMPTED):
        state.pop(name, None)
    activation.task.wait = None


def _leave(activation: Activation) -> None:
    is_terminal = activation.task.state.get(READS) == TERMINAL
    if is_terminal and activation.shell.flavour == "bash":
        activation.machine.write(activation.task, 2, "exit\n")
    leave_shell(activation, activation.shell.status)


def _prompt(activation: Activation) -> None:
    task = activation.task
    if task.state.get(READS) == TERMINAL and _PROMPTED not in task.state:
        task.state[_PROMPTED] = True
        text = "> " if task.state.get(_TYPED) else _make_prompt(activation)
        activation.machine.write(task, 2, text)


def _make_prompt(activation: Activation) -> str:
    """What the shell asks with unless PS1 says otherwise: Debian's bash and dash, BusyBox' ash."""
    flavour, world = activation.shell.flavour, activation.machine.world
    usual = {"bash": r"\u@\h:\w\$ ", "ash": r"\w \$ "}.get(flavour, r"\$ ")
    given = activation.shell.variables.get("PS1")
    folder, home = activation.task.folder, activation.shell.variables.get("HOME") or "/root"
    if folder == home or folder.startswith(home.rstrip("/") + "/"):
        folder = "~" + folder[len(home) :]
    identity = world.identity
    text = usual if given is None else given
    for sign, value in {
        "\\u": identity.user_name or "I have no name!",
        "\\h": world.pod.host,
        "\\w": folder,
        "\\$": "#" if identity.user == 0 else "$",
    }.items():
        text = text.replace(sign, value)
    return text
