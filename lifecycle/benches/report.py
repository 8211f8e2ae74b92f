"""The shape every bench answers in (docs/formats.md), and the clocks they share."""

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Report:
    """One bench's answer: what was done, what it took, and the limit it is compared with."""

    bench: str
    work: dict[str, Any]
    figures: dict[str, Any]
    limit_what: str
    limit_value: float
    ratio: float
    row_ratio: float | None = None
    """What a step of the bare heap loop takes, as a share of what a recorded row takes."""
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        by_row = {} if self.row_ratio is None else {"row_ratio": self.row_ratio}
        return {
            "bench": self.bench,
            "work": self.work,
            "figures": self.figures,
            "limit": {"what": self.limit_what, "value": self.limit_value},
            "ratio": self.ratio,
            **by_row,
            "peak_rss_mb": peak_rss_mb(),
        }


def peak_rss_mb() -> float:
    """The most memory this process ever held, in MiB. Linux counts KiB, macOS bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 if sys.platform != "darwin" else 1024 * 1024), 1)


def timed(work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> tuple[float, Any]:
    """(seconds, result) of a piece of work."""
    started = clock()
    result = work()
    return clock() - started, result


def computed(work: Callable[[], Any]) -> tuple[float, Any]:
    """(processor seconds, result) of work that only computes: neighbours on the machine do not count."""
    return timed(work, time.process_time)
