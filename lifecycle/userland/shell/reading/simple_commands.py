"""Simple commands: assignments, arrays, words and redirections, read from the text of one command."""

from __future__ import annotations

from ...errors import CannotInterpret
from .scanning import META, NAME, NAME_START, closing_bracket, closing_parenthesis
from .word_parts import Assignment, CommandText, HereDocuments, Redirect, Substitution, Text, Word, literal
from .words import WordReader

DECLARATIONS = frozenset(("export", "readonly", "local", "declare", "typeset"))
"""Builtins whose arguments assign: `declare -A map=([key]=value)` among them."""
_REDIRECTIONS = ("<<<", "&>>", "&>", ">>", ">&", "<&", ">|", "<>", "<", ">")


def read_command(text: str, here_documents: HereDocuments) -> CommandText:
    """Take a simple command apart. Raises CannotInterpret."""
    return _CommandReader(text, here_documents).command()


class _CommandReader(WordReader):
    """A cursor over the text of one command."""

    def __init__(self, text: str, here_documents: HereDocuments) -> None:
        super().__init__(text)
        self.here_documents = here_documents

    def command(self) -> CommandText:
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while self.skip_blanks():
            if self.text.startswith("<(", self.at):
                words.append((self._process_substitution(),))
                continue
            redirect = self._redirect()
            if redirect is not None:
                redirects.append(redirect)
                continue
            is_declared = bool(words) and literal(words[0]) in DECLARATIONS
            assignment = self._assignment(only_arrays=is_declared) if is_declared or not words else None
            if assignment is not None:
                assignments.append(assignment)
                if is_declared:
                    words.append((Text(assignment.name, False),))
                continue
            before = self.at
            words.append(self.word(META))
            if self.at == before:
                raise CannotInterpret(f"{self.text[before:].strip()[:40]!r} in a command")
        return CommandText(tuple(assignments), tuple(words), tuple(redirects), tuple(self.substitutions))

    def _redirect(self) -> Redirect | None:
        end = self.at
        while end < len(self.text) and self.text[end].isdigit():
            end += 1
        for operator in _REDIRECTIONS:
            if self.text.startswith(operator, end):
                fd = int(self.text[self.at : end]) if end > self.at else None
                if self.text.startswith("(", end + len(operator)):
                    raise CannotInterpret("writing to a process substitution")
                self.at = end + len(operator)
                self.skip_blanks()
                if self.text.startswith("<(", self.at) and operator == "<":
                    return Redirect(fd, operator, (self._process_substitution(),))
                return self._here_document(Redirect(fd, operator, self.word(META)))
        return None

    def _process_substitution(self) -> Substitution:
        """`<(…)`. The command is run to its end before its output is read."""
        end = closing_parenthesis(self.text, self.at + 2)
        found = self._substitute(self.text[self.at + 2 : end], False)
        self.at = end + 1
        return Substitution(found.slot, False, True)

    def _here_document(self, redirect: Redirect) -> Redirect:
        stands_for = self.here_documents.get(literal(redirect.target) or "")
        if stands_for is None:
            return redirect
        body, is_expanded = stands_for
        return Redirect(redirect.fd, "<<", self._inner(body) if is_expanded else (Text(body, True),))

    def _assignment(self, only_arrays: bool) -> Assignment | None:
        """`name=value` and its forms; nothing is read when there is none."""
        end = self.at
        while end < len(self.text) and self.text[end] in NAME:
            end += 1
        name = self.text[self.at : end]
        if not name or name[0] not in NAME_START:
            return None
        index: Word | None = None
        if self.text.startswith("[", end):
            close = closing_bracket(self.text, end + 1)
            if close is None or not self.text.startswith(("=", "+="), close + 1):
                return None
            index = self.subscript(self.text[end + 1 : close])
            end = close + 1
        append = self.text.startswith("+=", end)
        if not append and not self.text.startswith("=", end):
            return None
        end += 2 if append else 1
        if self.text.startswith("(", end):
            self.at = end
            keys, values = self._array()
            return Assignment(name, (), append, None, values, keys)
        if only_arrays:
            return None
        self.at = end
        return Assignment(name, self.word(META), append, index)

    def _array(self) -> tuple[tuple[Word | None, ...], tuple[Word, ...]]:
        """Keys and values of `(a b [key]=c)`; None for a value without a key."""
        self.at += 1
        keys: list[Word | None] = []
        values: list[Word] = []
        while self.skip_blanks():
            if self.text[self.at] == ")":
                self.at += 1
                return tuple(keys), tuple(values)
            before = self.at
            keys.append(self._key())
            values.append(self.word(META))
            if self.at == before:
                break
        raise CannotInterpret("an array without its closing parenthesis")

    def _key(self) -> Word | None:
        if not self.text.startswith("[", self.at):
            return None
        close = closing_bracket(self.text, self.at + 1)
        if close is None or not self.text.startswith("=", close + 1):
            return None
        key = self.subscript(self.text[self.at + 1 : close])
        self.at = close + 2
        return key
