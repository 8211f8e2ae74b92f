"""`sed`: its script run over the lines of its input."""

from __future__ import annotations

import re

from ..file_layers import FileProblem
from ..lines import lines_of
from ..matching.expression import Expression, Found
from ..matching.problem import PatternProblem
from ..shell.task import Wait
from .call import Call, Outcome
from .registry import tool
from .sed_script import Address, Edit, EditorProblem, read_script

_MOST_STEPS = 1_000_000
_SIGNS_OF_A_STEP = 16
_COST_OF_A_STEP = 64
_LONGEST = 1 << 20
_IN_REPLACEMENT = re.compile(r"&|\\.", re.DOTALL)
_OF_CASE = frozenset("ULEul")


@tool("sed")
def sed(call: Call) -> Outcome:
    """`sed`: edit lines by a script."""
    scripts, options, operands = _arguments(call)
    if not scripts:
        if not operands:
            return call.fail("no script")
        scripts, operands = [operands[0]], operands[1:]
    texts = call.whole_inputs(operands)
    if isinstance(texts, Wait):
        return texts
    status = 0
    try:
        edits = read_script("\n".join(scripts), "E" in options)
        is_apart = "i" in options or "s" in options
        for name, text in texts if is_apart else [("", "".join(text for _, text in texts))]:
            run = _Run(call, edits, text, "n" in options)
            edited = run.output()
            status = run.status
            if "i" in options:
                _replace(call, name, text, edited, options["i"])
            else:
                call.out(edited)
    except (EditorProblem, PatternProblem) as problem:
        return call.cannot(str(problem), 1)
    except FileProblem as problem:
        return call.fail(str(problem), 4)
    return status or (call.status if call.state.get("flavour") == "ash" else 2 * call.status)


def _replace(call: Call, name: str, old: str, new: str, suffix: str) -> None:
    """`-i`: writes the file anew, and with a suffix a copy of what it was."""
    if suffix:
        call.files.write(call.path(name + suffix), old)
    call.files.write(call.path(name), new)


def _arguments(call: Call) -> tuple[list[str], dict[str, str], list[str]]:
    scripts: list[str] = []
    options: dict[str, str] = {}
    operands: list[str] = []
    words = list(call.arguments)
    while words:
        word = words.pop(0)
        if word.startswith("--expression"):
            scripts.append(word.partition("=")[2] or (words.pop(0) if words else ""))
        elif word.startswith(("-i", "--in-place")):
            options["i"] = word.partition("=")[2] if word.startswith("--") else word[2:]
        elif word.startswith("--"):
            known = {"--regexp-extended": "E", "--quiet": "n", "--silent": "n", "--separate": "s"}
            options[known.get(word, word)] = ""
        elif word.startswith("-") and len(word) > 1:
            letters = word[1:].replace("r", "E")
            options.update(dict.fromkeys(letters, ""))
            if letters[-1] in "ef" and words:
                given = words.pop(0)
                scripts.append(given if letters[-1] == "e" else call.files.read(call.path(given)))
        else:
            operands.append(word)
    return scripts, options, operands


class _Run:
    """A script at work on one text: the pattern space, the hold space, and the lines that are left."""

    def __init__(self, call: Call, edits: list[Edit], text: str, is_quiet: bool) -> None:
        self.call = call
        self.edits = edits
        self.lines = lines_of(text)
        self.has_end = text.endswith("\n") or not text
        self.is_quiet = is_quiet
        self.number = 0
        self.space = ""
        self.hold = ""
        self.is_changed = False
        self.last_pattern: Expression | None = None
        self.ends: dict[int, int | None] = {}
        """The last line of the ranges that are under way, by the edit's place; None until a pattern says."""
        self.waiting: list[str] = []
        self.found: list[str] = []
        self.steps = 0
        self.status = 0
        self.is_over = False
        self.restarts = False

    def output(self) -> str:
        again = False
        while not self.is_over and (again or self.next_line()):
            again = self.cycle()
        joined = "".join(line + "\n" for line in self.found)
        return joined if self.has_end or self.number < len(self.lines) else joined[:-1]

    def next_line(self) -> bool:
        if self.number >= len(self.lines):
            return False
        self.space = self.lines[self.number]
        self.number += 1
        self.is_changed = False
        return True

    @property
    def is_last(self) -> bool:
        return self.number >= len(self.lines)

    def show(self) -> None:
        """The end of a cycle: the pattern space, and what was to come behind it."""
        if not self.is_quiet:
            self.found.append(self.space)
        self.found += self.waiting
        self.waiting = []

    def cycle(self) -> bool:
        """Run the script once; True when it is to be run again without another line."""
        place: int | None = 0
        while place is not None and place < len(self.edits):
            edit = self.edits[place]
            self.steps += 1 + len(self.space) // _SIGNS_OF_A_STEP
            if self.steps > _MOST_STEPS or len(self.space) + len(self.hold) > _LONGEST:
                raise EditorProblem("a script that goes on without end")
            if self.applies(edit, place) != edit.is_negated:
                place = self.run(edit, place)
            else:
                place = edit.target if edit.command == "{" else place + 1
        if place is not None:
            self.show()
        elif self.waiting:
            self.found += self.waiting
            self.waiting = []
        restarts, self.restarts = self.restarts, False
        return restarts

    def run(self, edit: Edit, place: int) -> int | None:
        """Where the script goes on; None where the cycle ends with nothing shown."""
        match edit.command:
            case "s":
                self.substitute(edit)
            case "y":
                self.space = "".join(edit.table.get(sign, sign) for sign in self.space)
            case "b":
                return edit.target
            case "t" | "T":
                was_changed, self.is_changed = self.is_changed, False
                return edit.target if was_changed == (edit.command == "t") else place + 1
            case "d":
                return None
            case "D":
                head, newline, rest = self.space.partition("\n")
                self.space, self.restarts = (rest, True) if newline else (head, False)
                return None
            case "c":
                if edit.last is None or edit.is_negated or place not in self.ends:
                    self.found.append(edit.text)
                return None
            case "q" | "Q":
                self.is_over, self.status = True, int(edit.text or 0) & 255
                return None if edit.command == "Q" else len(self.edits)
            case "n" | "N":
                return self.read_on(edit.command, place)
            case _:
                self.move(edit)
        return place + 1

    def move(self, edit: Edit) -> None:
        """Commands that only put something somewhere."""
        match edit.command:
            case "p":
                self.found.append(self.space)
            case "P":
                self.found.append(self.space.partition("\n")[0])
            case "=":
                self.found.append(str(self.number))
            case "i":
                self.found.append(edit.text)
            case "a":
                self.waiting.append(edit.text)
            case "r":
                if self.call.files.find(self.call.path(edit.text)) is not None:
                    self.waiting += lines_of(self.call.files.read(self.call.path(edit.text)))
            case "g":
                self.space = self.hold
            case "G":
                self.space = f"{self.space}\n{self.hold}"
            case "h":
                self.hold = self.space
            case "H":
                self.hold = f"{self.hold}\n{self.space}"
            case "x":
                self.space, self.hold = self.hold, self.space

    def read_on(self, command: str, place: int) -> int | None:
        """`n` and `N`. Without another line the script ends here, as GNU's does, and shows what it has."""
        if self.is_last:
            self.is_over = True
            return len(self.edits)
        if command == "n":
            self.show()
            before = ""
        else:
            before = self.space + "\n"
        was_changed = self.is_changed
        self.next_line()
        self.space, self.is_changed = before + self.space, was_changed
        return place + 1

    def substitute(self, edit: Edit) -> None:
        digits = re.sub(r"\D", "", edit.flags)
        wanted = int(digits) if digits else 1
        count, at = 0, 0
        found: list[str] = []
        for match in self.costed(self.pattern(edit.pattern)).all(self.space):
            count += 1
            if count < wanted:
                continue
            found += [self.space[at : match.start()], _fill(edit.text, match)]
            at = match.end()
            if "g" not in edit.flags:
                break
        self.space = "".join(found) + self.space[at:]
        if count >= wanted:
            self.is_changed = True
            if "p" in edit.flags:
                self.found.append(self.space)

    def costed(self, pattern: Expression) -> Expression:
        """A pattern about to be looked for in the pattern space."""
        self.steps += pattern.cost(self.space) // _COST_OF_A_STEP
        return pattern

    def pattern(self, given: Expression | None) -> Expression:
        """A pattern, or the one used last where nothing was written."""
        self.last_pattern = given or self.last_pattern
        if self.last_pattern is None:
            raise EditorProblem("an empty pattern where none was used before")
        return self.last_pattern

    # Addresses.

    def applies(self, edit: Edit, place: int) -> bool:
        if edit.first is None:
            return True
        if edit.last is None:
            return self.is_at(edit.first)
        if place in self.ends:
            self.end_range(edit.last, place)
            return True
        if edit.first.number == 0 and self.number == 1 and not edit.first.step:
            # `0,/pattern/` may end in the first line already.
            self.ends[place] = None
            self.end_range(edit.last, place)
            return True
        if not self.is_at(edit.first):
            return False
        self.begin_range(edit.last, place)
        return True

    def is_at(self, address: Address) -> bool:
        if address.is_last:
            return self.is_last
        if address.step:
            behind = self.number - (address.number or 0)
            return behind >= 0 and behind % address.step == 0
        if address.number is not None:
            return self.number == address.number
        return self.costed(self.pattern(address.pattern)).is_in(self.space)

    def begin_range(self, last: Address, place: int) -> None:
        if last.number is None:
            if not (last.is_last and self.is_last):
                self.ends[place] = None
            return
        end = self.number + last.number if last.is_offset else last.number
        if end > self.number:
            self.ends[place] = end

    def end_range(self, last: Address, place: int) -> None:
        end = self.ends[place]
        if (self.number >= end) if end is not None else self.is_at(last):
            del self.ends[place]


def _fill(template: str, match: Found) -> str:
    """A replacement with what it refers to; `\\U`, `\\L`, `\\u` and `\\l` change the case of what follows."""
    found: list[str] = []
    mode, once, at = "E", "", 0
    for piece in _IN_REPLACEMENT.finditer(template):
        parts = [template[at : piece.start()]]
        at = piece.end()
        sign = piece[0][1:]
        if sign in _OF_CASE and sign:
            found.append(_in_case(parts[0], mode, once))
            once = "" if parts[0] else once
            mode, once = (sign, "") if sign in "ULE" else (mode, sign)
            continue
        group = match[0] if not sign else match[int(sign)] if sign.isdigit() else None
        parts.append({"n": "\n", "t": "\t"}.get(sign, sign) if group is None else group)
        for text in parts:
            found.append(_in_case(text, mode, once))
            once = "" if text else once
    return "".join([*found, _in_case(template[at:], mode, once)])


def _in_case(text: str, mode: str, once: str) -> str:
    text = text.upper() if mode == "U" else text.lower() if mode == "L" else text
    first = text[:1].upper() if once == "u" else text[:1].lower() if once == "l" else text[:1]
    return first + text[1:]
