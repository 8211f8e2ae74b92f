"""Python's cycle collector, set for processes that hold engines.

What an engine makes while it runs is free of cycles and mostly lives long. Looking through it for cycles
costs a fifteenth of the whole run and finds nothing, so it is taken out of the collector's sight at once.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

LOOK_SECONDS = 60.0
"""An engine itself is full of cycles. After one was let go, all is looked through, this often at most."""

_next_look = 0.0
_has_let_go = False


def settle() -> None:
    """Look through what there is, then take it out of the collector's sight."""
    global _has_let_go
    _has_let_go = False
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@contextmanager
def out_of_sight() -> Iterator[None]:
    """Run an engine: nothing it makes is looked through, neither now nor later."""
    if _has_let_go and time.monotonic() >= _next_look:
        _look()
    else:
        # What others made since the last time goes on being looked through: now.
        gc.collect(1)
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def let_go(holder: object | None) -> None:
    """What holds an engine is no longer needed, if there was any: have its memory freed before long."""
    global _has_let_go
    _has_let_go = _has_let_go or holder is not None


def _look() -> None:
    global _next_look
    _next_look = time.monotonic() + LOOK_SECONDS
    settle()
