"""What is wrong in a cluster, the worst first: the sentence at the head of its page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet, Sum

from dashboard.holds import MOST_LOOKED_AT, find_holds, find_refusals
from dashboard.pages import find_page
from dashboard.places import alive, name_owner
from dashboard.plots.theme import TONES, Tone
from dashboard.readings import Key, list_between, read_parents
from lifecycle.engine.kinds.namespace import NAMESPACE
from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.engine.objects.condition import find_condition
from lifecycle.engine.objects.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.job import JOB_KIND, Job
from lifecycle.engine.objects.node import NODE_KIND, Node
from lifecycle.engine.objects.pod import POD_KIND
from lifecycle.engine.rules.namespace_words import tell_stuck
from lifecycle.engine.rules.refused_pods import tell_refusal
from lifecycle.engine.rules.verdict_words import quote, tell_instant, tell_job
from lifecycle.models import Cluster, StoredObject
from lifecycle.stored_kinds import of_kind
from lifecycle.verdicts import (
    ENDING,
    FAILED,
    HELD,
    UNWELL,
    Troubled,
    counts_failures,
    find_overdue,
    has_restarted_lately,
    tell_restarted,
    tell_troubled,
)

Parents = dict[Key, str | None]
"""Whose the owners of pods are."""
Group = tuple[Key, Tone, str, int]
"""Workload or lone pod, its worst state, the uid of the oldest pod in that state, how many more there are."""
MOST_TOLD = 5
MOST_RESTARTED = 100
MOST_WORKLOADS = 200
"""Of so many workloads that are not ready it is read whether their pods can be made."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A workload whose pods are not well or not made, a lone pod or a node: name, page and one sentence."""

    tone: Tone
    name: str
    page: str
    sentence: str

    @property
    def rest(self) -> str:
        """The sentence, without the name where it begins with that."""
        rest = self.sentence.removeprefix(self.name)
        return rest.removeprefix(":").strip() if rest[:1] in (":", " ") else self.sentence


@dataclass(frozen=True, slots=True)
class Verdict:
    """`sentence` says how many are unwell, or how all are; `hidden`: so many troubles are not told."""

    sentence: str
    troubles: list[Trouble]
    hidden: int = 0


def read_verdict(cluster: Cluster, counts: list[tuple[Tone, int]], now_ms: int) -> Verdict:
    """How a cluster stands. `counts`: its living pods by state."""
    parents = read_parents(cluster)
    groups, held = _list_troubled(cluster, UNWELL, parents), _list_held(cluster, parents, now_ms)
    held += _list_overdue(cluster, parents, now_ms)
    failed, refused = _list_failed(cluster, parents), _list_refused(cluster)
    jobs, job_count = _list_failed_jobs(cluster, now_ms)
    nodes, node_count = _list_lost_nodes(cluster)
    stuck = _list_stuck_namespaces(cluster, now_ms)
    if not (groups or held or refused or nodes or stuck):
        restless = _list_restless(cluster, parents, now_ms)
        if failed or job_count or restless:
            return _tell_past(cluster, failed, restless, jobs, job_count, now_ms)
        told = [f"{count} {tone.label.lower()}" for tone, count in counts if count]
        if restarts := _living_pods(cluster).aggregate(sum=Sum("restarts"))["sum"]:
            told.append(f"{restarts} restart{'s' if restarts > 1 else ''} so far")
        return Verdict(f"Nothing is wrong: {', '.join(told)}." if told else "No pods yet.", [])
    troubles = _tell_groups(cluster, groups[:MOST_TOLD], now_ms)
    troubles += (nodes + refused + stuck)[: MOST_TOLD - len(troubles)]
    troubles += [
        _tell(cluster, key, TONES["notReady"], troubled, now_ms)
        for key, troubled in held[: MOST_TOLD - len(troubles)]
    ]
    troubles += _tell_groups(cluster, failed[: MOST_TOLD - len(troubles)], now_ms)
    troubles += jobs[: MOST_TOLD - len(troubles)]
    count = len(groups) + node_count + len(refused) + len(stuck) + len(held) + len(failed) + job_count
    numbers = [
        (sum(others + 1 for *_, others in groups), "not well"),
        (sum(troubled.others + 1 for _, troubled in held), "not ready"),
        (sum(others + 1 for *_, others in failed), "failed"),
    ]
    said = [f"{number} {how}" for number, how in numbers if number]
    if said:
        number, _, how = said[0].partition(" ")
        said[0] = f"{number} pod{'s are' if number != '1' else ' is'} {how}"
    if node_count:
        said.append(f"{_tell_count(node_count, 'node')} {'is' if node_count == 1 else 'are'} not ready")
    if refused:
        said.append(f"{_tell_count(len(refused), 'workload')} cannot make pods")
    if stuck:
        said.append(f"{_tell_count(len(stuck), 'namespace')} cannot go")
    if job_count:
        said.append(f"{_tell_count(job_count, 'Job')} failed")
    sentence = f"{_tell_count(count, 'problem')}: {', '.join(said)}."
    return Verdict(sentence, troubles, count - len(troubles))


def _list_troubled(cluster: Cluster, states: Sequence[str], parents: Parents) -> list[Group]:
    """By workload or lone pod those in one of the states, which the worst leads."""
    rows = _living_pods(cluster).filter(state__in=states).order_by("created_ms", "name")
    worst: dict[Key, tuple[int, str]] = {}
    counts: Counter[Key] = Counter()
    for uid, namespace, owner, name, state in rows.values_list("uid", "namespace", "owner", "name", "state"):
        key = _find_key(parents, namespace, owner, name)
        counts[key] += 1
        rank = states.index(state)
        if key not in worst or rank < worst[key][0]:
            worst[key] = rank, uid
    ranked = sorted(worst.items(), key=lambda item: (item[1][0], -counts[item[0]], str(item[0])))
    return [(key, TONES[states[rank]], uid, counts[key] - 1) for key, (rank, uid) in ranked]


def _list_held(cluster: Cluster, parents: Parents, now_ms: int) -> list[tuple[Key, Troubled]]:
    """By workload or lone pod what keeps its pods from being ready, where that has lasted."""
    held = _living_pods(cluster).filter(state__in=HELD)
    looked = list(held.order_by("name")[:MOST_LOOKED_AT])
    holds = {uid: hold for uid, hold in find_holds(cluster, looked, now_ms).items() if hold.is_lasting}
    if not holds:
        return []
    first, counts = dict[Key, StoredObject](), Counter[Key]()
    for pod in looked:
        if pod.uid in holds:
            first.setdefault(_find_key(parents, pod.namespace, pod.owner, pod.name), pod)
    owned = held.filter(owner__isnull=False).order_by().values_list("namespace", "owner")
    for namespace, owner, count in owned.annotate(count=Count("pk")):
        counts[_find_key(parents, namespace, owner, "")] += count
    return [(key, Troubled(pod.data, max(0, counts[key] - 1), holds[pod.uid])) for key, pod in first.items()]


def _list_overdue(cluster: Cluster, parents: Parents, now_ms: int) -> list[tuple[Key, Troubled]]:
    """By workload or lone pod those that should be gone."""
    first = dict[Key, Troubled]()
    for pod in _living_pods(cluster).filter(state=ENDING).order_by("created_ms", "name")[:MOST_LOOKED_AT]:
        troubled = find_overdue([pod.data], now_ms, cluster.epoch_ms)
        if troubled is not None:
            first.setdefault(_find_key(parents, pod.namespace, pod.owner, pod.name), troubled)
    return list(first.items())


def _list_refused(cluster: Cluster) -> list[Trouble]:
    """The workloads whose pods cannot be made; of a Deployment's ReplicaSets it says so itself."""
    kinds = [entry.kind.id for entry in list_workloads()]
    is_between = of_kind(*list_between()) & Q(owner__isnull=False)
    living = StoredObject.objects.filter(of_kind(*kinds), cluster=cluster, deleted_ms__isnull=True)
    may_be_short = Q(state="notReady") | of_kind(CRON_JOB_KIND.id)
    short = living.filter(may_be_short).exclude(is_between).order_by("created_ms", "name")
    looked = list(short[:MOST_WORKLOADS])
    refusals = find_refusals(cluster, looked)
    told = [(one, refusals[one.uid]) for one in looked if one.uid in refusals]
    return [
        _make_trouble(
            (one.namespace, name_owner(one)), TONES["stuck"], f"{one.name}: {tell_refusal(why, one.data)}"
        )
        for one, why in told
    ]


def _list_lost_nodes(cluster: Cluster) -> tuple[list[Trouble], int]:
    """The nodes that are not ready, as many as may be told, and how many there are."""
    lost = alive(cluster, NODE_KIND.id).filter(state="notReady")
    troubles = []
    for one in lost.order_by("name")[:MOST_TOLD]:
        ready = find_condition(Node.from_json(one.data, cluster.epoch_ms).status.conditions, "Ready")
        since, why = "", ""
        if ready is not None and ready.last_transition_ms is not None:
            since = f" since {tell_instant(ready.last_transition_ms)}"
            why = quote(f"{ready.reason}: {ready.message}" if ready.message else ready.reason)
        tone = TONES["unknown" if ready is not None and ready.status == "Unknown" else "notReady"]
        troubles.append(_make_trouble((None, name_owner(one)), tone, f"{one.name}: not ready{since}{why}"))
    return troubles, lost.count() if troubles else 0


def _list_stuck_namespaces(cluster: Cluster, now_ms: int) -> list[Trouble]:
    """Those that are to go and cannot: what is in them has finalizers that nobody takes away."""
    living = alive(cluster, NAMESPACE.kind.id).order_by("created_ms", "name")
    told = [(one.name, tell_stuck(one.data, now_ms, cluster.epoch_ms)) for one in living]
    return [Trouble(TONES["stuck"], name, "", f"{name}: {why}") for name, why in told if why]


def _list_failed_jobs(cluster: Cluster, now_ms: int) -> tuple[list[Trouble], int]:
    """The Jobs that have failed, as many as may be told, and how many there are."""
    failed = alive(cluster, JOB_KIND.id).filter(state="failed")
    troubles = [
        _make_trouble(
            (one.namespace, name_owner(one)),
            TONES["failed"],
            f"{one.name}: {tell_job(Job.from_json(one.data, cluster.epoch_ms), now_ms)[0]}",
        )
        for one in failed.order_by("-created_ms", "name")[:MOST_TOLD]
    ]
    return troubles, failed.count() if troubles else 0


def _find_key(parents: Parents, namespace: str | None, owner: str | None, name: str) -> Key:
    """The workload of a pod, or the pod by itself."""
    return namespace, parents.get((namespace, owner), owner) if owner else f"{POD_KIND.id}/{name}"


def _list_restless(cluster: Cluster, parents: Parents, now_ms: int) -> list[tuple[Key, list[StoredObject]]]:
    """By workload or lone pod those that are well now and restarted lately; the most restarted first."""
    found = dict[Key, list[StoredObject]]()
    for pod in _living_pods(cluster).filter(restarts__gt=0).order_by("-restarts", "name")[:MOST_RESTARTED]:
        if has_restarted_lately(pod.data, now_ms, cluster.epoch_ms):
            found.setdefault(_find_key(parents, pod.namespace, pod.owner, pod.name), []).append(pod)
    return list(found.items())


def _list_failed(cluster: Cluster, parents: Parents) -> list[Group]:
    """Those that failed for good; those of Jobs are mere tries."""
    found = _list_troubled(cluster, FAILED, parents)
    return [one for one in found if not counts_failures((one[0][1] or "").partition("/")[0])]


def _tell_past(
    cluster: Cluster,
    failed: list[Group],
    restless: list[tuple[Key, list[StoredObject]]],
    jobs: list[Trouble],
    job_count: int,
    now_ms: int,
) -> Verdict:
    """Of a cluster none of whose pods is unwell now: what failed, and what restarted lately."""
    troubles = _tell_groups(cluster, failed[:MOST_TOLD], now_ms)
    troubles += jobs[: MOST_TOLD - len(troubles)]
    for key, restarted in restless[: MOST_TOLD - len(troubles)]:
        said = tell_restarted(Troubled(restarted[0].data, len(restarted) - 1), now_ms, cluster.epoch_ms)
        troubles.append(_make_trouble(key, TONES["crashing"], said))
    numbers = [
        (sum(others + 1 for *_, others in failed), "failed"),
        (sum(len(restarted) for _, restarted in restless), "restarted lately"),
    ]
    told = [f"{_tell_count(number, 'pod')} {how}" for number, how in numbers if number]
    if job_count:
        told.insert(1 if failed else 0, f"{_tell_count(job_count, 'Job')} failed")
    head = "" if failed or job_count else "Nothing is down, but "
    hidden = len(failed) + len(restless) + job_count - len(troubles)
    return Verdict(f"{head}{' and '.join(told)}.", troubles, hidden)


def _tell_count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"


def _make_trouble(key: Key, tone: Tone, sentence: str) -> Trouble:
    kind, _, name = (key[1] or "").partition("/")
    return Trouble(tone, name, find_page(kind, key[0] or "", name), sentence)


def _living_pods(cluster: Cluster) -> QuerySet[StoredObject]:
    return alive(cluster, POD_KIND.id)


def _read_pods(cluster: Cluster, uids: list[str]) -> dict[str, StoredObject]:
    return {pod.uid: pod for pod in StoredObject.objects.filter(cluster=cluster, uid__in=uids)}


def _tell_groups(cluster: Cluster, groups: Sequence[Group], now_ms: int) -> list[Trouble]:
    pods = _read_pods(cluster, [uid for _, _, uid, _ in groups])
    return [
        _tell(cluster, key, tone, Troubled(pods[uid].data, others), now_ms)
        for key, tone, uid, others in groups
        if uid in pods
    ]


def _tell(cluster: Cluster, key: Key, tone: Tone, troubled: Troubled, now_ms: int) -> Trouble:
    return _make_trouble(key, tone, tell_troubled(troubled, now_ms, cluster.epoch_ms))
