"""What programs use of the shell and its tools; who wants some of it asks `shell`."""

from __future__ import annotations

from lifecycle.userland.errors import CannotInterpret
from lifecycle.userland.shell.builtins.builtins import BUILTINS
from lifecycle.userland.shell.checks import CheckResult, run_check
from lifecycle.userland.shell.compiler import compile_text
from lifecycle.userland.shell.instructions import Code, Define, Run, Substitute
from lifecycle.userland.shell.machine import Machine
from lifecycle.userland.shell.reading.word_parts import literal
from lifecycle.userland.shell.run import (
    CommandResult,
    add_opaque_main,
    run_command,
    run_machine,
    start_command,
    start_main,
    take_output,
)
from lifecycle.userland.shell.sessions import Said, converse, write_to_main
from lifecycle.userland.shell.waits import next_wake_ms
from lifecycle.userland.tools.file_server import HOME, find_served
from lifecycle.userland.tools.processes import SHELLS
from lifecycle.userland.tools.registry import TOOLS, plain_name

__all__ = [
    "BUILTINS", "HOME", "SHELLS", "TOOLS", "CannotInterpret", "CheckResult", "Code", "CommandResult",
    "Define", "Machine", "Run", "Said", "Substitute", "add_opaque_main", "compile_text", "converse",
    "find_served", "literal", "next_wake_ms", "plain_name", "run_check", "run_command", "run_machine",
    "start_command", "start_main", "take_output", "write_to_main",
]  # fmt: skip
