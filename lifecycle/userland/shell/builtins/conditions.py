"""`test`, `[ … ]` and `[[ … ]]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import eq, ge, gt, le, lt, ne

from ...file_layers import FILE, FOLDER, LINK, OPAQUE, File
from ...file_view import join_path
from ...matching.expression import compile_expression
from ...matching.translation import EXTENDED
from ...tools.registry import has_tool
from ..expansion import expand_pattern, expand_text
from ..machine import Machine
from ..neighbours import find_task
from ..reading import patterns
from ..reading.word_parts import Word, literal
from ..scope import ShellScope
from ..task import Task

_SPECIAL = re.compile(r"[][\\.*^$+?(){}|]")


class ConditionProblem(Exception):
    """A condition that makes no sense; `test` then ends with 2."""


ORDERS = {"=": eq, "==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_COMPARISONS = {"-eq": eq, "-ne": ne, "-lt": lt, "-le": le, "-gt": gt, "-ge": ge}
_BINARY = frozenset((*_COMPARISONS, "=", "==", "!=", "<", ">", "-nt", "-ot", "-ef", "=~"))
_UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNORS")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/urandom")


def evaluate_test(words: list[str], machine: Machine, task: Task) -> bool:
    """The truth of a `test` expression. Raises ConditionProblem."""
    if task.shell is not None and task.shell.flavour == "dash" and {"==", "=~", "-v"} & set(words[:2]):
        raise ConditionProblem("unexpected operator")
    condition = _Condition(words, machine, task)
    # POSIX decides by the number of words, so that operands may look like operators.
    if len(words) == 0:
        return False
    if len(words) == 1:
        return words[0] != ""
    if len(words) == 3 and words[1] in _BINARY:
        return condition.compare(words[0], words[1], words[2])
    if len(words) == 4 and words[0] == "!" and words[2] in _BINARY:
        return not condition.compare(words[1], words[2], words[3])
    return condition.whole()


def _number(text: str) -> int:
    stripped = text.strip()
    if not re.fullmatch(r"[-+]?\d+", stripped):
        raise ConditionProblem(f"{text}: bad number")
    return int(stripped)


def compare_texts(left: str, operator: str, right: str, machine: Machine, task: Task) -> bool:
    """Comparison of texts and of files' ages."""
    if operator in ORDERS:
        return bool(ORDERS[operator](left, right))
    first, second = _entry(left, machine, task), _entry(right, machine, task)
    if operator == "-ef":
        return first is not None and first is second
    times = [entry.modified_ms if entry else -1 for entry in (first, second)]
    return times[0] > times[1] if operator == "-nt" else times[0] < times[1]


def _entry(path: str, machine: Machine, task: Task, follow: bool = True) -> File | None:
    return machine.file_system.find(join_path(task.folder, path), follow) if path else None


def check_file(operator: str, operand: str, machine: Machine, task: Task) -> bool:
    """The unary operators: of texts (-n, -z) and of files."""
    if operator in ("-n", "-z"):
        return (operand != "") == (operator == "-n")
    if operator == "-t":
        return False
    if operator in ("-o", "-v"):
        shell = task.shell
        if shell is None or operator == "-o":
            return shell is not None and operand in shell.options
        return ShellScope(machine, task).get(operand) is not None
    entry = _entry(operand, machine, task, follow=operator not in ("-h", "-L"))
    if entry is None:
        return _check_unseen(operator, operand, machine, task)
    match operator:
        case "-f":
            return entry.kind in (FILE, OPAQUE)
        case "-d":
            return entry.kind == FOLDER
        case "-h" | "-L":
            return entry.kind == LINK
        case "-s":
            return entry.kind in (FOLDER, OPAQUE) or entry.size > 0
        case "-x":
            return machine.file_system.can_execute(join_path(task.folder, operand), entry)
        case "-r":
            return machine.file_system.can_read(join_path(task.folder, operand), entry)
        case "-w":
            return machine.file_system.can_write(join_path(task.folder, operand))
        case "-p" | "-S" | "-b" | "-c" | "-g" | "-u" | "-k":
            return False
    return True


def _check_unseen(operator: str, operand: str, machine: Machine, task: Task) -> bool:
    path = join_path(task.folder, operand) if operand else ""
    if path in _DEVICES:
        return operator in ("-e", "-c", "-r", "-w")
    if path.startswith("/proc/") and path.split("/")[2].isdigit():
        machine.is_volatile = True
        return find_task(machine, int(path.split("/")[2])) is not None
    if operator in ("-e", "-f", "-x", "-r") and "/bin/" in path and has_tool(machine, task, path):
        return True
    machine.met_unknown = True
    return False


def evaluate_condition(tokens: tuple[Word | str, ...], scope: ShellScope) -> bool:
    """The truth of `[[ … ]]`. Raises ConditionProblem."""
    return _Condition(tokens, scope.machine, scope.task, scope).whole()


class _Condition:
    """Recursive descent over words and operators.

    With a scope it is `[[`: operators are texts, and words expand only where they are looked at.
    """

    def __init__(
        self, tokens: Sequence[Word | str], machine: Machine, task: Task, scope: ShellScope | None = None
    ) -> None:
        self.tokens = tokens
        self.at = 0
        self.machine = machine
        self.task = task
        self.scope = scope
        self.either_sign, self.both_sign = ("-o", "-a") if scope is None else ("||", "&&")

    def peek(self, ahead: int = 0) -> Word | str | None:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else None

    def sign(self, ahead: int = 0) -> str | None:
        """The text of a token that may be an operator."""
        token = self.peek(ahead)
        return literal(token) if isinstance(token, tuple) else token

    def has_word(self, ahead: int = 0) -> bool:
        return self.peek(ahead) is not None if self.scope is None else isinstance(self.peek(ahead), tuple)

    def text(self, token: Word | str) -> str:
        return expand_text(token, self.scope) if isinstance(token, tuple) and self.scope else str(token)

    def whole(self) -> bool:
        value = self.either(True)
        if self.at < len(self.tokens):
            raise ConditionProblem(f"unexpected operator: {self.sign() or ''}")
        return value

    def either(self, live: bool) -> bool:
        value = self.both(live)
        while self.peek() == self.either_sign:
            self.at += 1
            # `test` looks at all of its words.
            value = self.both(live and (not value or self.scope is None)) or value
        return value

    def both(self, live: bool) -> bool:
        value = self.term(live)
        while self.peek() == self.both_sign:
            self.at += 1
            value = self.term(live and (value or self.scope is None)) and value
        return value

    def term(self, live: bool) -> bool:
        token = self.peek()
        if token is None:
            raise ConditionProblem("argument expected")
        if self.sign() == "!" and self.peek(1) is not None:
            self.at += 1
            return not self.term(live)
        operator, right = self.sign(1), self.peek(2)
        if self.has_word() and operator in _BINARY and right is not None and self.has_word(2):
            self.at += 3
            return live and self.compare(token, operator or "", right)
        if token == "(":
            self.at += 1
            value = self.either(live)
            if self.peek() != ")":
                raise ConditionProblem("closing paren expected")
            self.at += 1
            return value
        operand = self.peek(1)
        if self.sign() in _UNARY and operand is not None and self.has_word(1):
            operator = self.sign() or ""
            self.at += 2
            return live and check_file(operator, self.text(operand), self.machine, self.task)
        if not self.has_word():
            raise ConditionProblem("syntax error in conditional expression")
        self.at += 1
        return live and self.text(token) != ""

    def compare(self, left: Word | str, operator: str, right: Word | str) -> bool:
        text, scope = self.text(left), self.scope
        if scope is not None and isinstance(right, tuple):
            if operator in ("=", "==", "!="):
                return patterns.matches(expand_pattern(right, scope), text) == (operator != "!=")
            if operator == "=~":
                return self._match(text, right, scope)
        if operator in _COMPARISONS:
            read = _number if scope is None else scope.evaluate
            return bool(_COMPARISONS[operator](read(text), read(self.text(right))))
        return compare_texts(text, operator, self.text(right), self.machine, self.task)

    def _match(self, text: str, right: Word, scope: ShellScope) -> bool:
        # What is quoted on the right side of `=~` stands for itself.
        parts = [(part.quoted, expand_text((part,), scope)) for part in right]
        pattern = "".join(_SPECIAL.sub(r"\\\g<0>", one) if quoted else one for quoted, one in parts)
        match = compile_expression(pattern, EXTENDED).search(text)
        if match is not None:
            scope.shell.arrays["BASH_REMATCH"] = [match[0], *match.groups()]
        return match is not None
