"""A user's value as messages show it: never long, whatever it is."""

from __future__ import annotations

from reprlib import Repr

MOST_LETTERS = 200
NOTE_LIMIT = 1024
"""As many letters as Kubernetes takes in the note of an event."""
_CUT = " ..."

_shorten = Repr()
_shorten.maxlevel = 2
_shorten.maxstring = _shorten.maxlong = _shorten.maxother = MOST_LETTERS


def shorten(value: object) -> str:
    """Like `repr`; of what is long or deep only the beginning and the end."""
    return _shorten.repr(value)


def cut_note(text: str, most: int = NOTE_LIMIT) -> str:
    """A message that fits, cut as the scheduler cuts those of its events."""
    return text if len(text) <= most else text[: most - len(_CUT)] + _CUT
