"""Builtins of the shell: what has to happen in the shell's own process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import CannotInterpret
from ...file_layers import FOLDER, OPAQUE, FileProblem
from ...file_view import join_path
from ...guesses import SHELL_OPTION, SOURCED_FILE
from ...tools.call import Call
from ...tools.registry import TOOLS, has_tool
from ...tools.texts.formats import format_printf
from ..activation import Activation
from ..frames import check_error, leave_frame, leave_shell
from ..redirects import restore_redirects
from ..task import FUNCTION, NULL_GLOB, SOURCE, SOURCED_UNKNOWN, Frame
from .jobs import jobs, trap, wait
from .read import map_file, read
from .variables import export, let, local, readonly, set_builtin, unset

_LONGEST_TEXT = 64 << 10


def _true(activation: Activation, words: list[str]) -> int:
    return 0


class _CallInShell(Call):
    """A tool that the shell runs in its own process."""

    __slots__ = ("_state", "words")

    def __init__(self, activation: Activation, words: list[str]) -> None:
        super().__init__(activation.machine, activation.task)
        self.words = words
        self._state: dict[str, Any] = {"flavour": activation.shell.flavour}

    @property
    def name(self) -> str:
        return self.words[0]

    @property
    def arguments(self) -> list[str]:
        return self.words[1:]

    @property
    def state(self) -> dict[str, Any]:
        return self._state


def _tool(activation: Activation, words: list[str]) -> int:
    status = TOOLS[words[0]](_CallInShell(activation, words))
    assert isinstance(status, int), words
    return status


def _exit(activation: Activation, words: list[str]) -> None:
    frames = activation.shell.frames
    status = frames[-1].saved_status if frames[-1].kind in ("trap", "exitTrap") else activation.shell.status
    if len(words) > 1:
        status = int(words[1]) if words[1].lstrip("-").isdigit() else 2
    activation.saved = None
    leave_shell(activation, status)


def _return(activation: Activation, words: list[str]) -> None:
    shell = activation.shell
    if len(words) > 1:
        shell.status = int(words[1]) & 255 if words[1].lstrip("-").isdigit() else 2
    activation.saved = None
    while len(shell.frames) > 1:
        frame = leave_frame(activation)
        if frame.kind in (FUNCTION, SOURCE):
            check_error(activation, shell.frames[-1])
            return
    leave_shell(activation, shell.status)


def _leave_loops(activation: Activation, words: list[str]) -> int:
    """`break` and `continue`: out of, or to the top of, the innermost loops."""
    frame = activation.shell.frames[-1]
    count = int(words[1]) if len(words) > 1 and words[1].isdigit() else 1
    count = min(count, len(frame.loops))
    if count == 0:
        return 0
    # The loop's own end takes the last of them off.
    del frame.loops[len(frame.loops) - count + 1 :]
    loop = frame.loops[-1]
    while len(frame.redirects) > loop.depth:
        restore_redirects(activation, frame.redirects.pop())
    loop.status = 0
    frame.at = loop.end if words[0] == "break" else loop.again
    return 0


def _cd(activation: Activation, words: list[str]) -> int:
    words = [word for word in words if word not in ("-P", "-L", "--")]
    target = words[1] if len(words) > 1 else activation.scope.get("HOME") or "/root"
    if target == "-":
        target = activation.scope.get("OLDPWD") or "/"
        activation.out(target + "\n")
    path = join_path(activation.task.folder, target)
    entry = activation.machine.file_system.find(path)
    if activation.machine.is_lenient if entry is None else entry.kind == OPAQUE:
        # The image's own folders are not known; a script goes where they are, or were copied to.
        activation.machine.met_unknown = True
    elif entry is None or entry.kind != FOLDER:
        return activation.fail(f"cd: can't cd to {target}", 2 if activation.shell.flavour == "dash" else 1)
    activation.shell.variables["OLDPWD"] = activation.task.folder
    activation.task.folder = path
    activation.shell.variables["PWD"] = path
    return 0


def _shift(activation: Activation, words: list[str]) -> int | None:
    count = int(words[1]) if len(words) > 1 and words[1].isdigit() else 1
    if count > len(activation.shell.arguments):
        return _fail_special(activation, "shift: can't shift that many")
    activation.shell.arguments = activation.shell.arguments[count:]
    return 0


def _eval(activation: Activation, words: list[str]) -> int | None:
    text = " ".join(words[1:])
    if not text.strip():
        return 0
    if len(text) > _LONGEST_TEXT:
        raise CannotInterpret(f"eval of more than {_LONGEST_TEXT >> 10} KiB")
    activation.machine.work_reading(activation.task, text)
    activation.push(Frame(SOURCE, text, 0, activation.is_tested))
    return None


def _fail_special(activation: Activation, message: str) -> int | None:
    """An error in a special builtin ends dash, as POSIX asks; the other shells go on."""
    status = activation.fail(message)
    if activation.shell.flavour != "dash":
        return status
    activation.saved = None
    leave_shell(activation, 2)
    return None


def _source(activation: Activation, words: list[str]) -> int | None:
    if len(words) < 2:
        return activation.fail(f"{words[0]}: filename argument required", 2)
    path = join_path(activation.task.folder, words[1])
    try:
        text = activation.machine.file_system.read(path)
    except FileProblem as problem:
        if activation.machine.is_lenient:
            activation.machine.met_unknown = True
            activation.machine.note(f"cannot interpret {words[1]}: not in the manifest; {SOURCED_FILE.taken}")
            # What it may have set is unknown, not unset.
            activation.shell.options.add(SOURCED_UNKNOWN)
            return 0
        return _fail_special(activation, f"{words[0]}: {words[1]}: {problem}")
    activation.machine.work_reading(activation.task, text)
    frame = Frame(SOURCE, text, 0, activation.is_tested)
    if len(words) > 2:
        frame.saved_arguments = activation.shell.arguments
        activation.shell.arguments = words[2:]
    activation.push(frame)
    return None


def _exec(activation: Activation, words: list[str]) -> int | None:
    words = words[1:]
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] == "-a" else words[1:]
    activation.keeps_redirects = True
    if not words:
        return 0
    activation.replaces_process = words
    return None


def _command(activation: Activation, words: list[str]) -> int | None:
    if len(words) > 1 and words[1] in ("-v", "-V"):
        return _type(activation, words[1:])
    rest = [word for word in words[1:] if word not in ("-p", "--")]
    if not rest:
        return 0
    if rest[0] in BUILTINS:
        return BUILTINS[rest[0]](activation, rest)
    activation.runs_tool = rest
    return None


def _type(activation: Activation, words: list[str]) -> int:
    """`command -v`, `type`: what a name would run, status 1 or 127 for what is not there."""
    status = 0
    if "-t" in words:
        raise CannotInterpret(f"{words[0]} -t")
    names = [word for word in words[1:] if not word.startswith("-")]
    for name in names:
        if name in activation.shell.functions or name in BUILTINS:
            activation.out(name + "\n")
        elif has_tool(activation.machine, activation.task, name):
            activation.out(name + "\n" if name.startswith("/") else f"/usr/bin/{name}\n")
        elif activation.machine.is_lenient:
            activation.machine.met_unknown = True
            activation.out(f"/usr/bin/{name}\n")
        else:
            status = 127 if activation.shell.flavour != "bash" else 1
    return status


def _set(activation: Activation, words: list[str]) -> int | None:
    if activation.shell.flavour == "dash" and "pipefail" in words:
        return _fail_special(activation, "set: Illegal option -o pipefail")
    return set_builtin(activation, words)


def _printf(activation: Activation, words: list[str]) -> int | None:
    """`printf`; in bash with -v into a variable."""
    if words[1:2] != ["-v"] or activation.shell.flavour != "bash":
        return _tool(activation, words)
    if len(words) < 4:
        return activation.fail("printf: usage: printf [-v var] format [arguments]", 2)
    text, status = format_printf(words[3:])
    activation.scope.put(words[2], text)
    return status


def _shopt(activation: Activation, words: list[str]) -> int:
    """Of bash's own options nullglob alone is modelled; what the others would change is told."""
    options = activation.shell.options
    for name in [word for word in words[1:] if not word.startswith("-")]:
        if name == NULL_GLOB:
            (options.discard if "-u" in words else options.add)(name)
        elif "-s" in words:
            activation.machine.note(f"cannot interpret shopt {name}: it is {SHELL_OPTION.taken}")
    return 0


def _refuse(activation: Activation, words: list[str]) -> None:
    """What no manifest uses fails, and is named."""
    raise CannotInterpret(words[0])


def _ulimit(activation: Activation, words: list[str]) -> int:
    """Limits are told as unlimited, and setting one changes nothing here."""
    if all(word.startswith("-") for word in words[1:]):
        activation.out("unlimited\n")
    return 0


BUILTINS: dict[str, Callable[[Activation, list[str]], int | None]] = {
    **dict.fromkeys((":", "true", "false", "echo", "test", "[", "pwd", "kill"), _tool),
    "printf": _printf,
    "exit": _exit,
    "return": _return,
    "break": _leave_loops,
    "continue": _leave_loops,
    "cd": _cd,
    "export": export,
    "readonly": readonly,
    "local": local,
    "declare": local,
    "typeset": local,
    "unset": unset,
    "set": _set,
    "shift": _shift,
    "trap": trap,
    "wait": wait,
    "read": read,
    "eval": _eval,
    ".": _source,
    "source": _source,
    "exec": _exec,
    "command": _command,
    "type": _type,
    "let": let,
    "getopts": _refuse,
    "mapfile": map_file,
    "readarray": map_file,
    "jobs": jobs,
    # What changes nothing a script could see here.
    **dict.fromkeys("umask hash disown alias unalias times bg".split(), _true),
    "ulimit": _ulimit,
    "shopt": _shopt,
    "builtin": _command,
}
SPECIAL_BUILTINS = frozenset(
    ": . break continue eval exec exit export readonly return set shift trap unset".split()
)
