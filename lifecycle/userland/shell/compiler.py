"""From a script's syntax tree to a flat instruction list, once per text.

`checked` follows `set -e`: a failing command ends the shell unless it stands in a condition, left of `&&` or
`||`, or behind `!`. `tail` marks the commands behind which nothing of the script is left. `end` extends a
command over redirections that follow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from tree_sitter import Node as Tree

from ..errors import CannotInterpret
from . import instructions
from .reading.parse import Script, condition_tokens, parse
from .reading.scanning import MOST_NESTED, arithmetic_end
from .reading.simple_commands import read_command
from .reading.word_parts import Command, Word
from .reading.words import WordReader, read_expression

LONGEST_TEXT = 256 << 10
MOST_PARTS = 20_000
_PARTS = ";\n&|$([`"
_OPEN = -1
_SIMPLE = frozenset(
    ("command", "variable_assignment", "variable_assignments", "declaration_command", "unset_command")
)
_TERMINATORS = frozenset((";", "&", "\n", ";;"))


@lru_cache(maxsize=4096)
def compile_text(text: str) -> instructions.Code:
    """The instructions of a script. Raises CannotInterpret."""
    if is_too_long(text):
        # Reading it is work that nothing can interrupt.
        raise CannotInterpret(f"a script of more than {LONGEST_TEXT >> 10} KiB or {MOST_PARTS:,} commands")
    script = parse(text)
    compiler = _Compiler(script)
    try:
        compiler.statements(script.root.children, True, True)
    except RecursionError:
        raise CannotInterpret("a script nested so deeply") from None
    compiler.emit(instructions.End())
    return tuple(compiler.code)


def is_too_long(text: str) -> bool:
    """Whether a script is refused without being read."""
    return len(text) > LONGEST_TEXT or count_parts(text) > MOST_PARTS


def count_parts(text: str) -> int:
    """About how many commands and substitutions a script has: they are what takes time to read."""
    return sum(map(text.count, _PARTS))


class _Compiler:
    def __init__(self, script: Script) -> None:
        self.script = script
        self.text = script.text
        self.negated = set(script.negated)
        self.code: list[instructions.Instruction] = []
        self.depth = 0

    @property
    def here(self) -> int:
        return len(self.code)

    def emit(self, instruction: instructions.Instruction) -> None:
        self.code.append(instruction)

    def line(self, tree: Tree) -> int:
        """The number of the line, from 1, in which something begins."""
        return self.text.count("\n", 0, tree.start_byte) + 1

    def statements(self, children: list[Tree], checked: bool, tail: bool) -> None:
        """Statements and what ends them; `&` sends the one before it to the background."""
        items: list[tuple[Tree, bool]] = []
        for child in children:
            if child.type == "&" and items:
                items[-1] = (items[-1][0], True)
            elif child.is_named and child.type != "comment":
                items.append((child, False))
            elif not child.is_named and child.type not in _TERMINATORS:
                raise CannotInterpret(f"{child.type!r} in line {self.line(child)}")
        for place, (child, is_background) in enumerate(items, 1):
            if is_background:
                self._fork(child, None, True, checked)
            else:
                self.node(child, None, checked, tail and place == len(items))

    def node(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        # The `!` belongs to the whole pipeline that begins there, but not to a list.
        if tree.start_byte in self.negated and tree.type not in ("list", "redirected_statement"):
            self.negated.discard(tree.start_byte)
            self._negate(tree, end)
        elif tree.type in _SIMPLE:
            self._simple(tree, end, checked, tail)
        else:
            method = _METHODS.get(tree.type)
            if method is None:
                raise CannotInterpret(f"{tree.type.replace('_', ' ')} in line {self.line(tree)}")
            self.depth += 1
            if self.depth > MOST_NESTED:
                raise CannotInterpret(f"commands nested so deeply in line {self.line(tree)}")
            method(self, tree, end, checked, tail)
            self.depth -= 1

    def _negate(self, tree: Tree, end: int | None) -> None:
        self.node(tree, end, False, False)
        self.emit(instructions.Negate())

    def _substitutions(self, commands: tuple[Command, ...] | list[Command]) -> None:
        for slot, command in enumerate(commands):
            self.emit(instructions.Substitute(slot, command))

    # Simple commands and redirections.

    def _simple(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        start, end = tree.start_byte, end or tree.end_byte
        text = self.text[start:end]
        if re.match(r"\[\[\s", text):
            reader = WordReader(text)
            reader.at = 2
            tokens = tuple(condition_tokens(reader))
            with self._redirects(start + reader.at, end):
                self._substitutions(reader.substitutions)
                self.emit(instructions.Test(tokens, checked))
        elif text.startswith("(("):
            close = arithmetic_end(text, 2)
            assert close is not None, text
            with self._redirects(start + close + 2, end):
                self._calculate(text[2:close], checked)
        elif re.match(r"coproc\s", text):
            raise CannotInterpret(f"coproc in line {self.line(tree)}")
        else:
            command = read_command(text, self.script.here_documents)
            self._substitutions(command.substitutions)
            self.emit(instructions.Run(command, checked, tail))

    def _calculate(self, text: str, checked: bool) -> None:
        word, substitutions = read_expression(text)
        self._substitutions(substitutions)
        self.emit(instructions.Calculate(word, checked, is_command=True))

    @contextmanager
    def _redirects(self, start: int, end: int | None) -> Iterator[None]:
        """What stands between two places redirects the compound command that is compiled inside."""
        text = self.text[start:end] if end else ""
        command = read_command(text, self.script.here_documents)
        if command.words or command.assignments:
            raise CannotInterpret(f"{text.strip()[:40]!r} behind a compound command")
        if not command.redirects:
            yield
            return
        self._substitutions(command.substitutions)
        enter = instructions.EnterRedirects(command.redirects, _OPEN)
        self.emit(enter)
        yield
        self.emit(instructions.LeaveRedirects())
        enter.after = self.here

    def _redirected(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        end = end or tree.end_byte
        body = tree.child_by_field_name("body")
        if body is None or body.type in _SIMPLE:
            command = read_command(self.text[tree.start_byte : end], self.script.here_documents)
            self._substitutions(command.substitutions)
            self.emit(instructions.Run(command, checked, tail))
        else:
            # The grammar hangs a trailing redirection on the whole list; it belongs to the last command.
            self.node(body, end, checked, tail)

    # Lists, pipelines and processes.

    def _list(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        rest: list[tuple[str, Tree, int | None]] = []
        while tree.type == "list":
            # A list leans to the left: a long one is as deep as it is long.
            tree, operator, right = (child for child in tree.children if child.type != "comment")
            rest.append((operator.type, right, end))
            end = None
        self.node(tree, None, False, False)
        for place, (operator_text, right, right_end) in enumerate(reversed(rest), 1):
            skip = instructions.JumpIf(operator_text == "||", _OPEN)
            self.emit(skip)
            is_last = place == len(rest)
            self.node(right, right_end, checked and is_last, tail and is_last)
            skip.target = self.here

    def _pipeline(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        parts = [child for child in tree.children if child.type != "comment"]
        stages, joints = parts[0::2], parts[1::2]
        if any(joint.type == "|&" for joint in joints):
            raise CannotInterpret(f"'|&' in line {self.line(tree)}")
        is_negated = stages[0].type == "negated_command"
        if is_negated:
            stages[0], checked, tail = stages[0].children[-1], False, False
        fork = instructions.ForkPipeline([], _OPEN, checked)
        self.emit(fork)
        for stage in stages:
            fork.starts.append(self.here)
            self._process(stage, end if stage is stages[-1] else None, tail)
        fork.after = self.here
        if is_negated:
            self.emit(instructions.Negate())

    def _process(self, tree: Tree, end: int | None, tail: bool) -> None:
        """What a child runs; `( … ) &` and a stage `( … )` are one process, not a process in a process."""
        if tree.type == "subshell" and not (end and self.text[tree.end_byte : end].strip()):
            self.statements(tree.children[1:-1], True, tail)
        else:
            self.node(tree, end, True, tail)
        self.emit(instructions.End())

    def _fork(self, tree: Tree, end: int | None, is_background: bool, checked: bool) -> None:
        fork = instructions.Fork(is_background, _OPEN, checked)
        self.emit(fork)
        self._process(tree, end, True)
        fork.after = self.here

    def _subshell(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        with self._redirects(tree.end_byte, end):
            self._fork(tree, None, False, checked)

    def _negated(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        self._negate(tree.children[-1], end)

    def _compound(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        with self._redirects(tree.end_byte, end):
            self.statements(tree.children[1:-1], checked, tail)

    def _body(self, tree: Tree, checked: bool) -> None:
        if tree.type in ("do_group", "compound_statement"):
            self.statements(tree.children[1:-1], checked, False)
        else:
            self.node(tree, None, checked, False)

    # Conditions, loops and functions.

    def _if(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        main = [child for child in tree.children[:-1] if child.type not in ("elif_clause", "else_clause")]
        branches = [main, *(child.children for child in tree.children if child.type == "elif_clause")]
        otherwise = next((child for child in tree.children if child.type == "else_clause"), None)
        to_end: list[instructions.Jump] = []
        with self._redirects(tree.end_byte, end):
            for branch in branches:
                then = next(place for place, child in enumerate(branch) if child.type == "then")
                self.statements(branch[1:then], False, False)
                miss = instructions.JumpIf(False, _OPEN)
                self.emit(miss)
                self.statements(branch[then + 1 :], checked, tail)
                to_end.append(instructions.Jump(_OPEN))
                self.emit(to_end[-1])
                miss.target = self.here
            if otherwise is not None:
                self.statements(otherwise.children[1:], checked, tail)
            else:
                self.emit(instructions.SetStatus(0))
            for leave in to_end:
                leave.target = self.here

    def _while(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        with self._redirects(tree.end_byte, end):
            enter = instructions.EnterLoop(self.here + 1, _OPEN)
            self.emit(enter)
            self.statements(tree.children[1:-1], False, False)
            out = instructions.JumpIf(tree.children[0].type == "until", _OPEN)
            self.emit(out)
            self._body(tree.children[-1], checked)
            self.emit(instructions.KeepStatus())
            self.emit(instructions.Jump(enter.again))
            out.target = enter.end = self.here
            self.emit(instructions.LeaveLoop())

    def _for(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        if tree.children[0].type != "for":
            raise CannotInterpret(f"select in line {self.line(tree)}")
        name = tree.child_by_field_name("variable")
        body = tree.child_by_field_name("body")
        assert name is not None and body is not None, tree
        command = None
        opening = next((child for child in tree.children if child.type == "in"), None)
        if opening is not None:
            values = [child for child in tree.children if child.start_byte >= opening.end_byte]
            stop = min(child.start_byte for child in values if child.type == ";" or child == body)
            # The word in front keeps the first value from being taken for an assignment.
            command = read_command("in " + self.text[opening.end_byte : stop], {})
        with self._redirects(tree.end_byte, end):
            self._substitutions(command.substitutions if command is not None else ())
            enter = instructions.EnterLoop(self.here + 2, _OPEN)
            self.emit(enter)
            self.emit(instructions.SetItems(command))
            item = instructions.NextItem(self.text[name.start_byte : name.end_byte], _OPEN)
            self.emit(item)
            self._body(body, checked)
            self.emit(instructions.KeepStatus())
            self.emit(instructions.Jump(enter.again))
            item.end = enter.end = self.here
            self.emit(instructions.LeaveLoop())

    def _arithmetic_for(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        body = tree.child_by_field_name("body")
        opening = next(child for child in tree.children if child.type == "((")
        closing = next(child for child in tree.children if child.type == "))")
        assert body is not None, tree
        sections = self.text[opening.end_byte : closing.start_byte].split(";")
        if len(sections) != 3:
            raise CannotInterpret(f"for ((…)) in line {self.line(tree)}")
        words = [read_expression(section) for section in sections]
        if any(substitutions for _, substitutions in words):
            raise CannotInterpret("a command substitution in for ((…))")
        first, condition, step = (instructions.Calculate(word, False) for word, _ in words)
        with self._redirects(tree.end_byte, end):
            enter = instructions.EnterLoop(_OPEN, _OPEN)
            self.code += [first, enter]
            begin = self.here
            out = instructions.JumpIf(False, _OPEN)
            self.code += [condition, out]
            self._body(body, checked)
            self.emit(instructions.KeepStatus())
            enter.again = self.here
            self.code += [step, instructions.Jump(begin)]
            out.target = enter.end = self.here
            self.emit(instructions.LeaveLoop())

    def _case(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        opening = next(child for child in tree.children if child.type == "in")
        reader = WordReader(self.text[tree.children[0].end_byte : opening.start_byte].strip())
        word = reader.word(frozenset())
        to_end: list[instructions.Jump] = []
        with self._redirects(tree.end_byte, end):
            self._substitutions(reader.substitutions)
            self.emit(instructions.SetSubject(word))
            self.emit(instructions.SetStatus(0))
            for branch in [child for child in tree.children if child.type == "case_item"]:
                patterns, body = self._case_branch(branch)
                match = instructions.MatchSubject(patterns, _OPEN)
                self.emit(match)
                self.statements(body, checked, tail)
                to_end.append(instructions.Jump(_OPEN))
                self.emit(to_end[-1])
                match.miss = self.here
            for leave in to_end:
                leave.target = self.here

    def _case_branch(self, tree: Tree) -> tuple[tuple[Word, ...], list[Tree]]:
        """Its patterns, and what they lead to."""
        close = next(place for place, child in enumerate(tree.children) if child.type == ")")
        reader = WordReader(
            self.text[tree.start_byte : tree.children[close].start_byte].strip().removeprefix("(")
        )
        patterns: list[Word] = []
        while reader.skip_blanks():
            patterns.append(reader.word(frozenset("| \t\n")))
            reader.skip_blanks()
            reader.at += 1
        if reader.substitutions:
            raise CannotInterpret("a command substitution in a case pattern")
        return tuple(patterns), tree.children[close + 1 :]

    def _function(self, tree: Tree, end: int | None, checked: bool, tail: bool) -> None:
        name = tree.child_by_field_name("name")
        body = tree.child_by_field_name("body")
        assert name is not None and body is not None, tree
        is_bash = self.text.startswith("function", tree.start_byte)
        define = instructions.Define(self.text[name.start_byte : name.end_byte], _OPEN, is_bash)
        self.emit(define)
        with self._redirects(body.end_byte, max(end or 0, tree.end_byte)):
            self._body(body, True)
        self.emit(instructions.End())
        define.after = self.here


_METHODS = {
    "redirected_statement": _Compiler._redirected,
    "list": _Compiler._list,
    "pipeline": _Compiler._pipeline,
    "negated_command": _Compiler._negated,
    "subshell": _Compiler._subshell,
    "compound_statement": _Compiler._compound,
    "if_statement": _Compiler._if,
    "while_statement": _Compiler._while,
    "for_statement": _Compiler._for,
    "c_style_for_statement": _Compiler._arithmetic_for,
    "case_statement": _Compiler._case,
    "function_definition": _Compiler._function,
}
