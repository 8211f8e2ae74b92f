"""What a kubelet tells of normal things: counted as its client does, at next to no cost for what comes once.

All that is told of most pods are a few events that differ. They are kept as they were told; the first that
comes again, or is one too many, hands them to the correlator, which counts, combines and drops from then on.
"""

from __future__ import annotations

from typing import Any, Protocol

from ..heart.trace import Trace
from ..objects.meta import Subject

SOURCE = "kubelet"
NORMAL = "Normal"
_WIDTH = 5
_MOST = 8 * _WIDTH
"""Fewer events than are ever combined or dropped (correlator)."""

Few = list[Any]
"""Events that differ: number, instant, reason, message and path of each, one behind the other."""


class Teller(Protocol):
    """Who tells of an object; `few` is None once the correlator counts what it tells."""

    few: Few | None


def tell_normal(
    trace: Trace,
    teller: Teller,
    subject: Subject,
    reason: str,
    message: str,
    path: str | None,
    detail: dict[str, Any] | None = None,
) -> int:
    """Emit an event on something normal. Returns the row's number, 0 when it is dropped."""
    few = teller.few
    if few is not None:
        if len(few) < _MOST and (message not in few or (reason, message, path) not in _list_told(few)):
            seq = trace.plain_event(subject, NORMAL, reason, message, SOURCE, path, detail)
            few += (trace.event_count, trace.at_ms, reason, message, path)
            return seq
        told = [few[start : start + _WIDTH] for start in range(0, len(few), _WIDTH)]
        trace.correlator.take_over(subject.uid, f"{SOURCE} {NORMAL}", told)
        teller.few = None
    return trace.event(subject, NORMAL, reason, message, SOURCE, path, detail)


def _list_told(few: Few) -> list[tuple[str, str, str | None]]:
    return list(zip(few[2::_WIDTH], few[3::_WIDTH], few[4::_WIDTH], strict=True))
