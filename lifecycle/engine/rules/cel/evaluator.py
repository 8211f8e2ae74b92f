"""One expression of CEL and the values of its variables in, its value out.

Models the environment of Kubernetes (apiserver, pkg/cel/environment/base.go) with Google's own CEL for
Python, which is loaded for the first expression. What Kubernetes adds to the language is in `libraries`. Left
out, and told as Unasked: `transformMap` and `transformMapEntry`, the authorizer, formats, `sortBy`, `indexOf`
of a list, and `string` of an address; types of fields, which Kubernetes checks when a rule is stored.

The costs of Kubernetes are not counted. In their place stands what bounds evaluations here: the loops of one
end after ten thousand rounds, and one that could touch more bytes than are left of a budget is not begun.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

from . import values

MOST_WORK, LEAST_WORK = 1 << 29, 1 << 16
"""Bytes that the expressions asked of one object may touch, and that each of them counts at least."""
_MOST_ROUNDS, _MOST_LETTERS = 10_000, 20_000
OLD_SELF = "oldSelf"
_ASIDE = late_pattern(
    r"(?P<comment>//[^\n]*)|`(?P<quoted>[^`\n]*)`?"
    r"|[bB]?[rR](?P<raw_block>'{3}|\"{3}).*?(?:(?P=raw_block)|\Z)"
    r"|[bB]?[rR](?P<raw>['\"])[^\n]*?(?:(?P=raw)|(?=\n)|\Z)"
    r"|[bB]?(?P<block>'{3}|\"{3})(?:[^\\]|\\.?)*?(?:(?P=block)|\Z)"
    r"|[bB]?(?P<plain>['\"])(?:[^\\\n]|\\.?)*?(?:(?P=plain)|(?=\n)|\Z)",
    re.DOTALL,
)
"""What is no code, as the lexer of CEL takes it: comments, names in backquotes, texts of every form.

Each form ends somewhere, with or without its closing quote, so that a search takes no longer than the text.
"""
_LOOP = late_pattern(r"\.\s*(?:all|exists|exists_one|existsOne|map|filter|transformList)\s*\(")
_CALL = late_pattern(r"[\w\]\)]\s*\(|[+=!<>]|\bin\b")
_NAME = late_pattern(r"[A-Za-z_]\w*")
_MISSING_KEY = late_pattern(r'Key not found in map : "(?P<key>.*)"')
_MISSING_ENTRY = late_pattern(r"Index error: index=(?P<index>-?\d+)")
_BUILDERS = ("range", "flatten", "split", "findAll")
_NOT_RUN = ("transformMap", "transformMapEntry")
"""What the library compiles and cannot run."""
_EXTENSIONS = "extensions: [{name: two-var-comprehensions}]"
"""Those of the library that have no class of their own."""
_NO_OVERLOAD = "No matching overloads"
_ERROR = "ERROR"
_GIVEN_OLD, _HAS_OLD = "given__old__self", "has__old__self"


class _Read(NamedTuple):
    """What stands in an expression outside its texts. `is_building`: whether it makes lists of its own."""

    names: frozenset[str]
    loops: int
    calls: int
    is_building: bool


class Unasked(Exception):
    """An expression that cannot be judged here. Its text says why."""


class Failed(Exception):
    """An expression that ended in an error, in Kubernetes' words."""


@dataclass(frozen=True, slots=True)
class Optional:
    """A variable that is an optional value; `is_given`: whether it has one."""

    value: Any
    is_given: bool


class Budget:
    """What is left of the bytes that the expressions asked of one object may touch."""

    __slots__ = ("left",)

    def __init__(self, left: int = MOST_WORK) -> None:
        self.left = left

    def take(self, work: int) -> None:
        """Raise Unasked for more than is left."""
        if work > self.left:
            raise Unasked("it could take too long on an object of this size")
        self.left -= max(work, LEAST_WORK)


def evaluate(expression: str, variables: Mapping[str, Any], budget: Budget) -> Any:
    """The value of an expression, as plain data. Raises Failed, Unasked.

    `variables`: plain data; one of them, `oldSelf`, may be an Optional.
    """
    given = dict(variables)
    old = given.get(OLD_SELF)
    if isinstance(old, Optional):
        del given[OLD_SELF]
        given |= {_GIVEN_OLD: old.value, _HAS_OLD: old.is_given}
    budget.take(_bound(expression, given))
    values.begin()
    # What does not compile and what cannot be converted, such as half a letter, ends in a RuntimeError.
    try:
        value = _compile(expression, tuple(sorted(given))).eval(data=given)
        if value.type().name() != _ERROR:
            return value.plain_value()
        problem = str(value.value())
    except (RuntimeError, ValueError, TypeError, OverflowError) as found:
        raise Unasked(_shorten(str(found))) from None
    raise _read_problem(problem)


def find_unasked(expression: str, names: tuple[str, ...], has_optional_old: bool = False) -> str:
    """Why an expression over these variables cannot be asked here; "" for one that can."""
    if has_optional_old:
        names = (*(name for name in names if name != OLD_SELF), _GIVEN_OLD, _HAS_OLD)
    try:
        _bound(expression, {})
        _compile(expression, tuple(sorted(names)))
    except (Unasked, RuntimeError, ValueError) as problem:
        return _shorten(str(problem))
    return ""


def find_code(expression: str) -> str:
    """An expression with a blank for each comment, and `''` for each text."""
    return _ASIDE.sub(_show_aside, expression)


def _show_aside(found: re.Match[str]) -> str:
    if found["comment"] is not None:
        return " "
    return "''" if found["quoted"] is None else found["quoted"]


@lru_cache(maxsize=1024)
def _read(expression: str) -> _Read:
    bare = find_code(expression)
    names = frozenset(_NAME.findall(bare))
    loops, calls = len(_LOOP.findall(bare)), len(_CALL.findall(bare)) + 1
    return _Read(names, loops, calls, not names.isdisjoint(_BUILDERS))


def list_names(expression: str) -> frozenset[str]:
    """The names that stand in an expression, outside its texts."""
    return _read(expression).names


def uses(expression: str, name: str) -> bool:
    """Whether an expression has a name outside its texts."""
    return name in list_names(expression)


# --- compiled ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _compile(expression: str, names: tuple[str, ...]) -> Any:
    """A program. Raises RuntimeError for what is no expression, Unasked without the library."""
    make, environment = _environment(names)
    if _HAS_OLD in names:
        old = f"{_HAS_OLD} ? optional.of({_GIVEN_OLD}) : optional.none()"
        return environment.compile(f"cel.bind({OLD_SELF}, {old}, ({expression}\n))")
    return make(expression)


@lru_cache(maxsize=64)
def _environment(names: tuple[str, ...]) -> tuple[Callable[[str], Any], Any]:
    try:
        from cel_expr_python import cel
        from cel_expr_python.ext import ext_bindings, ext_math, ext_optional, ext_strings
    except ImportError:
        raise Unasked("the library for CEL is not installed; install cel-expr-python") from None
    from .libraries import declare

    extensions = [
        ext_strings.ExtStrings(),
        ext_optional.ExtOptional(),
        ext_bindings.ExtBindings(),
        ext_math.ExtMath(),
    ]
    environment = cel.NewEnv(
        config=cel.NewEnvConfigFromYaml(_EXTENSIONS),
        variables=dict.fromkeys(names, cel.Type.DYN),
        extensions=extensions,
        functions=declare(cel),
    )
    return environment.compile, environment


# --- bounds -----------------------------------------------------------------------------------------------


def _bound(expression: str, variables: Mapping[str, Any]) -> int:
    """No fewer bytes than an evaluation touches: sizes times rounds times calls. Raises Unasked."""
    if len(expression) > _MOST_LETTERS:
        raise Unasked(f"it is longer than {_MOST_LETTERS:,} letters")
    said = _read(expression)
    for name in ("cel", "math"):
        if name in said.names:
            raise Unasked(f"Kubernetes has no {name} in expressions")
    for name in _NOT_RUN:
        if name in said.names:
            raise Unasked(f"the library for CEL does not run {name}")
    size, longest = _measure(variables)
    # What it builds itself may be longer than all it is given.
    is_long = said.is_building or said.loops >= _MOST_ROUNDS
    rounds = min(longest**said.loops, _MOST_ROUNDS) if not is_long else _MOST_ROUNDS if said.loops else 1
    return (size + len(expression)) * rounds * said.calls


def _measure(value: Any) -> tuple[int, int]:
    """About how many bytes plain data is, and how many entries its longest list or map has; 2 at least."""
    size, longest, waiting = 0, 2, [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            size += sum(map(len, map(str, one))) + 8 * len(one)
            longest = max(longest, len(one))
            waiting.extend(one.values())
        elif isinstance(one, list):
            size += 8 * len(one)
            longest = max(longest, len(one))
            waiting.extend(one)
        else:
            size += len(one) if isinstance(one, str | bytes) else 8
    return size, longest


# --- errors -----------------------------------------------------------------------------------------------


def _read_problem(text: str) -> Exception:
    """What an evaluation ended with: an error in cel-go's words, or that it is none of Kubernetes'."""
    from .libraries import NOT_HERE

    if match := _MISSING_KEY.search(text):
        return Failed(f"no such key: {match['key']}")
    if match := _MISSING_ENTRY.search(text):
        return Failed(f"index out of bounds: {match['index']}")
    said = text.partition(": ")[2] or text
    # Kubernetes finds most of these when the rule is stored; others are of functions that are not here.
    if said.startswith(_NO_OVERLOAD) or NOT_HERE in text or "Non-CEL" in text:
        return Unasked(_shorten(said))
    return Failed("division by zero" if said == "divide by zero" else _shorten(said))


def _shorten(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("|")]
    first = lines[0] if lines else "it is no expression"
    said = first.partition("<input>:")[2].partition(" ")[2] or first
    return "".join(letter if letter.isprintable() else " " for letter in said)[:300]
