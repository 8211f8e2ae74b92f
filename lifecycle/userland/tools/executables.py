"""Files that are run as programs: what the kernel, and who asked it, make of them."""

from __future__ import annotations

from ..shell.task import CALLER
from .call import Call, Outcome
from .processes import SHELLS
from .registry import NOT_EXECUTABLE, SCRIPT_FILE, is_absent, plain_name, tool

_FAILED_START = 255
"""With it a runtime's own process ends that could not become the program."""


@tool(NOT_EXECUTABLE)
def not_executable(call: Call) -> Outcome:
    """A file that nobody may run, or not this user."""
    return call.refuse("Permission denied", 126)


@tool(SCRIPT_FILE)
def script_file(call: Call) -> Outcome:
    """A shell script, or something only its first line is known of."""
    path = call.task.arguments[0]
    first = call.files.read(call.path(path)).partition("\n")[0]
    is_direct = CALLER not in call.state
    if not first.startswith("#!"):
        # The kernel takes no such file; a shell that meets that reads the file itself.
        return call.refuse("exec format error", _FAILED_START) if is_direct else _become_shell(call, [])
    interpreter = first[2:].strip(" \t").split()
    if first.endswith("\r") or (interpreter and _is_missing(call, interpreter[0])):
        problem, status = ("no such file or directory", _FAILED_START) if is_direct else ("not found", 127)
        return call.refuse(problem, status)
    return _become_shell(call, interpreter)


def _is_missing(call: Call, interpreter: str) -> bool:
    return plain_name(interpreter) != "env" and is_absent(call.machine, call.task, interpreter)


def _become_shell(call: Call, interpreter: list[str]) -> Outcome:
    path = call.task.arguments[0]
    name = interpreter[-1].rpartition("/")[2] if interpreter else "sh"
    if name not in SHELLS:
        return call.become([*interpreter, path, *call.arguments])
    return call.become([name, *(["-e"] if "-e" in interpreter else []), path, *call.arguments])
