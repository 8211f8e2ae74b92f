"""A container's command line: whether it can be run here, and what of it cannot be interpreted.

A command line is run as the processes it starts: a shell with a text, or a tool by its name. What cannot be
interpreted is looked for once per command line, before anything runs, so that the user can be told at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

from . import shell

# Programs whose interpretation depends on their arguments; what they cannot do they say when they run.
_WRAPPERS = frozenset(
    ("exec", "command", "nohup", "setsid", "env", "su-exec", "gosu", "sudo", "time", "tini")
)


_LOOP = late_pattern(r"\b(?:while|until|for)\b")
_LOOK = late_pattern(
    r"\b(?:sleep|nc|ncat|netcat|telnet|curl|wget|getent|nslookup|dig|host|ping|pg_isready|redis-cli|mysqladmin"
    r"|kubectl|wait-for\S*)\b|/dev/tcp/"
)


def looks_like_waiting(text: str) -> bool:
    """Whether a text that cannot be read loops around a pause or a look at the network: a gate.

    >>> looks_like_waiting("for h in a b; do until nc -z $h 80; do sleep 1; done; done")
    True
    >>> looks_like_waiting("for f in *.sql; do cp $f /init; done")
    False
    """
    return _LOOP.search(text) is not None and _LOOK.search(text) is not None


@dataclass(frozen=True, slots=True)
class Script:
    """What process 1 executes: a command line, and how its container is set up for it."""

    arguments: tuple[str, ...]
    """As they are written: `$(NAME)` is replaced when a run starts, from the environment it then has."""
    folder: str = "/"
    flavour: str = "ash"
    is_process_one: bool = True
    is_lenient: bool = False
    tail_runs: str = "forever"
    handles_term: bool = False
    unknown: tuple[str, ...] = ()
    """Constructs and commands that cannot be interpreted."""
    is_in_volume: bool = False
    """The program is a file of a volume, or may be: whether it can be run shows at each start."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What reading a command line shows before it runs."""

    unknown: tuple[str, ...]
    handles_term: bool
    is_refused: bool = False
    """The text is beyond the interpreter, so that nothing of it can be run."""


def is_interpretable(arguments: tuple[str, ...]) -> bool:
    """Whether a command line is a shell, or a tool that is known here."""
    name = shell.plain_name(arguments[0]) if arguments else None
    return name is not None and name in shell.TOOLS


def shell_text(arguments: tuple[str, ...]) -> str | None:
    """The text of `sh -c text`, with or without further options; None for anything else."""
    if not arguments or (shell.plain_name(arguments[0]) or "") not in shell.SHELLS:
        return None
    for place, word in enumerate(arguments[1:], 1):
        if not word.startswith("-"):
            return None
        if "c" in word[1:] and not word.startswith("--"):
            rest = list(arguments[place + 1 :])
            while rest and rest[0].startswith("-"):
                rest = rest[1:]
            return rest[0] if rest else None
    return None


@lru_cache(maxsize=4096)
def examine(arguments: tuple[str, ...]) -> Findings:
    """Read a command line through, nested texts included."""
    text = shell_text(arguments)
    if text is None:
        is_known = is_interpretable(arguments)
        return Findings(() if is_known else (f"the command {' '.join(arguments)[:60]!r}",), False)
    try:
        shell.compile_text(text)
    except shell.CannotInterpret as error:
        return Findings((str(error),), "trap " in text and "TERM" in text, is_refused=True)
    unknown: list[str] = []
    handles_term = _examine_text(text, unknown, frozenset())
    return Findings(tuple(dict.fromkeys(unknown)), handles_term)


def _examine_text(text: str, unknown: list[str], outer: frozenset[str]) -> bool:
    try:
        code = shell.compile_text(text)
    except shell.CannotInterpret as error:
        unknown.append(str(error))
        return False
    functions = outer | {one.name for one in code if isinstance(one, shell.Define)}
    handles_term = False
    for command in _commands(code):
        name = command[0]
        if name == "trap" and len(command) > 1 and {"TERM", "SIGTERM", "15"} & set(command[2:]):
            handles_term = command[1] not in ("", "-", None)
        if name is not None and not _is_known(name, functions):
            unknown.append(f"the command {' '.join(word or '…' for word in command)[:60]!r}")
    for instruction in code:
        if isinstance(instruction, shell.Substitute):
            _examine_text(instruction.command.text, unknown, functions)
    return handles_term


def _commands(code: shell.Code) -> Iterator[list[str | None]]:
    """The words of every command, None for those that are known only at run time; wrappers taken off."""
    for instruction in code:
        if not isinstance(instruction, shell.Run) or not instruction.command.words:
            continue
        words = [shell.literal(word) for word in instruction.command.words]
        while words[0] in _WRAPPERS and len(words) > 1:
            words = words[1:]
            while len(words) > 1 and words[0] is not None and (words[0].startswith("-") or "=" in words[0]):
                words = words[1:]
        yield words


def _is_known(name: str, functions: frozenset[str]) -> bool:
    return (
        name in functions
        or name in shell.BUILTINS
        or (shell.plain_name(name) or "") in shell.TOOLS
        or name in ("-", "--")
        # A file may be written, or mounted, by the time it is run.
        or name.startswith(("./", "/tmp/", "/scripts/", "/opt/", "/config/", "/mnt/", "/data/"))
    )
