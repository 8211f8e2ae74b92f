"""Words of the shell language: quoting and expansions, read from the text of one command.

The grammar library finds where commands begin and end; inside a word this reader follows POSIX 2.2 and 2.6
(and bash where it goes further). A word becomes parts that are expanded when the command runs. Command
substitutions are only noted: the compiler makes programs of them, which run before the word is expanded.
"""

from __future__ import annotations

from ...errors import CannotInterpret
from .scanning import (
    MOST_NESTED,
    NAME,
    NAME_START,
    arithmetic_end,
    closing_bracket,
    closing_parenthesis,
    read_ansi_text,
)
from .word_parts import Arithmetic, Command, Guard, Parameter, Part, Substitution, Text, Word, as_quoted

SPECIAL_PARAMETERS = frozenset("@*#?-$!0123456789")
_OPERATORS = (":-", ":=", ":?", ":+", "##", "%%", "//", "/#", "/%", "^^", ",,", *"-=?+#%/^,:")


def read_expression(text: str) -> tuple[Word, tuple[Command, ...]]:
    """Read text in which only expansions count, as between double quotes: an arithmetic expression."""
    reader = WordReader(text)
    word = reader.quoted_parts(end="", keep_quotes=True)
    return word, tuple(reader.substitutions)


class WordReader:
    """A cursor over one text. Substitutions are numbered in the order in which they are written."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.substitutions: list[Command] = []
        self._guards: tuple[Guard, ...] = ()
        self._depth = 0

    def skip_blanks(self) -> bool:
        """Move past spaces, joined lines and comments; False at the end of the text."""
        while self.at < len(self.text):
            if self.text[self.at] in " \t\n\r":
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return True
        return False

    # Words.

    def word(self, stops: frozenset[str]) -> Word:
        """One word, up to an unquoted character out of `stops`, or the end of the text."""
        parts: list[Part] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in stops:
                break
            self._word_part(sign, stops, parts)
        return tuple(parts)

    def _word_part(self, sign: str, stops: frozenset[str], parts: list[Part]) -> None:
        if sign == "\\":
            if not self.text.startswith("\\\n", self.at):
                parts.append(Text(self.text[self.at + 1 : self.at + 2], True))
            self.at += 2
        elif sign == "'":
            parts.append(Text(self._until("'", self.at + 1), True))
        elif sign == '"':
            self.at += 1
            inside = self.quoted_parts(end='"')
            parts.extend(inside or (Text("", True),))
        elif self.text.startswith("$'", self.at):
            self.at += 2
            text, self.at = read_ansi_text(self.text, self.at)
            parts.append(Text(text, True))
        elif self.text.startswith('$"', self.at):
            self.at += 1
        elif sign == "$" or sign == "`":
            parts.append(self.expansion(False))
        else:
            parts.append(Text(self._plain_run(stops), False))

    def _plain_run(self, stops: frozenset[str]) -> str:
        start = self.at
        self.at += 1
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in stops or sign in "\\'\"$`":
                break
            self.at += 1
        return self.text[start : self.at]

    def quoted_parts(self, end: str, keep_quotes: bool = False) -> Word:
        """What stands between double quotes (or in a here-document), up to `end`."""
        parts: list[Part] = []
        run: list[str] = []

        def flush() -> None:
            if run:
                parts.append(Text("".join(run), True))
                run.clear()

        escapable = "$`\\" if keep_quotes else '$`"\\'
        while self.at < len(self.text):
            sign = self.text[self.at]
            if end and sign == end:
                self.at += 1
                flush()
                return tuple(parts)
            if sign == "\\" and self.at + 1 < len(self.text):
                following = self.text[self.at + 1]
                if following != "\n":
                    run.append(following if following in escapable else sign + following)
                self.at += 2
            elif sign in "$`":
                flush()
                parts.append(self.expansion(True))
            else:
                run.append(sign)
                self.at += 1
        if end:
            raise CannotInterpret("a quote that is not closed")
        flush()
        return tuple(parts)

    def _until(self, end: str, start: int) -> str:
        close = self.text.find(end, start)
        if close < 0:
            raise CannotInterpret("a quote that is not closed")
        self.at = close + 1
        return self.text[start:close]

    # Expansions.

    def expansion(self, quoted: bool) -> Part:
        """What begins at a dollar sign or backquote."""
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise CannotInterpret("expansions nested so deeply")
        found = self._expansion(quoted)
        self._depth -= 1
        return found

    def _expansion(self, quoted: bool) -> Part:
        text, at = self.text, self.at
        if text[at] == "`":
            return self._backquoted(quoted)
        if text.startswith("$((", at):
            end = arithmetic_end(text, at + 3)
            if end is not None:
                self.at = end + 2
                return Arithmetic(self._inner(text[at + 3 : end]), quoted)
        if text.startswith("$(", at):
            end = closing_parenthesis(text, at + 2)
            self.at = end + 1
            return self._substitute(text[at + 2 : end], quoted)
        if text.startswith("${", at):
            self.at = at + 2
            return self._braced(quoted)
        return self._plain_parameter(quoted)

    def _plain_parameter(self, quoted: bool) -> Part:
        start = self.at + 1
        following = self.text[start : start + 1]
        if following in NAME_START and following:
            end = start
            while end < len(self.text) and self.text[end] in NAME:
                end += 1
        elif following and following in SPECIAL_PARAMETERS:
            end = start + 1
        else:
            self.at = start
            return Text("$", quoted)
        self.at = end
        return Parameter(self.text[start:end], "", (), None, quoted)

    def _backquoted(self, quoted: bool) -> Part:
        inside: list[str] = []
        self.at += 1
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == "`":
                self.at += 1
                return self._substitute("".join(inside), quoted)
            following = self.text[self.at + 1 : self.at + 2]
            if sign == "\\" and following and following in ('$`\\"' if quoted else "$`\\"):
                inside.append(following)
                self.at += 2
            else:
                inside.append(sign)
                self.at += 1
        raise CannotInterpret("a backquote that is not closed")

    def _substitute(self, text: str, quoted: bool) -> Substitution:
        self.substitutions.append(Command(text, self._guards))
        return Substitution(len(self.substitutions) - 1, quoted)

    def _inner(self, text: str) -> Word:
        """Text read as if it stood in double quotes, its substitutions numbered with this reader's."""
        return self._reader_of(text).quoted_parts(end="", keep_quotes=True)

    def _reader_of(self, text: str) -> WordReader:
        """A reader of a part of this one's text, its substitutions numbered with these."""
        reader = WordReader(text)
        reader.substitutions, reader._guards, reader._depth = self.substitutions, self._guards, self._depth
        return reader

    def _braced(self, quoted: bool) -> Parameter:
        text = self.text
        if text.startswith("#", self.at) and text[self.at + 1 : self.at + 2] not in ("}", ""):
            self.at += 1
            name = self._parameter_name()
            index = self._index()
            self._expect_brace()
            return Parameter(name, "length", (), None, quoted, index)
        is_indirect = text.startswith("!", self.at) and text[self.at + 1 : self.at + 2] in NAME_START
        self.at += is_indirect
        name = self._parameter_name()
        index = self._index()
        if is_indirect:
            self._expect_brace()
            return Parameter(name, "indirect", (), None, quoted, index)
        if text.startswith("}", self.at):
            self.at += 1
            return Parameter(name, "", (), None, quoted, index)
        operator = next((sign for sign in _OPERATORS if text.startswith(sign, self.at)), None)
        if operator is None:
            raise CannotInterpret(f"the expansion ${{{name}{text[self.at : self.at + 10]}")
        self.at += len(operator)
        return self._operation(name, operator, quoted, index)

    def _operation(self, name: str, operator: str, quoted: bool, index: Word | None) -> Parameter:
        is_pair = operator in ("/", "//", "/#", "/%", ":")
        guards = self._guards
        if operator.lstrip(":") in ("-", "=", "?", "+"):
            self._guards = (*guards, Guard(name, operator))
        # Quotes around the expansion do not quote a pattern inside it.
        is_pattern = operator[0] in "#%/"
        separator = operator[0] if operator[0] == "/" or operator == ":" else ""
        word = self._brace_word(quoted and not is_pattern, separator)
        second = None
        if is_pair and self.text[self.at - 1] != "}":
            second = self._brace_word(quoted, "")
        self._guards = guards
        return Parameter(name, operator, word, second, quoted, index)

    def _brace_word(self, quoted: bool, separator: str) -> Word:
        """The word of `${name operator word}`, up to the brace or the separator, which is passed."""
        parts: list[Part] = []
        stops = frozenset("}" + separator)
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in stops:
                self.at += 1
                return tuple(parts)
            if quoted and sign == "'":
                # A single quote inside double quotes is an ordinary character.
                parts.append(Text("'", True))
                self.at += 1
                continue
            before = len(parts)
            self._word_part(sign, stops, parts)
            if quoted:
                parts[before:] = [as_quoted(part) for part in parts[before:]]
        raise CannotInterpret("an expansion without its closing brace")

    def _parameter_name(self) -> str:
        start = self.at
        if self.text[start : start + 1] in NAME_START and start < len(self.text):
            while self.at < len(self.text) and self.text[self.at] in NAME:
                self.at += 1
        elif self.text[start : start + 1].isdigit():
            while self.at < len(self.text) and self.text[self.at].isdigit():
                self.at += 1
        elif self.text[start : start + 1] in SPECIAL_PARAMETERS and start < len(self.text):
            self.at += 1
        else:
            raise CannotInterpret(f"the expansion ${{{self.text[start : start + 12]}")
        return self.text[start : self.at]

    def _index(self) -> Word | None:
        if not self.text.startswith("[", self.at):
            return None
        close = closing_bracket(self.text, self.at + 1)
        if close is None:
            raise CannotInterpret("an array index without its closing bracket")
        inside = self.text[self.at + 1 : close]
        self.at = close + 1
        return self.subscript(inside)

    def subscript(self, text: str) -> Word:
        """The key of an array's element: a word, quotes taken off, its substitutions numbered with these."""
        return self._reader_of(text).word(frozenset())

    def _expect_brace(self) -> None:
        if not self.text.startswith("}", self.at):
            raise CannotInterpret(f"the expansion operator {self.text[self.at : self.at + 6]!r}")
        self.at += 1
