"""What the library raises for an input that it cannot use."""

from __future__ import annotations

from collections.abc import Sequence


class InputRefused(ValueError):
    """An input that cannot be used. `problems` says of each object and field what would be right."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)
