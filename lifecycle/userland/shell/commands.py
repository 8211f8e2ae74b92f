"""Runs one simple command: a function, a builtin of the shell, or a tool in a process of its own."""

from __future__ import annotations

import re

from ..errors import CannotInterpret
from ..file_layers import FileProblem
from ..guesses import SYNTAX
from ..tools.call import Call
from ..tools.registry import find_tool
from .activation import Activation
from .arrays import need_elements
from .builtins.builtins import BUILTINS, SPECIAL_BUILTINS
from .compiler import compile_text
from .expansion import expand_fields, expand_text
from .instructions import End, Run
from .machine import Machine
from .reading.dialects import DASH, MISSING, lacks_command, refuse_syntax
from .reading.simple_commands import DECLARATIONS
from .reading.word_parts import Assignment, Text, Word, literal
from .redirects import apply_redirects, keep_redirects, restore_redirects
from .scope import ShellScope, need_space
from .task import CALLER, FUNCTION, KEPT, MAIN, READS, Frame, Task, Wait
from .tracing import trace_assignment, trace_words

# What reading an odd argument may raise: a number or pattern that is none, a list that is too short.
UNREADABLE = (ValueError, IndexError, OverflowError, RecursionError, re.error)


def run_command(activation: Activation, command: Run) -> None:
    """Run the command; afterwards the shell has a status, waits, or has another frame on top.

    Raises CannotInterpret, or one of UNREADABLE, with the command's redirections put back.
    """
    activation.begin_command(command)
    fields = _expand(command.command.words, activation.scope)
    if not fields:
        _assign_only(activation)
        return
    trace_words(activation, fields)
    saved = apply_redirects(activation, command.command.redirects)
    if isinstance(saved, str):
        activation.shell.status = activation.fail(saved, 2 if activation.shell.flavour == DASH else 1)
        return
    activation.saved = saved
    try:
        _dispatch(activation, fields, saved)
    except (CannotInterpret, *UNREADABLE):
        restore_redirects(activation, saved)
        raise


def _dispatch(activation: Activation, fields: list[str], saved: dict[int, int | None]) -> None:
    name, shell, scope = fields[0], activation.shell, activation.scope
    # POSIX finds special builtins before functions, bash the other way round.
    if name in shell.functions and (name not in SPECIAL_BUILTINS or shell.flavour == "bash"):
        _call_function(activation, fields)
    elif lacks_command(shell, name):
        shell.status = activation.fail(f"{name}: not found", MISSING)
        restore_redirects(activation, saved)
    elif name in BUILTINS:
        _call_builtin(activation, fields, saved)
    else:
        environment = scope.environment()
        environment.update(_prefix_values(activation.command.command.assignments, scope))
        if _is_last(activation):
            keep_redirects(activation, saved)
            replace_process(activation, fields, environment, activation.command.is_tail)
            return
        start_tool(activation, fields, environment)
        restore_redirects(activation, saved)


def _is_last(activation: Activation) -> bool:
    """Whether the shell has nothing left to do: it then becomes the command instead of waiting for it."""
    frame = activation.frame
    if READS in activation.task.state:
        return False
    is_end = activation.command.is_tail or isinstance(compile_text(frame.program)[frame.at], End)
    is_alone = len(activation.shell.frames) == 1 and frame.kind == MAIN
    return is_end and is_alone and not (frame.redirects or frame.loops or any(activation.task.traps.values()))


def _expand(words: tuple[Word, ...], scope: ShellScope) -> list[str]:
    if not words or literal(words[0]) not in DECLARATIONS:
        return expand_fields(words, scope)
    # `export a=$b` assigns: what stands behind the equals sign is not split.
    fields: list[str] = []
    for word in words:
        if isinstance(word[0], Text) and not word[0].quoted and "=" in word[0].text:
            fields.append(expand_text(word, scope))
        else:
            fields.extend(expand_fields((word,), scope))
    return fields


def assign(assignment: Assignment, scope: ShellScope) -> None:
    """Carry out `name=value` and its forms for arrays."""
    name = assignment.name
    if assignment.values is not None:
        refuse_syntax(scope.shell, "(")
        _assign_array(assignment, assignment.values, scope)
        return
    value = expand_text(assignment.value, scope)
    if assignment.index is not None:
        index = expand_text(assignment.index, scope)
        before = scope.lookup(name, index) or "" if assignment.append else ""
        scope.put_indexed(name, index, before + value)
        return
    scope.put(name, (scope.get(name) or "") + value if assignment.append else value)


def _assign_array(assignment: Assignment, values: tuple[Word, ...], scope: ShellScope) -> None:
    """`name=(a b [key]=c)`: what has no key follows the element before it."""
    shell, name = scope.shell, assignment.name
    if not assignment.append:
        if name in shell.maps:
            shell.maps[name] = {}
        else:
            shell.variables.pop(name, None)
            shell.arrays[name] = []
    for key, value in zip(assignment.keys, values, strict=True):
        if key is not None:
            scope.put_indexed(name, expand_text(key, scope), expand_text(value, scope))
        elif name in shell.maps:
            raise CannotInterpret(f"an element without a key in the associative array {name}")
        else:
            shell.arrays.setdefault(name, [] if name not in shell.variables else [shell.variables.pop(name)])
            fields = expand_fields((value,), scope)
            need_elements(shell, name, len(shell.arrays[name]) + len(fields))
            need_space(shell, sum(map(len, fields)))
            shell.arrays[name].extend(fields)


def _prefix_values(assignments: tuple[Assignment, ...], scope: ShellScope) -> dict[str, str]:
    return {
        assignment.name: (scope.get(assignment.name) or "" if assignment.append else "")
        + expand_text(assignment.value, scope)
        for assignment in assignments
    }


def _assign_only(activation: Activation) -> None:
    shell, scope, command = activation.shell, activation.scope, activation.command.command
    status = shell.status if activation.frame.substituted else 0
    for assignment in command.assignments:
        if shell.flavour == DASH and assignment.values is None and (assignment.index or assignment.append):
            # It takes neither form for an assignment, and looks for a command of that name.
            shell.status = activation.fail(f"{assignment.name}: not found", MISSING)
            return
        assign(assignment, scope)
        if assignment.values is None and assignment.index is None:
            trace_assignment(activation, assignment.name, scope.get(assignment.name) or "")
    saved = apply_redirects(activation, command.redirects)
    if isinstance(saved, str):
        shell.status = activation.fail(saved)
        return
    if not command.assignments and 0 in saved and activation.command.is_tail:
        # `$(< file)`: the file is the output.
        activation.out(activation.machine.read(activation.task, 0)[0])
    restore_redirects(activation, saved)
    shell.status = status


def _call_function(activation: Activation, fields: list[str]) -> None:
    shell = activation.shell
    activation.need_room(f"the function {fields[0]}")
    frame = Frame(FUNCTION, *shell.functions[fields[0]], activation.is_tested)
    for name, value in _prefix_values(activation.command.command.assignments, activation.scope).items():
        frame.saved_locals[name] = shell.variables.get(name)
        activation.scope.put(name, value)
    frame.saved_arguments = shell.arguments
    shell.arguments = fields[1:]
    activation.frame.substituted.clear()
    activation.push(frame)


def _call_builtin(activation: Activation, fields: list[str], saved: dict[int, int | None]) -> None:
    shell, scope, assignments = activation.shell, activation.scope, activation.command.command.assignments
    before: dict[str, str | None] = {}
    prefixes = tuple(one for one in assignments if one.values is None)
    for name, value in _prefix_values(prefixes, scope).items():
        before[name] = shell.variables.get(name)
        scope.put(name, value)
    status = BUILTINS[fields[0]](activation, fields)
    if status is not None:
        shell.status = status
    for assignment in assignments if not status else ():
        if assignment.values is not None:
            # `declare -A name=(…)`: declared first, then filled.
            assign(assignment, scope)
    if fields[0] not in SPECIAL_BUILTINS:
        shell.restore_variables(before)
    if activation.replaces_process:
        replace_process(activation, activation.replaces_process, scope.environment(), True)
    elif activation.runs_tool:
        start_tool(activation, activation.runs_tool, scope.environment())
    if activation.keeps_redirects:
        keep_redirects(activation, saved)
    elif activation.saved is not None and activation.task.pid in activation.machine.tasks:
        restore_redirects(activation, saved)


def _is_in_background(task: Task) -> bool:
    """A command sent to the background ignores the signals of a terminal."""
    return task.traps.get("INT") == ""


def start_tool(activation: Activation, arguments: list[str], environment: dict[str, str]) -> None:
    """Run a tool as a foreground child and wait for it, unless it ends at once."""
    machine, task, shell = activation.machine, activation.task, activation.shell
    child = machine.child_of(task, arguments)
    child.environment = environment
    is_last = activation.command.is_tail and READS not in task.state
    child.state["is_tail"] = is_last or _is_in_background(task)
    child.state["flavour"] = shell.flavour
    child.state[CALLER] = shell.name
    run_tool(machine, child)
    if child.pid in task.reaped:
        shell.status = task.reaped.pop(child.pid)
    elif task.pid in machine.tasks:
        task.wait = Wait(Wait.CHILD, child.pid)


def replace_process(
    activation: Activation, arguments: list[str], environment: dict[str, str], is_tail: bool
) -> None:
    """`exec`: the same process, another program; handlers are gone, ignored signals stay ignored."""
    task = activation.task
    task.arguments = arguments
    task.environment = environment
    task.shell = None
    task.traps = {name: "" for name, action in task.traps.items() if action == "" and name != "EXIT"}
    task.pending = []
    shell, is_last = activation.shell, is_tail or _is_in_background(task)
    kept = {name: task.state[name] for name in KEPT if name in task.state}
    task.state = {"is_tail": is_last, "flavour": shell.flavour, CALLER: shell.name, **kept}
    task.tool = ""
    run_tool(activation.machine, task)


def run_tool(machine: Machine, task: Task) -> None:
    """Run a tool's process until it waits or ends. A tool may turn the process into another program."""
    for _ in range(16):
        call = Call(machine, task)
        try:
            result = find_tool(machine, task)(call)
        except CannotInterpret as error:
            machine.note(f"cannot interpret {error}: {call.name} is {SYNTAX.taken}")
            result = 2
        except FileProblem as problem:
            result = call.fail(str(problem))
        except UNREADABLE:
            result = call.cannot(f"{' '.join(call.arguments)[:40]!r}")
        if task.pid not in machine.tasks or task.shell is not None:
            return
        if isinstance(result, int):
            machine.finish(task, result)
            return
        if result is not None:
            task.wait = result
            return
    raise AssertionError(("a program that becomes another one for ever", task.arguments))
