"""Podline: what will Kubernetes do with this manifest? A faithful model in virtual time.

    from podline import Cluster, simulate, load

What is named here is stable; what is imported from below it is not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lifecycle.version import VERSION as __version__
    from podline.library import Cluster, ExpectationFailed, Run, load, simulate
    from podline.refusals import InputRefused

__all__ = ["Cluster", "ExpectationFailed", "InputRefused", "Run", "__version__", "load", "simulate"]


def __getattr__(name: str) -> Any:
    """Only what is used is imported: the command line starts sooner so."""
    if name == "__version__":
        return import_module("lifecycle.version").VERSION
    if name == "InputRefused":
        return import_module("podline.refusals").InputRefused
    if name in __all__:
        return getattr(import_module("podline.library"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
