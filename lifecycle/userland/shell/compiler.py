"""From syntax to a flat instruction list, once per text.

`checked` follows `set -e`: a failing command ends the shell unless it stands in a condition, left of `&&` or
`||`, or behind `!`. `tail` marks the commands behind which nothing of the script is left.
"""

from __future__ import annotations

from functools import lru_cache

from ..errors import CannotInterpret
from .instructions import (
    Calculate,
    Code,
    Define,
    End,
    EnterLoop,
    EnterRedirects,
    Fork,
    ForkPipeline,
    Instruction,
    Jump,
    JumpIf,
    KeepStatus,
    LeaveLoop,
    LeaveRedirects,
    MatchSubject,
    Negate,
    NextItem,
    Run,
    SetItems,
    SetStatus,
    SetSubject,
    Substitute,
    Test,
)
from .nodes import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Background,
    Case,
    Condition,
    For,
    Function,
    If,
    Loop,
    Negation,
    Node,
    Pipeline,
    Redirected,
    Sequence,
    Simple,
    Subshell,
)
from .parse import parse
from .word_parts import Command, CommandText

_OPEN = -1


@lru_cache(maxsize=4096)
def compile_text(text: str) -> Code:
    """The instructions of a script. Raises CannotInterpret."""
    compiler = _Compiler()
    try:
        compiler.node(parse(text), True, True)
    except RecursionError:
        raise CannotInterpret("a script nested so deeply") from None
    compiler.emit(End())
    return tuple(compiler.code)


def _inside_subshell(node: Node) -> Node:
    """`( … ) &` and a stage `( … )` are one process, not a process in a process."""
    return node.body if isinstance(node, Subshell) else node


class _Compiler:
    def __init__(self) -> None:
        self.code: list[Instruction] = []

    @property
    def here(self) -> int:
        return len(self.code)

    def emit(self, instruction: Instruction) -> None:
        self.code.append(instruction)

    def node(self, node: Node, checked: bool, tail: bool) -> None:
        match node:
            case Simple(command):
                self._simple(command, checked, tail)
            case Sequence(items):
                for item in items[:-1]:
                    self.node(item, checked, False)
                for item in items[-1:]:
                    self.node(item, checked, tail)
            case AndOr():
                self._and_or(node, checked, tail)
            case Pipeline():
                self._pipeline(node, checked, tail)
            case Negation(body):
                self.node(body, False, False)
                self.emit(Negate())
            case Background(body):
                self._fork(body, True, checked)
            case Subshell(body):
                self._fork(body, False, checked)
            case Redirected():
                self._redirected(node, checked, tail)
            case _:
                self._compound(node, checked, tail)

    def _compound(self, node: Node, checked: bool, tail: bool) -> None:
        match node:
            case If():
                self._if(node, checked, tail)
            case Loop():
                self._loop(node, checked)
            case For():
                self._for(node, checked)
            case ArithmeticFor():
                self._arithmetic_for(node, checked)
            case Case():
                self._case(node, checked, tail)
            case Function():
                self._function(node)
            case Condition(tokens, substitutions):
                self._substitutions(substitutions)
                self.emit(Test(tokens, checked))
            case ArithmeticCommand(word, substitutions):
                self._substitutions(substitutions)
                self.emit(Calculate(word, checked, is_command=True))
            case _:
                raise AssertionError(node)

    def _substitutions(self, commands: tuple[Command, ...]) -> None:
        for slot, command in enumerate(commands):
            self.emit(Substitute(slot, command))

    def _simple(self, command: CommandText, checked: bool, tail: bool) -> None:
        self._substitutions(command.substitutions)
        self.emit(Run(command, checked, tail))

    def _and_or(self, node: AndOr, checked: bool, tail: bool) -> None:
        first: Node = node
        rest: list[AndOr] = []
        while isinstance(first, AndOr):
            rest.append(first)
            first = first.left
        self.node(first, False, False)
        for one in reversed(rest):
            skip = JumpIf(one.operator == "||", _OPEN)
            self.emit(skip)
            self.node(one.right, checked and one is node, tail and one is node)
            skip.target = self.here

    def _pipeline(self, node: Pipeline, checked: bool, tail: bool) -> None:
        fork = ForkPipeline([], node.both, _OPEN, checked)
        self.emit(fork)
        for stage in node.stages:
            fork.starts.append(self.here)
            self.node(_inside_subshell(stage), True, tail)
            self.emit(End())
        fork.after = self.here

    def _fork(self, body: Node, is_background: bool, checked: bool) -> None:
        fork = Fork(is_background, _OPEN, checked)
        self.emit(fork)
        self.node(_inside_subshell(body), True, True)
        self.emit(End())
        fork.after = self.here

    def _redirected(self, node: Redirected, checked: bool, tail: bool) -> None:
        self._substitutions(node.substitutions)
        enter = EnterRedirects(node.redirects, _OPEN)
        self.emit(enter)
        self.node(node.body, checked, tail)
        self.emit(LeaveRedirects())
        enter.after = self.here

    def _if(self, node: If, checked: bool, tail: bool) -> None:
        to_end: list[Jump] = []
        for condition, body in node.branches:
            self.node(condition, False, False)
            miss = JumpIf(False, _OPEN)
            self.emit(miss)
            self.node(body, checked, tail)
            leave = Jump(_OPEN)
            self.emit(leave)
            to_end.append(leave)
            miss.target = self.here
        if node.otherwise is not None:
            self.node(node.otherwise, checked, tail)
        else:
            self.emit(SetStatus(0))
        for leave in to_end:
            leave.target = self.here

    def _loop(self, node: Loop, checked: bool) -> None:
        enter = EnterLoop(self.here + 1, _OPEN)
        self.emit(enter)
        self.node(node.condition, False, False)
        out = JumpIf(node.until, _OPEN)
        self.emit(out)
        self.node(node.body, checked, False)
        self.emit(KeepStatus())
        self.emit(Jump(enter.again))
        out.target = enter.end = self.here
        self.emit(LeaveLoop())

    def _for(self, node: For, checked: bool) -> None:
        if node.words is not None:
            self._substitutions(node.words.substitutions)
        enter = EnterLoop(self.here + 2, _OPEN)
        self.emit(enter)
        self.emit(SetItems(node.words))
        item = NextItem(node.name, _OPEN)
        self.emit(item)
        self.node(node.body, checked, False)
        self.emit(KeepStatus())
        self.emit(Jump(enter.again))
        item.end = enter.end = self.here
        self.emit(LeaveLoop())

    def _arithmetic_for(self, node: ArithmeticFor, checked: bool) -> None:
        self.emit(Calculate(node.first, False))
        enter = EnterLoop(_OPEN, _OPEN)
        self.emit(enter)
        begin = self.here
        self.emit(Calculate(node.condition, False))
        out = JumpIf(False, _OPEN)
        self.emit(out)
        self.node(node.body, checked, False)
        self.emit(KeepStatus())
        enter.again = self.here
        self.emit(Calculate(node.step, False))
        self.emit(Jump(begin))
        out.target = enter.end = self.here
        self.emit(LeaveLoop())

    def _case(self, node: Case, checked: bool, tail: bool) -> None:
        self._substitutions(node.substitutions)
        self.emit(SetSubject(node.word))
        self.emit(SetStatus(0))
        to_end: list[Jump] = []
        into_next: Jump | None = None
        for branch in node.branches:
            match = MatchSubject(branch.patterns, _OPEN)
            self.emit(match)
            if into_next is not None:
                into_next.target = self.here
            self.node(branch.body, checked, tail)
            leave = Jump(_OPEN)
            self.emit(leave)
            into_next = leave if branch.end == ";&" else None
            if branch.end == ";;":
                to_end.append(leave)
            match.miss = self.here
            if branch.end == ";;&":
                leave.target = self.here
        for leave in [*to_end, *([into_next] if into_next else [])]:
            leave.target = self.here

    def _function(self, node: Function) -> None:
        define = Define(node.name, _OPEN, node.is_bash)
        self.emit(define)
        self.node(node.body, True, False)
        self.emit(End())
        define.after = self.here
