"""What a shell's expansions see: variables, positional and special parameters, file names."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import CannotInterpret
from ..file_layers import FOLDER
from ..file_view import join_path
from ..guesses import LONG_VALUE
from .arithmetic import evaluate
from .arrays import get_keys, get_values, put_element, put_key
from .machine import Machine
from .reading import patterns
from .task import NULL_GLOB, SOURCED_UNKNOWN, Shell, Task

_LONGEST_VALUE = 1 << 18
_MOST_MEMORY = 1 << 40
_OPTION_LETTERS = (("errexit", "e"), ("nounset", "u"), ("xtrace", "x"), ("noglob", "f"))


_MOST_KEPT = 8 << 20
_LONG = 1 << 10


def need_space(shell: Shell, signs: int) -> None:
    """Raises CannotInterpret where a shell's variables would hold too much. Short values are not counted."""
    if signs < _LONG:
        return
    kept = sum(map(len, shell.variables.values()))
    kept += sum(len(value or "") for values in shell.arrays.values() for value in values)
    kept += sum(len(value) for pairs in shell.maps.values() for value in pairs.values())
    if kept + signs > _MOST_KEPT:
        raise CannotInterpret(f"more than {_MOST_KEPT >> 20} MiB in variables")


class ReadOnlyVariable(Exception):
    """An assignment to a variable that was made read-only."""


class ShellScope:
    """The scope of one shell task at one instant."""

    __slots__ = ("machine", "shell", "task")

    def __init__(self, machine: Machine, task: Task) -> None:
        assert task.shell is not None, task.pid
        self.machine = machine
        self.task = task
        self.shell: Shell = task.shell

    @property
    def is_nounset(self) -> bool:
        """Whether a name that is not set ends the command (`set -u`)."""
        return "nounset" in self.shell.options and SOURCED_UNKNOWN not in self.shell.options

    @property
    def expands_braces(self) -> bool:
        """Whether `{a,b}` stands for several words."""
        return self.shell.flavour == "bash"

    @property
    def is_posix_only(self) -> bool:
        """Whether what bash adds is a bad substitution."""
        return self.shell.flavour == "dash"

    def get(self, name: str) -> str | None:
        """A variable, positional or special parameter; None when it is not set."""
        shell = self.shell
        value = shell.variables.get(name)
        if value is not None:
            return value
        if name.isdigit():
            place = int(name)
            if place == 0:
                return shell.name
            return shell.arguments[place - 1] if place <= len(shell.arguments) else None
        if name in shell.arrays:
            return self.get_element(name, 0)
        if name in shell.maps:
            return shell.maps[name].get("0")
        if name.endswith("]"):
            base, _, index = name.partition("[")
            return self.lookup(base, index[:-1].strip("'\""))
        return self._special(name)

    def _special(self, name: str) -> str | None:
        shell, machine = self.shell, self.machine
        match name:
            case "?":
                return str(shell.status)
            case "#":
                return str(len(shell.arguments))
            case "$":
                return str(self.task.state.get("shell_pid", self.task.pid))
            case "!":
                return str(shell.last_background) if shell.last_background else None
            case "-":
                return "".join(letter for option, letter in _OPTION_LETTERS if option in shell.options)
            case "@" | "*":
                return " ".join(shell.arguments) if shell.arguments else None
            case "PWD":
                return self.task.folder
            case "PPID":
                return str(self.task.parent)
            case "RANDOM" if shell.flavour != "dash":
                machine.is_volatile = True
                drawn = machine.world.draw(
                    "shell-random", machine.world.pod.uid, self.task.pid, self._count()
                )
                return str(int(drawn * 32_768))
            case "PIPESTATUS" if shell.flavour == "bash":
                raise CannotInterpret(name)
            case "SECONDS" if shell.flavour == "bash":
                machine.is_volatile = True
                return str((machine.now_ms - shell.seconds_ms) // 1000)
        return None

    def _count(self) -> int:
        """A number of its own for each draw of this task."""
        count: int = self.task.state.get("draws", 0) + 1
        self.task.state["draws"] = count
        return count

    def get_array(self, name: str) -> list[str] | None:
        """The elements of an array that are set; None when there is no such array."""
        return get_values(self.shell, name)

    def get_keys(self, name: str) -> list[str]:
        """The keys of an array, or the places of its elements."""
        return get_keys(self.shell, name)

    def lookup(self, name: str, index: str) -> str | None:
        """The element of an array that an index names: a key, or an arithmetic expression."""
        if name in self.shell.maps:
            return self.shell.maps[name].get(index)
        return self.get_element(name, self.evaluate(index))

    def evaluate(self, text: str) -> int:
        """What an arithmetic expression is worth; a name that is not set is 0. Raises ArithmeticProblem."""
        return evaluate(text, lambda name: self.get(name) or "", self.put)

    def put_indexed(self, name: str, index: str, value: str) -> None:
        """Set the element that an index names."""
        if name in self.shell.readonly:
            raise ReadOnlyVariable(f"{name}: is read only")
        need_space(self.shell, len(value))
        if name in self.shell.maps:
            put_key(self.shell, name, index, value)
        else:
            put_element(self.shell, name, self.evaluate(index), value)

    def get_element(self, name: str, place: int) -> str | None:
        """The element at a place, from the end when below 0; None when it is not set."""
        values = self.shell.arrays.get(name)
        if values is None:
            whole = self.get(name)
            return whole if place == 0 else None
        return values[place] if -len(values) <= place < len(values) else None

    def put(self, name: str, value: str) -> None:
        """Set a variable. Raises ReadOnlyVariable, and CannotInterpret for too long a value."""
        if name in self.shell.readonly:
            raise ReadOnlyVariable(f"{name}: is read only")
        if len(value) > _LONGEST_VALUE:
            self._outgrow(name, value)
            return
        need_space(self.shell, len(value))
        self.work(len(value))
        base, bracket, index = name.partition("[")
        if bracket:
            self.put_indexed(base, index.rstrip("]").strip("'\"") or "0", value)
        elif name in self.shell.maps:
            put_key(self.shell, name, "0", value)
        elif name in self.shell.arrays:
            put_element(self.shell, name, 0, value)
        else:
            self.shell.variables[name] = value
            if "allexport" in self.shell.options:
                self.shell.exported.add(name)

    def _outgrow(self, name: str, value: str) -> None:
        """A value that grew out of itself goes on growing, in memory; its text stays what it was."""
        old, task = self.shell.variables.get(name), self.task
        copies = value.count(old) if old else 0
        if not copies or old is None:
            raise CannotInterpret(f"a value of more than {_LONGEST_VALUE >> 10} KiB in {name}")
        self.work(len(value))
        grown = task.memory_bytes * copies if copies > 1 else task.memory_bytes + len(value) - len(old)
        task.memory_bytes = min(grown, _MOST_MEMORY)
        self.machine.note(
            f"cannot interpret more than {_LONGEST_VALUE >> 10} KiB in {name}: {LONG_VALUE.taken}"
        )

    def positional(self) -> Sequence[str]:
        """The positional parameters."""
        return self.shell.arguments

    def work(self, signs: int) -> None:
        """Count what it costs to look at so many signs."""
        self.machine.work(self.task, signs)

    def substituted(self, slot: int) -> str:
        """The output of a command substitution that has run."""
        return self.shell.frames[-1].substituted.get(slot, "")

    def substituted_file(self, slot: int) -> str:
        """The path of a file that holds such an output."""
        path = f"/dev/fd/{63 - slot}"
        self.machine.file_system.write(path, self.substituted(slot))
        return path

    def environment(self) -> dict[str, str]:
        """What a program started now would inherit."""
        values = dict(self.task.environment)
        for name in self.shell.exported:
            if name in self.shell.variables:
                values[name] = self.shell.variables[name]
        return values

    def unmatched(self, text: str) -> list[str]:
        """What a pattern stands for that matches nothing: itself, or nothing at all."""
        return [] if NULL_GLOB in self.shell.options else [text]

    def names_matching(self, pattern: str) -> list[str]:
        """File names that a pattern matches, sorted; none when there is no match."""
        if "noglob" in self.shell.options:
            return []
        found = ["/" if pattern.startswith("/") else ""]
        for part in [part for part in pattern.split("/") if part]:
            found = [name for base in found for name in self._expand_part(base, part)]
        return sorted(found)

    def _expand_part(self, base: str, part: str) -> list[str]:
        files = self.machine.file_system
        joined = base if not base or base.endswith("/") else base + "/"
        if not patterns.is_pattern(part):
            name = joined + patterns.unescape(part)
            return [name] if files.find(join_path(self.task.folder, name)) is not None else []
        folder = join_path(self.task.folder, base or ".")
        entry = files.find(folder)
        if entry is None or entry.kind != FOLDER:
            return []
        return [
            joined + name
            for name in files.names_in(folder)
            if patterns.matches(part, name) and (not name.startswith(".") or part.startswith("."))
        ]
