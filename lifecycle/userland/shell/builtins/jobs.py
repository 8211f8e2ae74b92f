"""Signals and children: the builtins trap, wait and jobs, and what `kill` does to a process."""

from __future__ import annotations

from ...signals import signal_name
from ..activation import Activation
from ..machine import Machine
from ..neighbours import find_task, send_signal, tasks_in_sight
from ..task import Task, Wait


def trap(activation: Activation, words: list[str]) -> int:
    """`trap`: what is done on a signal, or at the end."""
    traps = activation.task.traps
    words = words[1:]
    if words and words[0] == "--":
        words = words[1:]
    if not words or words == ["-p"]:
        for name, action in traps.items():
            activation.out(f"trap -- '{action}' {name}\n")
        return 0
    # Without an action, and with `-`, the signals get their default back.
    is_reset = words[0] == "-" or (signal_name(words[0]) is not None and len(words) == 1)
    names = words[1:] if words[0] == "-" or not is_reset else words
    for word in names:
        is_exit = word in ("0", "EXIT")
        name = "EXIT" if is_exit else signal_name(word) or ""
        if not name:
            if word in ("ERR", "DEBUG", "RETURN") and activation.shell.flavour != "dash":
                activation.machine.note(f"cannot interpret trap {word}: it is never called")
                continue
            return activation.fail(f"trap: {word}: bad trap")
        traps.pop(name, None)
        if not is_reset:
            traps[name] = words[0]
    return 0


def wait(activation: Activation, words: list[str]) -> int | None:
    """`wait`: for children to end, with -n for the first of them."""
    task, machine = activation.task, activation.machine
    if "-n" in words:
        children = [other.pid for other in machine.tasks.values() if other.parent == task.pid]
        if task.reaped:
            return task.reaped.pop(min(task.reaped))
        if not children:
            return 127
        task.wait = Wait(Wait.ANY_JOB, children)
        return None
    given = [_process_id(task, word) for word in words[1:]]
    pids = [pid for pid in given if pid is not None]
    if len(words) > 1:
        known = [pid for pid in pids if pid in task.reaped or _is_child(machine, task, pid)]
        if len(known) < len(words) - 1:
            return 127
        task.wait = Wait(Wait.JOBS, known)
    else:
        task.wait = Wait(Wait.JOBS, None)
    return None


def _process_id(task: Task, word: str) -> int | None:
    """A process id, or that of a job: `%2`, or the last one as `%%`; None for neither."""
    if not word.startswith("%"):
        return int(word) if word.lstrip("-").isdigit() else None
    jobs = task.shell.jobs if task.shell is not None else []
    if word in ("%", "%%", "%+"):
        return jobs[-1] if jobs else None
    place = int(word[1:]) if word[1:].isdigit() else 0
    return jobs[place - 1] if 0 < place <= len(jobs) else None


def _is_child(machine: Machine, task: Task, pid: int) -> bool:
    return pid in machine.tasks and machine.tasks[pid].parent == task.pid


def kill_target(machine: Machine, task: Task, word: str, name: str) -> bool:
    """Signal a process, with 0 the sender's own ones, with -1 all in sight; False when there is none."""
    pid = _process_id(task, word)
    # Without job control dash signals a process group that is not there.
    is_group = word.startswith("%") and task.shell is not None and task.shell.flavour == "dash"
    if pid is None or is_group:
        return False
    if pid in (0, -1) or pid == -1 * task.root:
        targets = _everyone(machine, task) if pid == -1 else _own_tree(machine, task)
    else:
        machine.is_volatile = True
        target = find_task(machine, abs(pid))
        targets = [target] if target is not None else []
    for target in targets:
        if name != "0":
            send_signal(machine, target, name)
    return bool(targets)


def _own_tree(machine: Machine, task: Task) -> list[Task]:
    return [other for other in machine.tasks.values() if other.root == task.root]


def _everyone(machine: Machine, task: Task) -> list[Task]:
    """All but process 1 and the sender itself."""
    return [other for other in tasks_in_sight(machine) if other.pid not in (1, task.pid)]


def jobs(activation: Activation, words: list[str]) -> int:
    """`jobs`: the children that are running."""
    for place, other in enumerate(
        [other for other in activation.machine.tasks.values() if other.parent == activation.task.pid], 1
    ):
        activation.out(f"[{place}]+ Running {' '.join(other.arguments)}\n")
    return 0
