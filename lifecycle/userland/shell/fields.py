"""Fields made of the pieces of a word, split where unquoted expansions hold separators (POSIX 2.6.5)."""

from __future__ import annotations

from .reading import patterns

Piece = tuple[str, bool, bool]
"""Text, whether it is quoted, and whether it is split into fields."""
BREAK = None
"""Begins a new field."""


class FieldBuilder:
    """Joins pieces into fields, splitting where unquoted expansions hold separators."""

    def __init__(self, separators: str | None) -> None:
        self.separators = " \t\n" if separators is None else separators
        self.fields: list[tuple[str, str]] = []
        self.text: list[str] = []
        self.pattern: list[str] = []
        self.is_open = False

    def add(self, piece: Piece | None) -> None:
        """Add a piece; BREAK begins a new field."""
        if piece is BREAK:
            self.close()
            return
        text, quoted, splits = piece
        if not splits or quoted:
            self.append(text, quoted)
            return
        self.split(text)

    def append(self, text: str, quoted: bool) -> None:
        """Add text to the field that is open."""
        self.text.append(text)
        self.pattern.append(patterns.escape(text) if quoted else text)
        self.is_open = self.is_open or quoted or bool(text)

    def split(self, text: str) -> None:
        """Add text, each separator in it ending a field."""
        if not any(sign in text for sign in self.separators):
            self.append(text, False)
            return
        at = 0
        while at < len(text):
            if text[at] not in self.separators:
                start = at
                while at < len(text) and text[at] not in self.separators:
                    at += 1
                self.append(text[start:at], False)
                continue
            at = self.separator(text, at)

    def separator(self, text: str, at: int) -> int:
        """Blanks around one other separator count as one; only blanks never make an empty field."""
        end = at
        others = 0
        while end < len(text) and text[end] in self.separators:
            others += text[end] not in " \t\n"
            if others > 1:
                break
            end += 1
        if self.is_open or others:
            self.is_open = True
            self.close()
        return end

    def close(self) -> None:
        """End the field that is open."""
        if self.is_open:
            self.fields.append(("".join(self.text), "".join(self.pattern)))
        self.text, self.pattern, self.is_open = [], [], False

    def finish(self) -> list[tuple[str, str]]:
        """End the last field and give them all."""
        self.close()
        return self.fields


def split_fields(text: str, separators: str | None) -> list[str]:
    """A text split as the result of an expansion is; None separates at blanks."""
    builder = FieldBuilder(separators)
    builder.split(text)
    return [field for field, _ in builder.finish()]
