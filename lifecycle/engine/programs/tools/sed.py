"""The parts of sed that scripts in manifests use."""

import re
from dataclasses import dataclass

from lifecycle.engine.programs.file_system import FileProblem
from lifecycle.engine.programs.lines import lines_of
from lifecycle.engine.programs.matching.expression import Expression, Found, compile_expression
from lifecycle.engine.programs.matching.reading import EXTENDED_OF_SED, OF_SED
from lifecycle.engine.programs.matching.syntax import PatternProblem
from lifecycle.engine.programs.shell.task import Wait
from lifecycle.engine.programs.tools.call import Call, Outcome
from lifecycle.engine.programs.tools.registry import tool


class EditorProblem(Exception):
    """A command of sed that is not modelled."""


@dataclass(frozen=True, slots=True)
class _Address:
    """A line number, `$`, or a pattern; None matches every line."""

    number: int | None = None
    pattern: Expression | None = None
    is_last: bool = False

    def matches(self, line: str, number: int, is_last: bool) -> bool:
        if self.is_last:
            return is_last
        if self.number is not None:
            return number == self.number
        return self.pattern is not None and self.pattern.is_in(line)


@dataclass(frozen=True, slots=True)
class _Edit:
    """One command of sed with the lines it applies to."""

    first: _Address | None
    last: _Address | None
    negated: bool
    command: str
    pattern: Expression | None = None
    text: str = ""
    flags: str = ""


@tool("sed")
def sed(call: Call) -> Outcome:
    scripts, options, operands = _sed_arguments(call.arguments)
    if not scripts:
        if not operands:
            return call.fail("no script")
        scripts, operands = [operands[0]], operands[1:]
    try:
        edits = [edit for script in scripts for edit in _SedReader(script, "E" in options).edits()]
    except (EditorProblem, PatternProblem) as problem:
        return call.cannot(str(problem), 1)
    texts = call.whole_inputs(operands)
    if isinstance(texts, Wait):
        return texts
    for name, text in texts:
        edited = _edit_text(text, edits, "n" in options)
        if "i" not in options:
            call.out(edited)
            continue
        try:
            call.files.write(call.path(name), edited)
        except FileProblem as problem:
            return call.fail(f"{name}: {problem}", 4)
    return call.status


def _sed_arguments(words: list[str]) -> tuple[list[str], set[str], list[str]]:
    scripts: list[str] = []
    options: set[str] = set()
    operands: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in ("-e", "--expression") and at < len(words):
            scripts.append(words[at])
            at += 1
        elif word.startswith("-") and len(word) > 1:
            # -i may carry the suffix of a backup, which nobody looks at.
            letters = "i" if word.startswith(("-i", "--in-place")) else word[1:]
            letters = "E" if word in ("-r", "--regexp-extended") else "n" if word == "--quiet" else letters
            options |= set(letters.replace("r", "E"))
            if letters.endswith("e") and at < len(words):
                scripts.append(words[at])
                at += 1
        else:
            operands.append(word)
    return scripts, options, operands


class _SedReader:
    def __init__(self, text: str, is_extended: bool) -> None:
        self.text = text
        self.at = 0
        self.dialect = EXTENDED_OF_SED if is_extended else OF_SED

    def edits(self) -> list[_Edit]:
        found: list[_Edit] = []
        while True:
            while self.text[self.at : self.at + 1] and self.text[self.at] in " \t\n;":
                self.at += 1
            if self.at >= len(self.text):
                return found
            found.append(self.edit())

    def edit(self) -> _Edit:
        first = self.address()
        last = None
        if first is not None and self.text.startswith(",", self.at):
            self.at += 1
            last = self.address()
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1
        negated = self.text.startswith("!", self.at)
        self.at += negated
        command = self.text[self.at : self.at + 1]
        self.at += 1
        if command == "s":
            pattern, text, flags = self.substitution()
            return _Edit(first, last, negated, "s", pattern, text, flags)
        if command in ("d", "p", "q", "="):
            return _Edit(first, last, negated, command)
        if command in ("a", "i", "c"):
            end = len(self.text)
            text = self.text[self.at : end].lstrip().removeprefix("\\").lstrip("\n")
            self.at = end
            return _Edit(first, last, negated, command, None, text)
        raise EditorProblem(f"command {command!r}")

    def address(self) -> _Address | None:
        number = re.compile(r"\d+").match(self.text, self.at)
        if number is not None:
            self.at = number.end()
            return _Address(number=int(number[0]))
        if self.text.startswith("$", self.at):
            self.at += 1
            return _Address(is_last=True)
        if self.text.startswith("/", self.at):
            self.at += 1
            return _Address(pattern=compile_expression(self.until("/"), self.dialect))
        return None

    def until(self, delimiter: str) -> str:
        found: list[str] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == delimiter:
                self.at += 1
                return "".join(found)
            if sign == "\\" and self.at + 1 < len(self.text):
                following = self.text[self.at + 1]
                found.append(following if following == delimiter else sign + following)
                self.at += 2
                continue
            found.append(sign)
            self.at += 1
        raise EditorProblem("a command that is not finished")

    def substitution(self) -> tuple[Expression, str, str]:
        delimiter = self.text[self.at : self.at + 1]
        self.at += 1
        pattern, replacement = self.until(delimiter), self.until(delimiter)
        flags = ""
        while self.text[self.at : self.at + 1] and self.text[self.at] in "gpiI0123456789":
            flags += self.text[self.at]
            self.at += 1
        return compile_expression(pattern, self.dialect, "i" in flags.lower()), replacement, flags


def _replacement(template: str, match: Found) -> str:
    def one(found: re.Match[str]) -> str:
        sign = found[0]
        if sign == "&":
            return match[0]
        if sign[1].isdigit():
            return match[int(sign[1])]
        return {"n": "\n", "t": "\t"}.get(sign[1], sign[1])

    return re.sub(r"&|\\.", one, template, flags=re.DOTALL)


def _edit_text(text: str, edits: list[_Edit], quiet: bool) -> str:
    lines = lines_of(text)
    inside = [False] * len(edits)
    output: list[str] = []
    for number, line in enumerate(lines, 1):
        is_last = number == len(lines)
        kept, after, is_over = _edit_line(line, number, is_last, edits, inside, output)
        if kept is not None and not quiet:
            output.append(kept)
        output.extend(after)
        if is_over:
            break
    joined = "\n".join(output)
    has_end = text.endswith("\n") or not text
    return joined + "\n" if output and has_end else joined


def _edit_line(
    line: str, number: int, is_last: bool, edits: list[_Edit], inside: list[bool], output: list[str]
) -> tuple[str | None, list[str], bool]:
    after: list[str] = []
    for place, edit in enumerate(edits):
        if _applies(edit, place, line, number, is_last, inside) == edit.negated:
            continue
        match edit.command:
            case "d":
                return None, after, False
            case "p":
                output.append(line)
            case "q":
                return line, after, True
            case "=":
                output.append(str(number))
            case "a":
                after.append(edit.text)
            case "i":
                output.append(edit.text)
            case "c":
                output.append(edit.text)
                return None, after, False
            case "s":
                line, is_changed = _substitute(edit, line)
                if is_changed and "p" in edit.flags:
                    output.append(line)
    return line, after, False


def _applies(edit: _Edit, place: int, line: str, number: int, is_last: bool, inside: list[bool]) -> bool:
    if edit.first is None:
        return True
    if edit.last is None:
        return edit.first.matches(line, number, is_last)
    if inside[place]:
        inside[place] = not edit.last.matches(line, number, is_last)
        return True
    if not edit.first.matches(line, number, is_last):
        return False
    inside[place] = edit.last.number is None or edit.last.number > number
    return True


def _substitute(edit: _Edit, line: str) -> tuple[str, bool]:
    assert edit.pattern is not None
    digits = re.sub(r"\D", "", edit.flags)
    wanted = int(digits) if digits else 1
    count, at = 0, 0
    found: list[str] = []
    for match in edit.pattern.all(line):
        count += 1
        if count < wanted:
            continue
        found += [line[at : match.start()], _replacement(edit.text, match)]
        at = match.end()
        if "g" not in edit.flags:
            break
    return "".join(found) + line[at:], count >= wanted
