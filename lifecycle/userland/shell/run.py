"""Lets a machine's tasks run: all that are due, or one command's processes ahead of the rest."""

from __future__ import annotations

from lifecycle.lean_tuples import NamedTuple

from ..guesses import FAILED_HOOK
from ..tools import all_tools
from ..world import World
from .commands import run_tool
from .interpreter import run_shell
from .machine import Machine
from .open_files import CAPTURE, LOG, MAIN_INPUT, NULL, TEXT, OpenFile, Session
from .task import ASKED, GUESSES, HOOK, Task, Wait
from .waits import is_blocked, next_wake_ms

COUNT_OF_TOOLS = all_tools.COUNT
assert COUNT_OF_TOOLS, "the tools are registered by importing them"


_STEPS_OF_A_CALL = 50


class CommandResult(NamedTuple):
    """A command that somebody sent into a container: like a check, but with input, and its streams apart."""

    status: int | None
    output: str
    errors: str
    takes_ms: int
    met_unknown: bool
    is_stopped: bool = False
    """Something of it was killed at the limit."""


def start_main(
    machine: Machine, arguments: list[str], folder: str, now_ms: int, world: World, has_input: bool = False
) -> None:
    """Start process 1 and run it as far as it goes at this instant. `has_input`: somebody may write to it."""
    machine.enter(now_ms, world)
    _provide_folder(machine, folder)
    task = start_task(machine, arguments, folder, world, machine.open_files.open(OpenFile(LOG)))
    machine.main_pid = task.pid
    task.state["is_tail"] = True
    if has_input:
        source, sink = machine.open_files.make_pipe()
        machine.open_files.retain(sink)
        machine.set_fd(task, 0, source)
        machine.open_files.sessions[MAIN_INPUT] = Session(task.pid, source, sink, 0, 0)
    machine.leave()
    run_machine(machine, now_ms, world)


def start_command(
    machine: Machine, arguments: list[str], folder: str, now_ms: int, world: World
) -> tuple[int, int]:
    """Start a hook's command beside process 1; gives its process id, and the number of its output."""
    machine.enter(now_ms, world)
    output = machine.open_files.open(OpenFile(CAPTURE))
    machine.open_files.retain(output)
    task = start_task(machine, arguments, folder, world, output)
    task.state[HOOK] = True
    machine.leave()
    return task.pid, output


def take_output(machine: Machine, output: int) -> str:
    """What a hook's command has written; it is kept no longer."""
    file = machine.open_files.files.get(output)
    text = file.text if file is not None else ""
    machine.open_files.release(output)
    return text


def start_task(machine: Machine, arguments: list[str], folder: str, world: World, output: int) -> Task:
    """A process that a container runtime starts, not run yet; what it writes goes to one open file."""
    task = machine.new_task(0, 0, arguments)
    task.environment = dict(world.env)
    task.folder = folder
    task.state["flavour"] = machine.flavour
    machine.set_fd(task, 0, machine.open_files.open(OpenFile(NULL)))
    machine.set_fd(task, 1, output)
    machine.set_fd(task, 2, output)
    return task


def run_machine(machine: Machine, now_ms: int, world: World) -> None:
    """Run every task that is due, until all wait again."""
    if machine.exit is not None:
        return
    machine.enter(now_ms, world)
    run_ready(machine, None)
    machine.leave()


def run_ready(machine: Machine, root: int | None) -> None:
    """Run every task that is due, or one command's alone, until all wait."""
    is_running = True
    while is_running and machine.exit is None:
        is_running = False
        for pid in list(machine.tasks):
            task = machine.tasks.get(pid)
            if task is None or (root is not None and task.root != root) or is_blocked(machine, task):
                continue
            is_running = True
            _run_task(machine, task)
            machine.check_memory()
            if machine.exit is not None:
                return


def _run_task(machine: Machine, task: Task) -> None:
    """Run one task as far as it goes, and remember for its root whether it met what nobody knows."""
    first, before = machine.tasks.get(task.root), (machine.met_unknown, machine.feeds_unknown)
    machine.met_unknown = machine.feeds_unknown = False
    if task.shell is None:
        _run_tool(machine, task)
    else:
        run_shell(machine, task)
    is_guess = machine.feeds_unknown or (machine.met_unknown and machine.has_unknown_program)
    if first is not None and HOOK in first.state:
        first.state[GUESSES] = is_guess or bool(first.state.get(GUESSES))
        _forgive(machine, first)
    machine.met_unknown |= before[0]
    machine.feeds_unknown |= before[1]


def _forgive(machine: Machine, hook: Task) -> None:
    """Real hooks are written to succeed: one that fails by a guess alone is taken to."""
    at_ms, status = machine.ended.get(hook.pid, (0, 0))
    if status and hook.state[GUESSES]:
        machine.ended[hook.pid] = (at_ms, 0)
        machine.note(f"cannot interpret the hook {' '.join(hook.arguments)[:60]!r}: {FAILED_HOOK.taken}")


def _run_tool(machine: Machine, task: Task) -> None:
    """Call a tool once. A chain of tools that feed each other for ever lets time pass like a loop does."""
    if machine.now_ms > task.stepped_ms:
        task.steps = 0
    task.stepped_ms = machine.now_ms
    task.steps += _STEPS_OF_A_CALL
    if not machine.charge(task):
        task.wait = None
        run_tool(machine, task)


def run_command(
    machine: Machine,
    arguments: list[str],
    folder: str,
    text: str,
    now_ms: int,
    limit_ms: int,
    world: World,
) -> CommandResult:
    """Run a command that reads `text`, ahead in time and alone, as a check is run."""
    machine.enter(now_ms, world)
    machine.is_volatile = machine.met_unknown = False
    overruns = machine.overruns, machine.busy_until_ms
    streams = machine.open_files.open(OpenFile(CAPTURE)), machine.open_files.open(OpenFile(CAPTURE))
    for number in streams:
        machine.open_files.retain(number)
    task = start_task(machine, arguments, folder, world, streams[0])
    task.state[ASKED] = True
    machine.set_fd(task, 2, streams[1])
    if text:
        machine.set_fd(task, 0, machine.open_files.open(OpenFile(TEXT, text=text)))
    end_ms = run_ahead(machine, task.pid, now_ms + limit_ms)
    files = machine.open_files.files
    output, errors = (files[number].text if number in files else "" for number in streams)
    ended = machine.ended.pop(task.pid, None)
    for other in [other for other in machine.tasks.values() if other.root == task.pid]:
        machine.finish(other, 137, 9)
    machine.ended.pop(task.pid, None)
    if machine.exit is None:
        for number in streams:
            machine.open_files.release(number)
    status = None if ended is None else ended[1]
    machine.overruns, machine.busy_until_ms = overruns
    machine.set_time(now_ms)
    machine.leave()
    return CommandResult(status, output, errors, end_ms - now_ms, machine.met_unknown)


def run_ahead(machine: Machine, pid: int, until_ms: int) -> int:
    """Run one command's processes alone; give the instant at which it ended, or the limit."""
    while True:
        run_ready(machine, pid)
        if pid in machine.ended or machine.exit is not None:
            return machine.now_ms
        due_ms = next_wake_ms(machine, pid)
        if due_ms is None or due_ms > until_ms:
            return until_ms
        machine.set_time(due_ms)


def _provide_folder(machine: Machine, folder: str) -> None:
    """The runtime makes the working directory where it is missing (runc's `prepareRootfs`)."""
    if folder != "/":
        machine.file_system.provide_folder(folder)


def add_opaque_main(machine: Machine, name: str, folder: str, now_ms: int, world: World) -> None:
    """Put a main process in place of which only the name is known."""
    machine.enter(now_ms, world)
    _provide_folder(machine, folder)
    task = machine.new_task(0, 0, [name])
    machine.main_pid = task.pid
    task.wait = Wait(Wait.SIGNAL)
    task.state["opaque"] = True
    machine.leave()
