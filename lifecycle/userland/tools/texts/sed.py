"""`sed`: substitutes, and prints, deletes or stops at the lines that addresses name.

Left out, and named where a script asks for it: the hold space, blocks, labels, lines put in, `y`, steps.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from lifecycle.lean_dataclasses import dataclass

from ...file_layers import FileProblem
from ...lines import lines_of
from ...matching.expression import Expression, Found, compile_expression
from ...matching.problem import PatternProblem
from ...matching.translation import EXTENDED_OF_SED, OF_SED
from ...shell.task import Wait
from ..call import Call, Outcome
from ..registry import tool

_MOST_STEPS = 1_000_000
_COST_OF_A_STEP = 64
_LONGEST = 1 << 20
_LONG_OPTIONS = {"regexp-extended": "E", "quiet": "n", "silent": "n", "in-place": "i", "expression": "e"}
_LAST_LINE = 0
Address: TypeAlias = int | Expression


class EditorProblem(PatternProblem):
    """A part of a script that is not modelled."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One command with the lines it applies to: all, those of one address, or from one to another."""

    first: Address | None
    last: Address | None
    is_negated: bool
    command: str
    pattern: Expression | None = None
    replacement: str = ""
    flags: str = ""


@tool("sed")
def sed(call: Call) -> Outcome:
    """`sed`: edit lines by a script."""
    try:
        scripts, options, operands = _arguments(call)
        if not scripts and not operands:
            return call.fail("no script")
        script = "\n".join(scripts) if scripts else operands.pop(0)
        edits = _Reader(script, "E" in options or "r" in options).edits()
        texts = call.whole_inputs(operands)
        if isinstance(texts, Wait):
            return texts
        for name, text in texts if "i" in options else [("", "".join(text for _, text in texts))]:
            run = _Run(edits, text, "n" in options)
            try:
                edited = run.output()
            finally:
                call.work(run.steps)
            if "i" in options:
                _replace(call, name, text, edited, options["i"])
            else:
                call.out(edited)
    except PatternProblem as problem:
        return call.cannot(str(problem), 1)
    except FileProblem as problem:
        return call.fail(str(problem), 4)
    return call.status if call.state.get("flavour") == "ash" else 2 * call.status


def _replace(call: Call, name: str, old: str, new: str, suffix: str) -> None:
    """`-i`: writes the file anew, and with a suffix a copy of what it was."""
    if call.is_opaque(name):
        # Nor is it known what came of it.
        return
    if suffix:
        call.files.write(call.path(name + suffix), old)
    call.files.write(call.path(name), new)


def _arguments(call: Call) -> tuple[list[str], dict[str, str], list[str]]:
    """Scripts, options (of `-i` with its suffix), and what is left. Raises EditorProblem."""
    scripts: list[str] = []
    options: dict[str, str] = {}
    operands: list[str] = []
    words = list(call.arguments)
    while words:
        word = words.pop(0)
        letters, value = word[1:], ""
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            letters = _LONG_OPTIONS.get(name, word)
        elif word.startswith("-i"):
            letters, value = "i", word[2:]
        elif not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        if not set(letters) <= set("nEire") or "e" in letters[:-1]:
            raise EditorProblem(f"with the option {word}")
        if letters[-1] == "e":
            scripts.append(value or (words.pop(0) if words else ""))
        options.update(dict.fromkeys(letters, value))
    return scripts, options, operands


class _Reader:
    """A cursor over the text of a script."""

    def __init__(self, text: str, is_extended: bool) -> None:
        self.text = text
        self.at = 0
        self.dialect = EXTENDED_OF_SED if is_extended else OF_SED

    def edits(self) -> list[Edit]:
        """The commands of the script, in order. Raises EditorProblem and PatternProblem."""
        found: list[Edit] = []
        self.take(r"[ \t\n;]*")
        while self.at < len(self.text):
            found.append(self.edit())
            if not self.take(r"[ \t]*(?:[;\n][ \t\n;]*|$)") and self.at < len(self.text):
                raise EditorProblem(f"the script at {self.text[self.at : self.at + 20]!r}")
        return found

    def take(self, pattern: str) -> str:
        """What a pattern matches here, which is passed; "" for nothing."""
        found = re.compile(pattern).match(self.text, self.at)
        self.at = self.at if found is None else found.end()
        return "" if found is None else found[0]

    def edit(self) -> Edit:
        first = self.address()
        has_last = bool(self.take(","))
        last = self.address() if has_last else None
        is_negated = bool(self.take(r"[ \t]*![ \t]*"))
        command = self.take(r"[ \t]*[dpqs]").strip()
        if not command or has_last != (last is not None):
            raise EditorProblem(f"the script at {self.text[self.at : self.at + 20]!r}")
        given = self.substitution() if command == "s" else ()
        return Edit(first, last, is_negated, command, *given)

    def address(self) -> Address | None:
        self.take(r"[ \t]*")
        if number := self.take(r"[1-9]\d*(?!\d*~)"):
            return int(number)
        if self.take(r"\$"):
            return _LAST_LINE
        return self.expression(self.until("/"), self.take("I")) if self.take("/") else None

    def expression(self, text: str, flags: str) -> Expression:
        if not text:
            raise EditorProblem("an empty pattern")
        return compile_expression(text, self.dialect, "i" in flags.lower())

    def substitution(self) -> tuple[Expression, str, str]:
        delimiter = self.text[self.at : self.at + 1]
        self.at += 1
        pattern, replacement = self.until(delimiter), self.until(delimiter)
        unknown = re.search(r"\\[ULEul]", replacement)
        if unknown is not None:
            raise EditorProblem(f"{unknown[0]} in a replacement")
        flags = self.take(r"[gpiI\d]*")
        return self.expression(pattern, flags), replacement, flags

    def until(self, delimiter: str) -> str:
        """Up to the delimiter, which is passed; behind a backslash it stands for itself."""
        found: list[str] = []
        while self.at < len(self.text):
            sign = self.take(r"(?s)\\.|.")
            if sign == delimiter:
                return "".join(found)
            found.append(delimiter if sign == "\\" + delimiter else sign)
        raise EditorProblem("a command that is not finished")


class _Run:
    """A script at work on the lines of one text."""

    def __init__(self, edits: list[Edit], text: str, is_quiet: bool) -> None:
        self.edits = edits
        self.lines = lines_of(text)
        self.has_end = text.endswith("\n") or not text
        self.is_quiet = is_quiet
        self.number = 0
        self.line = ""
        self.is_over = False
        self.ranges: set[int] = set()
        """The places of the commands in whose range the line is."""
        self.found: list[str] = []
        self.steps = 0

    def output(self) -> str:
        """What the script makes of the text. Raises EditorProblem for one that takes too long."""
        while self.number < len(self.lines) and not self.is_over:
            self.line = self.lines[self.number]
            self.number += 1
            if self.keeps_line() and not self.is_quiet:
                self.found.append(self.line)
        joined = "".join(line + "\n" for line in self.found)
        return joined if self.has_end or self.number < len(self.lines) else joined[:-1]

    def keeps_line(self) -> bool:
        """Run the script once; whether the line is shown at its end."""
        for place, edit in enumerate(self.edits):
            self.charge(1)
            if self.applies(edit, place) == edit.is_negated:
                continue
            if edit.command == "d":
                return False
            if edit.command == "q":
                self.is_over = True
                return True
            if edit.pattern is None:
                self.found.append(self.line)
            else:
                self.substitute(edit, edit.pattern)
        return True

    def charge(self, steps: int) -> None:
        self.steps += steps
        if self.steps > _MOST_STEPS:
            raise EditorProblem("a script that takes so long")

    def applies(self, edit: Edit, place: int) -> bool:
        if edit.first is None or edit.last is None:
            return edit.first is None or self.is_at(edit.first)
        if place not in self.ranges:
            if not self.is_at(edit.first):
                return False
            # The end is looked for from the next line on; a number that is past makes it this line alone.
            if not isinstance(edit.last, int) or edit.last > self.number or edit.last == _LAST_LINE:
                self.ranges.add(place)
        elif self.is_at(edit.last) or (isinstance(edit.last, int) and 0 < edit.last <= self.number):
            self.ranges.discard(place)
        return True

    def is_at(self, address: Address) -> bool:
        if isinstance(address, int):
            return self.number == (address or len(self.lines))
        self.charge(address.cost(self.line) // _COST_OF_A_STEP)
        return address.is_in(self.line)

    def substitute(self, edit: Edit, pattern: Expression) -> None:
        self.charge(pattern.cost(self.line) // _COST_OF_A_STEP)
        wanted = int(re.sub(r"\D", "", edit.flags) or 1)
        count, at = 0, 0
        found: list[str] = []
        for count, match in enumerate(pattern.all(self.line), 1):
            if count < wanted:
                continue
            found += [self.line[at : match.start()], _fill(edit.replacement, match)]
            at = match.end()
            self.charge(1 + len(found[-1]) // _COST_OF_A_STEP)
            if "g" not in edit.flags:
                break
        self.line = "".join(found) + self.line[at:]
        if len(self.line) > _LONGEST:
            raise EditorProblem(f"a line of more than {_LONGEST >> 20} MiB")
        if found and "p" in edit.flags:
            self.found.append(self.line)


def _fill(template: str, match: Found) -> str:
    """A replacement with what it refers to."""

    def meaning(sign: re.Match[str]) -> str:
        if sign[0] == "&" or sign[1].isdigit():
            return match[int(sign[1] or 0)]
        return {"n": "\n", "t": "\t"}.get(sign[1], sign[1])

    return re.sub(r"(?s)&|\\(.)", meaning, template)
