"""Runs a shell task's instructions until it has to wait."""

from __future__ import annotations

from ..errors import CannotInterpret
from ..guesses import SYNTAX
from . import instructions
from .activation import Activation
from .arithmetic import ArithmeticProblem
from .builtins.conditions import ConditionProblem, evaluate_condition
from .commands import UNREADABLE, run_command
from .compiler import compile_text
from .expansion import ExpansionProblem, expand_fields, expand_pattern, expand_text
from .frames import check_error, leave_frame, leave_shell
from .instructions import Fork, ForkPipeline, Instruction, Substitute
from .machine import Machine
from .open_files import CAPTURE, NULL, OpenFile
from .reading import patterns
from .reading.dialects import MISSING, lacks_command, refuse_syntax
from .reading.word_parts import Guard
from .redirects import apply_redirects, restore_redirects
from .scope import ReadOnlyVariable, ShellScope
from .task import (
    EXIT_TRAP,
    FUNCTION,
    MAIN,
    READS,
    SOURCE,
    SUBSTITUTIONS,
    TERMINAL,
    TRAP,
    Frame,
    LoopState,
    Shell,
    Task,
    Wait,
)
from .typed import drop_command, read_next

_MOST_NESTED_TRAPS = 200
_LOOKS = 16
"""Looking at a sign is so much more work than moving it."""
_PROBLEMS = (ExpansionProblem, ArithmeticProblem, ConditionProblem, ReadOnlyVariable)


def run_shell(machine: Machine, task: Task) -> None:
    """Run a shell that is not blocked until it waits or ends."""
    activation = Activation(machine, task)
    shell = activation.shell
    is_overrun = task.wait is not None and task.wait.kind == Wait.TIME
    if machine.now_ms > task.stepped_ms and not is_overrun:
        machine.rested(task)
    task.stepped_ms = machine.now_ms
    if task.wait is not None:
        _resolve_wait(activation)
    # `exec` may put another program, or another shell, in this one's place.
    while task.wait is None and task.shell is shell and task.pid in machine.tasks:
        if task.pending:
            _enter_trap(activation)
        if machine.charge(task):
            return
        _step(activation)


def _step(activation: Activation) -> None:
    frame = activation.frame = activation.shell.frames[-1]
    try:
        code = compile_text(frame.program)
    except CannotInterpret as error:
        _refuse(activation, str(error))
        return
    instruction = code[frame.at]
    frame.at += 1
    try:
        _execute(activation, instruction)
    except _PROBLEMS as error:
        _give_up(activation, activation.fail(str(error), _status_of_problem(error, activation.shell)))
    except CannotInterpret as error:
        _fail(activation, str(error))
    except UNREADABLE:
        _fail(activation, "a command's arguments")


def _fail(activation: Activation, what: str) -> None:
    """A command that is beyond the interpreter fails, as any other would under `set -e`."""
    shell, frame = activation.shell, activation.frame
    activation.machine.note(f"cannot interpret {what}: the command is {SYNTAX.taken}")
    shell.status = 2
    frame.substituted.clear()
    if shell.frames and shell.frames[-1] is frame:
        check_error(activation, frame)


def _status_of_problem(error: Exception, shell: Shell) -> int:
    """What a shell ends with when an expansion fails: the shells differ."""
    if shell.flavour != "bash":
        return 2
    return 127 if isinstance(error, ExpansionProblem) else 1


def _refuse(activation: Activation, construct: str) -> None:
    """A text that cannot be read fails as a syntax error does."""
    shell = activation.shell
    frame = shell.frames.pop()
    activation.machine.note(f"cannot interpret {construct}: taken as a syntax error, status 2")
    shell.status = 2
    if not shell.frames:
        shell.frames = [Frame(MAIN, "")]
        _give_up(activation, 2)
    elif frame.kind == EXIT_TRAP:
        activation.machine.finish(activation.task, frame.saved_status)
    elif shell.flavour != "bash":
        # POSIX: such an error in a special builtin like `eval` ends the shell.
        _give_up(activation, 2)


def _give_up(activation: Activation, status: int) -> None:
    """An error that ends a script; POSIX: a shell at a terminal asks for the next command."""
    if activation.task.state.get(READS) == TERMINAL:
        drop_command(activation, status)
    else:
        leave_shell(activation, status)


def _resolve_wait(activation: Activation) -> None:
    """What the shell waited for has happened: its status, then `set -e`."""
    machine, task, shell, frame = activation.machine, activation.task, activation.shell, activation.frame
    wait = task.wait
    assert wait is not None, task.pid
    task.wait = None
    match wait.kind:
        case Wait.CHILD:
            shell.status = task.reaped.pop(wait.value, 127)
        case Wait.CHILDREN:
            statuses = [task.reaped.pop(pid, 127) for pid in wait.value]
            failed = [status for status in statuses if status]
            shell.status = failed[-1] if failed and "pipefail" in shell.options else statuses[-1]
        case Wait.JOBS:
            _resolve_jobs(task, shell, wait.value)
        case Wait.ANY_JOB:
            ended = min(pid for pid in wait.value if pid not in machine.tasks)
            shell.status = task.reaped.pop(ended, 127)
        case Wait.CAPTURE:
            _resolve_capture(activation, wait.value)
            return
        case Wait.INPUT | Wait.LINE:
            # The `read` that waited is run again: its input is there now. A shell reads its commands anew.
            frame.at = max(frame.at - 1, 0)
            return
        case _:
            return
    instruction = compile_text(frame.program)[frame.at - 1]
    check_error(activation, frame)
    if isinstance(instruction, (Fork, ForkPipeline)) and shell.frames and shell.frames[-1] is frame:
        frame.at = instruction.after


def _resolve_jobs(task: Task, shell: Shell, pids: list[int] | None) -> None:
    if pids is None:
        task.reaped.clear()
        shell.status = 0
        return
    statuses = [task.reaped.pop(pid, 127) for pid in pids]
    shell.status = statuses[-1] if statuses else 0


def _resolve_capture(activation: Activation, value: list[int]) -> None:
    machine, frame = activation.machine, activation.frame
    number, pid = value
    code = compile_text(frame.program)
    instruction = code[frame.at - 1]
    assert isinstance(instruction, Substitute), instruction
    frame.substituted[instruction.slot] = machine.open_files.files[number].text
    machine.open_files.release(number)
    activation.shell.status = activation.task.reaped.pop(pid, 127)


def _enter_trap(activation: Activation) -> None:
    task, shell = activation.task, activation.shell
    name = task.pending.pop(0)
    action = task.traps.get(name)
    if action and len(shell.frames) <= _MOST_NESTED_TRAPS:
        activation.machine.work_reading(task, action)
        frame = Frame(TRAP, action)
        frame.saved_status = shell.status
        shell.frames.append(frame)


def _execute(activation: Activation, instruction: Instruction) -> None:
    shell, frame = activation.shell, activation.frame
    match instruction:
        case instructions.Run():
            run_command(activation, instruction)
            task = activation.task
            is_same = task.shell is shell and bool(shell.frames) and shell.frames[-1] is frame
            if task.wait is None and is_same:
                frame.substituted.clear()
                check_error(activation, frame)
        case instructions.JumpIf(on_success, target):
            if (shell.status == 0) == on_success:
                frame.at = target
        case instructions.Jump(target):
            frame.at = target
        case Substitute():
            _substitute(activation, instruction)
        case instructions.Negate():
            shell.status = int(shell.status == 0)
        case instructions.SetStatus(status):
            shell.status = status
        case instructions.End():
            _end(activation)
        case Fork() | ForkPipeline():
            _fork(activation, instruction)
        case _:
            _execute_compound(activation, instruction)


def _execute_compound(activation: Activation, instruction: Instruction) -> None:
    shell, frame, scope = activation.shell, activation.frame, activation.scope
    match instruction:
        case instructions.EnterLoop(again, end):
            frame.loops.append(LoopState(again, end, len(frame.redirects)))
        case instructions.KeepStatus():
            frame.loops[-1].status = shell.status
        case instructions.LeaveLoop():
            shell.status = frame.loops.pop().status
        case instructions.SetItems(words):
            # The first word only stands in front of the values.
            frame.loops[-1].items = (
                list(shell.arguments) if words is None else expand_fields(words.words[1:], scope)
            )
            frame.substituted.clear()
        case instructions.NextItem(name, end):
            _next_item(activation, name, end)
        case instructions.SetSubject(word):
            frame.subject = expand_text(word, scope)
            frame.substituted.clear()
        case instructions.MatchSubject(words, miss):
            # A pattern that cannot be read does not match.
            hit, frame.at = frame.at, miss
            scope.work(len(words) * len(frame.subject) * _LOOKS)
            if any(patterns.matches(expand_pattern(word, scope), frame.subject) for word in words):
                frame.at = hit
        case instructions.Define(name, after, is_bash):
            if is_bash:
                refuse_syntax(shell, "(")
            shell.functions[name] = (frame.program, frame.at)
            frame.at = after
            shell.status = 0
        case instructions.EnterRedirects(redirects, after):
            saved = apply_redirects(activation, redirects)
            if isinstance(saved, str):
                shell.status = activation.fail(saved, 2 if shell.flavour == "dash" else 1)
                frame.at = after
            else:
                frame.redirects.append(saved)
        case instructions.LeaveRedirects():
            restore_redirects(activation, frame.redirects.pop())
        case _:
            _judge(activation, instruction)
            check_error(activation, frame)


def _judge(activation: Activation, instruction: Instruction) -> None:
    """`[[ … ]]` and `(( … ))`: a status from a condition or a number."""
    shell, scope = activation.shell, activation.scope
    match instruction:
        case instructions.Test() if lacks_command(shell, "[["):
            shell.status = activation.fail("[[: not found", MISSING)
        case instructions.Test(tokens):
            shell.status = int(not evaluate_condition(tokens, scope))
        case instructions.Calculate(_, _, True) if lacks_command(shell, "(("):
            shell.status = activation.fail("((: not found", MISSING)
        case instructions.Calculate(word, _, is_command):
            if not is_command:
                refuse_syntax(shell, "((")
            text = expand_text(word, scope)
            value = scope.evaluate(text)
            # An empty condition, as in `for ((;;))`, holds.
            shell.status = int(value == 0 and bool(text.strip()))
        case _:
            raise AssertionError(instruction)
    activation.frame.substituted.clear()


def _next_item(activation: Activation, name: str, end: int) -> None:
    frame = activation.frame
    loop = frame.loops[-1]
    if loop.next_item >= len(loop.items):
        frame.at = end
        return
    activation.scope.put(name, loop.items[loop.next_item])
    loop.next_item += 1


def _substitute(activation: Activation, instruction: Substitute) -> None:
    machine, task, frame = activation.machine, activation.task, activation.frame
    if not all(_is_wanted(guard, activation.scope) for guard in instruction.command.guards):
        frame.substituted[instruction.slot] = ""
        return
    child = machine.fork_shell(task)
    assert child.shell is not None
    number = machine.open_files.open(OpenFile(CAPTURE))
    machine.open_files.retain(number)
    child.state[SUBSTITUTIONS] = task.state.get(SUBSTITUTIONS, 0) + 1
    child.shell.frames = [Frame(MAIN, instruction.command.text)]
    if activation.shell.flavour == "bash":
        child.shell.options.discard("errexit")
    machine.set_fd(child, 1, number)
    task.wait = Wait(Wait.CAPTURE, [number, child.pid])


def _is_wanted(guard: Guard, scope: ShellScope) -> bool:
    value = scope.get(guard.name)
    is_given = value is not None and (value != "" or not guard.operator.startswith(":"))
    return is_given == (guard.operator[-1] == "+")


def _fork(activation: Activation, instruction: Fork | ForkPipeline) -> None:
    machine, task, shell, frame = activation.machine, activation.task, activation.shell, activation.frame
    is_tested = frame.is_tested or not instruction.is_checked
    if isinstance(instruction, ForkPipeline):
        task.wait = Wait(Wait.CHILDREN, _start_stages(activation, instruction, is_tested))
        return
    child = machine.fork_shell(task, frame.at)
    assert child.shell is not None
    child.shell.frames[0].is_tested = is_tested
    if not instruction.is_background:
        task.wait = Wait(Wait.CHILD, child.pid)
        return
    frame.at = instruction.after
    _detach(machine, child)
    shell.last_background = child.pid
    if not any(pid in machine.tasks or pid in task.reaped for pid in shell.jobs):
        shell.jobs = []
    shell.jobs.append(child.pid)
    shell.status = 0


def _detach(machine: Machine, child: Task) -> None:
    """A background command of a script reads nothing and ignores the signals of a terminal."""
    child.traps.update({"INT": "", "QUIT": ""})
    file = machine.open_files.files.get(child.fds.get(0, 0))
    if file is not None and file.kind != NULL:
        machine.set_fd(child, 0, machine.open_files.open(OpenFile(NULL)))


def _start_stages(activation: Activation, instruction: ForkPipeline, is_tested: bool) -> list[int]:
    machine = activation.machine
    pids: list[int] = []
    source: int | None = None
    for place, start in enumerate(instruction.starts):
        child = machine.fork_shell(activation.task, start)
        assert child.shell is not None
        child.shell.frames[0].is_tested = is_tested
        if source is not None:
            machine.set_fd(child, 0, source)
        if place < len(instruction.starts) - 1:
            source, sink = machine.open_files.make_pipe()
            machine.set_fd(child, 1, sink)
        pids.append(child.pid)
    return pids


def _end(activation: Activation) -> None:
    shell, frame = activation.shell, activation.frame
    if frame.kind == MAIN:
        if READS in activation.task.state:
            read_next(activation)
        else:
            leave_shell(activation, shell.status)
        return
    leave_frame(activation)
    if frame.kind == EXIT_TRAP:
        activation.machine.finish(activation.task, frame.saved_status)
    elif frame.kind == TRAP:
        shell.status = frame.saved_status
    elif frame.kind in (FUNCTION, SOURCE):
        check_error(activation, shell.frames[-1])
