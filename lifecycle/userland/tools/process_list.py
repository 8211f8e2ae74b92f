"""`ps` and `pstree`: the processes in sight, as busybox shows them or, in Debian's images, as procps does."""

from __future__ import annotations

from collections.abc import Callable

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


_COLUMNS: dict[str, tuple[str, Callable[[Task, str], str]]] = {
    "pid": ("PID", lambda task, user: f"{task.pid:>5}"),
    "ppid": ("PPID", lambda task, user: f"{task.parent:>5}"),
    "comm": ("COMMAND", lambda task, user: command_name(task)),
    "args": ("COMMAND", lambda task, user: command_line(task)),
    "cmd": ("CMD", lambda task, user: command_line(task)),
    "command": ("COMMAND", lambda task, user: command_line(task)),
    "rss": ("RSS", lambda task, user: f"{task.memory_bytes >> 10:>5}"),
    "user": ("USER", lambda task, user: f"{user:<8}"),
}
_BUSYBOX = "PID   USER     TIME  COMMAND", "{pid:5} {user:<8}  0:00 {line}"
_FORMS = {
    "u": (
        "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND",
        "{user:<8} {pid:>7}  0.0  0.0 {size:>6} {size:>5} ?        S    00:00   0:00 {line}",
    ),
    "f": (
        "UID          PID    PPID  C STIME TTY          TIME CMD",
        "{user:<8} {pid:>7} {parent:>7}  0 00:00 ?        00:00:00 {line}",
    ),
    "": ("    PID TTY          TIME CMD", "{pid:>7} ?        00:00:00 {name}"),
}
"""Headings and lines by the letter that asks for them."""


@tool("ps", "pstree")
def ps(call: Call) -> Outcome:
    """All processes in sight; of several forms the columns differ, of `-o` they are chosen."""
    call.machine.is_volatile = True
    who = call.world.identity
    own = who.user_name or str(who.user)
    # Of the pod's other containers it is not known here as whom they run.
    tasks = [
        (task, own if task.pid in call.machine.tasks else "root") for task in tasks_in_sight(call.machine)
    ]
    chosen = _chosen_columns(call.arguments)
    if chosen is not None:
        unknown = [name for name, _ in chosen if name not in _COLUMNS]
        if unknown:
            return call.cannot(f"-o {unknown[0]}", 1)
        headings = [_COLUMNS[name][0] if heading is None else heading for name, heading in chosen]
        rows = [" ".join(headings)] if any(headings) else []
        rows += [" ".join(_COLUMNS[name][1](*one) for name, _ in chosen).rstrip() for one in tasks]
    else:
        letters = "".join(word.lstrip("-") for word in call.arguments)
        is_busybox = call.machine.flavour == "ash" and call.name == "ps"
        title, form = _BUSYBOX if is_busybox else _FORMS[next((one for one in "uf" if one in letters), "")]
        rows = [title, *(_line(form, task, user) for task, user in tasks)]
    call.out("".join(row + "\n" for row in rows))
    return 0


def _line(form: str, task: Task, user: str) -> str:
    size, line, name = task.memory_bytes >> 10, command_line(task), command_name(task)
    return form.format(pid=task.pid, parent=task.parent, user=user, size=size, line=line, name=name)


def _chosen_columns(words: list[str]) -> list[tuple[str, str | None]] | None:
    """Names and headings of `-o pid,comm=`; an empty heading for a bare equals sign."""
    for place, word in enumerate(words):
        name, has_option, glued = word.partition("o")
        if not has_option or name.lstrip("-") not in ("", "e", "a", "ax") or not word.startswith("-"):
            continue
        text = glued or ",".join(words[place + 1 : place + 2])
        parts = [item.partition("=") for item in text.split(",")]
        return [(column, heading if equals else None) for column, equals, heading in parts]
    return None
