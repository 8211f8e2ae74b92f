"""A command line of kubectl, as words: the verb, what it is about, and its flags."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from lifecycle.engine.kinds.registry import find_kind
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.objects.selector import Selector
from lifecycle.engine.objects.selector_text import read_selector
from lifecycle.lean_dataclasses import dataclass, field

MOST_LETTERS = 20_000
DEFAULT = "default"
_LONG = {
    "-n": "--namespace",
    "-A": "--all-namespaces",
    "-o": "--output",
    "-l": "--selector",
    "-c": "--container",
    "-f": "--filename",
}
_EVERYWHERE = ("--namespace",)
_OBJECTS = ("--output", "--selector")
FLAGS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "get": (_OBJECTS, ("--all-namespaces", "--show-labels")),
    "describe": (("--selector",), ("--all-namespaces",)),
    "logs": (("--container", "--tail"), ("--previous",)),
    "events": (("--for", "--types"), ("--all-namespaces",)),
    "rollout": (("--to-revision", "--timeout"), ()),
    "wait": (("--for", "--timeout"), ()),
    "scale": (("--replicas",), ()),
    "set": (("--container", "--limits", "--requests"), ()),
    "patch": (("--patch", "--type"), ()),
    "apply": (("--filename",), ()),
    "create": (("--filename",), ()),
    "replace": (("--filename",), ()),
    "delete": (("--grace-period", "--selector"), ("--force", "--now")),
    "label": ((), ("--overwrite",)),
    "annotate": ((), ("--overwrite",)),
    "cordon": ((), ()),
    "uncordon": ((), ()),
    "drain": (
        ("--grace-period", "--timeout"),
        ("--force", "--ignore-daemonsets", "--delete-emptydir-data", "--disable-eviction"),
    ),
    "taint": ((), ("--overwrite",)),
}
"""By verb the flags that have a value, and those that have none."""
READING = ("get", "describe", "logs", "events")


class Misread(ValueError):
    """A command line that cannot be carried out; the text says why, as kubectl would where it does."""


@dataclass(frozen=True, slots=True)
class Line:
    """One command line. `words`: what stands behind the verb, flags aside."""

    verb: str
    words: tuple[str, ...]
    flags: Mapping[str, str] = field(default_factory=dict)

    @property
    def namespace(self) -> str:
        """The namespace that is meant."""
        return self.flags.get("--namespace", DEFAULT)

    def has(self, flag: str) -> bool:
        """Whether a flag without a value is given, and not as `=false`."""
        return self.flags.get(flag, "false") != "false"

    def selector(self) -> Selector | None:
        """The labels that are asked for. Raises Misread."""
        text = self.flags.get("--selector")
        if text is not None and (len(self.words) > 1 or "/" in "".join(self.words[:1])):
            raise Misread("error: name cannot be provided when a selector is specified")
        try:
            return None if text is None else read_selector(text)
        except ValueError as problem:
            raise Misread(f"error: {problem}") from None


def read_line(text: str) -> Line:
    """A command line with or without `kubectl` before it. Raises Misread."""
    if len(text) > MOST_LETTERS:
        raise Misread(f"error: the command has {len(text):,} letters, and {MOST_LETTERS:,} is the most")
    try:
        parts = shlex.split(text)
    except ValueError as problem:
        raise Misread(f"error: the command cannot be read: {problem}") from None
    if parts[:1] == ["kubectl"]:
        parts = parts[1:]
    if not parts:
        raise Misread("error: say what to do, such as: get pods")
    verb, *rest = parts
    if verb not in FLAGS:
        known = ", ".join(sorted(FLAGS))
        raise Misread(f'error: unknown command "{verb[:40]}" for "kubectl"; there are {known}')
    return _read_flags(verb, rest)


def _read_flags(verb: str, rest: list[str]) -> Line:
    with_value, without = FLAGS[verb]
    with_value += _EVERYWHERE
    words, flags, left = list[str](), dict[str, str](), list(reversed(rest))
    while left:
        word = left.pop()
        if not word.startswith("-") or word == "-" or word[1:2].isdigit():
            words.append(word)
            continue
        name, sign, value = _name_flag(verb, word)
        if name in without:
            flags[name] = value if sign else "true"
        elif name in with_value:
            if not sign and not left:
                raise Misread(f"error: flag needs an argument: {word}")
            flags[name] = value if sign else left.pop()
        else:
            known = ", ".join(sorted((*with_value, *without)))
            raise Misread(f"error: unknown flag: {word[:40]}; `{verb}` knows {known}")
    return Line(verb, tuple(words), flags)


def _name_flag(verb: str, word: str) -> tuple[str, str, str]:
    """A flag's full name, `=` where its value is in the same word, and the value."""
    if word.startswith("--"):
        return word.partition("=")
    short, value = word[:2], word[2:]
    if short == "-p":
        name = "--patch" if verb == "patch" else "--previous"
    else:
        name = _LONG.get(short, short)
    # `-nshop` and `-n=shop` are `-n shop`.
    return name, "=" if value else "", value.removeprefix("=")


def read_kind(word: str) -> Kind:
    """A kind by one of its names. Raises Misread in kubectl's words."""
    kind = find_kind(word)
    if kind is None:
        raise Misread(f'error: the server doesn\'t have a resource type "{word[:60]}"')
    return kind


def read_targets(words: tuple[str, ...]) -> list[tuple[Kind, str]]:
    """`deployment/web pod/a`, or `deployment web db`: kinds with names. Raises Misread."""
    if not words:
        raise Misread("error: say which object: TYPE/NAME, such as deployment/web")
    if "/" not in words[0]:
        kind = read_kind(words[0])
        if len(words) == 1:
            raise Misread("error: resource(s) were provided, but no name was specified")
        return [(kind, name) for name in words[1:]]
    targets = []
    for word in words:
        what, slash, name = word.partition("/")
        if not slash or not name:
            raise Misread(f"error: {word[:60]!r}: write TYPE/NAME for each object, such as deployment/web")
        targets.append((read_kind(what), name))
    return targets


def read_number(line: Line, flag: str, least: int = 0) -> int | None:
    """A flag's whole number, None where it is not given. Raises Misread."""
    text = line.flags.get(flag)
    if text is None:
        return None
    if not (text.isascii() and text.removeprefix("-").isdecimal() and len(text) < 10 and int(text) >= least):
        raise Misread(
            f'error: invalid argument "{text[:40]}" for "{flag}": use a whole number, {least} or more'
        )
    return int(text)
