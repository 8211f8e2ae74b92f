"""`ps` and `pstree`: the processes in sight, as busybox shows them or, in Debian's images, as procps does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..shell.neighbours import tasks_in_sight
from ..shell.task import Task
from .call import Call, Outcome
from .registry import tool

_CONTROL_SIGNS = dict.fromkeys(range(32), " ")


def command_line(task: Task) -> str:
    """The words a process was started with, in one line."""
    return " ".join(task.arguments).translate(_CONTROL_SIGNS)


def command_name(task: Task) -> str:
    """The program's name without its folder, at most fifteen signs, as the kernel keeps it."""
    return task.arguments[0].rpartition("/")[2][:15]


_COLUMNS: dict[str, tuple[str, Callable[[Task], str]]] = {
    "pid": ("PID", lambda task: f"{task.pid:>5}"),
    "ppid": ("PPID", lambda task: f"{task.parent:>5}"),
    "comm": ("COMMAND", command_name),
    "args": ("COMMAND", command_line),
    "cmd": ("CMD", command_line),
    "command": ("COMMAND", command_line),
    "time": ("TIME", lambda task: "00:00:00"),
    "stat": ("STAT", lambda task: "S   "),
    "tty": ("TT", lambda task: "?       "),
    "vsz": ("VSZ", lambda task: f"{task.memory_bytes >> 10:>6}"),
    "rss": ("RSS", lambda task: f"{task.memory_bytes >> 10:>5}"),
}
_USER = "user"
_SAME = {"uid": "user", "ucmd": "comm", "tt": "tty", "s": "stat", "state": "stat"}


@tool("ps", "pstree")
def ps(call: Call) -> Outcome:
    """All processes in sight; of several forms the columns differ, of `-o` they are chosen."""
    call.machine.is_volatile = True
    tasks = tasks_in_sight(call.machine)
    who = call.world.identity
    own = who.user_name or str(who.user)
    # Of the pod's other containers it is not known here as whom they run.
    users = {task.pid: own if task.pid in call.machine.tasks else "root" for task in tasks}
    chosen = _chosen_columns(call.arguments)
    if chosen is not None:
        unknown = [name for name, _ in chosen if name not in (_USER, *_COLUMNS)]
        if unknown:
            return call.cannot(f"-o {unknown[0]}", 1)
        call.out(_format_chosen(chosen, tasks, users))
        return 0
    letters = "".join(word.lstrip("-") for word in call.arguments)
    if call.machine.flavour == "ash" and call.name == "ps":
        lines = ["PID   USER     TIME  COMMAND"]
        lines += [f"{task.pid:5} {users[task.pid]:<8}  0:00 {command_line(task)}" for task in tasks]
    elif "u" in letters:
        lines = ["USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND"]
        lines += [_user_line(task, users[task.pid]) for task in tasks]
    elif "f" in letters:
        lines = ["UID          PID    PPID  C STIME TTY          TIME CMD"]
        lines += [
            f"{users[task.pid]:<8} {task.pid:>7} {task.parent:>7}  0 00:00 ?        00:00:00"
            f" {command_line(task)}"
            for task in tasks
        ]
    else:
        lines = ["    PID TTY          TIME CMD"]
        lines += [f"{task.pid:>7} ?        00:00:00 {command_name(task)}" for task in tasks]
    call.out("\n".join(lines) + "\n")
    return 0


def _user_line(task: Task, user: str) -> str:
    size = task.memory_bytes >> 10
    numbers = f"{task.pid:>7}  0.0  0.0 {size:>6} {size:>5}"
    return f"{user:<8} {numbers} ?        S    00:00   0:00 {command_line(task)}"


def _chosen_columns(words: list[str]) -> list[tuple[str, str | None]] | None:
    """Names and headings of `-o pid,comm=`; an empty heading for a bare equals sign."""
    for place, word in enumerate(words):
        name, has_option, glued = word.partition("o")
        if not has_option or name.lstrip("-") not in ("", "e", "a", "ax") or not word.startswith("-"):
            continue
        text = glued or ",".join(words[place + 1 : place + 2])
        found: list[tuple[str, str | None]] = []
        for item in text.split(","):
            column, equals, heading = item.partition("=")
            found.append((_SAME.get(column, column), heading if equals else None))
        return found
    return None


def _format_chosen(chosen: list[tuple[str, str | None]], tasks: list[Task], users: Mapping[int, str]) -> str:
    columns = {**_COLUMNS, _USER: ("USER", lambda task: f"{users[task.pid]:<8}")}
    rows: list[str] = []
    headings = [columns[name][0] if heading is None else heading for name, heading in chosen]
    if any(headings):
        rows.append(" ".join(headings))
    rows += [" ".join(columns[name][1](task) for name, _ in chosen).rstrip() for task in tasks]
    return "".join(row + "\n" for row in rows)
