"""The shell and its tools, loaded by the first container that needs them.

They are the largest part of the model, and many a run has known images and declared programs only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .parts import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """A name of `parts`; all of them stand here from then on."""
    if name.startswith("__"):
        raise AttributeError(name)
    parts = import_module(f"{__name__}.parts")
    if name not in parts.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update({part: getattr(parts, part) for part in parts.__all__})
    return globals()[name]
