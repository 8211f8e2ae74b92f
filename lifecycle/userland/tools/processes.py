"""Tools that start, watch and signal processes."""

from __future__ import annotations

from ..file_layers import OPAQUE
from ..lines import lines_of
from ..shell.builtins.jobs import kill_target
from ..shell.builtins.variables import set_options
from ..shell.neighbours import send_signal, tasks_in_sight
from ..shell.reading.dialects import DASH
from ..shell.reading.options import leading_options, split_options
from ..shell.task import KEPT, MAIN, READS, STREAM, TERMINAL, Frame, Shell, Task, Wait
from ..signals import SIGNALS, signal_name
from .call import Call, Outcome
from .quantities import sleep_milliseconds
from .registry import TOOLS, has_tool, plain_name, tool

SHELLS = ("sh", "bash", "ash", "dash")
_FORWARDED = ["TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "WINCH"]


@tool("sh", "bash", "ash", "dash", "ksh", "zsh")
def shell(call: Call) -> Outcome:
    """A new shell in this process: `-c text`, a script file, or what standard input holds."""
    own = call.state.get("flavour", call.machine.flavour)
    flavour = "bash" if call.name in ("bash", "ksh", "zsh") else call.name if call.name != "sh" else own
    new = Shell(flavour, call.task.arguments[0], [])
    new.seconds_ms = call.now_ms
    words, has_text = _shell_options(new, call.arguments)
    if new.flavour == DASH and "pipefail" in new.options:
        return call.fail("Illegal option -o pipefail", 2)
    if has_text:
        if not words:
            return call.fail("-c requires an argument", 2)
        if len(words) > 1:
            new.name = words[1]
        return become_shell(call, new, words[0], words[2:])
    if words:
        script = call.files.find(call.path(words[0]))
        if script is not None and script.kind == OPAQUE:
            return call.become([call.path(words[0]), *words[1:]])
        text = call.read_file(words[0])
        if text is None:
            return _missing_script(call, words[0])
        new.name = words[0]
        return become_shell(call, new, text, words[1:])
    session = call.machine.open_files.find_session(call.task.fds.get(0))
    if session is not None:
        become_shell(call, new, "", [])
        call.task.state[READS] = TERMINAL if session.is_terminal else STREAM
        return None
    read = call.whole_input()
    if isinstance(read, Wait):
        return read
    return become_shell(call, new, read, [])


def _shell_options(new: Shell, words: list[str]) -> tuple[list[str], bool]:
    """Read `-ec`, `-x`, `-o pipefail`, `--login`; says whether a text follows."""
    has_text = False
    while words and words[0].startswith(("-", "+")) and len(words[0]) > 1:
        word, words = words[0], words[1:]
        if word.startswith("--"):
            if word == "--":
                break
            continue
        has_text = has_text or "c" in word[1:]
        takes_name = "o" in word[1:]
        set_options(new, [word.replace("c", "").replace("l", ""), *(words[:1] if takes_name else [])])
        words = words[1:] if takes_name else words
    return words, has_text


def _missing_script(call: Call, name: str) -> Outcome:
    if call.is_known_absent(name):
        return 127 if call.name == "bash" else 2
    return call.become([name])


def become_shell(call: Call, new: Shell, text: str, arguments: list[str]) -> Outcome:
    """Turn the task into a shell that runs a text."""
    task = call.task
    call.machine.work_reading(task, text)
    new.arguments = list(arguments)
    new.variables = {
        name: value for name, value in task.environment.items() if name.isidentifier() or name == "_"
    }
    new.exported = set(new.variables)
    new.variables.setdefault("IFS", " \t\n")
    new.frames = [Frame(MAIN, text)]
    task.shell = new
    task.tool = ""
    task.state = {name: task.state[name] for name in KEPT if name in task.state}
    return None


_WRAPPERS = (
    "busybox nohup setsid nice ionice stdbuf chroot unbuffer catatonit time su-exec gosu sudo taskset unshare"
    " command exec docker-entrypoint.sh entrypoint.sh"
)


@tool(*_WRAPPERS.split())
def wrapper(call: Call) -> Outcome:
    """Run the program its arguments name in its own process."""
    _, words = leading_options(call.arguments, "nc" if call.name in ("nice", "ionice") else "")
    if call.name in ("su-exec", "gosu", "chroot", "taskset"):
        words = words[1:]
    if call.name == "nohup":
        call.task.traps["HUP"] = ""
    return call.become(words) if words else 0


@tool("tini", "dumb-init", "s6-init", "init")
def init(call: Call) -> Outcome:
    """A small init: passes signals on to its child, and ends when the child does."""
    if "child" not in call.state:
        _, words = leading_options(call.arguments)
        if not words:
            return 1
        call.state["catches"] = _FORWARDED
        call.state["child"] = call.start_child(words).pid
        call.machine.tasks[call.state["child"]].state["is_main"] = True
        return Wait(Wait.CHILD, call.state["child"])
    pid = call.state["child"]
    while call.task.pending:
        name = call.task.pending.pop(0)
        if pid in call.machine.tasks:
            call.machine.signal(call.machine.tasks[pid], name)
    if pid in call.machine.tasks:
        return Wait(Wait.CHILD, pid)
    return call.child_status(pid)


@tool("timeout")
def timeout(call: Call) -> Outcome:
    """Run a program, and signal it when it takes too long; the status is then 124, after KILL 137."""
    state = call.state
    if "child" not in state:
        options, words = leading_options(call.arguments, "ksSt")
        span_ms = sleep_milliseconds(words[0]) if words else None
        if span_ms is None and "t" in options:
            span_ms = sleep_milliseconds(options["t"])
        else:
            words = words[1:]
        if span_ms is None or not words:
            return call.fail("a time and a command are needed", 125)
        state["signal"] = signal_name(options.get("s") or "TERM") or "TERM"
        state["child"] = call.start_child(words).pid
        # A time of 0 is no limit.
        state["until"] = call.now_ms + span_ms if span_ms else None
        return Wait(Wait.CHILD_UNTIL, [state["child"], state["until"]])
    pid = state["child"]
    if pid not in call.machine.tasks:
        status = call.child_status(pid)
        return 124 if state.get("signalled") and state["signal"] != "KILL" else status
    if state["until"] is not None and call.now_ms >= state["until"] and not state.get("signalled"):
        state["signalled"] = True
        call.machine.signal(call.machine.tasks[pid], state["signal"])
    return Wait(Wait.CHILD, pid)


@tool("kill")
def kill(call: Call) -> Outcome:
    """`kill`: signal processes and jobs."""
    words = call.arguments
    name: str | None = "TERM"
    if words[:1] == ["-l"]:
        call.out(" ".join(SIGNALS) + "\n")
        return 0
    if words[:1] in (["-s"], ["-n"]) and len(words) > 1:
        name, words = signal_name(words[1]), words[2:]
    elif words and words[0].startswith("-") and words[0] not in ("--", "-1") and len(words) > 1:
        name = "0" if words[0] == "-0" else signal_name(words[0][1:])
        words = words[1:]
    words = words[1:] if words[:1] == ["--"] else words
    if name is None or not words:
        return call.fail("unknown signal or no process", 2)
    status = 0
    for word in words:
        if not kill_target(call.machine, call.task, word, name):
            status = call.fail(f"can't kill pid {word}: No such process")
    return status


def _named(call: Call, name: str, whole_line: bool) -> list[Task]:
    call.machine.is_volatile = True
    found = []
    main = call.machine.main_pid
    for task in tasks_in_sight(call.machine):
        if task.pid == call.task.pid or (task.pid == call.task.parent and task.root != main):
            continue
        command = task.arguments[0].rpartition("/")[2]
        if (name in " ".join(task.arguments)) if whole_line else (name in command):
            found.append(task)
    return found


@tool("pkill", "killall", "pgrep", "pidof")
def by_name(call: Call) -> Outcome:
    """`pkill`, `pgrep`, `pidof` and `killall`: find or signal processes by name."""
    signals = [word for word in call.arguments if word.startswith("-") and signal_name(word[1:]) is not None]
    options, names = split_options([word for word in call.arguments if word not in signals], "usP")
    name = signal_name(signals[0][1:] if signals else options.get("s", "TERM")) or "TERM"
    found = [task for one in names for task in _named(call, one, "f" in options)]
    if call.name in ("pgrep", "pidof"):
        separator = " " if call.name == "pidof" else "\n"
        if found:
            call.out(separator.join(str(task.pid) for task in found) + "\n")
    else:
        for task in found:
            send_signal(call.machine, task, name)
    main = call.machine.main
    is_opaque = call.machine.is_lenient and main is not None and "opaque" in main.state
    if not found and (is_opaque or call.machine.has_unknown_program):
        # What an unknown program starts is not known.
        call.machine.met_unknown = True
    return int(not found)


@tool("which")
def which(call: Call) -> Outcome:
    """`which`: where a program is."""
    missing = False
    for name in call.arguments:
        if has_tool(call.machine, call.task, name) or plain_name(name) in TOOLS:
            call.out(name + "\n" if name.startswith("/") else f"/usr/bin/{name}\n")
        else:
            missing = True
            call.machine.met_unknown = True
    return int(missing)


@tool("xargs")
def xargs(call: Call) -> Outcome:
    """One run with all the input as arguments, or one for each with -I and -n 1."""
    state = call.state
    if "runs" not in state:
        read = call.whole_input()
        if isinstance(read, Wait):
            return read
        options, words = leading_options(call.arguments, "InPLd")
        state["runs"] = _xargs_runs(options, words or ["echo"], read)
    if "child" in state:
        pid = state["child"]
        if pid in call.machine.tasks:
            return Wait(Wait.CHILD, pid)
        if call.child_status(pid):
            state["status"] = 123
    if not state["runs"]:
        return int(state.get("status", 0))
    state["child"] = call.start_child(state["runs"].pop(0)).pid
    return Wait(Wait.CHILD, state["child"])


def _xargs_runs(options: dict[str, str], words: list[str], text: str) -> list[list[str]]:
    if "I" in options:
        return [[word.replace(options["I"], line) for word in words] for line in lines_of(text) if line]
    items = text.split("\0") if "0" in options else text.split()
    items = [item for item in items if item]
    if not items:
        return [] if "r" in options else [words]
    size = int(options.get("n") or len(items))
    return [[*words, *items[at : at + size]] for at in range(0, len(items), size)]
