"""Builtins of the shell: what has to happen in the shell's own process."""

from collections.abc import Callable
from dataclasses import dataclass, field

from lifecycle.engine.programs.file_system import FOLDER, FileProblem, join_path
from lifecycle.engine.programs.shell.arithmetic import evaluate
from lifecycle.engine.programs.shell.conditions import ConditionProblem, evaluate_test
from lifecycle.engine.programs.shell.frames import check_error, leave_frame, leave_shell
from lifecycle.engine.programs.shell.instructions import Run
from lifecycle.engine.programs.shell.machine import Machine
from lifecycle.engine.programs.shell.open_files import READER
from lifecycle.engine.programs.shell.redirects import restore_redirects
from lifecycle.engine.programs.shell.scope import ShellScope
from lifecycle.engine.programs.shell.task import FUNCTION, SOURCE, Frame, Shell, Task, Wait
from lifecycle.engine.programs.signals import SIGNALS, signal_name
from lifecycle.engine.programs.tools.formats import format_echo, format_printf
from lifecycle.engine.programs.tools.registry import has_tool


@dataclass(slots=True)
class Context:
    """One call of a builtin, and what it asks to happen afterwards."""

    machine: Machine
    task: Task
    shell: Shell
    scope: ShellScope
    instruction: Run
    saved: dict[int, int | None] | None
    keeps_redirects: bool = False
    replaces_process: list[str] = field(default_factory=list)
    runs_tool: list[str] = field(default_factory=list)

    def out(self, text: str) -> int:
        """Writes to standard output; the status is 0 unless nobody reads it."""
        return 0 if self.machine.write(self.task, 1, text) else 1

    def fail(self, message: str, status: int = 1) -> int:
        self.machine.write(self.task, 2, f"{self.shell.name}: {message}\n")
        return status

    def environment(self) -> dict[str, str]:
        return self.scope.environment()

    def push(self, frame: Frame) -> None:
        """Runs another text first; the command's redirections hold until it ends."""
        if self.saved is not None:
            frame.redirects.append(self.saved)
            self.saved = None
        self.shell.frames.append(frame)


Builtin = Callable[[Context, list[str]], int | None]


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


def _export(context: Context, words: list[str]) -> int:
    if len(words) == 1 or words[1] == "-p":
        for name, value in sorted(context.environment().items()):
            context.out(f"export {name}='{value}'\n")
        return 0
    takes_back = words[1] == "-n"
    for word in words[2 if takes_back else 1 :]:
        name, equals, value = word.partition("=")
        if equals:
            context.scope.put(name, value)
        if takes_back:
            context.shell.exported.discard(name)
        else:
            context.shell.exported.add(name)
    return 0


def _readonly(context: Context, words: list[str]) -> int:
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if equals:
            context.scope.put(name, value)
        context.shell.readonly.add(name)
    return 0


def _local(context: Context, words: list[str]) -> int:
    frame = next((one for one in reversed(context.shell.frames) if one.kind == FUNCTION), None)
    is_declare = words[0] != "local"
    if frame is None and not is_declare:
        return context.fail("local: not in a function", 2)
    flags = "".join(word[1:] for word in words[1:] if word.startswith("-"))
    for word in words[1:]:
        if word.startswith(("-", "+")):
            continue
        name, equals, value = word.partition("=")
        if frame is not None and "g" not in flags:
            frame.saved_locals.setdefault(name, context.shell.variables.get(name))
        if equals:
            context.scope.put(name, value)
        elif "A" in flags:
            context.machine.note(f"cannot interpret the associative array {name}: its keys count as numbers")
        elif "a" in flags:
            context.shell.arrays.setdefault(name, [])
        elif frame is not None and context.shell.flavour == "bash":
            context.shell.variables.pop(name, None)
        if "x" in flags:
            context.shell.exported.add(name)
        if "r" in flags:
            context.shell.readonly.add(name)
    return 0


def _unset(context: Context, words: list[str]) -> int:
    functions = "-f" in words
    for name in [word for word in words[1:] if not word.startswith("-")]:
        if functions:
            context.shell.functions.pop(name, None)
        elif name in context.shell.readonly:
            return context.fail(f"unset: {name}: is read only")
        else:
            context.shell.variables.pop(name, None)
            context.shell.arrays.pop(name, None)
            context.shell.exported.discard(name)
            context.task.environment.pop(name, None)
    return 0


_OPTIONS = {
    "e": "errexit",
    "u": "nounset",
    "x": "xtrace",
    "f": "noglob",
    "a": "allexport",
    "n": "noexec",
    "v": "verbose",
    "C": "noclobber",
    "b": "notify",
    "m": "monitor",
    "E": "errtrace",
    "h": "hashall",
    "T": "functrace",
}


def set_options(shell: Shell, words: list[str]) -> list[str] | None:
    """Reads options as `set` and `sh` take them; gives what is left, None when `--` or words were given."""
    place = 0
    while place < len(words):
        word = words[place]
        if word in ("--", "-") or word[:1] not in ("-", "+") or len(word) < 2:
            break
        place += 1
        for letter in word[1:]:
            name = _OPTIONS.get(letter)
            if letter == "o" and place < len(words):
                name = words[place]
                place += 1
            if name:
                (shell.options.add if word[0] == "-" else shell.options.discard)(name)
    rest = words[place:]
    return rest or None


def _set(context: Context, words: list[str]) -> int:
    if len(words) == 1:
        for name, value in sorted(context.shell.variables.items()):
            context.out(f"{name}='{value}'\n")
        return 0
    rest = set_options(context.shell, words[1:])
    if rest is not None:
        context.shell.arguments = rest[1:] if rest[0] in ("--", "-") else rest
    return 0


def _shift(context: Context, words: list[str]) -> int | None:
    count = int(words[1]) if len(words) > 1 and words[1].isdigit() else 1
    if count > len(context.shell.arguments):
        return _fail_special(context, "shift: can't shift that many")
    context.shell.arguments = context.shell.arguments[count:]
    return 0


def _trap(context: Context, words: list[str]) -> int:
    traps = context.task.traps
    words = words[1:]
    if words and words[0] == "--":
        words = words[1:]
    if not words or words == ["-p"]:
        for name, action in traps.items():
            context.out(f"trap -- '{action}' {name}\n")
        return 0
    # Without an action, and with `-`, the signals get their default back.
    is_reset = words[0] == "-" or (signal_name(words[0]) is not None and len(words) == 1)
    names = words[1:] if words[0] == "-" or not is_reset else words
    for word in names:
        is_exit = word in ("0", "EXIT")
        name = "EXIT" if is_exit else signal_name(word) or ""
        if not name:
            if word in ("ERR", "DEBUG", "RETURN"):
                context.machine.note(f"cannot interpret trap {word}: it is never called")
                continue
            return context.fail(f"trap: {word}: bad trap")
        traps.pop(name, None)
        if not is_reset:
            traps[name] = words[0]
    return 0


def _wait(context: Context, words: list[str]) -> int | None:
    task, machine = context.task, context.machine
    if "-n" in words:
        children = [other.pid for other in machine.tasks.values() if other.parent == task.pid]
        if task.reaped:
            return task.reaped.pop(min(task.reaped))
        if not children:
            return 127
        # The first to end: where there is only one child this is the same.
        task.wait = Wait(Wait.JOBS, children[:1])
        return None
    pids = [int(word.removeprefix("%")) for word in words[1:] if word.removeprefix("%").isdigit()]
    if len(words) > 1:
        known = [pid for pid in pids if pid in task.reaped or _is_child(machine, task, pid)]
        if len(known) < len(words) - 1:
            return 127
        task.wait = Wait(Wait.JOBS, known)
    else:
        task.wait = Wait(Wait.JOBS, None)
    return None


def _is_child(machine: Machine, task: Task, pid: int) -> bool:
    return pid in machine.tasks and machine.tasks[pid].parent == task.pid


def _kill(context: Context, words: list[str]) -> int:
    name: str | None = "TERM"
    words = words[1:]
    if words and words[0] == "-l":
        return context.out(" ".join(SIGNALS) + "\n")
    if words and words[0] in ("-s", "-n") and len(words) > 1:
        name, words = signal_name(words[1]), words[2:]
    elif words and words[0].startswith("-") and words[0] not in ("--", "-1") and len(words) > 1:
        name = "0" if words[0] == "-0" else signal_name(words[0][1:])
        words = words[1:]
    if words[:1] == ["--"]:
        words = words[1:]
    if name is None or not words:
        return context.fail("kill: unknown signal or no process", 2)
    status = 0
    for word in words:
        if not kill_target(context.machine, context.task, word, name):
            status = context.fail(f"kill: can't kill pid {word}: No such process")
    return status


def kill_target(machine: Machine, task: Task, word: str, name: str) -> bool:
    """Signals a process, or with 0 and -1 all of the container's; False when there is none."""
    job = word.removeprefix("%")
    if not job.lstrip("-").isdigit():
        return False
    pid = int(job)
    if word.startswith("%"):
        pid = task.shell.last_background if task.shell else 0
    if pid in (0, -1) or pid == -1 * task.root:
        targets = [other for other in machine.tasks.values() if other.root == task.root]
        targets = [other for other in targets if pid != -1 or other.pid not in (1, task.pid)]
    else:
        machine.is_volatile = True
        targets = [machine.tasks[abs(pid)]] if abs(pid) in machine.tasks else []
    for target in targets:
        if name != "0" and target.pid in machine.tasks:
            machine.signal(target, name)
    return bool(targets)


def _read(context: Context, words: list[str]) -> int | None:
    raw, names, fd, separator_line = False, [], 0, True
    at = 1
    while at < len(words):
        word = words[at]
        if word.startswith("-") and len(word) > 1:
            raw = raw or "r" in word
            if word[-1] in "tpudnN":
                at += 1
                fd = int(words[at]) if word[-1] == "u" and at < len(words) else fd
        else:
            names.append(word)
        at += 1
    machine, task = context.machine, context.task
    text, is_end = machine.read(task, fd, until_line=separator_line)
    if not text and not is_end:
        number = task.fds[fd]
        assert machine.open_files.files[number].kind == READER, number
        task.wait = Wait(Wait.INPUT, number)
        return None
    while not raw and text.endswith("\\\n"):
        more, _ = machine.read(task, fd, until_line=True)
        text = text[:-2] + more
    _assign_read(context, names or ["REPLY"], text.removesuffix("\n"), raw)
    return 0 if text.endswith("\n") else 1


def _assign_read(context: Context, names: list[str], line: str, raw: bool) -> None:
    separators = context.scope.get("IFS")
    separators = " \t\n" if separators is None else separators
    blanks = "".join(sign for sign in separators if sign in " \t\n")
    rest = line.strip(blanks) if blanks else line
    for name in names[:-1]:
        end = 0
        while end < len(rest) and rest[end] not in separators:
            end += 1
        value, rest = rest[:end], rest[end:]
        stripped = rest.lstrip(blanks)
        if stripped[:1] and stripped[0] in separators and stripped[0] not in blanks:
            stripped = stripped[1:].lstrip(blanks)
        rest = stripped
        context.scope.put(name, value if raw else value.replace("\\", ""))
    context.scope.put(names[-1], rest if raw else rest.replace("\\", ""))


def _eval(context: Context, words: list[str]) -> int | None:
    text = " ".join(words[1:])
    if not text.strip():
        return 0
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
    for name in [word for word in words[1:] if not word.startswith("-")]:
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


def _let(context: Context, words: list[str]) -> int:
    value = 0
    for word in words[1:]:
        value = evaluate(word, lambda name: context.scope.get(name) or "", context.scope.put)
    return int(value == 0)


def _getopts(context: Context, words: list[str]) -> int:
    """POSIX option parsing; `OPTIND` counts words, options inside one word are told apart by a remainder."""
    scope = context.scope
    arguments = words[3:] or list(context.shell.arguments)
    index = int(scope.get("OPTIND") or 1)
    place = int(scope.get("_OPTPLACE") or 1)
    word = arguments[index - 1] if index <= len(arguments) else ""
    if not word.startswith("-") or word == "-" or word == "--":
        scope.put("OPTIND", str(index + (word == "--")))
        scope.put(words[2], "?")
        return 1
    letter, is_last = word[place], place + 1 >= len(word)
    takes_value = letter + ":" in words[1]
    index, place = (index + 1, 1) if is_last or takes_value else (index, place + 1)
    if takes_value:
        value = word[word.index(letter) + 1 :] if not is_last else ""
        if is_last:
            value = arguments[index - 1] if index <= len(arguments) else ""
            index += 1
        scope.put("OPTARG", value)
    scope.put("OPTIND", str(index))
    scope.put("_OPTPLACE", str(place))
    scope.put(words[2], letter if letter in words[1].replace(":", "") else "?")
    return 0


def _jobs(context: Context, words: list[str]) -> int:
    for place, other in enumerate(
        [other for other in context.machine.tasks.values() if other.parent == context.task.pid], 1
    ):
        context.out(f"[{place}]+ Running {' '.join(other.arguments)}\n")
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
    "export": _export,
    "readonly": _readonly,
    "local": _local,
    "declare": _local,
    "typeset": _local,
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    "trap": _trap,
    "wait": _wait,
    "kill": _kill,
    "read": _read,
    "eval": _eval,
    ".": _source,
    "source": _source,
    "exec": _exec,
    "command": _command,
    "type": _type,
    "let": _let,
    "getopts": _getopts,
    "jobs": _jobs,
    # Settings that change nothing a script could see here.
    "umask": _true,
    "ulimit": _ulimit,
    "hash": _true,
    "shopt": _true,
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
