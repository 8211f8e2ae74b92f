"""When CronJobs run, Jobs that are run once more, and when and where their pods are then.

A Job has most often ended when all has settled, so it is made again; how long its run takes is tried first.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, TypeGuard

from lifecycle.check.holes.filling import HoleError
from lifecycle.check.settled import Settled, Workload
from lifecycle.engine import Cluster, Command
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.rules.telling.verdicts import make_manual_job
from lifecycle.lean_tuples import NamedTuple
from lifecycle.verdicts import list_next_runs

Json = Mapping[str, Any]
_MINUTE_MS, _HOUR_MS = 60_000, 3_600_000
_SOON_MS = 6 * _HOUR_MS
_LONGEST_MS = 48 * _HOUR_MS
_FIVE = 5
AGAIN_MS = 5_000
"""So long after the old Job is deleted the new one is made."""


# --- when a CronJob runs ------------------------------------------------------------------------------------


def list_soon_runs(settled: Settled, cron_job: Workload) -> list[dict[str, Any]]:
    """The next five runs, in ms from now; none where they take longer than six hours to come."""
    runs = _list_runs(settled, cron_job, settled.now_ms, _FIVE)
    is_soon = len(runs) == _FIVE and runs[-1] <= _SOON_MS
    return [{"run": one} for one in runs] if is_soon else []


def tell_after_next_run(settled: Settled, cron_job: Workload) -> str:
    """A minute after the next run is due."""
    return f"{_list_next(settled, cron_job, 1)[-1] + _MINUTE_MS}ms"


def tell_fifth_run(settled: Settled, cron_job: Workload) -> str:
    """When the fifth run from now on is due."""
    return f"{_list_next(settled, cron_job, _FIVE)[-1]}ms"


def tell_run_after(settled: Settled, cron_job: Workload, after_ms: int) -> str:
    """Two minutes after the first run from then on; after two days it is not waited for any more."""
    runs = _list_runs(settled, cron_job, settled.now_ms + after_ms, 1)
    return f"{min(runs[0] if runs else _LONGEST_MS, _LONGEST_MS) + 2 * _MINUTE_MS}ms"


def _list_next(settled: Settled, cron_job: Workload, count: int) -> list[int]:
    """So many runs. Raises HoleError where they never come."""
    found = _list_runs(settled, cron_job, settled.now_ms, count)
    if len(found) < count:
        raise HoleError(f"{cron_job.title} has no runs to come; say needs: [soonRuns]")
    return found


def _list_runs(settled: Settled, cron_job: Workload, from_ms: int, count: int) -> list[int]:
    if (cron_job.data.get("spec") or {}).get("suspend"):
        return []
    epoch_ms = settled.saved["epoch_ms"]
    return [one - settled.now_ms for one in list_next_runs(cron_job.data, from_ms, epoch_ms, count)]


# --- a Job once more ----------------------------------------------------------------------------------------


class Rerun(NamedTuple):
    """A Job that is run again: its first pod, and when nine tenths of that pod's work are done, in ms."""

    job: dict[str, Any]
    pod: str
    lost_ms: int


def rehearse(settled: Settled, workload: Workload) -> Rerun | None:
    """Run it in a fork, to see how long that takes; None where its first pod does not come or never ends.

    Names are the same in all futures, so the pod is called so in each.
    """
    job = make_again(workload)
    cluster = Cluster.load(settled.saved)
    if workload.kind != CRON_JOB_KIND.id:
        _submit(cluster, "delete", {"kind": "Job", **_address(job), "propagationPolicy": "Background"})
    cluster.run_until(settled.now_ms + AGAIN_MS)
    _submit(cluster, "create", {"object": job})
    found = _watch(cluster, job["metadata"]["name"])
    if found is None:
        return None
    pod, begun_ms, ended_ms = found
    return Rerun(job, pod, begun_ms + (ended_ms - begun_ms) * 9 // 10 - settled.now_ms)


def _address(job: Json) -> dict[str, Any]:
    return {"namespace": job["metadata"]["namespace"], "name": job["metadata"]["name"]}


def _submit(cluster: Cluster, kind: str, payload: Json) -> None:
    cluster.submit(Command(id=f"rehearse-{kind}", kind=kind, payload=dict(payload)))


def _watch(cluster: Cluster, job: str) -> tuple[str, int, int] | None:
    """The first pod of a Job, and from when to when its first container ran."""
    begun: dict[str, int] = {}
    found: list[tuple[str, int, int]] = []

    def see(engine: Cluster) -> bool:
        for row in engine.take_changes().rows:
            if not _is_state_of(row, f"Job/{job}"):
                continue
            name = row.subject.name
            if row.new == "Running":
                begun.setdefault(name, row.at_ms)
            elif row.new == "Terminated" and name in begun:
                found.append((name, begun[name], row.at_ms))
        return bool(found)

    cluster.run_until(cluster.now_ms + 24 * _HOUR_MS, stop=see)
    return found[0] if found else None


def _is_state_of(row: Row, owner: str) -> TypeGuard[Transition]:
    """Whether it tells of the state of a container in a pod of this owner."""
    if not isinstance(row, Transition) or (row.subject.kind, row.subject.owner) != (POD_KIND.name, owner):
        return False
    return row.field.startswith("container.") and row.field.endswith(".state")


_OF_ITS_OWN = (
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "job-name",
)


def make_again(workload: Workload) -> dict[str, Any]:
    """The Job as it was made; of a CronJob one of its template, as `kubectl create job --from` makes it."""
    if workload.kind == CRON_JOB_KIND.id:
        return make_manual_job(workload.data, f"{workload.name[:50]}-now")
    data = deepcopy(dict(workload.data))
    meta, spec = data["metadata"], data["spec"]
    if not spec.get("manualSelector"):
        # The API server makes them of the uid that it gives.
        spec.pop("selector", None)
        for one in (meta, spec["template"].get("metadata") or {}):
            for name in _OF_ITS_OWN:
                (one.get("labels") or {}).pop(name, None)
    kept = {name: meta[name] for name in ("name", "namespace", "labels", "annotations") if meta.get(name)}
    return {"apiVersion": data["apiVersion"], "kind": data["kind"], "metadata": kept, "spec": spec}
