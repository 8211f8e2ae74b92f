"""What the pages of Jobs and CronJobs show: indexes or pods of a Job, runs of a CronJob past and to come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from dashboard.addresses import find_page
from dashboard.pages.workload.places import find_last_rows, list_owned
from dashboard.plots.theme import clock, duration
from lifecycle import verdicts
from lifecycle.engine.objects.names import INSTANTIATE
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.objects.workloads.job import (
    COMPLETION_INDEX,
    INDEX_FAILURE_COUNT,
    JOB_KIND,
    FailureRule,
    Job,
)
from lifecycle.engine.rules.jobs.failure_policy import judge
from lifecycle.engine.rules.jobs.indexes import Intervals, has_index, list_gaps, parse_indexes
from lifecycle.models import Cluster, Event, StoredObject
from lifecycle.recorded.objects import name_owner
from lifecycle.simulation.reports.tones import TONES, Tone
from lifecycle.stored_kinds import of_kind

Json = dict[str, Any]
MOST_CELLS = 200
"""So many indexes or pods are shown, those that are not settled first."""
MOST_RUNS, NEXT_RUNS, MOST_MISSES = 60, 5, 20
MISSES = ("MissSchedule", "TooManyMissedTimes", "JobAlreadyActive")
_UNBEGUN = Tone("pending", "Not begun", "", "")


@dataclass(slots=True)
class Cell:
    """An index of an Indexed Job, or a pod of another one. `seq`: the last row about its pod.

    `rule`: which one of a podFailurePolicy decided on it.
    """

    label: str
    tone: Tone
    words: str
    retries: int = 0
    restarts: int = 0
    pod: str = ""
    page: str = ""
    uid: str = ""
    seq: int | None = None
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """Some of a Job's cells, and how many there are."""

    shown: list[Cell]
    total: int
    is_indexed: bool
    numbers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """One entry of a CronJob's calendar."""

    at_ms: int
    tone: Tone
    words: str
    note: str = ""
    name: str = ""
    page: str = ""
    kind: str = "run"
    seq: int | None = None

    @property
    def at(self) -> str:
        """Its instant, as the page's clock shows it."""
        return clock(self.at_ms)


# --- Jobs -------------------------------------------------------------------------------------------------


def read_grid(cluster: Cluster, stored: StoredObject) -> Grid:
    """A Job's indexes, or its pods, with its numbers."""
    job = Job.from_json(stored.data, cluster.epoch_ms)
    cells = _list_pods(cluster, stored)
    if job.spec.is_indexed:
        shown, total = _list_indexes(job, cells), job.spec.completions or 0
    else:
        is_settled = [cell for cell in cells if cell.tone.name == "succeeded"]
        unsettled = [cell for cell in cells if cell.tone.name != "succeeded"]
        kept = {id(cell) for cell in [*unsettled, *is_settled][:MOST_CELLS]}
        shown, total = [cell for cell in cells if id(cell) in kept], len(cells)
    last = find_last_rows(cluster, [cell.uid for cell in shown if cell.uid])
    for cell in shown:
        cell.seq = last.get(cell.uid)
    _name_rules(cluster, job, [cell for cell in shown if cell.tone.name == "failed"])
    return Grid(shown, total, job.spec.is_indexed, _tell_numbers(job))


def _name_rules(cluster: Cluster, job: Job, failed: Iterable[Cell]) -> None:
    """Which rule of a podFailurePolicy decided on each: Kubernetes says so of FailJob alone."""
    by_uid = {cell.uid: cell for cell in failed if cell.uid}
    if not job.spec.failure_rules or not by_uid:
        return
    pods = StoredObject.objects.filter(cluster=cluster, uid__in=by_uid)
    for uid, data in pods.values_list("uid", "data"):
        if rule := tell_rule(job.spec.failure_rules, Pod.from_json(data, cluster.epoch_ms)):
            by_uid[uid].rule = rule


def tell_rule(rules: Sequence[FailureRule], pod: Pod) -> str:
    """`FailIndex by rule 0 of the podFailurePolicy` for the first rule that matches a failed pod; or ""."""
    actions = ((place, judge((rule,), pod).action) for place, rule in enumerate(rules))
    matching = ((place, action) for place, action in actions if action)
    return next((f"{action} by rule {place} of the podFailurePolicy" for place, action in matching), "")


def _tell_numbers(job: Job) -> dict[str, str]:
    spec, status = job.spec, job.status
    numbers = {"Active": status.active, "Succeeded": status.succeeded, "Failed": status.failed}
    told = {name: str(count) for name, count in numbers.items()}
    told["Completions"] = "any" if spec.completions is None else str(spec.completions)
    told["Parallelism"] = str(spec.parallelism)
    if spec.backoff_limit_per_index is not None:
        told["Back-off limit per index"] = str(spec.backoff_limit_per_index)
        if spec.max_failed_indexes is not None:
            told["Most failed indexes"] = str(spec.max_failed_indexes)
    else:
        told["Back-off limit"] = f"{min(status.failed, spec.backoff_limit)} of {spec.backoff_limit} used"
    return told


def _list_pods(cluster: Cluster, stored: StoredObject) -> list[Cell]:
    """Oldest first; of an index the label."""
    rows = list_owned(cluster, stored, POD_KIND.id).order_by("created_ms", "name")
    columns = ("uid", "namespace", "name", "state", "status", "restarts", "data__metadata__annotations")
    cells = []
    for uid, namespace, name, state, status, restarts, notes in rows.values_list(*columns):
        told, tone = notes or {}, TONES.get(state or "", TONES["unknown"])
        cell = Cell(str(told.get(COMPLETION_INDEX, name)), tone, status or tone.label)
        cell.restarts = restarts or 0
        cell.uid, cell.pod, cell.page = uid, name, find_page(POD_KIND.id, namespace or "", name)
        retries = str(told.get(INDEX_FAILURE_COUNT, ""))
        cell.retries = int(retries) if retries.isascii() and retries.isdigit() else 0
        cells.append(cell)
    return cells


def _list_indexes(job: Job, pods: Iterable[Cell]) -> list[Cell]:
    """Those that failed or have a pod first, then what has not begun, then what is done; in order."""
    by_index: dict[int, Cell] = {}
    failures: dict[int, int] = {}
    wanted = job.spec.completions or 0
    for cell in pods:
        if cell.label.isascii() and cell.label.isdigit() and int(cell.label) < wanted:
            index = int(cell.label)
            by_index[index] = cell
            failures[index] = failures.get(index, 0) + (cell.tone.name == "failed")
    done = parse_indexes(job.status.completed_indexes, wanted)
    lost = parse_indexes(job.status.failed_indexes or "", wanted)
    running = (index for index in by_index if not has_index(done, index))
    order = chain(_walk(lost), running, list_gaps(done, wanted), _walk(done))
    shown = sorted(islice(dict.fromkeys(islice(order, 3 * MOST_CELLS)), MOST_CELLS))
    return [_make_cell(index, by_index.get(index), failures.get(index, 0), done, lost) for index in shown]


def _walk(intervals: Intervals) -> Iterator[int]:
    return chain.from_iterable(range(first, last + 1) for first, last in intervals)


def _make_cell(index: int, pod: Cell | None, failures: int, done: Intervals, lost: Intervals) -> Cell:
    cell = pod or Cell(str(index), _UNBEGUN, "not begun")
    if has_index(done, index):
        cell.tone, cell.words = TONES["succeeded"], "succeeded"
    elif has_index(lost, index):
        cell.tone, cell.words = TONES["failed"], f"failed: {cell.words}" if pod else "failed"
    # A pod says how often its index had failed before it; those that are still there are counted.
    cell.retries = max(cell.retries, failures - (cell.tone.name == "failed"))
    return cell


# --- CronJobs ---------------------------------------------------------------------------------------------


def read_calendar(cluster: Cluster, stored: StoredObject, at_ms: int) -> list[Run]:
    """Those to come, then runs and misses up to now: the latest first."""
    past = sorted(
        [*_list_runs(cluster, stored, at_ms), *_list_misses(cluster, stored)], key=_instant, reverse=True
    )
    if stored.deleted_ms is not None or (stored.data.get("spec") or {}).get("suspend"):
        return past
    times = verdicts.list_next_runs(stored.data, at_ms, cluster.epoch_ms, NEXT_RUNS)
    local = verdicts.tell_local_times(stored.data, times, cluster.epoch_ms)
    coming = [
        Run(next_ms, _UNBEGUN, f"in {duration(-(-(next_ms - at_ms) // 1000) * 1000)}", words, kind="next")
        for next_ms, words in zip(times, local, strict=True)
    ]
    return [*reversed(coming), *past]


def _instant(run: Run) -> int:
    return run.at_ms


def _list_runs(cluster: Cluster, stored: StoredObject, at_ms: int) -> list[Run]:
    """Its latest Jobs, those that are deleted counted."""
    jobs = StoredObject.objects.filter(
        of_kind(JOB_KIND.id), cluster=cluster, namespace=stored.namespace, owner=name_owner(stored)
    )
    return [_make_run(cluster, job, at_ms) for job in jobs.order_by("-created_ms", "-name")[:MOST_RUNS]]


def _make_run(cluster: Cluster, stored: StoredObject, at_ms: int) -> Run:
    job = Job.from_json(stored.data, cluster.epoch_ms)
    status, end = job.status, job.status.finished
    since_ms = stored.created_ms if status.start_ms is None else status.start_ms
    ended_ms = end.last_transition_ms if end is not None else stored.deleted_ms
    took = duration(max(0, (at_ms if ended_ms is None else ended_ms) - since_ms))
    if end is not None:
        tone, words = (
            (TONES["succeeded"], f"complete after {took}")
            if job.has_succeeded
            else (TONES["failed"], f"failed after {took}: {end.reason}")
        )
    elif stored.deleted_ms is not None:
        tone, words = TONES["terminating"], f"deleted after {took}"
    elif job.spec.suspend:
        tone, words = TONES["pending"], "suspended"
    else:
        tone, words = TONES["starting"], f"active for {took}"
    notes = ["run by hand"] if job.meta.annotations.get(INSTANTIATE) == "manual" else []
    notes += ["deleted since"] if stored.deleted_ms is not None and end is not None else []
    page = find_page(JOB_KIND.id, stored.namespace or "", stored.name)
    return Run(stored.created_ms, tone, words, ", ".join(notes), stored.name, page)


def _list_misses(cluster: Cluster, stored: StoredObject) -> list[Run]:
    rows = Event.objects.filter(cluster=cluster, uid=stored.uid, seq__lte=cluster.seq, reason__in=MISSES)
    return [
        Run(row.at_ms, TONES["notReady"], row.reason, row.message, kind="miss", seq=row.seq)
        for row in rows.order_by("-seq")[:MOST_MISSES]
    ]
