"""Builtins for variables, options and input: export, local, set, let and the like."""

from __future__ import annotations

from ...guesses import ATTRIBUTE
from ..activation import Activation
from ..arrays import unset_element
from ..task import FUNCTION, Frame, Shell


def export(activation: Activation, words: list[str]) -> int:
    """`export`: hand variables on to programs, with -n no longer."""
    if len(words) == 1 or words[1] == "-p":
        for name, value in sorted(activation.scope.environment().items()):
            activation.out(f"export {name}='{value}'\n")
        return 0
    takes_back = words[1] == "-n"
    for word in words[2 if takes_back else 1 :]:
        name, equals, value = word.partition("=")
        if equals:
            activation.scope.put(name, value)
        if takes_back:
            activation.shell.exported.discard(name)
        else:
            activation.shell.exported.add(name)
    return 0


def readonly(activation: Activation, words: list[str]) -> int:
    """`readonly`: keep variables from being changed."""
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if equals:
            activation.scope.put(name, value)
        activation.shell.readonly.add(name)
    return 0


def local(activation: Activation, words: list[str]) -> int:
    """`local`, `declare`, `typeset`: variables of a function, arrays and flags."""
    frame = next((one for one in reversed(activation.shell.frames) if one.kind == FUNCTION), None)
    is_declare = words[0] != "local"
    if frame is None and not is_declare:
        return activation.fail("local: not in a function", 2)
    flags = "".join(word[1:] for word in words[1:] if word.startswith("-"))
    for flag in sorted(set(flags) & set("ilnpu")):
        activation.machine.note(f"cannot interpret {words[0]} -{flag}: {ATTRIBUTE.taken}")
    for word in words[1:]:
        if word.startswith(("-", "+")):
            continue
        name, equals, value = word.partition("=")
        is_local = frame is not None and "g" not in flags
        if is_local and frame is not None:
            frame.saved_locals.setdefault(name, activation.shell.variables.get(name))
        if "A" in flags or "a" in flags:
            _declare_array(activation.shell, frame if is_local else None, name, "A" in flags)
        if equals:
            activation.scope.put(name, value)
        elif is_local and activation.shell.flavour == "bash":
            activation.shell.variables.pop(name, None)
        if "x" in flags:
            activation.shell.exported.add(name)
        if "r" in flags:
            activation.shell.readonly.add(name)
    return 0


def _declare_array(shell: Shell, frame: Frame | None, name: str, is_map: bool) -> None:
    """`declare -a`, `declare -A`: a local one hides what has the same name outside."""
    if frame is not None and name not in frame.saved_arrays:
        frame.saved_arrays[name] = (shell.arrays.pop(name, None), shell.maps.pop(name, None))
    if is_map:
        shell.arrays.pop(name, None)
        shell.maps.setdefault(name, {})
    elif name not in shell.maps:
        shell.arrays.setdefault(name, [])


def unset(activation: Activation, words: list[str]) -> int:
    """`unset`: forget variables, elements and, with -f, functions."""
    functions = "-f" in words
    for name in [word for word in words[1:] if not word.startswith("-")]:
        if functions:
            activation.shell.functions.pop(name, None)
        elif name in activation.shell.readonly:
            return activation.fail(f"unset: {name}: is read only")
        elif name.endswith("]"):
            base, _, key = name[:-1].partition("[")
            unset_element(activation.shell, base, key.strip("'\""), activation.scope.evaluate)
        else:
            activation.shell.variables.pop(name, None)
            activation.shell.arrays.pop(name, None)
            activation.shell.maps.pop(name, None)
            activation.shell.exported.discard(name)
            activation.task.environment.pop(name, None)
    return 0


_OPTIONS = {
    "e": "errexit",
    "u": "nounset",
    "x": "xtrace",
    "f": "noglob",
    "a": "allexport",
    "n": "noexec",
    "v": "verbose",
    "C": "noclobber",
    "b": "notify",
    "m": "monitor",
    "E": "errtrace",
    "h": "hashall",
    "T": "functrace",
}


def set_options(shell: Shell, words: list[str]) -> list[str] | None:
    """Read options as `set` and `sh` take them; gives what is left, None when `--` or words were given."""
    place = 0
    while place < len(words):
        word = words[place]
        if word in ("--", "-") or word[:1] not in ("-", "+") or len(word) < 2:
            break
        place += 1
        for letter in word[1:]:
            name = _OPTIONS.get(letter)
            if letter == "o" and place < len(words):
                name = words[place]
                place += 1
            if name:
                (shell.options.add if word[0] == "-" else shell.options.discard)(name)
    rest = words[place:]
    return rest or None


def set_builtin(activation: Activation, words: list[str]) -> int:
    """`set`: options and positional parameters."""
    if len(words) == 1:
        for name, value in sorted(activation.shell.variables.items()):
            activation.out(f"{name}='{value}'\n")
        return 0
    rest = set_options(activation.shell, words[1:])
    if rest is not None:
        activation.shell.arguments = rest[1:] if rest[0] in ("--", "-") else rest
    return 0


def let(activation: Activation, words: list[str]) -> int:
    """`let`: arithmetic; the status is 1 where the last value is 0."""
    value = 0
    for word in words[1:]:
        value = activation.scope.evaluate(word)
    return int(value == 0)
