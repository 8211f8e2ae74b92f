"""One expression of CEL and the values of its variables in, its value out.

Models the environment of Kubernetes (apiserver, pkg/cel/environment/base.go) with Google's own CEL for
Python, which is loaded for the first expression. What Kubernetes adds to the language is in `libraries`. Left
out, and told as Unasked: `transformMap` and `transformMapEntry`, the authorizer, formats, `sortBy`, `indexOf`
of a list, and `string` of an address; types of fields, which Kubernetes checks when a rule is stored.

The costs of Kubernetes are not counted. In their place stands what bounds evaluations here: the loops of one
end after ten thousand rounds, and one that could touch or build more bytes than are left of a budget is not
begun (`bounds`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

from . import values
from .bounds import Estimate, Extents, estimate, settle
from .trees import Node, read_tree

MOST_WORK, LEAST_WORK = 1 << 29, 1 << 16
"""Bytes that the expressions asked of one object may touch, and that each of them counts at least."""
MOST_BUILT = 1 << 26
"""Bytes that they may build: texts, lists and maps that are none of the object's."""
MOST_COMPILED, MOST_CHECKED = 1 << 19, 1 << 16
"""Letters, doubled as macros double them, that are compiled to ask all of one object, and to look at what one
object has in it; a thousand letters take up to a tenth of a second."""
_MOST_LETTERS, _MOST_TREE, _MOST_SAID = 20_000, 1 << 18, 4_096
_DOUBLING, _MOST_DOUBLINGS, _MOST_DOUBLED = ("optMap", "optFlatMap"), 4, 1 << 19
"""Macros that write down twice what they are called on, so that a chain of them doubles with each; how many
of them may be, and how many letters all of an expression would be if they were one chain."""
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
_NAME = late_pattern(r"[A-Za-z_]\w*")
_MISSING_KEY = late_pattern(r'Key not found in map : "(?P<key>.*)"')
_MISSING_ENTRY = late_pattern(r"Index error: index=(?P<index>-?\d+)")
_SYNTAX = late_pattern(
    r"INVALID_ARGUMENT: (?P<said>ERROR: <input>:\d+:\d+: Syntax error: .*?)(?: \[\w+\])?\Z", re.DOTALL
)
_NOT_RUN = ("transformMap", "transformMapEntry")
"""What the library compiles and cannot run."""
_EXTENSIONS = "extensions: [{name: two-var-comprehensions}]"
"""Those of the library that have no class of their own."""
_NO_OVERLOAD = "No matching overloads"
_ERROR = "ERROR"
_GIVEN_OLD, _HAS_OLD = "given__old__self", "has__old__self"


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
    """What is left of the letters that are compiled for one object, and of the bytes that what is asked of it
    may touch, and may build. `extents`: of what they were asked about."""

    __slots__ = ("_compiled", "_left", "_left_to_build", "_left_to_compile", "extents")

    def __init__(self, most_compiled: int = MOST_COMPILED) -> None:
        self._left, self._left_to_build, self._left_to_compile = MOST_WORK, MOST_BUILT, most_compiled
        self._compiled: set[str] = set()
        self.extents = Extents()

    def has_letters(self, expression: str) -> bool:
        """Whether an expression was taken already, or is no longer than what is left; then it is taken."""
        if expression not in self._compiled:
            letters = _count_letters(expression)
            if letters > self._left_to_compile:
                return False
            self._left_to_compile -= letters
            self._compiled.add(expression)
        return True

    def take(self, wanted: Estimate) -> None:
        """Raise Unasked for more than is left."""
        if wanted.built > self._left_to_build:
            raise Unasked(f"it could build more than the {MOST_BUILT >> 20} MiB that one object's may")
        if wanted.work > self._left:
            raise Unasked("it could take too long on an object of this size")
        self._left -= max(wanted.work, LEAST_WORK)
        self._left_to_build -= wanted.built


def evaluate(expression: str, variables: Mapping[str, Any], budget: Budget) -> Any:
    """The value of an expression, as plain data. Raises Failed, Unasked.

    `variables`: plain data; one of them, `oldSelf`, may be an Optional.
    """
    given = dict(variables)
    old = given.get(OLD_SELF)
    if isinstance(old, Optional):
        del given[OLD_SELF]
        given |= {_GIVEN_OLD: old.value, _HAS_OLD: old.is_given}
    if not budget.has_letters(expression):
        raise Unasked("with the other expressions it could take too long to compile")
    # What cannot be converted, such as half a letter, ends in a RuntimeError.
    try:
        program, tree = _prepare(expression, tuple(sorted(given)))
        budget.extents.forget()
        budget.take(estimate(tree, given, budget.extents))
        values.begin()
        value = program.eval(data=given)
        if value.type().name() != _ERROR:
            return value.plain_value()
        problem = str(value.value())
    except (RuntimeError, ValueError, TypeError, OverflowError) as found:
        raise Unasked(_shorten(str(found))) from None
    raise _read_problem(problem)


def find_unasked(
    expression: str, names: tuple[str, ...], checked: Budget, has_optional_old: bool = False
) -> str:
    """Why an expression over these variables cannot be asked here; "" for one that can.

    `checked`: of all expressions of the object; those that it does not last for are not looked at.
    """
    if has_optional_old:
        names = (*(name for name in names if name != OLD_SELF), _GIVEN_OLD, _HAS_OLD)
    if not checked.has_letters(expression):
        return ""
    try:
        _, tree = _prepare(expression, tuple(sorted(names)))
        Budget().take(estimate(tree, {}, Extents()))
    except (Unasked, RecursionError) as problem:
        return str(problem)
    return ""


def find_code(expression: str) -> str:
    """An expression with a blank for each comment, and `''` for each text."""
    return _ASIDE.sub(_show_aside, expression)


def _show_aside(found: re.Match[str]) -> str:
    if found["comment"] is not None:
        return " "
    return "''" if found["quoted"] is None else found["quoted"]


@lru_cache(maxsize=1024)
def list_names(expression: str) -> frozenset[str]:
    """The names that stand in an expression, outside its texts."""
    return frozenset(_NAME.findall(find_code(expression)))


def uses(expression: str, name: str) -> bool:
    """Whether an expression has a name outside its texts."""
    return name in list_names(expression)


# --- compiled ---------------------------------------------------------------------------------------------


def _prepare(expression: str, names: tuple[str, ...]) -> tuple[Any, Node]:
    """A program and its tree. Raises Unasked."""
    made = _try_to_compile(expression, names)
    if isinstance(made, str):
        raise Unasked(_shorten(made))
    return made


@lru_cache(maxsize=1024)
def _try_to_compile(expression: str, names: tuple[str, ...]) -> tuple[Any, Node] | str:
    """A program and its tree; why there is none, which is kept as well: finding out can take a second."""
    try:
        return _compile(expression, names)
    except (Unasked, RuntimeError, ValueError, TypeError) as problem:
        return str(problem)[:_MOST_SAID]


def find_fault(expression: str, names: tuple[str, ...], checked: Budget) -> str:
    """What is wrong with the syntax of an expression, in the words of a refusal; "" for nothing.

    Of the rest it is not sure: a name or a function that is not known here may be known to Kubernetes.
    `checked`: of all expressions of the object; those that it does not last for are not looked at.
    """
    if not checked.has_letters(expression):
        return ""
    made = _try_to_compile(expression, tuple(sorted(names)))
    if isinstance(made, str) and (match := _SYNTAX.match(made)):
        return f"compilation failed: {match['said']}"
    return ""


def _compile(expression: str, names: tuple[str, ...]) -> tuple[Any, Node]:
    """Raises RuntimeError for what is no expression, Unasked for what is not run."""
    _require_brief(expression)
    make, environment = _environment(names)
    if _HAS_OLD in names:
        old = f"{_HAS_OLD} ? optional.of({_GIVEN_OLD}) : optional.none()"
        program = environment.compile(f"cel.bind({OLD_SELF}, {old}, ({expression}\n))")
    else:
        program = make(expression)
    tree = program.serialize()
    if len(tree) > _MOST_TREE:
        raise Unasked("it has too many parts")
    return program, settle(read_tree(tree))


def _require_brief(expression: str) -> None:
    """Raise Unasked for what the library is not to see: too much, or what only it has, or does not run."""
    if len(expression) > _MOST_LETTERS:
        raise Unasked(f"it is longer than {_MOST_LETTERS:,} letters")
    names = _count_names(expression)
    for name in ("cel", "math"):
        if name in names:
            raise Unasked(f"Kubernetes has no {name} in expressions")
    for name in _NOT_RUN:
        if name in names:
            raise Unasked(f"the library for CEL does not run {name}")
    doublings = _count_doublings(names)
    if doublings > _MOST_DOUBLINGS or len(expression) << doublings > _MOST_DOUBLED:
        raise Unasked(f"it has too many of {' and '.join(_DOUBLING)}: {doublings}")


def _count_names(expression: str) -> Counter[str]:
    return Counter(_NAME.findall(find_code(expression)))


def _count_doublings(names: Counter[str]) -> int:
    return sum(names[name] for name in _DOUBLING)


@lru_cache(maxsize=1024)
def _count_letters(expression: str) -> int:
    """How many letters of an expression the library has to read; 0 of one that it is not to see."""
    if len(expression) > _MOST_LETTERS:
        return 0
    doublings = _count_doublings(_count_names(expression))
    return len(expression) << doublings if doublings <= _MOST_DOUBLINGS else 0


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
