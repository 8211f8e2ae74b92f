"""What is said of a run beside doing it: that it could never end as asked, or that nothing came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dashboard.plots.theme import clock
from dashboard.reading.causes import describe_row
from lifecycle.input import expressions
from lifecycle.models import Cluster, Transition
from lifecycle.recorded.objects import find_object
from lifecycle.runs.driving.clocks import wait_until_it_stands
from lifecycle.runs.run_clock import LIMIT_MS
from lifecycle.runs.run_controls import IDLE

SETTLE_SECONDS = 0.5
MOST_TOLD = 3


@dataclass(frozen=True, slots=True)
class Note:
    """What is said of a run. `seq`: the first row it came to; `fork_at_ms`: where it began, to go back to."""

    text: str
    seq: int | None = None
    fork_at_ms: int | None = None


def tell_run(cluster: Cluster, kind: str, payload: dict[str, Any], before: tuple[int, int]) -> Note | None:
    """What came of a step, or of a run that is over already. `before`: instant and row it began at.

    `cluster` is refreshed.
    """
    if kind not in ("step", "run"):
        return None
    if not wait_until_it_stands(cluster, SETTLE_SECONDS):
        return None
    before_ms, before_seq = before
    if kind == "step":
        if cluster.instant_ms == before_ms and cluster.seq == before_seq:
            return Note("Nothing is due: nothing will change by itself any more")
        return _tell_changes(cluster, before_seq)
    if "untilMs" in payload or cluster.instant_ms != before_ms:
        return tell_end(cluster)
    condition = payload.get("condition") or IDLE
    if condition != IDLE:
        return Note(f"{condition} holds already")
    return Note("It is idle already: only upkeep goes on, such as probes, schedules and long back-offs")


def _tell_changes(cluster: Cluster, before_seq: int) -> Note:
    """What a step did: how much, and the first of it."""
    rows = Transition.objects.filter(cluster=cluster, seq__gt=before_seq, seq__lte=cluster.seq)
    count, at = rows.count(), clock(cluster.instant_ms)
    if not count:
        return Note(f"At {at} nothing that is recorded changed")
    shown = [describe_row(row) for row in rows.order_by("seq")[:MOST_TOLD]]
    told = "; ".join(f"{link.subject} {link.what}" for link in shown)
    more = f"; and {count - MOST_TOLD} more" if count > MOST_TOLD else ""
    return Note(f"At {at}: {told}{more}", shown[0].seq)


def tell_end(cluster: Cluster) -> Note | None:
    """How the last run until something holds ended, as long as time stands where it did."""
    if not cluster.paused or cluster.is_look:
        return None
    last = cluster.run_controls.filter(applied_at__isnull=False).order_by("-id").first()
    if last is None or last.kind != last.Kind.RUN or last.instant_ms is None or "untilMs" in last.payload:
        return None
    condition, now = last.payload.get("condition") or IDLE, clock(cluster.instant_ms)
    if cluster.instant_ms >= last.instant_ms + LIMIT_MS:
        seen = _see(cluster, condition, is_late=True)
        told = Note(f"{condition} was not reached in 24 h{seen}", fork_at_ms=last.instant_ms)
        return None if seen is None else told
    if cluster.instant_ms > last.instant_ms and condition != IDLE and _see(cluster, condition) is None:
        return Note(f"Stopped at {now}: {condition}")
    return None


def _see(cluster: Cluster, condition: str, is_late: bool = False) -> str | None:
    """What was seen instead, in words; None where the condition holds. Of `idle` nothing is seen.

    Sums of requests are kept by the engine alone: it stops when they are so, or when it is late.
    """
    if condition == IDLE:
        return ": something goes on again and again"
    asked = expressions.parse(condition)
    if asked.is_of_requests:
        return "" if is_late else None
    found = find_object(cluster, asked.kind, asked.namespace or "", asked.name)
    verdict = asked.judge(found.data if found is not None and found.deleted_ms is None else None)
    return None if verdict.holds else f"; seen last: {verdict.seen}"
