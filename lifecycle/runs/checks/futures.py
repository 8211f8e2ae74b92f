"""What came of a future, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifecycle.check.life import Figures, Future
from lifecycle.check.scene import Violation


def to_json(future: Future) -> list[Any]:
    """A list of its fields, in their order."""
    violations = [list(one) for one in future.violations]
    return [future.seed, list(future.figures), future.end, violations, list(future.refusals)]


def from_json(data: Sequence[Any]) -> Future:
    """What `to_json` was given."""
    seed, figures, end, violations, refusals = data
    return Future(seed, Figures(*figures), end, tuple(Violation(*one) for one in violations), tuple(refusals))
