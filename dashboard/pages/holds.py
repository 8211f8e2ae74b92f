"""What keeps pods from being ready, or made, read from rows: failing probes, volumes, refusals."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.names import FAILED_CREATE
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.telling.holds import (
    FAILED_MOUNT,
    HELD,
    Failing,
    Hold,
    find_hold,
    is_mounting,
    list_lanes,
    take_check,
)
from lifecycle.engine.rules.workloads.refused_pods import CREATIONS, find_refusal, is_short, take_creation
from lifecycle.models import Cluster, Event, StoredObject, Transition
from lifecycle.verdicts import Troubled

MOST_LOOKED_AT = 50
"""Of so many pods the rows are read; the others are counted."""
MOST_ROWS = 5_000


def find_holds(cluster: Cluster, pods: Sequence[StoredObject], now_ms: int) -> dict[str, Hold]:
    """By uid what holds those of `pods` that anything does."""
    failing: dict[str, dict[str, Failing]] = {}
    read = {pod.uid: Pod.from_json(pod.data, cluster.epoch_ms) for pod in pods}
    lanes = {uid: found for uid, pod in read.items() if (found := list_lanes(pod))}
    names = {lane for found in lanes.values() for lane in found}
    rows = Transition.objects.filter(cluster=cluster, uid__in=lanes, field__in=names, seq__lte=cluster.seq)
    columns = ("uid", "field", "old", "new", "at_ms", "message")
    # The latest tell how it is now; how long already, those before them.
    latest = rows.order_by("-seq").values_list(*columns)[:MOST_ROWS] if names else ()
    for uid, lane, old, new, at_ms, said in reversed(latest):
        take_check(failing.setdefault(uid, {}), lane, old, new, at_ms, said or "")
    mounting = [uid for uid, pod in read.items() if is_mounting(pod)]
    mounts = Event.objects.filter(
        cluster=cluster, uid__in=mounting, reason=FAILED_MOUNT, seq__lte=cluster.seq
    )
    for uid, first_ms, said in mounts.order_by("seq").values_list("uid", "first_ms", "message"):
        failing.setdefault(uid, {})[FAILED_MOUNT] = Failing(first_ms, said)
    holds = {uid: find_hold(pod, failing.get(uid, {}), now_ms) for uid, pod in read.items()}
    return {uid: hold for uid, hold in holds.items() if hold is not None}


def find_held(cluster: Cluster, pods: QuerySet[StoredObject], now_ms: int) -> Troubled | None:
    """Of these pods the first by name that something holds, and how many others are not ready either."""
    held = pods.filter(state__in=HELD)
    first = list(held.order_by("name")[:MOST_LOOKED_AT])
    holds = find_holds(cluster, first, now_ms)
    found = next((pod for pod in first if pod.uid in holds), None)
    return Troubled(found.data, held.count() - 1, holds[found.uid]) if found is not None else None


def find_refusals(cluster: Cluster, workloads: Sequence[StoredObject]) -> dict[str, Failing]:
    """By uid why pods of these workloads cannot be made, where that is so."""
    found: dict[str, Failing] = {}
    short: list[str] = []
    for one in workloads:
        refusal = find_refusal(one.data, cluster.epoch_ms)
        if refusal is not None:
            found[one.uid] = refusal
        elif is_short(kind_id(one.group, one.kind), one.data):
            short.append(one.uid)
    told = Event.objects.filter(cluster=cluster, uid__in=short, reason__in=CREATIONS, seq__lte=cluster.seq)
    failing: dict[str, dict[str, Failing]] = {}
    latest = told.order_by("-seq").values_list("uid", "reason", "first_ms", "message")[:MOST_ROWS]
    for uid, reason, first_ms, said in reversed(latest if short else ()):
        take_creation(failing.setdefault(uid, {}), reason, first_ms, said)
    return found | {uid: one[FAILED_CREATE] for uid, one in failing.items() if FAILED_CREATE in one}
