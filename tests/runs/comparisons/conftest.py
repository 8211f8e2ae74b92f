"""A carrier that keeps which comparisons were asked for."""

from collections.abc import Iterator

import pytest

from lifecycle.runs import messages
from lifecycle.runs.comparisons import work


class Line(messages.Nobody):
    """What was asked for, in order; it is done when the test says so."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask_for_comparison(self, comparison: str) -> bool:
        self.asked.append(comparison)
        return True

    def do_all(self) -> None:
        while self.asked:
            work.work_on(self.asked.pop(0))


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """Workers that come when they are called."""
    line, before = Line(), messages.carrier()
    messages.carry_by(line)
    # What is asked for after a commit is asked for at once: a test commits nothing.
    monkeypatch.setattr("django.db.transaction.on_commit", lambda told, *_, **__: told())
    yield line
    messages.carry_by(before)
