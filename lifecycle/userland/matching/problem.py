"""What a pattern may fail with."""

from __future__ import annotations

from ..errors import CannotInterpret


class PatternProblem(CannotInterpret):
    """A pattern that cannot be read, or takes too long to match: named for the user."""
