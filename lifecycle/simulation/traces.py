"""The trace as it leaves the program: NDJSON, hashed as written, or a table for people."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from json import JSONEncoder
from typing import Any

from lifecycle.engine import Changes
from lifecycle.engine.heart.trace import Row, Transition, row_to_json
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.simulation.run import Outcome

WriteBytes = Callable[[bytes], object]
BATCH_BYTES = 64 * 1024
# The standard library's, which is loaded already: of a small run, another one's loading takes a twentieth.
_write_json = JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class NdjsonSink:
    """One JSON object a line. The last line carries the hash of all lines before it."""

    def __init__(self, write: WriteBytes) -> None:
        self._write = write
        self._digest = hashlib.sha256()
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self.last_seq = 0

    def take(self, changes: Changes) -> None:
        for row in changes.rows:
            self.last_seq = row.seq
            line = f"{_write_json(row_to_json(row))}\n".encode()
            self._pending.append(line)
            self._pending_bytes += len(line)
        if self._pending_bytes >= BATCH_BYTES:
            self._flush()

    def _flush(self) -> None:
        block = b"".join(self._pending)
        self._digest.update(block)
        self._write(block)
        self._pending.clear()
        self._pending_bytes = 0

    def finish(self, outcome: Outcome) -> str:
        """Write the last line; the hash in it."""
        self._flush()
        digest = f"sha256:{self._digest.hexdigest()}"
        end = {
            "type": "end",
            "seq": self.last_seq + 1,
            "at_ms": outcome.at_ms,
            "why": outcome.why,
            "hash": digest,
        }
        self._write(f"{_write_json(end)}\n".encode())
        return digest


class TableSink:
    """Time, object, what changed: one line a row, in words."""

    def __init__(self, write: WriteBytes) -> None:
        self._write = write

    def take(self, changes: Changes) -> None:
        if changes.rows:
            self._write("".join(f"{describe_row(row)}\n" for row in changes.rows).encode())

    def finish(self, outcome: Outcome) -> None:
        self._write(f"{format_time(outcome.at_ms)}  end: {outcome.why}\n".encode())


def describe_row(row: Row) -> str:
    """`     2.300s  Pod default/web-1  phase: Pending -> Running`"""
    subject = row.subject
    place = f"{subject.namespace}/{subject.name}" if subject.namespace else subject.name
    head = f"{format_time(row.at_ms)}  {kind_id(subject.group, subject.kind)} {place}  "
    if not isinstance(row, Transition):
        times = f" (x{row.count})" if row.count > 1 else ""
        return f"{head}{row.event_type} {row.reason}{times}: {row.message}"
    reason = f" ({row.reason})" if row.reason else ""
    return f"{head}{row.field}: {_show(row.old)} -> {_show(row.new)}{reason}"


def format_time(at_ms: int) -> str:
    """Seconds with three places, right-aligned; from an hour on with hours and minutes before them."""
    seconds, milliseconds = divmod(at_ms, 1000)
    if seconds < 3600:
        return f"{seconds:>9}.{milliseconds:03}s"
    hours, rest = divmod(seconds, 3600)
    return f"{hours}h{rest // 60:02}m{rest % 60:02}.{milliseconds:03}s".rjust(14)


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "-" if value is None else str(value)
