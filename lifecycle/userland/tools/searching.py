"""`grep`, and regular expressions as POSIX writes them."""

from __future__ import annotations

from functools import lru_cache

import re2

from ..lines import lines_of
from ..matching.expression import Expression
from ..matching.problem import PatternProblem
from ..matching.translation import BASIC, EXTENDED, OF_PERL, translate
from ..shell.options import split_options
from ..shell.task import Wait
from .call import Call, Outcome
from .registry import tool

_MOST_COST = 40_000_000
_NO_WORD = r"[^\pL\pN_]"


@lru_cache(maxsize=512)
def _compile(text: str, letters: frozenset[str]) -> Expression:
    """What grep looks for: a pattern in each line of the text, read as the options say."""
    dialect = OF_PERL if "P" in letters else EXTENDED if "E" in letters else BASIC
    options = [re2.escape(line) if "F" in letters else translate(line, dialect) for line in text.split("\n")]
    either = "|".join(f"(?:{one})" for one in options)
    ignores_case = "i" in letters
    if "x" in letters:
        return Expression(f"^(?:{either})$", ignores_case)
    if "w" in letters:
        # The signs around a word are looked at, and are no part of it.
        return Expression(f"(?:^|{_NO_WORD})({either})(?:{_NO_WORD}|$)", ignores_case, shown=1)
    return Expression(either, ignores_case)


@tool("grep", "egrep", "fgrep")
def grep(call: Call) -> Outcome:
    """`grep`: lines that match a pattern."""
    options, operands = split_options(call.arguments, "emABCf", ("regexp", "max-count", "include", "exclude"))
    if unknown := sorted(set("fABC") & set(options)):
        return call.cannot(f"with -{unknown[0]}")
    pattern = options.get("e", options.get("regexp"))
    if pattern is None:
        if not operands:
            return call.fail("a pattern is needed", 2)
        pattern, operands = operands[0], operands[1:]
    letters = set("EFPiwx") & set(options) | {"egrep": {"E"}, "fgrep": {"F"}}.get(call.name, set())
    compiled = _compile(pattern, frozenset(letters))
    if {"r", "R", "recursive"} & set(options):
        operands = _files_below(call, operands or ["."])
    return _grep_lines(call, compiled, options, operands)


def _files_below(call: Call, roots: list[str]) -> list[str]:
    return [path for root in roots for path in call.walk(root) if not call.is_folder(path)]


def _grep_lines(call: Call, compiled: Expression, options: dict[str, str], names: list[str]) -> Outcome:
    state = call.state
    silent = bool({"q", "quiet", "silent"} & set(options))
    most = int(options.get("m") or options.get("max-count") or 1 << 60)

    def handle(line: str) -> bool:
        state["line"] = state.get("line", 0) + 1
        text = line.removesuffix("\n")
        state["cost"] = state.get("cost", 0) + compiled.cost(text)
        _need_bounded(state["cost"])
        is_found = compiled.is_in(text)
        if is_found == ("v" in options):
            return False
        state["count"] = state.get("count", 0) + 1
        if silent or "l" in options:
            return True
        if "c" not in options:
            prefix = f"{state['line']}:" if "n" in options else ""
            if "o" in options:
                call.out("".join(f"{prefix}{one[0]}\n" for one in compiled.all(text) if one[0] and is_found))
            else:
                call.out(f"{prefix}{text}\n")
        return bool(state["count"] >= most)

    if len(names) > 1:
        return _grep_files(call, compiled, options, names)
    outcome = call.each_line(names, handle)
    if not isinstance(outcome, int):
        return outcome
    if "c" in options:
        call.out(f"{state.get('count', 0)}\n")
    if "l" in options and state.get("count"):
        call.out(f"{names[0] if names else '(standard input)'}\n")
    # A file that cannot be read counts as an error, unless a match was found quietly.
    return 0 if state.get("count") and (silent or not call.status) else 2 if call.status else 1


def _need_bounded(cost: int) -> None:
    if cost > _MOST_COST:
        raise PatternProblem("so long an input for that pattern")


def _grep_files(call: Call, compiled: Expression, options: dict[str, str], names: list[str]) -> Outcome:
    texts = call.whole_inputs(names)
    if isinstance(texts, Wait):
        return texts
    is_found = False
    _need_bounded(sum(compiled.cost(line) for _, text in texts for line in lines_of(text)))
    for name, text in texts:
        hits = [line for line in lines_of(text) if compiled.is_in(line) != ("v" in options)]
        is_found = is_found or bool(hits)
        if {"q", "quiet"} & set(options):
            continue
        if "l" in options:
            call.out(f"{name}\n" if hits else "")
        elif "c" in options:
            call.out(f"{name}:{len(hits)}\n")
        else:
            prefix = "" if "h" in options else f"{name}:"
            call.out("".join(f"{prefix}{line}\n" for line in hits))
    return 0 if is_found else 2 if call.status else 1
