"""The shell and its tools, loaded by the first container that needs them.

They are the largest part of the model, and many a run has known images and declared programs only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .shell_parts import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """A name of `shell_parts`; all of them stand here from then on."""
    from . import shell_parts

    if name not in shell_parts.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update({part: getattr(shell_parts, part) for part in shell_parts.__all__})
    return globals()[name]
