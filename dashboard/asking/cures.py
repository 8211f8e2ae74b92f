"""What would have kept requests to a Service from being lost: tried when somebody asks, done by a click."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from dashboard.asking.request_trials import Retrial, find_change, make_order, restore_before
from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.judge import counts_failures
from lifecycle.lean_tuples import NamedTuple
from lifecycle.lost_requests import selects
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.objects import alive
from lifecycle.recorded.requests import find_labels
from lifecycle.remedies import MOST_PODS, Order, Patience, Remedy, Tried
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.simulation.request_cures import (
    Cure,
    LateError,
    Place,
    find_cure,
    list_cures,
    list_possible,
    tell_trial,
)
from lifecycle.stored_kinds import kind_of_stored

MOST_CPU_SECONDS = 8.0
MOST_WORKLOADS = 5
NOBODY_PLANNED = "It lost no requests by a change that somebody asked for: nothing is tried"
NO_WORKLOAD = "No workload is behind it that could be changed"
NONE_HELPS = "Of the changes that were tried none would have kept half of the requests"
TOO_LATE = "The trials took too long: not all is tried that may help"
TOO_MANY = f"Nothing is tried that may help: these are more than {MOST_PODS} pods"


class Offer(NamedTuple):
    """What helps, each with a command; `why`: why there is no more, in a sentence."""

    tried: Sequence[Tried]
    why: str = ""


def offer_cures(
    cluster: Cluster, service: StoredObject, workloads: Sequence[StoredObject], is_late: Callable[[], bool]
) -> Offer:
    """Live through the last change that lost requests again, with cures for each of these workloads."""
    change = find_change(cluster, service.uid)
    if change is None:
        return Offer((), NOBODY_PLANNED)
    if not workloads:
        return Offer((), NO_WORKLOAD)
    if alive(cluster, POD_KIND.id).count() > MOST_PODS:
        return Offer((), TOO_MANY)
    try:
        saved = restore_before(cluster, change)
    except Unreadable as problem:
        return Offer((), f"What was before the change that lost requests cannot be restored: {problem}")
    found = list[Tried]()
    for workload in workloads[:MOST_WORKLOADS]:
        run = Retrial(saved, change, service.data, _place_of(workload), is_late)
        try:
            untouched = run(Cure())
            listed = list_cures(service.data, workload.data)
            best = find_cure(run, untouched, listed) if untouched and untouched.lost_ms else None
        except LateError:
            return Offer(found, TOO_LATE)
        if untouched is not None and best is not None:
            remedy = _make_remedy(workload, best.cure)
            found.append(Tried(remedy, tell_trial(service.data, untouched, best)))
    return Offer(found, "" if found else NONE_HELPS)


def find_cure_named(
    services: Sequence[StoredObject], workloads: Sequence[StoredObject], change: str | None
) -> Sequence[Order]:
    """The commands of a cure, by its words alone; none where it is not to be had any more."""
    remedies = (
        _make_remedy(workload, cure)
        for service in services
        for workload in workloads
        for cure in list_possible(service.data, workload.data)
        if cure.tell()
    )
    return next((one.orders for one in remedies if one.change == change), ())


def can_be_cured(workload: StoredObject) -> bool:
    """Whether it keeps pods, and no other workload decides about it."""
    return not workload.owner and not counts_failures(kind_of_stored(workload))


def list_behind(cluster: Cluster, service: StoredObject) -> list[StoredObject]:
    """The workloads that nobody else decides about, and whose pods a Service selects."""
    return list(_list_behind(cluster, service))


def _list_behind(cluster: Cluster, service: StoredObject) -> Iterator[StoredObject]:
    for entry in list_workloads():
        for stored in alive(cluster, entry.kind.id).filter(namespace=service.namespace).order_by("name"):
            labels = find_labels(kind_of_stored(stored), stored.data)
            if can_be_cured(stored) and selects(service.data, labels):
                yield stored


def _place_of(workload: StoredObject) -> Place:
    return kind_of_stored(workload), workload.namespace or "", workload.name


def _make_remedy(workload: StoredObject, cure: Cure) -> Remedy:
    change = f"{cure.tell()} for {workload.name}"
    return Remedy(change, (make_order(_place_of(workload), workload.data, cure),), "")


def make_deadline() -> Callable[[], bool]:
    """From now on: whether so many instants were lived through for trials, or so much time spent on them."""
    patience, deadline = Patience(), time.thread_time() + MOST_CPU_SECONDS
    return lambda: patience() or time.thread_time() > deadline
