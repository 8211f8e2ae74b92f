"""What a terminal does with what is typed at it: it shows it, lets the line be mended, and hands it on whole.

The keys are those of Linux' canonical mode (termios(3)), and the arrows up and down for earlier lines, as
shells that edit their line have them. Without line editing of their own, programs get whole lines.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

_INTERRUPT, _END, _ERASE, _KILL, _WORD = "\x03", "\x04", "\x7f\b", "\x15", "\x17"
_ESCAPE = "\x1b"
_BELL = "\a"
LONGEST_LINE = 4096
"""Of a line's signs so many are kept, as N_TTY_BUF_SIZE has it."""
MOST_REMEMBERED = 100
_UP, _DOWN = "A", "B"


@dataclass(frozen=True, slots=True)
class Typed:
    """What goes to the program: a text, the end of the input, an interrupt."""

    text: str = ""
    is_end: bool = False
    is_interrupt: bool = False


class Terminal:
    """One terminal. `shown` is what its screen is to show next."""

    def __init__(self) -> None:
        self.shown = ""
        self._line: list[str] = []
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._escape = ""
        self._is_after_return = False
        self._history: list[str] = []
        self._place = 0

    def type(self, data: bytes) -> list[Typed]:
        """Take what was typed; gives what goes to the program, in order."""
        found: list[Typed] = []
        for sign in self._decoder.decode(data):
            if self._escape or sign == _ESCAPE:
                self._take_escape(sign)
                continue
            typed = self._press(sign)
            if typed is not None:
                found.append(typed)
        return found

    def take_shown(self) -> str:
        """What the screen shows next; each once."""
        shown, self.shown = self.shown, ""
        return shown

    def _press(self, sign: str) -> Typed | None:
        # A file that is sent has both signs at a line's end.
        is_second, self._is_after_return = self._is_after_return and sign == "\n", sign == "\r"
        if is_second:
            return None
        if sign in "\r\n":
            return self._enter()
        if sign == _INTERRUPT:
            self._line.clear()
            self.shown += "^C\n"
            return Typed(is_interrupt=True)
        if sign == _END:
            return self._end()
        if sign in _ERASE:
            self._erase(1)
        elif sign == _KILL:
            self._erase(len(self._line))
        elif sign == _WORD:
            kept = "".join(self._line).rstrip()
            self._erase(len(self._line) - kept.rfind(" ") - 1)
        elif sign == "\t" or sign.isprintable():
            self._add(sign)
        return None

    def _add(self, text: str) -> None:
        if len(self._line) + len(text) >= LONGEST_LINE:
            self.shown += _BELL
            return
        self._line += text
        self.shown += text

    def _enter(self) -> Typed:
        line = "".join(self._line)
        self._line.clear()
        self.shown += "\n"
        if line.strip() and self._history[-1:] != [line]:
            self._history = [*self._history, line][-MOST_REMEMBERED:]
        self._place = len(self._history)
        return Typed(line + "\n")

    def _end(self) -> Typed | None:
        """Ctrl-D hands on what stands in the line; in an empty one that is nothing, which is the end."""
        line = "".join(self._line)
        self._line.clear()
        return Typed(line) if line else Typed(is_end=True)

    def _erase(self, count: int) -> None:
        count = min(count, len(self._line))
        del self._line[len(self._line) - count :]
        self.shown += "\b \b" * count

    def _take_escape(self, sign: str) -> None:
        """Keys that are sent as several signs: `ESC [ A` is the arrow up. Others do nothing."""
        # None that is known has more than three.
        self._escape = (self._escape + sign)[:4]
        if len(self._escape) == 2 and sign in "[O":
            return
        if len(self._escape) > 2 and not "@" <= sign <= "~":
            return
        if len(self._escape) > 1:
            if self._escape[1:] in ("[A", "[B", "OA", "OB"):
                self._recall(sign)
            self._escape = ""

    def _recall(self, sign: str) -> None:
        place = self._place + (-1 if sign == _UP else 1)
        if not 0 <= place <= len(self._history):
            return
        self._place = place
        self._erase(len(self._line))
        self._add(self._history[place] if place < len(self._history) else "")
