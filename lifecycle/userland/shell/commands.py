"""Runs one simple command: a function, a builtin of the shell, or a tool in a process of its own."""

from __future__ import annotations

import re

from ..errors import CannotInterpret
from ..file_system import FileProblem
from ..tools.call import Call
from ..tools.registry import find_tool
from .arrays import need_elements
from .builtin_calls import Context
from .builtins import BUILTINS, SPECIAL_BUILTINS
from .compiler import compile_text
from .dialects import DASH, MISSING, lacks_command, refuse_syntax
from .expansion import expand_fields, expand_text
from .frames import need_room
from .instructions import End, Run
from .machine import Machine
from .redirects import apply_redirects, keep_redirects, restore_redirects
from .scope import ShellScope, need_space
from .simple_commands import DECLARATIONS
from .task import FUNCTION, MAIN, Frame, Shell, Task, Wait
from .tracing import trace_assignment, trace_words
from .word_parts import Assignment, Text, Word, literal

# What reading an odd argument may raise: a number or pattern that is none, a list that is too short.
UNREADABLE = (ValueError, IndexError, OverflowError, RecursionError, re.error)


def run_command(machine: Machine, task: Task, shell: Shell, instruction: Run) -> None:
    """Runs the command; afterwards the shell has a status, waits, or has another frame on top."""
    scope = ShellScope(machine, task)
    command = instruction.command
    fields = _expand(command.words, scope)
    if not fields:
        _assign_only(machine, task, shell, instruction, scope)
        return
    trace_words(machine, task, shell, fields)
    saved = apply_redirects(machine, task, command.redirects, scope)
    if isinstance(saved, str):
        machine.write(task, 2, f"{shell.name}: {saved}\n")
        shell.status = 1 if shell.flavour != "dash" else 2
        return
    try:
        _dispatch(machine, task, shell, fields, instruction, scope, saved)
    except (CannotInterpret, *UNREADABLE):
        restore_redirects(machine, task, saved)
        raise


def _dispatch(
    machine: Machine,
    task: Task,
    shell: Shell,
    fields: list[str],
    instruction: Run,
    scope: ShellScope,
    saved: dict[int, int | None],
) -> None:
    name, command = fields[0], instruction.command
    # POSIX finds special builtins before functions, bash the other way round.
    if name in shell.functions and (name not in SPECIAL_BUILTINS or shell.flavour == "bash"):
        _call_function(machine, task, shell, fields, instruction, scope, saved)
    elif lacks_command(shell, name):
        machine.write(task, 2, f"{shell.name}: {name}: not found\n")
        shell.status = MISSING
        restore_redirects(machine, task, saved)
    elif name in BUILTINS:
        _call_builtin(machine, task, shell, fields, instruction, scope, saved)
    else:
        environment = scope.environment()
        environment.update(_prefix_values(command.assignments, scope))
        if _is_last(task, shell, instruction):
            keep_redirects(machine, saved)
            replace_process(machine, task, shell, fields, environment, instruction.is_tail)
            return
        start_tool(machine, task, shell, fields, environment, instruction.is_tail)
        restore_redirects(machine, task, saved)


def _is_last(task: Task, shell: Shell, instruction: Run) -> bool:
    """Whether the shell has nothing left to do: it then becomes the command instead of waiting for it."""
    frame = shell.frames[-1]
    is_end = instruction.is_tail or isinstance(compile_text(frame.program)[frame.at], End)
    is_bare = len(shell.frames) == 1 and frame.kind == MAIN and not frame.redirects and not frame.loops
    return is_end and is_bare and not any(task.traps.values())


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
    """Carries out `name=value` and its forms for arrays."""
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


def _assign_only(machine: Machine, task: Task, shell: Shell, instruction: Run, scope: ShellScope) -> None:
    frame = shell.frames[-1]
    status = shell.status if frame.substituted else 0
    for assignment in instruction.command.assignments:
        if shell.flavour == DASH and assignment.values is None and (assignment.index or assignment.append):
            # It takes neither form for an assignment, and looks for a command of that name.
            machine.write(task, 2, f"{shell.name}: {assignment.name}: not found\n")
            shell.status = MISSING
            return
        assign(assignment, scope)
        if assignment.values is None and assignment.index is None:
            trace_assignment(machine, task, shell, assignment.name, scope.get(assignment.name) or "")
    saved = apply_redirects(machine, task, instruction.command.redirects, scope)
    if isinstance(saved, str):
        machine.write(task, 2, f"{shell.name}: {saved}\n")
        shell.status = 1
        return
    if not instruction.command.assignments and 0 in saved and instruction.is_tail:
        # `$(< file)`: the file is the output.
        machine.write(task, 1, machine.read(task, 0)[0])
    restore_redirects(machine, task, saved)
    shell.status = status


def _call_function(
    machine: Machine,
    task: Task,
    shell: Shell,
    fields: list[str],
    instruction: Run,
    scope: ShellScope,
    saved: dict[int, int | None],
) -> None:
    program, at = shell.functions[fields[0]]
    need_room(shell, f"the function {fields[0]}")
    caller = shell.frames[-1]
    frame = Frame(FUNCTION, program, at, caller.is_tested or not instruction.is_checked)
    for name, value in _prefix_values(instruction.command.assignments, scope).items():
        frame.saved_locals[name] = shell.variables.get(name)
        scope.put(name, value)
    frame.saved_arguments = shell.arguments
    shell.arguments = fields[1:]
    frame.redirects.append(saved)
    caller.substituted.clear()
    shell.frames.append(frame)


def _call_builtin(
    machine: Machine,
    task: Task,
    shell: Shell,
    fields: list[str],
    instruction: Run,
    scope: ShellScope,
    saved: dict[int, int | None],
) -> None:
    before: dict[str, str | None] = {}
    arrays = [one for one in instruction.command.assignments if one.values is not None]
    prefixes = tuple(one for one in instruction.command.assignments if one.values is None)
    for name, value in _prefix_values(prefixes, scope).items():
        before[name] = shell.variables.get(name)
        scope.put(name, value)
    context = Context(machine, task, shell, scope, instruction, saved)
    status = BUILTINS[fields[0]](context, fields)
    if status is not None:
        shell.status = status
    for assignment in arrays if not status else ():
        # `declare -A name=(…)`: declared first, then filled.
        assign(assignment, scope)
    if fields[0] not in SPECIAL_BUILTINS:
        for name, old in before.items():
            if old is None:
                shell.variables.pop(name, None)
            else:
                shell.variables[name] = old
    if context.replaces_process:
        replace_process(machine, task, shell, context.replaces_process, context.environment(), True)
    elif context.runs_tool:
        start_tool(machine, task, shell, context.runs_tool, context.environment(), instruction.is_tail)
    if context.keeps_redirects:
        keep_redirects(machine, saved)
    elif context.saved is not None and task.pid in machine.tasks:
        restore_redirects(machine, task, saved)


def _is_in_background(task: Task) -> bool:
    """A command sent to the background ignores the signals of a terminal."""
    return task.traps.get("INT") == ""


def start_tool(
    machine: Machine,
    task: Task,
    shell: Shell,
    arguments: list[str],
    environment: dict[str, str],
    is_tail: bool,
) -> None:
    """Runs a tool as a foreground child and waits for it, unless it ends at once."""
    child = machine.child_of(task, arguments)
    child.environment = environment
    child.state["is_tail"] = is_tail or _is_in_background(task)
    child.state["flavour"] = shell.flavour
    run_tool(machine, child)
    if child.pid in task.reaped:
        shell.status = task.reaped.pop(child.pid)
    elif task.pid in machine.tasks:
        task.wait = Wait(Wait.CHILD, child.pid)


def replace_process(
    machine: Machine,
    task: Task,
    shell: Shell,
    arguments: list[str],
    environment: dict[str, str],
    is_tail: bool,
) -> None:
    """`exec`: the same process, another program; handlers are gone, ignored signals stay ignored."""
    task.arguments = arguments
    task.environment = environment
    task.shell = None
    task.traps = {name: "" for name, action in task.traps.items() if action == "" and name != "EXIT"}
    task.pending = []
    task.state = {"is_tail": is_tail or _is_in_background(task), "flavour": shell.flavour}
    task.tool = ""
    run_tool(machine, task)


def run_tool(machine: Machine, task: Task) -> None:
    """Runs a tool's process until it waits or ends. A tool may turn the process into another program."""
    for _ in range(16):
        call = Call(machine, task)
        try:
            result = find_tool(machine, task)(call)
        except CannotInterpret as error:
            machine.note(f"cannot interpret {error}: {call.name} is taken to fail with status 2")
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
