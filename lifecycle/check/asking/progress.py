"""How far a check has come, on a terminal."""

from __future__ import annotations

import sys

from lifecycle.check.checking import Progress

_WIDTH = 30


def choose_progress() -> Progress:
    """A bar for whoever looks on; nothing where nobody does."""
    return _show if sys.stderr.isatty() else say_nothing


def say_nothing(done: int, of: int) -> None:
    """Nobody looks on."""


def _show(done: int, of: int) -> None:
    bar = "#" * (_WIDTH * done // of)
    sys.stderr.write(f"\r[{bar:<{_WIDTH}}] {done} of {of} futures" + ("\r\x1b[K" if done == of else ""))
    sys.stderr.flush()
