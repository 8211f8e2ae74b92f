"""Where a workload is, in one line that a person reads at a glance: `2 of 3 ready`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.time_zones import UTC
from ...objects.times import format_time, parse_utc_ms
from ..jobs.schedule_runs import WAKE_DELAY_MS, find_runs
from ..jobs.schedules import read_schedule

Json = Mapping[str, Any]


def describe_replicas(data: Json) -> str:
    """Of a workload that wants `spec.replicas`."""
    spec, status = data.get("spec") or {}, data.get("status") or {}
    return f"{status.get('readyReplicas', 0)} of {spec.get('replicas', 1)} ready"


def describe_daemon_set(data: Json) -> str:
    """Of one that wants a pod on every node that it is for."""
    status = data.get("status") or {}
    return f"{status.get('numberReady', 0)} of {status.get('desiredNumberScheduled', 0)} ready"


def describe_job(data: Json) -> str:
    """Its pods by what became of them."""
    status = data.get("status") or {}
    return " · ".join(f"{status.get(name, 0)} {name}" for name in ("active", "succeeded", "failed"))


def describe_retries(data: Json) -> str:
    """How often pods of a Job that goes on may still fail; "" where none has, or where it has ended."""
    spec, status = data.get("spec") or {}, data.get("status") or {}
    failed, limit = status.get("failed") or 0, spec.get("backoffLimit")
    ended = {one.get("type") for one in status.get("conditions") or () if one.get("status") == "True"}
    if not failed or limit is None or spec.get("backoffLimitPerIndex") is not None:
        return ""
    return "" if ended & {"Complete", "Failed"} else f"{max(0, limit - failed)} of {limit} left"


def describe_runs(data: Json, now_ms: int, zone: str = UTC) -> str:
    """When a CronJob runs next, and how many runs should have begun by now (CRON-DEADLINE-03).

    `now_ms`: in ms since 1970. `zone`: that of the controller, for schedules without one.
    """
    metadata, spec, status = data["metadata"], data.get("spec") or {}, data.get("status") or {}
    if spec.get("suspend"):
        return "suspended"
    since = status.get("lastScheduleTime")
    created_ms, last_ms = parse_utc_ms(metadata["creationTimestamp"]), parse_utc_ms(since) if since else None
    try:
        schedule = read_schedule(spec.get("schedule") or "", spec.get("timeZone") or zone)
        # The controller looks a moment after a run is due: until then that is not missed.
        looked_ms = now_ms - WAKE_DELAY_MS
        runs = find_runs(schedule, created_ms, last_ms, spec.get("startingDeadlineSeconds"), looked_ms)
    except ValueError as problem:
        return f"never: {problem}"
    next_ms = schedule.next_after(now_ms)
    words = "none in the next five years" if next_ms is None else f"next {format_time(next_ms, 0)}"
    missed = 0 if runs.latest_ms in (None, last_ms) else max(1, runs.count)
    return f"{words}, {missed} missed" if missed else words


def describe_cron_job(data: Json) -> str:
    """When it runs, and how many of its Jobs do so now."""
    spec, status = data.get("spec") or {}, data.get("status") or {}
    return f"{spec.get('schedule', '')} · {len(status.get('active') or ())} active"
