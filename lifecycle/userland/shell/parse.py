"""From the text of a script to its syntax, with the tree-sitter grammar of bash.

The grammar sees the script's skeleton (`skeleton.py`) and says where statements begin and end and how they
nest; the words inside a simple command are read from the text itself by `words.py`.
"""

from __future__ import annotations

import re

import tree_sitter_bash
from tree_sitter import Language, Parser
from tree_sitter import Node as Tree

from ..errors import CannotInterpret
from . import nodes
from .scanning import MOST_NESTED, arithmetic_end
from .simple_commands import read_command
from .skeleton import end_statements, hide_negations, make_skeleton, take_here_documents
from .word_parts import Word, literal
from .words import WordReader, read_expression

_GRAMMAR = Language(tree_sitter_bash.language())
_SIMPLE = frozenset(
    ("command", "variable_assignment", "variable_assignments", "declaration_command", "unset_command")
)
_TERMINATORS = frozenset((";", "&", "\n", ";;", ";&", ";;&"))


def parse(text: str) -> nodes.Node:
    """The syntax of a script. Raises CannotInterpret, naming the construct and its line."""
    text, here_documents = take_here_documents(text.replace("\r\n", "\n"))
    skeleton, negated = hide_negations(end_statements(make_skeleton(text)))
    tree = Parser(_GRAMMAR).parse(skeleton.encode())
    if tree.root_node.has_error:
        raise CannotInterpret(_describe_error(tree.root_node, text))
    return _Lowering(text, here_documents, negated).statements(tree.root_node.children)


def _describe_error(root: Tree, text: str) -> str:
    node = root
    while True:
        broken = next((child for child in node.children if child.has_error or child.is_missing), None)
        if broken is None:
            break
        node = broken
    number = text.count("\n", 0, node.start_byte)
    lines = text.splitlines()
    line = lines[min(number, len(lines) - 1)] if lines else ""
    return f"the syntax in line {number + 1}: {line.strip()[:60]!r}"


class _Lowering:
    """Brings the grammar's tree down to nodes. `end` extends a command over redirections that follow it."""

    def __init__(self, text: str, here_documents: dict[str, tuple[str, bool]], negated: set[int]) -> None:
        self.text = text
        self.here_documents = here_documents
        self.negated = negated
        """Where compound commands begin that have a `!` in front of them."""
        self.depth = 0

    def line(self, tree: Tree) -> int:
        """The number of the line, from 1, in which something begins."""
        return self.text.count("\n", 0, tree.start_byte) + 1

    def slice(self, start: int, end: int) -> str:
        """The original text: the skeleton's places, one byte a sign, are its own."""
        return self.text[start:end]

    def statements(self, children: list[Tree]) -> nodes.Node:
        """Statements and what ends them; `&` sends the one before it to the background."""
        items: list[nodes.Node] = []
        for child in children:
            if child.type == "&" and items:
                items[-1] = nodes.Background(items[-1])
            elif child.is_named and child.type != "comment":
                items.append(self.lower(child))
            elif not child.is_named and child.type not in _TERMINATORS:
                raise CannotInterpret(f"{child.type!r} in line {self.line(child)}")
        return items[0] if len(items) == 1 else nodes.Sequence(tuple(items))

    def lower(self, tree: Tree, end: int | None = None) -> nodes.Node:
        # The `!` belongs to the whole pipeline that begins there, but not to a list.
        if tree.start_byte in self.negated and tree.type not in ("list", "redirected_statement"):
            self.negated.discard(tree.start_byte)
            return nodes.Negation(self.lower(tree, end))
        if tree.type in _SIMPLE:
            return self._simple(tree, end)
        method = _METHODS.get(tree.type)
        if method is None:
            raise CannotInterpret(f"{tree.type.replace('_', ' ')} in line {self.line(tree)}")
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise CannotInterpret(f"commands nested so deeply in line {self.line(tree)}")
        lowered = method(self, tree, end)
        self.depth -= 1
        return lowered

    def _simple(self, tree: Tree, end: int | None) -> nodes.Node:
        start, end = tree.start_byte, end or tree.end_byte
        text = self.slice(start, end)
        if re.match(r"\[\[\s", text):
            return self._condition(text, start, end)
        if text.startswith("(("):
            return self._arithmetic(text, start, end)
        if re.match(r"coproc\s", text):
            raise CannotInterpret(f"coproc in line {self.line(tree)}")
        return nodes.Simple(read_command(text, self.here_documents))

    def _condition(self, text: str, start: int, end: int) -> nodes.Node:
        reader = WordReader(text)
        reader.at = 2
        tokens = tuple(_condition_tokens(reader))
        condition = nodes.Condition(tokens, tuple(reader.substitutions))
        return self._with_redirects(condition, start + reader.at, end)

    def _arithmetic(self, text: str, start: int, end: int) -> nodes.Node:
        close = arithmetic_end(text, 2)
        assert close is not None, text
        word, substitutions = read_expression(text[2:close])
        return self._with_redirects(nodes.ArithmeticCommand(word, substitutions), start + close + 2, end)

    def _with_redirects(self, body: nodes.Node, start: int, end: int | None) -> nodes.Node:
        text = self.slice(start, end) if end else ""
        if not text.strip():
            return body
        command = read_command(text, self.here_documents)
        if command.words or command.assignments:
            raise CannotInterpret(f"{text.strip()[:40]!r} behind a compound command")
        return nodes.Redirected(body, command.redirects, command.substitutions)

    def _redirected(self, tree: Tree, end: int | None) -> nodes.Node:
        end = end or tree.end_byte
        body = tree.child_by_field_name("body")
        if body is None or body.type in _SIMPLE:
            return nodes.Simple(read_command(self.slice(tree.start_byte, end), self.here_documents))
        # The grammar hangs a trailing redirection on the whole list; it belongs to the last command.
        return self.lower(body, end)

    def _list(self, tree: Tree, end: int | None) -> nodes.Node:
        rest: list[tuple[str, Tree, int | None]] = []
        while tree.type == "list":
            # A list leans to the left: a long one is as deep as it is long.
            tree, operator, right = (child for child in tree.children if child.type != "comment")
            rest.append((operator.type, right, end))
            end = None
        node = self.lower(tree)
        for operator_text, right, right_end in reversed(rest):
            node = nodes.AndOr(node, operator_text, self.lower(right, right_end))
        return node

    def _pipeline(self, tree: Tree, end: int | None) -> nodes.Node:
        parts = [child for child in tree.children if child.type != "comment"]
        trees, joints = parts[0::2], parts[1::2]
        is_negated = trees[0].type == "negated_command"
        first = trees[0].children[-1] if is_negated else trees[0]
        stages = [self.lower(first), *(self.lower(stage) for stage in trees[1:-1])]
        stages.append(self.lower(trees[-1], end))
        pipeline = nodes.Pipeline(tuple(stages), tuple(joint.type == "|&" for joint in joints))
        return nodes.Negation(pipeline) if is_negated else pipeline

    def _negated(self, tree: Tree, end: int | None) -> nodes.Node:
        return nodes.Negation(self.lower(tree.children[-1], end))

    def _subshell(self, tree: Tree, end: int | None) -> nodes.Node:
        return self._with_redirects(nodes.Subshell(self.statements(tree.children[1:-1])), tree.end_byte, end)

    def _compound(self, tree: Tree, end: int | None) -> nodes.Node:
        return self._with_redirects(self.statements(tree.children[1:-1]), tree.end_byte, end)

    def _if(self, tree: Tree, end: int | None) -> nodes.Node:
        branches: list[tuple[nodes.Node, nodes.Node]] = []
        otherwise: nodes.Node | None = None
        main = [child for child in tree.children if child.type not in ("elif_clause", "else_clause")]
        branches.append(self._branch(main[1:-1]))
        for child in tree.children:
            if child.type == "elif_clause":
                branches.append(self._branch(child.children[1:]))
            elif child.type == "else_clause":
                otherwise = self.statements(child.children[1:])
        return self._with_redirects(nodes.If(tuple(branches), otherwise), tree.end_byte, end)

    def _branch(self, children: list[Tree]) -> tuple[nodes.Node, nodes.Node]:
        then = next(place for place, child in enumerate(children) if child.type == "then")
        return self.statements(children[:then]), self.statements(children[then + 1 :])

    def _while(self, tree: Tree, end: int | None) -> nodes.Node:
        body = tree.children[-1]
        condition = self.statements(tree.children[1:-1])
        loop = nodes.Loop(condition, self._body(body), tree.children[0].type == "until")
        return self._with_redirects(loop, tree.end_byte, end)

    def _body(self, tree: Tree) -> nodes.Node:
        if tree.type in ("do_group", "compound_statement"):
            return self.statements(tree.children[1:-1])
        return self.lower(tree)

    def _for(self, tree: Tree, end: int | None) -> nodes.Node:
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
            command = read_command("in " + self.slice(opening.end_byte, stop), {})
        loop = nodes.For(self.slice(name.start_byte, name.end_byte), command, self._body(body))
        return self._with_redirects(loop, tree.end_byte, end)

    def _arithmetic_for(self, tree: Tree, end: int | None) -> nodes.Node:
        body = tree.child_by_field_name("body")
        opening = next(child for child in tree.children if child.type == "((")
        closing = next(child for child in tree.children if child.type == "))")
        assert body is not None, tree
        sections = self.slice(opening.end_byte, closing.start_byte).split(";")
        if len(sections) != 3:
            raise CannotInterpret(f"for ((…)) in line {self.line(tree)}")
        words = [read_expression(section) for section in sections]
        if any(substitutions for _, substitutions in words):
            raise CannotInterpret("a command substitution in for ((…))")
        loop = nodes.ArithmeticFor(words[0][0], words[1][0], words[2][0], self._body(body))
        return self._with_redirects(loop, tree.end_byte, end)

    def _case(self, tree: Tree, end: int | None) -> nodes.Node:
        opening = next(child for child in tree.children if child.type == "in")
        reader = WordReader(self.slice(tree.children[0].end_byte, opening.start_byte).strip())
        word, substitutions = reader.word(frozenset()), tuple(reader.substitutions)
        branches = tuple(self._case_branch(child) for child in tree.children if child.type == "case_item")
        return self._with_redirects(nodes.Case(word, substitutions, branches), tree.end_byte, end)

    def _case_branch(self, tree: Tree) -> nodes.CaseBranch:
        close = next(place for place, child in enumerate(tree.children) if child.type == ")")
        head = self.slice(tree.start_byte, tree.children[close].start_byte).strip().removeprefix("(")
        reader = WordReader(head)
        patterns: list[Word] = []
        while reader.skip_blanks():
            patterns.append(reader.word(frozenset("| \t\n")))
            reader.skip_blanks()
            reader.at += 1
        if reader.substitutions:
            raise CannotInterpret("a command substitution in a case pattern")
        rest = tree.children[close + 1 :]
        ending = rest[-1].type if rest and rest[-1].type in (";;", ";&", ";;&") else ";;"
        return nodes.CaseBranch(tuple(patterns), self.statements(rest), ending)

    def _function(self, tree: Tree, end: int | None) -> nodes.Node:
        name = tree.child_by_field_name("name")
        body = tree.child_by_field_name("body")
        assert name is not None and body is not None, tree
        lowered = self._with_redirects(
            self._body(body) if body.type == "compound_statement" else self.lower(body),
            body.end_byte,
            max(end or 0, tree.end_byte),
        )
        is_bash = self.text.startswith("function", tree.start_byte)
        return nodes.Function(self.slice(name.start_byte, name.end_byte), lowered or nodes.NOTHING, is_bash)


_METHODS = {
    "redirected_statement": _Lowering._redirected,
    "list": _Lowering._list,
    "pipeline": _Lowering._pipeline,
    "negated_command": _Lowering._negated,
    "subshell": _Lowering._subshell,
    "compound_statement": _Lowering._compound,
    "if_statement": _Lowering._if,
    "while_statement": _Lowering._while,
    "for_statement": _Lowering._for,
    "c_style_for_statement": _Lowering._arithmetic_for,
    "case_statement": _Lowering._case,
    "function_definition": _Lowering._function,
}

_CONDITION_OPERATORS = ("&&", "||", "(", ")", "<", ">")


def _condition_tokens(reader: WordReader) -> list[Word | str]:
    """The tokens up to `]]`, which is passed."""
    tokens: list[Word | str] = []
    while reader.skip_blanks():
        if reader.text.startswith("]]", reader.at):
            reader.at += 2
            return tokens
        after_match = bool(tokens) and isinstance(tokens[-1], tuple) and literal(tokens[-1]) == "=~"
        operator = next(
            (sign for sign in _CONDITION_OPERATORS if reader.text.startswith(sign, reader.at)), None
        )
        if operator is not None and not after_match:
            reader.at += len(operator)
            tokens.append(operator)
            continue
        stops = frozenset(" \t\n") if after_match else frozenset(" \t\n&|()<>")
        before = reader.at
        tokens.append(reader.word(stops))
        if reader.at == before:
            raise CannotInterpret(f"{reader.text[before : before + 20]!r} in [[ … ]]")
    raise CannotInterpret("[[ without ]]")
