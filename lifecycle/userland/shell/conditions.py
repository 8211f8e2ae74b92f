"""`test`, `[ … ]` and `[[ … ]]`."""

from __future__ import annotations

import re

from ..file_layers import FILE, FOLDER, LINK, File
from ..file_system import join_path
from ..matching.expression import compile_expression
from ..matching.translation import EXTENDED
from ..tools.registry import has_tool
from . import patterns
from .expansion import expand_pattern, expand_text
from .machine import Machine
from .neighbours import find_task
from .scope import ShellScope
from .task import Task
from .word_parts import Word, literal

_SPECIAL = re.compile(r"[][\\.*^$+?(){}|]")


class ConditionProblem(Exception):
    """A condition that makes no sense; `test` then ends with 2."""


_COMPARISONS = {
    "-eq": lambda left, right: left == right,
    "-ne": lambda left, right: left != right,
    "-lt": lambda left, right: left < right,
    "-le": lambda left, right: left <= right,
    "-gt": lambda left, right: left > right,
    "-ge": lambda left, right: left >= right,
}
_BINARY = frozenset((*_COMPARISONS, "=", "==", "!=", "<", ">", "-nt", "-ot", "-ef", "=~"))
_UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNORS")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/urandom")


def evaluate_test(words: list[str], machine: Machine, task: Task) -> bool:
    """The truth of a `test` expression. Raises ConditionProblem."""
    if task.shell is not None and task.shell.flavour == "dash" and {"==", "=~", "-v"} & set(words[:2]):
        raise ConditionProblem("unexpected operator")
    expression = _Expression(words, machine, task)
    # POSIX decides by the number of words, so that operands may look like operators.
    if len(words) == 0:
        return False
    if len(words) == 1:
        return words[0] != ""
    if len(words) == 3 and words[1] in _BINARY:
        return expression.compare(words[0], words[1], words[2])
    if len(words) == 4 and words[0] == "!" and words[2] in _BINARY:
        return not expression.compare(words[1], words[2], words[3])
    value = expression.either()
    if expression.at < len(words):
        raise ConditionProblem(f"unexpected operator: {words[expression.at]}")
    return value


class _Expression:
    """Recursive descent over the words of `test`."""

    def __init__(self, words: list[str], machine: Machine, task: Task) -> None:
        self.words = words
        self.at = 0
        self.machine = machine
        self.task = task

    def peek(self, ahead: int = 0) -> str | None:
        place = self.at + ahead
        return self.words[place] if place < len(self.words) else None

    def either(self) -> bool:
        value = self.both()
        while self.peek() == "-o":
            self.at += 1
            value = self.both() or value
        return value

    def both(self) -> bool:
        value = self.term()
        while self.peek() == "-a":
            self.at += 1
            value = self.term() and value
        return value

    def term(self) -> bool:
        word = self.peek()
        if word is None:
            raise ConditionProblem("argument expected")
        if word == "!" and self.peek(1) is not None:
            self.at += 1
            return not self.term()
        following = self.peek(1)
        if following in _BINARY and self.peek(2) is not None:
            self.at += 3
            return self.compare(word, following or "", self.words[self.at - 1])
        if word == "(":
            self.at += 1
            value = self.either()
            if self.peek() != ")":
                raise ConditionProblem("closing paren expected")
            self.at += 1
            return value
        if word in _UNARY and following is not None:
            self.at += 2
            return check_file(word, following, self.machine, self.task)
        self.at += 1
        return word != ""

    def compare(self, left: str, operator: str, right: str) -> bool:
        if operator in _COMPARISONS:
            return bool(_COMPARISONS[operator](_number(left), _number(right)))
        return compare_texts(left, operator, right, self.machine, self.task)


def _number(text: str) -> int:
    stripped = text.strip()
    if not re.fullmatch(r"[-+]?\d+", stripped):
        raise ConditionProblem(f"{text}: bad number")
    return int(stripped)


def compare_texts(left: str, operator: str, right: str, machine: Machine, task: Task) -> bool:
    """Comparison of texts and of files' ages."""
    match operator:
        case "=" | "==":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case ">":
            return left > right
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
            return entry.kind == FILE
        case "-d":
            return entry.kind == FOLDER
        case "-h" | "-L":
            return entry.kind == LINK
        case "-s":
            return entry.kind == FOLDER or entry.size > 0
        case "-x":
            return entry.kind == FOLDER or bool(entry.mode & 0o111)
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
    condition = _Condition(tokens, scope)
    value = condition.either(True)
    if condition.at < len(tokens):
        raise ConditionProblem("syntax error in conditional expression")
    return value


class _Condition:
    """Recursive descent over the tokens of `[[`. Words expand only where they are looked at."""

    def __init__(self, tokens: tuple[Word | str, ...], scope: ShellScope) -> None:
        self.tokens = tokens
        self.at = 0
        self.scope = scope

    def peek(self, ahead: int = 0) -> Word | str | None:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else None

    def either(self, live: bool) -> bool:
        value = self.both(live)
        while self.peek() == "||":
            self.at += 1
            value = self.both(live and not value) or value
        return value

    def both(self, live: bool) -> bool:
        value = self.term(live)
        while self.peek() == "&&":
            self.at += 1
            value = self.term(live and value) and value
        return value

    def term(self, live: bool) -> bool:
        token = self.peek()
        if token == "(":
            self.at += 1
            value = self.either(live)
            if self.peek() != ")":
                raise ConditionProblem("syntax error in conditional expression: `)' expected")
            self.at += 1
            return value
        if token is None or isinstance(token, str):
            raise ConditionProblem("syntax error in conditional expression")
        text = literal(token)
        if text == "!":
            self.at += 1
            return not self.term(live)
        following = self.peek(1)
        if text in _UNARY and isinstance(following, tuple) and self._operator(following) is None:
            self.at += 2
            scope = self.scope
            return live and check_file(text or "", expand_text(following, scope), scope.machine, scope.task)
        operator = self._operator(following)
        right = self.peek(2)
        if operator is None or not isinstance(right, tuple):
            self.at += 1
            return live and expand_text(token, self.scope) != ""
        self.at += 3
        return live and self._compare(token, operator, right)

    def _operator(self, token: Word | str | None) -> str | None:
        text = literal(token) if isinstance(token, tuple) else token
        return text if text in _BINARY else None

    def _compare(self, left: Word, operator: str, right: Word) -> bool:
        scope = self.scope
        text = expand_text(left, scope)
        if operator in ("=", "==", "!="):
            return patterns.matches(expand_pattern(right, scope), text) == (operator != "!=")
        if operator == "=~":
            return self._match(text, right)
        if operator in _COMPARISONS:
            numbers = [scope.evaluate(one) for one in (text, expand_text(right, scope))]
            return bool(_COMPARISONS[operator](*numbers))
        return compare_texts(text, operator, expand_text(right, scope), scope.machine, scope.task)

    def _match(self, text: str, right: Word) -> bool:
        expression = compile_expression(self._expression_of(right), EXTENDED)
        match = expression.search(text)
        if match is None:
            return False
        self.scope.shell.arrays["BASH_REMATCH"] = [match[0], *match.groups()]
        return True

    def _expression_of(self, word: Word) -> str:
        """The right side of `=~`: what is quoted stands for itself."""
        found = []
        for part in word:
            text = expand_text((part,), self.scope)
            found.append(_SPECIAL.sub(r"\\\g<0>", text) if part.quoted else text)
        return "".join(found)
