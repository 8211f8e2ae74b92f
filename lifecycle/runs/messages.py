"""What processes tell each other beside the database: who was nudged, whose result is ready.

Nothing here is needed for correctness: what gets lost costs a little time, never a command or a row. Who
carries the messages is said from above, once, when the app is ready; until then they go nowhere.
"""

from collections.abc import Sequence
from typing import Protocol


class Carrier(Protocol):
    """Brings messages from one process to another. None of this raises: what cannot be said is lost."""

    def nudge(self, shard: int) -> bool:
        """Ask for a turn of a shard; False when nobody can be asked."""

    def ask_for_check(self, check: str, firsts: Sequence[int | None]) -> bool:
        """Have workers go on with a check: with parts by their first futures, with the whole for None."""

    def ask_for_comparison(self, comparison: str) -> bool:
        """Have a worker of checks run an input under several releases; False when nobody can be asked."""

    def announce_results(self, ids: list[str]) -> None:
        """Wake whoever waits for these commands or controls."""

    def wait_for_announcement(self, one: str, seconds: float) -> bool:
        """Whether a result was announced within `seconds`; False at once when nobody carries."""

    def frame_pace(self) -> float:
        """Seconds that web servers want between two frames of a cluster; 0 when all keep up."""

    def find_problem(self) -> str:
        """Why messages do not arrive at present; "" when they do."""


class Nobody:
    """Carries nothing."""

    def nudge(self, shard: int) -> bool:
        return False

    def ask_for_check(self, check: str, firsts: Sequence[int | None]) -> bool:
        return False

    def ask_for_comparison(self, comparison: str) -> bool:
        return False

    def announce_results(self, ids: list[str]) -> None:
        return

    def wait_for_announcement(self, one: str, seconds: float) -> bool:
        return False

    def frame_pace(self) -> float:
        return 0.0

    def find_problem(self) -> str:
        return "nobody carries messages"


_carrier: Carrier = Nobody()


def carry_by(carrier: Carrier) -> None:
    """From now on this process's messages go this way."""
    global _carrier
    _carrier = carrier


def carrier() -> Carrier:
    """Who carries the messages of this process."""
    return _carrier
