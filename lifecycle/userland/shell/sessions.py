"""Commands whose input stays open: each time somebody writes, they run as far as they come.

As any command that somebody sends into a container, they run ahead in time and alone. What they leave in the
background goes on in the container's own time.
"""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass

from ..world import World
from .activation import Activation
from .machine import Machine
from .open_files import CAPTURE, MAIN_INPUT, NULL, OpenFile, Session
from .run import CommandResult, run_ready, start_task
from .task import ASKED, READS, Task, Wait
from .typed import drop_command
from .waits import is_blocked, next_wake_ms

MOST_SESSIONS = 16
"""Of one container. One more ends the oldest: whoever began it has most likely gone."""
_INTERRUPTED = 130
_KILLED, _KILL = 137, 9


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody does with a command: begins it, writes to it, ends its input or interrupts it."""

    key: str
    text: str = ""
    is_first: bool = False
    is_end: bool = False
    is_interrupt: bool = False
    is_terminal: bool = False


def converse(
    machine: Machine, arguments: list[str], folder: str, said: Said, now_ms: int, limit_ms: int, world: World
) -> CommandResult:
    """Run a session's command until it waits for more, ends, or has run for too long.

    The status is None where it goes on. Who speaks to a session that is gone is told that it was killed.
    """
    machine.enter(now_ms, world)
    machine.is_volatile = machine.met_unknown = False
    overruns = machine.overruns, machine.busy_until_ms
    session = machine.open_files.sessions.get(said.key)
    if session is None and not said.is_first:
        machine.leave()
        return CommandResult(_KILLED, "", "", 0, False)
    session = session or _begin(machine, arguments, folder, said, world)
    _hand_over(machine, session, said)
    end_ms, is_late = _run_on(machine, session, now_ms + limit_ms)
    if is_late:
        _stop(machine, session)
        end_ms, _ = _run_on(machine, session, machine.now_ms)
    status = _KILLED if machine.exit is not None else machine.ended.get(session.pid, (0, None))[1]
    output, errors = _take(machine, session.output), _take(machine, session.errors)
    if status is not None:
        _finish(machine, said.key, session)
    machine.overruns, machine.busy_until_ms = overruns
    machine.set_time(now_ms)
    machine.leave()
    return CommandResult(status, output, errors, end_ms - now_ms, machine.met_unknown, is_late)


def write_to_main(machine: Machine, said: Said, now_ms: int, world: World) -> bool:
    """Write to the main process, which reads it in its own time; False where it has no input."""
    session = machine.open_files.sessions.get(MAIN_INPUT)
    if session is None or not session.sink:
        return False
    machine.enter(now_ms, world)
    _hand_over(machine, session, said)
    machine.leave()
    return True


def _begin(machine: Machine, arguments: list[str], folder: str, said: Said, world: World) -> Session:
    files = machine.open_files
    others = files.sessions.keys() - {MAIN_INPUT}
    if len(others) >= MOST_SESSIONS:
        oldest = min(others, key=lambda key: files.sessions[key].pid)
        _finish(machine, oldest, files.sessions[oldest])
    source, sink = files.make_pipe()
    output = files.open(OpenFile(CAPTURE))
    # A terminal shows both in the order in which they come.
    errors = output if said.is_terminal else files.open(OpenFile(CAPTURE))
    for number in (source, sink, output, errors):
        files.retain(number)
    task = start_task(machine, arguments, folder, world, output)
    task.state[ASKED] = True
    machine.set_fd(task, 0, source)
    machine.set_fd(task, 2, errors)
    session = Session(task.pid, source, sink, output, errors, said.is_terminal)
    files.sessions[said.key] = session
    return session


def _hand_over(machine: Machine, session: Session, said: Said) -> None:
    files = machine.open_files
    sink = files.files.get(session.sink)
    if sink is None:
        return
    if said.is_interrupt:
        _interrupt(machine, session)
    files.pipes[sink.pipe].text += said.text
    if said.is_end and not (session.is_terminal and _end_reader(machine, session)):
        files.release(session.sink)
        session.sink = 0


def _end_reader(machine: Machine, session: Session) -> bool:
    """Ctrl-D is the end for the program that reads the terminal; whether that is another than the shell."""
    tasks = _list_tasks(machine, session)
    reader = next((task for task in tasks if task.shell is None and _reads(machine, session, task)), None)
    if reader is None or reader.pid == session.pid:
        return False
    machine.set_fd(reader, 0, machine.open_files.open(OpenFile(NULL)))
    reader.wait = None
    return True


def _run_on(machine: Machine, session: Session, until_ms: int) -> tuple[int, bool]:
    """Run its processes; gives the instant reached, and whether it has to be stopped there."""
    while True:
        run_ready(machine, session.pid)
        is_over = session.pid not in machine.tasks or machine.exit is not None
        if is_over or _waits_for_input(machine, session):
            return machine.now_ms, False
        due_ms = next_wake_ms(machine, session.pid)
        if due_ms is None or due_ms > until_ms:
            return until_ms, True
        machine.set_time(due_ms)


def _waits_for_input(machine: Machine, session: Session) -> bool:
    return any(_reads(machine, session, task) for task in _list_tasks(machine, session))


def _reads(machine: Machine, session: Session, task: Task) -> bool:
    wait = task.wait
    is_reading = wait is not None and wait.kind in (Wait.INPUT, Wait.LINE) and wait.value == session.source
    return is_reading and is_blocked(machine, task)


def _list_tasks(machine: Machine, session: Session) -> list[Task]:
    return [task for task in machine.tasks.values() if task.root == session.pid]


def _interrupt(machine: Machine, session: Session) -> None:
    """What the terminal does on Ctrl-C: a shell that asks there drops its command, all else is signalled."""
    for task in _list_tasks(machine, session):
        if READS not in task.state:
            machine.signal(task, "INT")
    _ask_anew(machine, session)


def _stop(machine: Machine, session: Session) -> None:
    """What has not ended by itself is killed: the command of a shell that asks for the next one, else all."""
    tasks = _list_tasks(machine, session)
    asking = [task for task in tasks if READS in task.state]
    for task in tasks:
        # What ignores the terminal's signals was sent to the background.
        if task not in asking and not (asking and task.traps.get("INT") == ""):
            machine.finish(task, _KILLED, _KILL)
    _ask_anew(machine, session)


def _ask_anew(machine: Machine, session: Session) -> None:
    for task in _list_tasks(machine, session):
        if READS in task.state:
            drop_command(Activation(machine, task), _INTERRUPTED)


def _take(machine: Machine, number: int) -> str:
    """What was written to it since the last time."""
    file = machine.open_files.files.get(number)
    if file is None:
        return ""
    text, file.text = file.text, ""
    return text


def _finish(machine: Machine, key: str, session: Session) -> None:
    files = machine.open_files
    files.sessions.pop(key, None)
    for task in _list_tasks(machine, session):
        machine.finish(task, _KILLED, _KILL)
    machine.ended.pop(session.pid, None)
    if machine.exit is None:
        for number in (session.source, session.sink, session.output, session.errors):
            files.release(number)
