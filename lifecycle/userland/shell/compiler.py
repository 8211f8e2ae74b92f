"""From syntax to a flat instruction list, once per text.

`checked` follows `set -e`: a failing command ends the shell unless it stands in a condition, left of `&&` or
`||`, or behind `!`. `tail` marks the commands behind which nothing of the script is left.
"""

from __future__ import annotations

from functools import lru_cache

from ..errors import CannotInterpret
from . import instructions, nodes
from .parse import parse
from .word_parts import Command, CommandText

_OPEN = -1


@lru_cache(maxsize=4096)
def compile_text(text: str) -> instructions.Code:
    """The instructions of a script. Raises CannotInterpret."""
    compiler = _Compiler()
    try:
        compiler.node(parse(text), True, True)
    except RecursionError:
        raise CannotInterpret("a script nested so deeply") from None
    compiler.emit(instructions.End())
    return tuple(compiler.code)


def _inside_subshell(node: nodes.Node) -> nodes.Node:
    """`( … ) &` and a stage `( … )` are one process, not a process in a process."""
    return node.body if isinstance(node, nodes.Subshell) else node


class _Compiler:
    def __init__(self) -> None:
        self.code: list[instructions.Instruction] = []

    @property
    def here(self) -> int:
        return len(self.code)

    def emit(self, instruction: instructions.Instruction) -> None:
        self.code.append(instruction)

    def node(self, node: nodes.Node, checked: bool, tail: bool) -> None:
        match node:
            case nodes.Simple(command):
                self._simple(command, checked, tail)
            case nodes.Sequence(items):
                for item in items[:-1]:
                    self.node(item, checked, False)
                for item in items[-1:]:
                    self.node(item, checked, tail)
            case nodes.AndOr():
                self._and_or(node, checked, tail)
            case nodes.Pipeline():
                self._pipeline(node, checked, tail)
            case nodes.Negation(body):
                self.node(body, False, False)
                self.emit(instructions.Negate())
            case nodes.Background(body):
                self._fork(body, True, checked)
            case nodes.Subshell(body):
                self._fork(body, False, checked)
            case nodes.Redirected():
                self._redirected(node, checked, tail)
            case _:
                self._compound(node, checked, tail)

    def _compound(self, node: nodes.Node, checked: bool, tail: bool) -> None:
        match node:
            case nodes.If():
                self._if(node, checked, tail)
            case nodes.Loop():
                self._loop(node, checked)
            case nodes.For():
                self._for(node, checked)
            case nodes.ArithmeticFor():
                self._arithmetic_for(node, checked)
            case nodes.Case():
                self._case(node, checked, tail)
            case nodes.Function():
                self._function(node)
            case nodes.Condition(tokens, substitutions):
                self._substitutions(substitutions)
                self.emit(instructions.Test(tokens, checked))
            case nodes.ArithmeticCommand(word, substitutions):
                self._substitutions(substitutions)
                self.emit(instructions.Calculate(word, checked, is_command=True))
            case _:
                raise AssertionError(node)

    def _substitutions(self, commands: tuple[Command, ...]) -> None:
        for slot, command in enumerate(commands):
            self.emit(instructions.Substitute(slot, command))

    def _simple(self, command: CommandText, checked: bool, tail: bool) -> None:
        self._substitutions(command.substitutions)
        self.emit(instructions.Run(command, checked, tail))

    def _and_or(self, node: nodes.AndOr, checked: bool, tail: bool) -> None:
        first: nodes.Node = node
        rest: list[nodes.AndOr] = []
        while isinstance(first, nodes.AndOr):
            rest.append(first)
            first = first.left
        self.node(first, False, False)
        for one in reversed(rest):
            skip = instructions.JumpIf(one.operator == "||", _OPEN)
            self.emit(skip)
            self.node(one.right, checked and one is node, tail and one is node)
            skip.target = self.here

    def _pipeline(self, node: nodes.Pipeline, checked: bool, tail: bool) -> None:
        fork = instructions.ForkPipeline([], node.both, _OPEN, checked)
        self.emit(fork)
        for stage in node.stages:
            fork.starts.append(self.here)
            self.node(_inside_subshell(stage), True, tail)
            self.emit(instructions.End())
        fork.after = self.here

    def _fork(self, body: nodes.Node, is_background: bool, checked: bool) -> None:
        fork = instructions.Fork(is_background, _OPEN, checked)
        self.emit(fork)
        self.node(_inside_subshell(body), True, True)
        self.emit(instructions.End())
        fork.after = self.here

    def _redirected(self, node: nodes.Redirected, checked: bool, tail: bool) -> None:
        self._substitutions(node.substitutions)
        enter = instructions.EnterRedirects(node.redirects, _OPEN)
        self.emit(enter)
        self.node(node.body, checked, tail)
        self.emit(instructions.LeaveRedirects())
        enter.after = self.here

    def _if(self, node: nodes.If, checked: bool, tail: bool) -> None:
        to_end: list[instructions.Jump] = []
        for condition, body in node.branches:
            self.node(condition, False, False)
            miss = instructions.JumpIf(False, _OPEN)
            self.emit(miss)
            self.node(body, checked, tail)
            leave = instructions.Jump(_OPEN)
            self.emit(leave)
            to_end.append(leave)
            miss.target = self.here
        if node.otherwise is not None:
            self.node(node.otherwise, checked, tail)
        else:
            self.emit(instructions.SetStatus(0))
        for leave in to_end:
            leave.target = self.here

    def _loop(self, node: nodes.Loop, checked: bool) -> None:
        enter = instructions.EnterLoop(self.here + 1, _OPEN)
        self.emit(enter)
        self.node(node.condition, False, False)
        out = instructions.JumpIf(node.until, _OPEN)
        self.emit(out)
        self.node(node.body, checked, False)
        self.emit(instructions.KeepStatus())
        self.emit(instructions.Jump(enter.again))
        out.target = enter.end = self.here
        self.emit(instructions.LeaveLoop())

    def _for(self, node: nodes.For, checked: bool) -> None:
        if node.words is not None:
            self._substitutions(node.words.substitutions)
        enter = instructions.EnterLoop(self.here + 2, _OPEN)
        self.emit(enter)
        self.emit(instructions.SetItems(node.words))
        item = instructions.NextItem(node.name, _OPEN)
        self.emit(item)
        self.node(node.body, checked, False)
        self.emit(instructions.KeepStatus())
        self.emit(instructions.Jump(enter.again))
        item.end = enter.end = self.here
        self.emit(instructions.LeaveLoop())

    def _arithmetic_for(self, node: nodes.ArithmeticFor, checked: bool) -> None:
        self.emit(instructions.Calculate(node.first, False))
        enter = instructions.EnterLoop(_OPEN, _OPEN)
        self.emit(enter)
        begin = self.here
        self.emit(instructions.Calculate(node.condition, False))
        out = instructions.JumpIf(False, _OPEN)
        self.emit(out)
        self.node(node.body, checked, False)
        self.emit(instructions.KeepStatus())
        enter.again = self.here
        self.emit(instructions.Calculate(node.step, False))
        self.emit(instructions.Jump(begin))
        out.target = enter.end = self.here
        self.emit(instructions.LeaveLoop())

    def _case(self, node: nodes.Case, checked: bool, tail: bool) -> None:
        self._substitutions(node.substitutions)
        self.emit(instructions.SetSubject(node.word))
        self.emit(instructions.SetStatus(0))
        to_end: list[instructions.Jump] = []
        into_next: instructions.Jump | None = None
        for branch in node.branches:
            match = instructions.MatchSubject(branch.patterns, _OPEN)
            self.emit(match)
            if into_next is not None:
                into_next.target = self.here
            self.node(branch.body, checked, tail)
            leave = instructions.Jump(_OPEN)
            self.emit(leave)
            into_next = leave if branch.end == ";&" else None
            if branch.end == ";;":
                to_end.append(leave)
            match.miss = self.here
            if branch.end == ";;&":
                leave.target = self.here
        for leave in [*to_end, *([into_next] if into_next else [])]:
            leave.target = self.here

    def _function(self, node: nodes.Function) -> None:
        define = instructions.Define(node.name, _OPEN, node.is_bash)
        self.emit(define)
        self.node(node.body, True, False)
        self.emit(instructions.End())
        define.after = self.here
