"""Which pods of a Job are to be made or deleted now. One look does one or the other, deletions first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from lifecycle.lean_dataclasses import dataclass, field

from ....objects.meta import controller_reference
from ....objects.pods.overlay import PodOverlay
from ....objects.pods.pod import Pod
from ....objects.workloads.job import COMPLETION_INDEX, INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT, Job
from ....rules.actions import CreatePod
from ....rules.event_sources import JOB as SOURCE
from ....rules.jobs.backoff import decide_index_wait_ms, decide_wait_ms
from ....rules.jobs.failure_policy import judge
from ....rules.jobs.indexes import list_gaps, union
from ....rules.jobs.pods import NO_INDEX, read_failure_count, read_ignored_count, read_index
from ...replica_set.decide import decide_batch_size
from ...replica_set.decide.ranking import Rank, rank
from .seen import Look, Seen

BURST = 500
"""The most pods that one look makes or deletes."""
LONGEST_STEM = 58
"""How long the part of a pod's name before its suffix may be."""


@dataclass(slots=True)
class Plan:
    """Pods to make, or to delete. `wait_ms`: how much longer none is made (None: nothing waits).

    `is_managed`: whether the number of pods was looked at at all.
    """

    creations: Sequence[CreatePod] = ()
    deletions: Sequence[Pod] = ()
    wait_ms: int | None = None
    is_managed: bool = True


@dataclass(slots=True)
class Sorted:
    """Active pods of an Indexed Job: those that may not stay, and those that may."""

    removed: list[Pod] = field(default_factory=list)
    kept: list[Pod] = field(default_factory=list)


def plan_pods(seen: Seen, look: Look, now_ms: int) -> Plan:
    """What brings a Job's pods to the number it wants; none are left to one that ends."""
    if look.end is not None:
        return Plan(deletions=seen.pods.list_active(), is_managed=False)
    if seen.job.meta.deletion_ms is not None or not seen.is_settled:
        return Plan(is_managed=False)
    wanted = 0 if seen.job.spec.suspend else count_wanted(seen.job, seen.pods.active, look.succeeded)
    # Pods that were made in this look are wanted.
    surplus = [] if seen.tried.calls else list_surplus(seen, max(0, seen.pods.active - wanted))
    if surplus:
        return Plan(deletions=surplus if seen.job.spec.suspend else surplus[:BURST])
    return Plan() if seen.job.spec.suspend else _plan_creations(seen, look, wanted, now_ms)


def count_wanted(job: Job, active: int, succeeded: int) -> int:
    """How many pods are to be active (JOB-PAR-04 to -11)."""
    spec = job.spec
    if spec.completions is None:
        # Once one has succeeded, the others of a work queue are left to end.
        return active if succeeded > 0 else spec.parallelism
    return max(0, min(spec.completions - succeeded, spec.parallelism))


# --- deletions --------------------------------------------------------------------------------------------


def list_surplus(seen: Seen, least: int) -> list[Pod]:
    """The active pods to delete: those whose index is another's or none, then the first of the ranking.

    Unassigned pods go before assigned, pending before running, unready before ready, young before old
    (JOB-PAR-16).
    """
    if not least and not seen.pods.is_uneven:
        return []
    pods = list(seen.pods.list_active())
    found = Sorted(kept=pods)
    if seen.job.spec.is_indexed:
        found = sort_by_index(pods, seen.job.spec.completions or 0, seen.epoch_ms)
    missing = max(0, least - len(found.removed))
    # Of pods with an index that rank alike the lower ones go first.
    rank_one = _rank_of_index if seen.job.spec.is_indexed else _rank
    ranked = sorted(found.kept, key=lambda pod: rank_one(pod, seen.epoch_ms))
    return found.removed + ranked[:missing]


def sort_by_index(pods: Sequence[Pod], completions: int, epoch_ms: int = 0) -> Sorted:
    """Keep one pod of each index, the last of the ranking (JOB-IDX-12); lower indexes come first."""
    by_index: dict[int, list[Pod]] = {}
    for pod in pods:
        by_index.setdefault(read_index(pod), []).append(pod)
    found = Sorted()
    for index in sorted(by_index):
        alike = by_index[index]
        if index == NO_INDEX or index >= completions:
            found.removed += alike
            continue
        *others, last = sorted(alike, key=lambda pod: _rank(pod, epoch_ms))
        found.removed += others
        found.kept.append(last)
    return found


def _rank(pod: Pod, epoch_ms: int) -> Rank:
    return rank(pod, 0, None, use_cost=False, epoch_ms=epoch_ms)


def _rank_of_index(pod: Pod, epoch_ms: int) -> tuple[object, ...]:
    *ranks, _uid = _rank(pod, epoch_ms)
    return tuple(ranks)


# --- creations --------------------------------------------------------------------------------------------


def _plan_creations(seen: Seen, look: Look, wanted: int, now_ms: int) -> Plan:
    job, spec, calls = seen.job, seen.job.spec, seen.tried.calls
    # Where a pod that is being deleted is not replaced before its end, it takes up a place.
    going = seen.pods.terminating
    if going and not seen.gates.replaces_only_failed(spec):
        going = 0
    missing = wanted - going - seen.pods.active
    if missing <= 0 or seen.tried.refusals:
        return Plan()
    if not seen.gates.limits_index(spec):
        wait_ms = decide_wait_ms(look.failures, now_ms)
        if wait_ms > 0:
            return Plan(wait_ms=max(wait_ms, seen.batch_ms))
    missing = min(missing, BURST - calls)
    if not spec.is_indexed:
        batch = decide_batch_size(calls + missing, calls, False)
        return Plan([_make_pod(job)] * batch)
    indexes, waits = look.due or _list_due(seen, look, list_missing(seen, look, missing), now_ms)
    if not indexes:
        # Where some are made now the others are looked for again by the next look.
        return Plan(wait_ms=max(min(waits), seen.batch_ms)) if waits and not calls else Plan()
    batch = decide_batch_size(calls + len(indexes), calls, False)
    look.due = indexes[batch:], waits
    return Plan([_make_indexed_pod(seen, look, index) for index in indexes[:batch]])


def list_missing(seen: Seen, look: Look, count: int) -> list[int]:
    """The first indexes that are neither done, given up nor being worked on (JOB-IDX-11)."""
    return list(islice(_walk_missing(seen, look), count))


def _walk_missing(seen: Seen, look: Look) -> Iterator[int]:
    only_failed = seen.gates.replaces_only_failed(seen.job.spec)
    going = seen.pods.going_by_index if only_failed else {}
    for index in list_gaps(union(look.done, look.lost or ()), seen.job.spec.completions or 0):
        if index not in seen.pods.by_index and index not in going:
            yield index


def _list_due(seen: Seen, look: Look, indexes: Sequence[int], now_ms: int) -> tuple[list[int], list[int]]:
    """The indexes that need not wait, and in ms how long the others have to (JOB-BLPI-12)."""
    if look.awaiting is None:
        return list(indexes), []
    due, waits = [], []
    for index in indexes:
        wait_ms = decide_index_wait_ms(look.awaiting.get(index), now_ms, epoch_ms=seen.epoch_ms)
        if wait_ms:
            waits.append(wait_ms)
        else:
            due.append(index)
    return due, waits


def _make_pod(job: Job) -> CreatePod:
    return CreatePod(job, job.spec.pod_template, controller_reference(job), f"{job.meta.name}-", SOURCE)


def _make_indexed_pod(seen: Seen, look: Look, index: int) -> CreatePod:
    """A pod that knows its index, and how often that has failed (JOB-IDX-04 to -06, -10)."""
    job, name = seen.job, str(index)
    annotations = {COMPLETION_INDEX: name}
    if look.awaiting is not None:
        annotations |= _count_failures(seen, look.awaiting.get(index))
    overlay = PodOverlay({COMPLETION_INDEX: name}, annotations, spec={"hostname": f"{job.meta.name}-{index}"})
    stem = name_indexed_pods(job.meta.name, index)
    order = _make_pod(job)
    return CreatePod(job, order.template, order.reference, stem, SOURCE, overlay=overlay)


def name_indexed_pods(job_name: str, index: int) -> str:
    """The generateName of an index's pods: a long name is cut, the index is not."""
    end = f"-{index}-"
    return job_name[: LONGEST_STEM - len(end)] + end


def _count_failures(seen: Seen, replaced: Pod | None) -> dict[str, str]:
    """The failures of an index, the one of the pod that is replaced included."""
    if replaced is None:
        return {INDEX_FAILURE_COUNT: "0"}
    annotations = replaced.meta.annotations
    failures, ignored = read_failure_count(annotations), read_ignored_count(annotations)
    if judge(seen.job.spec.failure_rules, replaced, seen.gates.limit_per_index).counts:
        failures += 1
    else:
        ignored += 1
    counts = {INDEX_FAILURE_COUNT: str(failures)}
    return {**counts, INDEX_IGNORED_FAILURE_COUNT: str(ignored)} if ignored else counts
