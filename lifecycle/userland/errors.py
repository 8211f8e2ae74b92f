"""The one error every room of the userland may raise: something is beyond this interpreter."""

from __future__ import annotations


class CannotInterpret(Exception):
    """A construct this interpreter does not know. The text names it for the person who wrote it."""
