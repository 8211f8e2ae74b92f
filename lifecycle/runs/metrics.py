"""What a worker counts about itself. Its heartbeat stores the numbers; `/metrics` shows them all."""

from collections import defaultdict

from lifecycle.runs.recorder import Slice

# Since the process started; `…_seconds` are sums.
counters: defaultdict[str, float] = defaultdict(float)
gauges: dict[str, float] = {}


def count_turn(piece: Slice, engine_seconds: float, record_seconds: float) -> None:
    """One turn of a cluster, recorded."""
    counters["turns"] += 1
    counters["rows"] += len(piece.rows)
    counters["versions"] += len(piece.versions)
    counters["commands"] += len(piece.answers)
    counters["engine_seconds"] += engine_seconds
    counters["record_seconds"] += record_seconds


def figures() -> dict[str, float]:
    """Counters and gauges as plain data."""
    return {name: round(value, 6) for name, value in (dict(counters) | gauges).items()}
