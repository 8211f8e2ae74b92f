"""Builtins of the shell: what has to happen in the shell's own process."""

from __future__ import annotations

from ..errors import CannotInterpret
from ..file_system import FOLDER, FileProblem, join_path
from ..tools.formats import format_echo, format_printf
from ..tools.registry import has_tool
from .builtin_calls import Builtin, Context
from .builtin_jobs import jobs, kill, trap, wait
from .builtin_read import read
from .builtin_variables import export, getopts, let, local, mapfile, readonly, set_builtin, unset
from .conditions import ConditionProblem, evaluate_test
from .frames import check_error, leave_frame, leave_shell
from .redirects import restore_redirects
from .task import FUNCTION, SOURCE, Frame

_LONGEST_TEXT = 64 << 10
_SIGNS_OF_READING = 64
"""Reading a sign of a script is as much work as moving so many."""


def _true(context: Context, words: list[str]) -> int:
    return 0


def _false(context: Context, words: list[str]) -> int:
    return 1


def _echo(context: Context, words: list[str]) -> int:
    return context.out(format_echo(words[1:], context.shell.flavour))


def _printf(context: Context, words: list[str]) -> int:
    if len(words) > 2 and words[1] == "-v" and context.shell.flavour == "bash":
        context.scope.put(words[2], format_printf(words[3:])[0])
        return 0
    if len(words) < 2:
        return context.fail("printf: usage: printf format [arguments]", 2)
    arguments = words[2:] if words[1] == "--" else words[1:]
    text, status = format_printf(arguments)
    return context.out(text) or status


def _test(context: Context, words: list[str]) -> int:
    if words[0] == "[":
        if words[-1] != "]":
            return context.fail("[: missing ]", 2)
        words = words[:-1]
    try:
        return int(not evaluate_test(words[1:], context.machine, context.task))
    except ConditionProblem as problem:
        return context.fail(f"{words[0]}: {problem}", 2)


def _exit(context: Context, words: list[str]) -> None:
    frames = context.shell.frames
    status = frames[-1].saved_status if frames[-1].kind in ("trap", "exitTrap") else context.shell.status
    if len(words) > 1:
        status = int(words[1]) if words[1].lstrip("-").isdigit() else 2
    context.saved = None
    leave_shell(context.machine, context.task, status)


def _return(context: Context, words: list[str]) -> None:
    shell = context.shell
    if len(words) > 1:
        shell.status = int(words[1]) & 255 if words[1].lstrip("-").isdigit() else 2
    context.saved = None
    while len(shell.frames) > 1:
        frame = leave_frame(context.machine, context.task, shell)
        if frame.kind in (FUNCTION, SOURCE):
            check_error(context.machine, context.task, shell, shell.frames[-1])
            return
    leave_shell(context.machine, context.task, shell.status)


def _leave_loops(context: Context, words: list[str]) -> int:
    """`break` and `continue`: out of, or to the top of, the innermost loops."""
    frame = context.shell.frames[-1]
    count = int(words[1]) if len(words) > 1 and words[1].isdigit() else 1
    count = min(count, len(frame.loops))
    if count == 0:
        return 0
    # The loop's own end takes the last of them off.
    del frame.loops[len(frame.loops) - count + 1 :]
    loop = frame.loops[-1]
    while len(frame.redirects) > loop.depth:
        restore_redirects(context.machine, context.task, frame.redirects.pop())
    loop.status = 0
    frame.at = loop.end if words[0] == "break" else loop.again
    return 0


def _cd(context: Context, words: list[str]) -> int:
    words = [word for word in words if word not in ("-P", "-L", "--")]
    target = words[1] if len(words) > 1 else context.scope.get("HOME") or "/root"
    if target == "-":
        target = context.scope.get("OLDPWD") or "/"
        context.out(target + "\n")
    path = join_path(context.task.folder, target)
    entry = context.machine.file_system.find(path)
    if entry is None and context.machine.is_lenient:
        # The image's own folders are not known; a script goes where they are.
        context.machine.met_unknown = True
    elif entry is None or entry.kind != FOLDER:
        return context.fail(f"cd: can't cd to {target}", 2 if context.shell.flavour == "dash" else 1)
    context.shell.variables["OLDPWD"] = context.task.folder
    context.task.folder = path
    context.shell.variables["PWD"] = path
    return 0


def _pwd(context: Context, words: list[str]) -> int:
    return context.out(context.task.folder + "\n")


def _shift(context: Context, words: list[str]) -> int | None:
    count = int(words[1]) if len(words) > 1 and words[1].isdigit() else 1
    if count > len(context.shell.arguments):
        return _fail_special(context, "shift: can't shift that many")
    context.shell.arguments = context.shell.arguments[count:]
    return 0


def _eval(context: Context, words: list[str]) -> int | None:
    text = " ".join(words[1:])
    if not text.strip():
        return 0
    if len(text) > _LONGEST_TEXT:
        raise CannotInterpret(f"eval of more than {_LONGEST_TEXT >> 10} KiB")
    context.machine.work(context.task, _SIGNS_OF_READING * len(text))
    frame = context.shell.frames[-1]
    context.push(Frame(SOURCE, text, 0, frame.is_tested or not context.instruction.is_checked))
    return None


def _fail_special(context: Context, message: str) -> int | None:
    """An error in a special builtin ends dash, as POSIX asks; the other shells go on."""
    status = context.fail(message)
    if context.shell.flavour != "dash":
        return status
    context.saved = None
    leave_shell(context.machine, context.task, 2)
    return None


def _source(context: Context, words: list[str]) -> int | None:
    if len(words) < 2:
        return context.fail(f"{words[0]}: filename argument required", 2)
    path = join_path(context.task.folder, words[1])
    try:
        text = context.machine.file_system.read(path)
    except FileProblem as problem:
        if context.machine.is_lenient:
            context.machine.met_unknown = True
            context.machine.note(f"cannot interpret {words[1]}: not in the manifest; taken to do nothing")
            return 0
        return _fail_special(context, f"{words[0]}: {words[1]}: {problem}")
    context.machine.work(context.task, _SIGNS_OF_READING * len(text))
    frame = Frame(SOURCE, text, 0, context.shell.frames[-1].is_tested or not context.instruction.is_checked)
    if len(words) > 2:
        frame.saved_arguments = context.shell.arguments
        context.shell.arguments = words[2:]
    context.push(frame)
    return None


def _exec(context: Context, words: list[str]) -> int | None:
    words = words[1:]
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] == "-a" else words[1:]
    context.keeps_redirects = True
    if not words:
        return 0
    context.replaces_process = words
    return None


def _command(context: Context, words: list[str]) -> int | None:
    if len(words) > 1 and words[1] in ("-v", "-V"):
        return _type(context, words[1:])
    rest = [word for word in words[1:] if word not in ("-p", "--")]
    if not rest:
        return 0
    if rest[0] in BUILTINS:
        return BUILTINS[rest[0]](context, rest)
    context.runs_tool = rest
    return None


def _type(context: Context, words: list[str]) -> int:
    """`command -v`, `type`: what a name would run, status 1 or 127 for what is not there."""
    status = 0
    names = [word for word in words[1:] if not word.startswith("-")]
    if "-t" in words:
        return _kinds(context, names)
    for name in names:
        if name in context.shell.functions or name in BUILTINS:
            context.out(name + "\n")
        elif has_tool(context.machine, context.task, name):
            context.out(name + "\n" if name.startswith("/") else f"/usr/bin/{name}\n")
        elif context.machine.is_lenient:
            context.machine.met_unknown = True
            context.out(f"/usr/bin/{name}\n")
        else:
            status = 127 if context.shell.flavour != "bash" else 1
    return status


def _kinds(context: Context, names: list[str]) -> int:
    """`type -t`: what each name is, in one word; nothing and status 1 for what is not there."""
    status = 0
    for name in names:
        if name in context.shell.functions or name in BUILTINS:
            context.out("function\n" if name in context.shell.functions else "builtin\n")
        elif has_tool(context.machine, context.task, name):
            context.out("file\n")
        else:
            status = 1
    return status


def _set(context: Context, words: list[str]) -> int | None:
    if context.shell.flavour == "dash" and "pipefail" in words:
        return _fail_special(context, "set: Illegal option -o pipefail")
    return set_builtin(context, words)


_SHELL_OPTIONS = frozenset("nullglob".split())
_MATTERING = frozenset("extglob globstar dotglob failglob nocasematch nocaseglob lastpipe".split())


def _shopt(context: Context, words: list[str]) -> int:
    """Of bash's own options one is modelled; what others would change is told."""
    for name in [word for word in words[1:] if not word.startswith("-")]:
        if name in _SHELL_OPTIONS:
            (context.shell.options.add if "-s" in words else context.shell.options.discard)(name)
        elif name in _MATTERING and "-s" in words:
            context.machine.note(f"cannot interpret shopt {name}: it is taken to change nothing")
    return 0


def _ulimit(context: Context, words: list[str]) -> int:
    """Limits are told as unlimited, and setting one changes nothing here."""
    if all(word.startswith("-") for word in words[1:]):
        context.out("unlimited\n")
    return 0


BUILTINS: dict[str, Builtin] = {
    ":": _true,
    "true": _true,
    "false": _false,
    "echo": _echo,
    "printf": _printf,
    "test": _test,
    "[": _test,
    "exit": _exit,
    "return": _return,
    "break": _leave_loops,
    "continue": _leave_loops,
    "cd": _cd,
    "pwd": _pwd,
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
    "kill": kill,
    "read": read,
    "mapfile": mapfile,
    "readarray": mapfile,
    "eval": _eval,
    ".": _source,
    "source": _source,
    "exec": _exec,
    "command": _command,
    "type": _type,
    "let": let,
    "getopts": getopts,
    "jobs": jobs,
    # Settings that change nothing a script could see here.
    "umask": _true,
    "ulimit": _ulimit,
    "hash": _true,
    "shopt": _shopt,
    "disown": _true,
    "alias": _true,
    "unalias": _true,
    "times": _true,
    "bg": _true,
    "builtin": _command,
}
SPECIAL_BUILTINS = frozenset(
    ": . break continue eval exec exit export readonly return set shift trap unset".split()
)
