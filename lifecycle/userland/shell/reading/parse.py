"""The syntax tree of a script, from the tree-sitter grammar of bash.

The grammar sees the script's skeleton (`skeleton.py`) and says where statements begin and end and how they
nest; the words inside a simple command are read from the text itself by `words.py`.
"""

from __future__ import annotations

import tree_sitter_bash
from tree_sitter import Language, Parser
from tree_sitter import Node as Tree

from lifecycle.lean_tuples import NamedTuple

from ...errors import CannotInterpret
from .skeleton import end_statements, hide_negations, make_skeleton, take_here_documents
from .word_parts import HereDocuments, Word, literal
from .words import WordReader

_GRAMMAR = Language(tree_sitter_bash.language())
_CONDITION_OPERATORS = ("&&", "||", "(", ")", "<", ">")


class Script(NamedTuple):
    """A script and its syntax. Places in the tree are places in the text."""

    text: str
    root: Tree
    here_documents: HereDocuments
    negated: set[int]
    """Where compound commands begin that have a `!` in front of them."""


def parse(text: str) -> Script:
    """The syntax of a script. Raises CannotInterpret, naming the construct and its line."""
    text, here_documents = take_here_documents(text.replace("\r\n", "\n"))
    skeleton, negated = hide_negations(end_statements(make_skeleton(text)))
    root = Parser(_GRAMMAR).parse(skeleton.encode()).root_node
    if root.has_error:
        raise CannotInterpret(_describe_error(root, text))
    return Script(text, root, here_documents, negated)


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


def condition_tokens(reader: WordReader) -> list[Word | str]:
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
