"""`grep`, and regular expressions as POSIX writes them."""

from __future__ import annotations

from functools import lru_cache

import re2

from ...guesses import ANSWER
from ...lines import lines_of
from ...matching.expression import Expression
from ...matching.problem import PatternProblem
from ...matching.translation import BASIC, EXTENDED, OF_PERL, translate
from ...shell.reading.options import split_options
from ...shell.task import Wait
from ..call import Call, Outcome
from ..registry import tool

_MOST_COST = 40_000_000
_STEPS_OF_A_LOOK = 1
_SILENT = {"q", "quiet", "silent"}
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
        return call.guess(f"with -{unknown[0]}")
    pattern = options.get("e", options.get("regexp"))
    if pattern is None:
        if not operands:
            return call.fail("a pattern is needed", 2)
        pattern, operands = operands[0], operands[1:]
    letters = set("EFPiwx") & set(options) | {"egrep": {"E"}, "fgrep": {"F"}}.get(call.name, set())
    compiled = _compile(pattern, frozenset(letters))
    if {"r", "R", "recursive"} & set(options):
        operands = _files_below(call, operands or ["."])
    outcome = _grep_lines(call, compiled, options, operands)
    if outcome == 1 and not operands and "v" not in options and call.reads_answer:
        # A gate that looks for a word in what a server tells opens once the server is there.
        call.machine.note(f"cannot interpret what a server answers: {pattern!r} is {ANSWER.taken}")
        return 0
    return outcome


def _files_below(call: Call, roots: list[str]) -> list[str]:
    return [path for root in roots for path in call.walk(root) if not call.is_folder(path)]


def _grep_lines(call: Call, compiled: Expression, options: dict[str, str], names: list[str]) -> Outcome:
    state = call.state
    silent = bool(_SILENT & set(options))
    most = int(options.get("m") or options.get("max-count") or 1 << 60)

    def look(line: str, place: str = "") -> bool:
        call.work(_STEPS_OF_A_LOOK)
        state["line"] = state.get("line", 0) + 1
        text = line.removesuffix("\n")
        state["cost"] = state.get("cost", 0) + compiled.cost(text)
        if state["cost"] > _MOST_COST:
            raise PatternProblem("so long an input for that pattern")
        is_found = compiled.is_in(text)
        if is_found == ("v" in options):
            return False
        state["count"] = state.get("count", 0) + 1
        if silent or "l" in options:
            return True
        if "c" not in options:
            prefix = place + (f"{state['line']}:" if "n" in options else "")
            if "o" in options:
                call.out("".join(f"{prefix}{one[0]}\n" for one in compiled.all(text) if one[0] and is_found))
            else:
                call.out(f"{prefix}{text}\n")
        return bool(state["count"] >= most)

    if len(names) > 1:
        texts = call.whole_inputs(names)
        if isinstance(texts, Wait):
            return texts
        is_found = False
        for name, text in texts:
            place = "" if "h" in options else f"{name}:"
            for line in lines_of(text):
                if look(line, place):
                    break
            is_found = _sum_up(call, options, name, place) or is_found
    else:
        outcome = call.each_line(names, look)
        if not isinstance(outcome, int):
            return outcome
        is_found = _sum_up(call, options, names[0] if names else "(standard input)")
    # A file that cannot be read counts as an error, unless a match was found quietly.
    return 0 if is_found and (silent or not call.status) else 2 if call.status else 1


def _sum_up(call: Call, options: dict[str, str], name: str, place: str = "") -> bool:
    """Whether lines of a file were found, and what is told of the file as a whole."""
    call.state["line"], count = 0, int(call.state.pop("count", 0))
    if "c" in options and not _SILENT & set(options):
        call.out(f"{place}{count}\n")
    if "l" in options and count and not _SILENT & set(options):
        call.out(f"{name}\n")
    return count > 0
