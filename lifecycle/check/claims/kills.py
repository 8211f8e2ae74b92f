"""`no-hard-kill`: no container is killed while it still works."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle.check.scene import SERIOUS, End, Scene, Violation
from lifecycle.engine.heart.trace import Row, Transition

CLAIM = "no-hard-kill"
_SIGNAL, _KILL = "signal.", "SIGKILL"


class HardKill:
    """Counts the containers that had not ended when their grace was over."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._found: dict[tuple[str, str], list[Row]] = {}

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """Signals."""
        for row in rows:
            if isinstance(row, Transition) and row.field.startswith(_SIGNAL) and row.new == _KILL:
                owner = self._scene.find_workload(row)
                if owner is not None:
                    container = row.field.removeprefix(_SIGNAL)
                    self._found.setdefault((owner.title, container), []).append(row)

    def finish(self, end: End) -> Iterable[Violation]:
        """A violation for each container."""
        for (title, container), rows in self._found.items():
            times = f"{len(rows)} times" if len(rows) > 1 else "once"
            text = (
                f"container {container} was killed {times}: it had not ended when its grace period was over"
            )
            yield Violation(CLAIM, title, SERIOUS, rows[0].at_ms, text, rows[0].seq, len(rows))
