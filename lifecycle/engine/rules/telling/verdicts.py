"""What people want to know of a workload at once: what goes on, since when, and what comes next. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC as UTC_ZONE
from datetime import datetime, timedelta
from typing import Any

from lifecycle.late_patterns import late_pattern

from ...heart.timing import read_duration_ms
from ...objects.condition import find_condition
from ...objects.names import INSTANTIATE
from ...objects.pods.container import ContainerStatus
from ...objects.pods.pod import Pod
from ...objects.time_zones import UTC, load_zone
from ...objects.workloads.cron_job import FORBID, REPLACE, CronJob
from ...objects.workloads.job import COMPLETE, Job, JobStatus
from ..jobs.schedules import read_schedule
from ..pods.backoff import find_pending_delay
from ..pods.state import decide_state, is_started_again

Json = Mapping[str, Any]
FOR_GOOD = "nothing will change by itself any more"
MOST_LETTERS_OF_INDEXES = 60
_LONGEST_MESSAGE = 160
_UID = late_pattern(r"\([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\)")
"""Of a message that names the pod by its uid as well."""
_BACK_OFF = late_pattern(r"back-off (\S+) restarting failed container")
_DAY_MS = 86_400_000


def tell_instant(at_ms: int) -> str:
    """`00:05:00`, with days in front when there are any."""
    days, rest = divmod(at_ms, _DAY_MS)
    seconds = rest // 1000
    time = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{days}d {time}" if days else time


def tell_span(span_ms: int) -> str:
    """`20s`, `3m 07s`, `1h 02m`: rounded up, so that it is over when it says so."""
    seconds = -(-span_ms // 1000)
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m {seconds % 60:02d}s"
    if seconds < 86_400:
        return f"{seconds // 3600}h {seconds // 60 % 60:02d}m"
    return f"{seconds // 86_400}d {seconds // 3600 % 24:02d}h"


def quote(message: str) -> str:
    """A message in brackets behind other words, in one line and not too long; "" for none."""
    words = " ".join(_UID.sub("", message).split()).rstrip(".")
    if len(words) > _LONGEST_MESSAGE:
        words = f"{words[: _LONGEST_MESSAGE - 1]}…"
    return f" ({words})" if words else ""


def tell_size(workload: Json) -> str:
    """Of what has a size and no rollout: `2 of 3 ready`."""
    status, wanted = workload.get("status") or {}, (workload.get("spec") or {}).get("replicas", 1)
    return f"{status.get('readyReplicas', 0)} of {wanted} ready"


def wants_nothing(workload: Json) -> bool:
    """Whether it wants no pods and has none left: then only somebody's wish brings it on."""
    status = workload.get("status") or {}
    spec, meta = workload.get("spec") or {}, workload.get("metadata") or {}
    is_seen = status.get("observedGeneration") == meta.get("generation")
    numbers = ("replicas", "terminatingReplicas", "readyReplicas")
    return spec.get("replicas") == 0 and is_seen and not any(status.get(name) for name in numbers)


# --- pods -------------------------------------------------------------------------------------------------


def tell_since(pod: Pod) -> str:
    """` since 00:00:05` of one that no node takes or that only starts; `, not ready since 00:00:05` of any
    other: when it first crashed, or could not be pulled, its status does not say."""
    kept = "Ready" if pod.node_name else "PodScheduled"
    condition = find_condition(pod.status.conditions, kept)
    since_ms = pod.meta.creation_ms if condition is None else condition.last_transition_ms
    if since_ms is None:
        return ""
    is_well = condition is None or not pod.node_name or decide_state(pod).name in ("starting", "notReady")
    return f"{'' if is_well else ', not ready'} since {tell_instant(since_ms)}"


def find_retry_ms(pod: Pod) -> int | None:
    """When the first of its containers that back off is started again; None where none does, or nobody knows.

    The back-off counts from the end of the last run. How long it is the kubelet says, once it has looked
    again; until then it follows from how long it was before.
    """
    status = pod.status
    if pod.is_finished or pod.meta.deletion_ms is not None:
        return None
    found = [_find_restart(pod, one) for one in (*status.init_containers, *status.containers)]
    return min((at_ms for at_ms in found if at_ms is not None), default=None)


def _find_restart(pod: Pod, container: ContainerStatus) -> int | None:
    state, last = container.state, container.last_state
    if state is not None and state.finished_ms is not None and is_started_again(pod, container):
        delay_ms = find_pending_delay(container)
        return state.finished_ms + delay_ms if delay_ms is not None else None
    said = _BACK_OFF.match(state.message or "") if state is not None else None
    if said is None or last is None or last.finished_ms is None:
        return None
    delay_ms = read_duration_ms(said[1])
    return last.finished_ms + delay_ms if delay_ms is not None else None


def tell_retry(pod: Pod, now_ms: int) -> str:
    """`in 20s`; `due now`, where the back-off is over; "" where nobody knows."""
    retry_ms = find_retry_ms(pod)
    if retry_ms is None:
        return ""
    return f"in {tell_span(retry_ms - now_ms)}" if retry_ms > now_ms else "due now"


# --- Jobs -------------------------------------------------------------------------------------------------


def tell_job(job: Job, now_ms: int) -> list[str]:
    """How far it is, why it ended, and what its timers will do."""
    spec, status = job.spec, job.status
    if status.finished is not None:
        return _tell_ended(job, now_ms)
    wanted = f" of {spec.completions}" if spec.completions is not None else ""
    told = [f"{status.succeeded}{wanted} succeeded, {status.active} active, {status.failed} failed"]
    if spec.is_managed_elsewhere:
        return [*told, f"left to {spec.managed_by}: the Job controller does nothing about it"]
    if spec.suspend:
        is_still = not status.active and not status.terminating
        return [*told, "suspended: nothing runs until it is resumed", *([FOR_GOOD] if is_still else [])]
    if spec.active_deadline_seconds is not None and status.start_ms is not None:
        deadline_ms = status.start_ms + spec.active_deadline_seconds * 1000
        told.append(f"fails at {tell_instant(deadline_ms)} unless it ends before")
    return told


def _tell_ended(job: Job, now_ms: int) -> list[str]:
    status, end = job.status, job.status.finished
    assert end is not None, "it has ended"
    ended_ms = end.last_transition_ms
    if end.type == COMPLETE:
        took = (
            f" after {tell_span(status.completion_ms - status.start_ms)}"
            if status.completion_ms is not None and status.start_ms is not None
            else ""
        )
        told = [f"complete{took}"]
    else:
        since = f" at {tell_instant(ended_ms)}" if ended_ms is not None else ""
        told = [f"failed{since}: {end.reason}: {end.message}{_tell_failed_indexes(status)}"]
    ttl = job.spec.ttl_seconds_after_finished
    if ttl is not None and ended_ms is not None:
        return [*told, f"it is deleted in {tell_span(max(0, ended_ms + ttl * 1000 - now_ms))}"]
    return [*told, FOR_GOOD] if not status.terminating and not job.meta.owner_references else told


def _tell_failed_indexes(status: JobStatus) -> str:
    """Which ones, as far as a line holds: `1,3-5`."""
    said = status.failed_indexes or ""
    if len(said) > MOST_LETTERS_OF_INDEXES:
        said = f"{said[:MOST_LETTERS_OF_INDEXES].rpartition(',')[0]} …"
    return f" ({said})" if said else ""


def tell_last_run(job: Job, now_ms: int) -> str:
    """Of a CronJob's last Job that has ended, where it failed: `its last run, night-2945, failed at …`."""
    end = job.status.finished
    return (
        ""
        if end is None or end.type == COMPLETE
        else f"its last run, {job.meta.name}, {_tell_ended(job, now_ms)[0]}"
    )


# --- CronJobs ---------------------------------------------------------------------------------------------


def tell_cron_job(cron_job: CronJob, now_ms: int, epoch_ms: int) -> list[str]:
    """How many runs go on, and when the next one comes."""
    active = len(cron_job.status.active)
    told = [f"{active} run{'' if active == 1 else 's'} active" if active else "no run is active"]
    if cron_job.spec.suspend:
        return [*told, "suspended: no run starts until it is resumed", *([] if active else [FOR_GOOD])]
    runs = list_runs(cron_job, now_ms, epoch_ms, 1)
    if not runs:
        return [*told, "its schedule never comes"]
    when = f"{tell_instant(runs[0])}, in {tell_span(runs[0] - now_ms)}"
    if active and cron_job.spec.concurrency_policy == FORBID:
        return [*told, f"next run due at {when}, and not begun before the active one has ended"]
    instead = ", instead of the active one" if active and cron_job.spec.concurrency_policy == REPLACE else ""
    return [*told, f"next run at {when}{instead}"]


def list_runs(cron_job: CronJob, now_ms: int, epoch_ms: int, count: int) -> list[int]:
    """The next instants of its schedule, in its time zone; [] for a schedule that cannot be read."""
    spec, runs = cron_job.spec, list[int]()
    try:
        schedule = read_schedule(spec.schedule, spec.time_zone or UTC)
    except ValueError:
        return []
    last_ms: int | None = epoch_ms + now_ms
    while last_ms is not None and len(runs) < count:
        last_ms = schedule.next_after(last_ms)
        if last_ms is not None:
            runs.append(last_ms - epoch_ms)
    return runs


def tell_local_times(cron_job: CronJob, times: Iterable[int], epoch_ms: int) -> list[str]:
    """`Thu 2026-01-01 05:35 Asia/Kolkata` of each instant."""
    name = cron_job.spec.time_zone or UTC
    zone = load_zone(name)
    start = datetime(1970, 1, 1, tzinfo=UTC_ZONE)
    moments = ((start + timedelta(milliseconds=epoch_ms + at_ms)).astimezone(zone) for at_ms in times)
    return [f"{moment:%a %Y-%m-%d %H:%M} {name}" for moment in moments]


def make_manual_job(cron_job: Json, name: str) -> dict[str, Any]:
    """A Job of the CronJob's template, controlled by it, marked as made by hand, as kubectl makes one."""
    template, meta = (cron_job.get("spec") or {}).get("jobTemplate") or {}, cron_job["metadata"]
    metadata = template.get("metadata") or {}
    owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": meta["name"], "uid": meta["uid"]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": meta["namespace"],
            "annotations": {INSTANTIATE: "manual", **(metadata.get("annotations") or {})},
            "labels": dict(metadata.get("labels") or {}),
            "ownerReferences": [{**owner, "controller": True}],
        },
        "spec": template.get("spec") or {},
    }
