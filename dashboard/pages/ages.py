"""Ages and durations that a page counts on by its own clock, until the server tells of something new."""

from __future__ import annotations

from typing import Any

from lifecycle.engine.kinds.cron_job import CRON_JOB
from lifecycle.engine.kinds.job import JOB
from lifecycle.engine.objects.times import floor_to_second, parse_time_or_none
from lifecycle.engine.rules.columns.ages import age_text, human_duration
from lifecycle.models import Cluster, StoredObject
from lifecycle.stored_kinds import kind_of_stored

AGE, DURATION, LAST_SCHEDULE = "AGE", "DURATION", "LAST SCHEDULE"


class Counting(str):
    """How long ago something was at the instant of the page. `since_ms`: when it was."""

    since_ms: int

    def __new__(cls, since_ms: int, now_ms: int, epoch_ms: int) -> Counting:
        """API times are whole seconds, and so is what is counted from."""
        made = super().__new__(cls, age_text(since_ms, now_ms, epoch_ms))
        made.since_ms = floor_to_second(since_ms, epoch_ms)
        return made


def count_on(facts: dict[str, Any], cluster: Cluster, stored: StoredObject, now_ms: int) -> dict[str, Any]:
    """kubectl's columns of an object, those that tell how long ago something was counting on.

    Of what is gone, of what is over and at a past instant they stand.
    """
    epoch_ms = cluster.epoch_ms
    found = {name: since_ms for name, since_ms in _list_instants(cluster, stored).items() if name in facts}
    if stored.deleted_ms is not None:
        gone_ms = stored.deleted_ms
        return facts | {name: age_text(since_ms, gone_ms, epoch_ms) for name, since_ms in found.items()}
    told = facts | {name: Counting(since_ms, now_ms, epoch_ms) for name, since_ms in found.items()}
    ran_ms = tell_run_ms(cluster, stored)
    return told | ({DURATION: human_duration(ran_ms)} if ran_ms is not None and DURATION in facts else {})


def _list_instants(cluster: Cluster, stored: StoredObject) -> dict[str, int]:
    """Since when each column counts."""
    status, kind, found = stored.data.get("status") or {}, kind_of_stored(stored), {AGE: stored.created_ms}
    texts = {LAST_SCHEDULE: status.get("lastScheduleTime")} if kind == CRON_JOB.kind.id else {}
    if kind == JOB.kind.id and not find_finish_ms(cluster, stored):
        texts[DURATION] = status.get("startTime")
    for name, text in texts.items():
        since_ms = parse_time_or_none(text, cluster.epoch_ms) if text else None
        if since_ms is not None:
            found[name] = since_ms
    return found


def tell_run_ms(cluster: Cluster, stored: StoredObject) -> int | None:
    """How long a Job that is over ran: kubectl goes on counting one that failed, which says nothing."""
    finish_ms = find_finish_ms(cluster, stored)
    start = (stored.data.get("status") or {}).get("startTime")
    start_ms = parse_time_or_none(start, cluster.epoch_ms) if start else None
    return None if finish_ms is None or start_ms is None else finish_ms - start_ms


def find_finish_ms(cluster: Cluster, stored: StoredObject) -> int | None:
    """When a Job was Complete, or Failed; None for one that is not over, and for all other kinds."""
    if kind_of_stored(stored) != JOB.kind.id:
        return None
    for one in (stored.data.get("status") or {}).get("conditions") or ():
        if one.get("type") in ("Complete", "Failed") and one.get("status") == "True":
            return parse_time_or_none(one.get("lastTransitionTime"), cluster.epoch_ms)
    return None
