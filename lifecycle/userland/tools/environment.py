"""The environment of a process, told or given to another program."""

from __future__ import annotations

from .call import Call, Outcome
from .registry import tool


@tool("env", "printenv")
def env(call: Call) -> Outcome:
    """`env` and `printenv`: tell the environment, or run a program in another one."""
    words = call.arguments
    if call.name == "printenv" and words:
        found = [call.environment[name] for name in words if name in call.environment]
        call.out("".join(value + "\n" for value in found))
        return int(len(found) < len(words))
    while words and (words[0].startswith("-") or "=" in words[0]):
        if words[0] in ("-i", "-"):
            call.task.environment = {}
        elif words[0] == "-u":
            call.environment.pop(words[1], None)
            words = words[1:]
        elif "=" in words[0] and not words[0].startswith("-"):
            name, _, value = words[0].partition("=")
            call.task.environment = {**call.environment, name: value}
        words = words[1:]
    if words:
        return call.become(words)
    call.out("".join(f"{name}={value}\n" for name, value in call.environment.items()))
    return 0
