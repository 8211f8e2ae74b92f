"""What recorded rows let the judge see: of pods, of workloads, of CronJobs' Jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence, Set
from typing import Any

from django.db.models import Q, QuerySet

from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.kinds.registry import entry_of_id, list_workloads
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.node import NODE_KIND, Node
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND
from lifecycle.engine.rules.telling.losses import WINDOW_MS
from lifecycle.engine.rules.telling.noticed import (
    CHECKS,
    CREATIONS,
    DISRUPTED,
    EVICTION,
    NOTHING,
    RESCALED,
    STATE,
    WARNING,
    Failing,
    Noticed,
)
from lifecycle.engine.rules.telling.surroundings import tell_scaler
from lifecycle.engine.rules.workloads.refused_pods import is_short
from lifecycle.judge import Seen, find_refusal, judge_workload
from lifecycle.models import Cluster, Event, StoredObject, Transition
from lifecycle.pod_judge import FAILED, HELD, UNWELL, UP, WELL, SeenPod, Verdict, judge_lone
from lifecycle.recorded.latest import LATEST_FIRST
from lifecycle.recorded.living import count_pods, is_none
from lifecycle.recorded.losses import read_losses
from lifecycle.recorded.objects import alive, list_between, list_profiles, list_there, name_owner
from lifecycle.recorded.once import once
from lifecycle.stored_kinds import kind_of_stored, of_kind
from lifecycle.verdicts import tell_conditions

Json = dict[str, Any]
MOST_LOOKED_AT = 50
"""Of so many pods of one kind of trouble the rows are read; the others are counted."""
MOST_ROWS, MOST_GONE = 5_000, 500
_MOST_NODES = 200
_GROUPS = (UNWELL, HELD, FAILED, ("terminating", "succeeded"))
"""Of each of these the first pods are looked at."""


def read_noticed(cluster: Cluster, uids: Iterable[str], now_ms: int) -> dict[str, Noticed]:
    """By uid what the rows of these objects leave; nothing of one that has none."""
    asked, found = list(uids), dict[str, Noticed]()
    if not asked:
        return found
    rows = Transition.objects.filter(cluster=cluster, uid__in=asked, seq__lte=cluster.seq)
    lately = Q(field__in=(STATE, DISRUPTED), at_ms__gte=now_ms - WINDOW_MS)
    latest = rows.filter(Q(field__startswith=CHECKS) | Q(field=EVICTION) | lately).order_by(LATEST_FIRST)
    columns = ("uid", "field", "old", "new", "at_ms", "reason", "message", "detail")
    # The latest tell how it is now; how long already, those before them.
    for uid, *row in reversed(latest.values_list(*columns)[:MOST_ROWS]):
        found.setdefault(uid, Noticed()).take_transition(*row)
    events = Event.objects.filter(cluster=cluster, uid__in=asked, seq__lte=cluster.seq)
    told = events.filter(Q(event_type=WARNING) | Q(reason__in=(*CREATIONS, RESCALED))).order_by(LATEST_FIRST)
    parts = ("uid", "event_type", "reason", "message", "first_ms", "last_ms", "count")
    for uid, *event in reversed(told.values_list(*parts)[:MOST_ROWS]):
        found.setdefault(uid, Noticed()).take_event(*event)
    return found


def see_pods(cluster: Cluster, pods: Sequence[StoredObject], now_ms: int) -> list[SeenPod]:
    """These pods with what their rows leave."""
    noticed = read_noticed(cluster, [one.uid for one in pods], now_ms)
    return [SeenPod(one.data, one.state or "", noticed.get(one.uid, NOTHING)) for one in pods]


@once
def see_nodes(cluster: Cluster) -> dict[str, Node]:
    """By name the nodes that may be why a pod is not well: not ready, or tainted."""
    suspected = Q(state="notReady") | Q(data__spec__has_key="taints")
    found = alive(cluster, NODE_KIND.id).filter(suspected).order_by("name")[:_MOST_NODES]
    return {one.name: Node.from_json(one.data, cluster.epoch_ms) for one in found}


def judge(cluster: Cluster, stored: StoredObject, now_ms: int) -> Verdict | None:
    """What the judge says of a pod or of a workload; None of anything else, and of what is gone."""
    kind = kind_id(stored.group, stored.kind)
    if stored.deleted_ms is not None:
        return None
    if kind == POD_KIND.id:
        (pod,) = see_pods(cluster, [stored], now_ms)
        return judge_lone(
            pod, now_ms, cluster.epoch_ms, see_nodes(cluster), _tell_conditions(cluster, stored)
        )
    if any(entry.kind.id == kind for entry in list_workloads()):
        return judge_workload(see_workload(cluster, stored, now_ms))
    return None


def find_refusals(cluster: Cluster, workloads: Sequence[StoredObject], now_ms: int) -> dict[str, Failing]:
    """By uid why pods of these workloads cannot be made, where that is so."""
    short = [one.uid for one in workloads if is_short(kind_id(one.group, one.kind), one.data)]
    noticed, found = read_noticed(cluster, short, now_ms), dict[str, Failing]()
    for one in workloads:
        known = noticed.get(one.uid, NOTHING)
        refusal = find_refusal(kind_id(one.group, one.kind), one.data, known, cluster.epoch_ms)
        if refusal is not None:
            found[one.uid] = refusal
    return found


def find_pods(cluster: Cluster, stored: StoredObject) -> QuerySet[StoredObject]:
    """A workload's living pods."""
    owners = list_owners(cluster, stored)
    return alive(cluster, POD_KIND.id).filter(namespace=stored.namespace, owner__in=owners)


@once
def list_owners(cluster: Cluster, stored: StoredObject) -> tuple[str, ...]:
    """What its pods may name as their owner."""
    between = StoredObject.objects.filter(of_kind(*list_between()), cluster=cluster, deleted_ms__isnull=True)
    owned = between.filter(namespace=stored.namespace, owner=name_owner(stored))
    names = owned.values_list("group", "kind", "name")
    return name_owner(stored), *(f"{kind_id(group, kind)}/{name}" for group, kind, name in names)


def see_workload(cluster: Cluster, stored: StoredObject, now_ms: int) -> Seen:
    """What was observed of a workload. All its pods are counted; those that may be told of are looked at."""
    kind, owners = kind_of_stored(stored), list_owners(cluster, stored)
    others, restarted = Counter[str](), set[str]()
    for (_owner, state), there in count_pods(cluster, stored.namespace, owners).items():
        others[state] += there.count
        restarted |= {state} if there.restarts else set()
    living = alive(cluster, POD_KIND.id).filter(namespace=stored.namespace, owner__in=owners)
    losses = read_losses(cluster, now_ms, stored.namespace, owners)
    looked = _choose(cluster, living, losses, now_ms, set(others), restarted)
    settled = _list_settled(kind, living, looked)
    for one in looked:
        others[one.state or ""] -= 1
    for pod in settled:
        others[pod.state] -= 1
    return Seen(
        kind,
        stored.data,
        now_ms,
        cluster.epoch_ms,
        [*see_pods(cluster, looked, now_ms), *settled],
        read_noticed(cluster, [stored.uid], now_ms).get(stored.uid, NOTHING),
        others,
        _list_gone(cluster, stored.namespace, owners, now_ms),
        _list_jobs(cluster, stored, now_ms) if kind == CRON_JOB_KIND.id else (),
        _tell_conditions(cluster, stored),
        list_beside(cluster, stored, now_ms),
        see_nodes(cluster) if looked else {},
    )


def _tell_conditions(cluster: Cluster, stored: StoredObject) -> str:
    """What has to be true of its images and of what it names."""
    kind = entry_of_id(kind_id(stored.group, stored.kind)).kind
    named = {"apiVersion": kind.api_version, "kind": stored.kind, **stored.data}
    return tell_conditions(named, list_profiles(cluster), list_there(cluster))


def _choose(
    cluster: Cluster,
    living: QuerySet[StoredObject],
    losses: Collection[str],
    now_ms: int,
    states: Set[str],
    restarted: Set[str],
) -> list[StoredObject]:
    """Of each kind of trouble the first, in the order in which the pods were made; and all that were lost.

    Of those that are well only the ones that something is said of: they are many.

    `states`: those in which there are any; `restarted`: those in which any has restarted.
    """
    found = set[int]()
    if losses:
        lost = StoredObject.objects.filter(cluster=cluster, uid__in=list(losses))
        found.update(lost.values_list("pk", flat=True))
    groups = [living.filter(state__in=group) for group in _GROUPS if not states.isdisjoint(group)]
    if not restarted.isdisjoint(UP):
        groups.append(living.filter(restarts__gt=0, state__in=UP))
    for group in groups:
        found.update(pk for pk, _ in _list_first(group))
    ready = _list_first(living.filter(state=WELL)) if WELL in states else ()
    well = {uid: pk for pk, uid in ready if pk not in found}
    noticed = read_noticed(cluster, well, now_ms)
    found.update(pk for uid, pk in well.items() if uid in noticed and _is_told(noticed[uid]))
    return list(StoredObject.objects.filter(pk__in=found).order_by("created_ms", "pk")) if found else []


def _list_first(pods: QuerySet[StoredObject]) -> QuerySet[StoredObject, tuple[int, str]]:
    return pods.order_by("created_ms", "name").values_list("pk", "uid")[:MOST_LOOKED_AT]


def _is_told(noticed: Noticed) -> bool:
    """Whether anything is said of a pod that is well."""
    return bool(noticed.warned or noticed.refused or noticed.disrupted)


def _list_settled(kind: str, living: QuerySet[StoredObject], looked: Sequence[StoredObject]) -> list[SeenPod]:
    """The pods of a StatefulSet that are well, by names: all of them tell which ordinal it waits for."""
    if kind != STATEFUL_SET_KIND.id:
        return []
    settled = living.filter(state="ready").exclude(pk__in=[one.pk for one in looked]).order_by("name")
    named = settled.values_list("name", "data__metadata__labels")
    return [SeenPod({"metadata": {"name": name, "labels": labels}}, "ready") for name, labels in named]


def _list_gone(cluster: Cluster, namespace: str | None, owners: Sequence[str], now_ms: int) -> list[Noticed]:
    """What made pods go that are no more."""
    gone = StoredObject.objects.filter(
        of_kind(POD_KIND.id), cluster=cluster, namespace=namespace, owner__in=owners
    ).filter(deleted_ms__gte=now_ms - WINDOW_MS)
    uids = list(gone.order_by("-deleted_ms").values_list("uid", flat=True)[:MOST_GONE])
    if not uids:
        return []
    rows = Transition.objects.filter(cluster=cluster, uid__in=uids, field=DISRUPTED, seq__lte=cluster.seq)
    rows = rows.filter(at_ms__gte=now_ms - WINDOW_MS)
    found: dict[str, Noticed] = {}
    columns = ("uid", "field", "old", "new", "at_ms", "reason", "message", "detail")
    for uid, *row in reversed(rows.order_by(LATEST_FIRST).values_list(*columns)[:MOST_ROWS]):
        found.setdefault(uid, Noticed()).take_transition(*row)
    return list(found.values())


def _list_jobs(cluster: Cluster, stored: StoredObject, now_ms: int) -> list[tuple[Json, Noticed]]:
    owned = alive(cluster, JOB_KIND.id).filter(namespace=stored.namespace, owner=name_owner(stored))
    jobs = list(owned)
    noticed = read_noticed(cluster, [one.uid for one in jobs], now_ms)
    return [(one.data, noticed.get(one.uid, NOTHING)) for one in jobs]


@once
def list_scalers_of(cluster: Cluster, stored: StoredObject) -> list[StoredObject]:
    """The autoscalers of a workload, the oldest first."""
    if is_none(cluster, (HORIZONTAL_POD_AUTOSCALER.kind.id,)):
        return []
    found = alive(cluster, HORIZONTAL_POD_AUTOSCALER.kind.id).filter(
        namespace=stored.namespace,
        data__spec__scaleTargetRef__kind=stored.kind,
        data__spec__scaleTargetRef__name=stored.name,
    )
    return list(found.order_by("created_ms", "name"))


def list_beside(cluster: Cluster, stored: StoredObject, now_ms: int) -> list[str]:
    """What its autoscalers have to say of it."""
    scalers = list_scalers_of(cluster, stored)
    noticed = read_noticed(cluster, [one.uid for one in scalers], now_ms)
    told = [tell_scaler(one.data, stored.data, noticed.get(one.uid, NOTHING)) for one in scalers]
    return [one for one in told if one]
