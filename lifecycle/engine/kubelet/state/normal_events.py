"""Normal events of the kubelet: counted like the event correlator of client-go, but cheap if they come once.

Most pods have one event for each of a few reasons. These are kept as they are. With the second event of a
reason all are given to the correlator, which counts, aggregates and drops events from then on.
"""

from __future__ import annotations

from typing import Any, Protocol

from ...heart.trace import Trace
from ...objects.meta import Subject

SOURCE = "kubelet"
NORMAL = "Normal"

Few = dict[str, tuple[int, int, str, str | None]]
"""Fewer events than are ever combined or dropped, by reason: number, instant, message and path of each."""


class Teller(Protocol):
    """Who tells of an object; `few` is None once the correlator counts what it tells."""

    few: Few | None


def tell_normal(
    trace: Trace,
    teller: Teller,
    subject: Subject,
    reason: str,
    message: str,
    path: str | None = None,
    detail: dict[str, Any] | None = None,
) -> int:
    """Emit an event on something normal. Returns the row's number, 0 when it is dropped."""
    few = teller.few
    if few is not None:
        if reason not in few:
            seq = trace.plain_event(subject, NORMAL, reason, message, SOURCE, path, detail)
            few[reason] = (trace.event_count, trace.at_ms, message, path)
            return seq
        trace.correlator.take_over(subject.uid, f"{SOURCE} {NORMAL}", few)
        teller.few = None
    return trace.event(subject, NORMAL, reason, message, SOURCE, path, detail)


def load_few(saved: Any) -> Few | None:
    """What was saved of them."""
    return None if saved is None else {reason: (*told,) for reason, told in saved.items()}
