"""What led to a row: the rows before it, from what was done to the cluster on, in words."""

from __future__ import annotations

from lifecycle.check.trials import Trial
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.rules.telling.verdicts import tell_instant
from lifecycle.lean_dataclasses import dataclass

MOST_LINKS = 12
_SAID = 160


@dataclass(frozen=True, slots=True)
class Causes:
    """The rows of one future by number."""

    trial: Trial
    rows: dict[int, Row]

    def tell(self, seq: int | None) -> list[str]:
        """The chain that ends with a row, its root first; of a long one the ends."""
        chain: list[str] = []
        cause: object = seq
        while isinstance(cause, int) and cause in self.rows:
            row = self.rows[cause]
            chain.append(_tell(row))
            cause = row.cause
        chain.append(self._tell_root(cause))
        chain.reverse()
        if len(chain) > MOST_LINKS:
            half = MOST_LINKS // 2
            chain = [*chain[:half], f"… {len(chain) - MOST_LINKS} steps more …", *chain[-half:]]
        return chain

    def _tell_root(self, cause: object) -> str:
        text = self.trial.ordeal.text
        if isinstance(cause, str) and cause.startswith("command:step "):
            number = int(cause.rpartition(" ")[2])
            step = self.trial.steps[number - 1]
            return f"{text}: {step.kind}"
        return text


def _tell(row: Row) -> str:
    subject = f"{row.subject.kind} {row.subject.name}"
    if not isinstance(row, Transition):
        return f"{tell_instant(row.at_ms)} {subject}: {row.reason}: {row.message}"[:_SAID]
    said = f" ({row.reason})" if row.reason else ""
    old = "" if row.old is None else f"{row.old} -> "
    return f"{tell_instant(row.at_ms)} {subject} {row.field}: {old}{row.new}{said}"[:_SAID]
