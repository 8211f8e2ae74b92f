"""What is wrong in a cluster, by kind of trouble: pods, nodes, drains, workloads, namespaces, Jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Count, Q, QuerySet

from lifecycle.engine.kinds.namespace import NAMESPACE
from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.engine.objects.condition import find_condition
from lifecycle.engine.objects.node import NODE_KIND, Node
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND, Job
from lifecycle.engine.rules.reasons import STUCK
from lifecycle.engine.rules.telling.losses import find_losses
from lifecycle.engine.rules.telling.namespaces import find_holders, tell_stuck
from lifecycle.engine.rules.telling.verdicts import quote, tell_instant, tell_job
from lifecycle.engine.rules.workloads.refused_pods import tell_refusal
from lifecycle.judge import counts_failures
from lifecycle.models import Cluster, StoredObject
from lifecycle.pod_judge import (
    ENDING,
    FAILED,
    HELD,
    UNWELL,
    UP,
    SeenPod,
    Troubled,
    find_hold,
    find_overdue,
    has_restarted_lately,
    keeps_restarting,
    tell_troubled,
)
from lifecycle.recorded.living import find_living, is_none
from lifecycle.recorded.losses import read_losses
from lifecycle.recorded.objects import Key, alive, list_between, name_owner
from lifecycle.recorded.once import once
from lifecycle.recorded.seen import MOST_LOOKED_AT, find_refusals, see_nodes, see_pods
from lifecycle.recorded.standing import list_blocked_drains, list_refused_evictions
from lifecycle.stored_kinds import of_kind

Parents = dict[Key, str | None]
"""Whose the owners of pods are."""
MOST_TOLD = 5
MOST_RESTARTED = 100
MOST_WORKLOADS = 200
"""Of so many workloads it is read whether their pods can be made."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A workload whose pods are not well or not made, a lone pod or a node: what it is, and one sentence.

    `state`: the state of a pod that stands for how bad it is.
    """

    state: str
    key: Key
    sentence: str

    @property
    def kind(self) -> str:
        """The id of its kind."""
        return (self.key[1] or "").partition("/")[0]

    @property
    def namespace(self) -> str:
        return self.key[0] or ""

    @property
    def name(self) -> str:
        return (self.key[1] or "").partition("/")[2]


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of trouble: as many as may be told, how many there are, and of how many pods.

    `keys`: the workloads and lone pods that are told of.
    """

    troubles: list[Trouble] = field(default_factory=list)
    count: int = 0
    pods: int = 0
    keys: frozenset[Key] = frozenset()


@dataclass(slots=True)
class Group:
    """Pods of one workload, or one alone: the worst state, the pod to tell of, and how many there are."""

    state: str
    rank: int
    uid: str
    count: int = 0


def list_unwell(cluster: Cluster, parents: Parents, restarted: Sequence[StoredObject], now_ms: int) -> Part:
    """Those that are down, and those that are up for a moment between two ends."""
    return _tell_groups(cluster, _group_unwell(cluster, parents, restarted, now_ms), now_ms)


def list_unwell_keys(cluster: Cluster, parents: Parents, now_ms: int) -> frozenset[Key]:
    """The same workloads and lone pods, without what is said of them."""
    return frozenset(_group_unwell(cluster, parents, list_restarted(cluster, now_ms), now_ms))


def list_unsteady_keys(cluster: Cluster, parents: Parents, now_ms: int) -> frozenset[Key]:
    """The workloads and lone pods with pods that are not well, or that ended lately, even once."""
    return frozenset(_group(cluster, parents, UNWELL, list_restarted(cluster, now_ms)))


def _group_unwell(
    cluster: Cluster, parents: Parents, restarted: Sequence[StoredObject], now_ms: int
) -> dict[Key, Group]:
    again = [one for one in restarted if keeps_restarting(one.data, now_ms, cluster.epoch_ms)]
    return _group(cluster, parents, UNWELL, again)


def list_restless(
    cluster: Cluster, parents: Parents, restarted: Sequence[StoredObject], told: frozenset[Key], now_ms: int
) -> Part:
    """Those that are well now and ended lately, once, but for those that are `told` of."""
    once = [one for one in restarted if not keeps_restarting(one.data, now_ms, cluster.epoch_ms)]
    groups = _group(cluster, parents, (), once)
    return _tell_groups(cluster, {key: one for key, one in groups.items() if key not in told}, now_ms)


def list_failed(cluster: Cluster, parents: Parents, now_ms: int) -> Part:
    """Those that failed for good; those of Jobs are mere tries."""
    found = _group(cluster, parents, FAILED)
    lasting = {
        key: one for key, one in found.items() if not counts_failures((key[1] or "").partition("/")[0])
    }
    return _tell_groups(cluster, lasting, now_ms)


def list_restarted(cluster: Cluster, now_ms: int) -> list[StoredObject]:
    """The pods that are up and ended lately, the most restarted first."""
    return [
        one
        for one in _list_most_restarted(cluster)
        if has_restarted_lately(one.data, now_ms, cluster.epoch_ms)
    ]


@once
def _list_most_restarted(cluster: Cluster) -> list[StoredObject]:
    up = find_living(cluster, (POD_KIND.id,), UP)
    if up is not None and not any(one.restarts for one in up):
        return []
    pods = _living_pods(cluster).filter(restarts__gt=0, state__in=UP).order_by("-restarts", "name")
    return list(pods[:MOST_RESTARTED])


def _group(
    cluster: Cluster, parents: Parents, states: tuple[str, ...], others: Sequence[StoredObject] = ()
) -> dict[Key, Group]:
    """By workload or lone pod those in one of the states, the worst first, and `others`, which crashed."""
    found = [
        (_find_key(parents, namespace, owner, name), states.index(state or ""), state or "", uid)
        for uid, namespace, owner, name, state in _list_in(cluster, states)
    ]
    # One that is down says more than one that was.
    found += [
        (_find_key(parents, one.namespace, one.owner, one.name), len(states), "crashing", one.uid)
        for one in others
    ]
    groups = dict[Key, Group]()
    for key, rank, state, uid in found:
        group = groups.setdefault(key, Group(state, rank, uid))
        group.count += 1
        if rank < group.rank:
            group.state, group.rank, group.uid = state, rank, uid
    worst = sorted(groups.items(), key=lambda item: (item[1].rank, -item[1].count, str(item[0])))
    return dict(worst)


@once
def _list_in(
    cluster: Cluster, states: tuple[str, ...]
) -> Sequence[tuple[str, str | None, str | None, str, str | None]]:
    """The living pods in one of the states: uid, namespace, owner, name, state; the oldest first."""
    if not states or is_none(cluster, (POD_KIND.id,), states):
        return ()
    rows = _living_pods(cluster).filter(state__in=states).order_by("created_ms", "name")
    return list(rows.values_list("uid", "namespace", "owner", "name", "state"))


def list_held(cluster: Cluster, parents: Parents, now_ms: int) -> Part:
    """What keeps pods from being ready, where that has lasted, and from going."""
    held = _list_held(cluster, parents, now_ms) + _list_overdue(cluster, parents, now_ms)
    told = [
        Trouble("notReady", key, tell_troubled(one, now_ms, cluster.epoch_ms))
        for key, one in held[:MOST_TOLD]
    ]
    pods = sum(one.others + 1 for _, one in held)
    return Part(told, len(held), pods, frozenset(key for key, _ in held))


def _list_held(cluster: Cluster, parents: Parents, now_ms: int) -> list[tuple[Key, Troubled]]:
    """By workload or lone pod what keeps its pods from being ready, where that has lasted."""
    if is_none(cluster, (POD_KIND.id,), HELD):
        return []
    held = _living_pods(cluster).filter(state__in=HELD)
    looked = list(held.order_by("name")[:MOST_LOOKED_AT])
    first, counts, nodes = dict[Key, Troubled](), Counter[Key](), see_nodes(cluster)
    for pod, seen in zip(looked, see_pods(cluster, looked, now_ms), strict=True):
        hold = find_hold(seen, now_ms, cluster.epoch_ms, nodes)
        if hold is not None and hold.is_lasting:
            key = _find_key(parents, pod.namespace, pod.owner, pod.name)
            first.setdefault(key, Troubled(seen, 0, hold))
    if not first:
        return []
    owned = held.filter(owner__isnull=False).order_by().values_list("namespace", "owner")
    for namespace, owner, count in owned.annotate(count=Count("pk")):
        counts[_find_key(parents, namespace, owner, "")] += count
    return [(key, one._replace(others=max(0, counts[key] - 1))) for key, one in first.items()]


def _list_overdue(cluster: Cluster, parents: Parents, now_ms: int) -> list[tuple[Key, Troubled]]:
    """By workload or lone pod those that should be gone."""
    first = dict[Key, Troubled]()
    if is_none(cluster, (POD_KIND.id,), (ENDING,)):
        return []
    for pod in _living_pods(cluster).filter(state=ENDING).order_by("created_ms", "name")[:MOST_LOOKED_AT]:
        troubled = find_overdue([SeenPod(pod.data, ENDING)], now_ms, cluster.epoch_ms)
        if troubled is not None:
            first.setdefault(_find_key(parents, pod.namespace, pod.owner, pod.name), troubled)
    return list(first.items())


def list_refused(cluster: Cluster, now_ms: int) -> Part:
    """The workloads whose pods cannot be made; of a Deployment's ReplicaSets it says so itself."""
    kinds = [entry.kind.id for entry in list_workloads()]
    if is_none(cluster, kinds, ("notReady",)) and is_none(cluster, (CRON_JOB_KIND.id,)):
        return Part()
    is_between = of_kind(*list_between()) & Q(owner__isnull=False)
    living = StoredObject.objects.filter(of_kind(*kinds), cluster=cluster, deleted_ms__isnull=True)
    may_be_short = Q(state="notReady") | of_kind(CRON_JOB_KIND.id)
    short = living.filter(may_be_short).exclude(is_between).order_by("created_ms", "name")
    looked = list(short[:MOST_WORKLOADS])
    refusals = find_refusals(cluster, looked, now_ms)
    told = [(one, refusals[one.uid]) for one in looked if one.uid in refusals]
    troubles = [
        Trouble("stuck", (one.namespace, name_owner(one)), f"{one.name}: {tell_refusal(why, one.data)}")
        for one, why in told
    ]
    return Part(troubles[:MOST_TOLD], len(troubles))


def list_lost_nodes(cluster: Cluster) -> Part:
    """The nodes that are not ready."""
    if is_none(cluster, (NODE_KIND.id,), ("notReady",)):
        return Part()
    lost = alive(cluster, NODE_KIND.id).filter(state="notReady")
    troubles = []
    for one in lost.order_by("name")[:MOST_TOLD]:
        ready = find_condition(Node.from_json(one.data, cluster.epoch_ms).status.conditions, "Ready")
        since, why = "", ""
        if ready is not None and ready.last_transition_ms is not None:
            since = f" since {tell_instant(ready.last_transition_ms)}"
            why = quote(f"{ready.reason}: {ready.message}" if ready.message else ready.reason)
        state = "unknown" if ready is not None and ready.status == "Unknown" else "notReady"
        troubles.append(Trouble(state, (None, name_owner(one)), f"{one.name}: not ready{since}{why}"))
    return Part(troubles, lost.count() if troubles else 0)


def list_stuck_namespaces(cluster: Cluster, now_ms: int) -> Part:
    """Those that are to go and cannot: what is in them has finalizers that nobody takes away."""
    living = alive(cluster, NAMESPACE.kind.id).filter(data__metadata__has_key="deletionTimestamp")
    told = [
        (one.name, tell_stuck(one.data, now_ms, cluster.epoch_ms, _list_holders(cluster, one.name)))
        for one in living.order_by("created_ms", "name")
    ]
    troubles = [
        Trouble("stuck", (None, f"{NAMESPACE.kind.id}/{name}"), f"{name}: {why}") for name, why in told if why
    ]
    return Part(troubles[:MOST_TOLD], len(troubles))


def _list_holders(cluster: Cluster, namespace: str) -> list[str]:
    """What in a namespace finalizers keep."""
    there = StoredObject.objects.filter(cluster=cluster, namespace=namespace, deleted_ms__isnull=True)
    held = there.filter(data__metadata__has_key="finalizers").order_by("kind", "name")
    return find_holders({"kind": one.kind, **one.data} for one in held[:MOST_WORKLOADS])


def list_failed_jobs(cluster: Cluster, now_ms: int) -> Part:
    """The Jobs that have failed."""
    if is_none(cluster, (JOB_KIND.id,), ("failed",)):
        return Part()
    failed = alive(cluster, JOB_KIND.id).filter(state="failed")
    troubles = []
    for one in failed.order_by("-created_ms", "name")[:MOST_TOLD]:
        why = tell_job(Job.from_json(one.data, cluster.epoch_ms), now_ms)[0]
        troubles.append(Trouble("failed", (one.namespace, name_owner(one)), f"{one.name}: {why}"))
    return Part(troubles, failed.count() if troubles else 0)


def _find_key(parents: Parents, namespace: str | None, owner: str | None, name: str) -> Key:
    """The workload of a pod, or the pod by itself."""
    return namespace, parents.get((namespace, owner), owner) if owner else f"{POD_KIND.id}/{name}"


def list_standing(cluster: Cluster, now_ms: int) -> tuple[Part, Part]:
    """The drains that cannot go on, and the evictions that were refused lately."""
    drains = list_blocked_drains(cluster, now_ms)
    lasting = [
        Trouble("stuck", (None, f"{NODE_KIND.id}/{node}"), f"{node}: {held.why}")
        for node, held in drains.items()
        if held.is_lasting
    ]
    refused = [
        Trouble("stuck", (space, f"{POD_KIND.id}/{name}"), f"{name}: {why}")
        for space, name, why in list_refused_evictions(cluster, drains, now_ms)
    ]
    return Part(lasting[:MOST_TOLD], len(lasting)), Part(refused[:MOST_TOLD], len(refused))


def list_losing(cluster: Cluster, parents: Parents, told: frozenset[Key], now_ms: int) -> Part:
    """Those whose pods are ready and then not, again and again, but for those that are `told` of."""
    losses = read_losses(cluster, now_ms)
    if not losses:
        return Part()
    pods = StoredObject.objects.filter(cluster=cluster, uid__in=list(losses)).order_by("created_ms", "name")
    by_key: dict[Key, dict[str, list[int]]] = {}
    for uid, namespace, owner, name in pods.values_list("uid", "namespace", "owner", "name"):
        by_key.setdefault(_find_key(parents, namespace, owner, name), {})[uid] = losses[uid]
    found = {key: find_losses(lost, now_ms) for key, lost in by_key.items() if key not in told}
    troubles = [
        Trouble("notReady", key, f"{(key[1] or '').partition('/')[2]}: {lost.tell()}")
        for key, lost in found.items()
        if lost is not None
    ]
    return Part(troubles[:MOST_TOLD], len(troubles))


def _living_pods(cluster: Cluster) -> QuerySet[StoredObject]:
    return alive(cluster, POD_KIND.id)


def _tell_groups(cluster: Cluster, groups: dict[Key, Group], now_ms: int) -> Part:
    if not groups:
        return Part()
    told = dict(list(groups.items())[:MOST_TOLD])
    named = StoredObject.objects.filter(cluster=cluster, uid__in=[one.uid for one in told.values()])
    pods = list(named)
    seen = {pod.uid: one for pod, one in zip(pods, see_pods(cluster, pods, now_ms), strict=True)}
    # Taints keep out what no node takes, and tell nothing of others.
    nodes = see_nodes(cluster) if any(one.state == STUCK for one in seen.values()) else {}
    troubles = [
        Trouble(
            one.state,
            key,
            tell_troubled(Troubled(seen[one.uid], one.count - 1), now_ms, cluster.epoch_ms, nodes),
        )
        for key, one in told.items()
        if one.uid in seen
    ]
    return Part(troubles, len(groups), sum(one.count for one in groups.values()), frozenset(groups))
