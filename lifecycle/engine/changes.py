"""What a cluster hands over when its changes are taken."""

from __future__ import annotations

from .heart.trace import Entry, Row, Version, list_rows


class Changes:
    """What happened since the last take: rows in order, versions in order, log lines, the instant reached."""

    __slots__ = ("_entries", "_rows", "at_ms", "logs", "row_count", "versions")

    def __init__(
        self,
        at_ms: int,
        entries: list[Entry],
        row_count: int,
        versions: list[Version],
        logs: list[tuple[str, str, int, int, str]],
    ) -> None:
        self.at_ms = at_ms
        self._entries = entries
        self._rows: list[Row] | None = None
        self.row_count = row_count
        self.versions = versions
        self.logs = logs

    @property
    def rows(self) -> list[Row]:
        """Transitions and events in order. They are kept by the write until somebody reads them."""
        if self._rows is None:
            self._rows, self._entries = list_rows(self._entries), []
        return self._rows
