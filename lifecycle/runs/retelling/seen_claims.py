"""What was seen in a run, as claims of a Scenario: how it all went, beside how it stands in the end.

Fewest available pods, until when what is settled had settled, restarts, lost requests, what came before
what. Each holds when the story is played again as it is; who changes a manifest is told what got worse.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Any

from lifecycle.engine.kinds import registry
from lifecycle.engine.kinds.stateful_set import STATEFUL_SET
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.stateful_set import ON_DELETE
from lifecycle.engine.rules.telling.verdicts import tell_instant, tell_span
from lifecycle.input.scenario import format_duration
from lifecycle.lost_requests import tell_worth
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.recorded.objects import Key, name_owner, read_parents
from lifecycle.recorded.requests import SERVICE, read_served
from lifecycle.recorded.seen import find_pods
from lifecycle.recorded.troubles import list_unsteady_keys
from lifecycle.stored_kinds import kind_of_stored, of_kind
from lifecycle.verdicts import judge_rollout, read_size

Json = dict[str, Any]
AVAILABLE = ("availableReplicas", "numberAvailable", "readyReplicas", "numberReady")
"""What tells how many pods serve, by kinds: the first that was recorded counts."""
SETTLING = (*AVAILABLE, "replicas", "updatedReplicas", "currentNumberScheduled", "updatedNumberScheduled")
MOST_WORKLOADS, MOST_SERVICES, MOST_PODS = 20, 20, 20


@dataclass(frozen=True, slots=True)
class SeenClaim:
    """`key` names it in a form, `words` say what was seen, `expect` are the entries of a Scenario.

    `is_lasting`: it is about the same things also when a template is changed.
    """

    key: str
    words: str
    expect: list[Json]
    is_lasting: bool = True


@dataclass(frozen=True, slots=True)
class _Course:
    """How many pods of a workload served: `(instant, number)` each, and since when as many as ever since."""

    row: StoredObject
    subject: str
    field: str
    points: list[tuple[int, int]]

    @property
    def first_ms(self) -> int | None:
        """When for the first time as many served as do now; None when none do."""
        last = self.points[-1][1]
        return next((at_ms for at_ms, count in self.points if count >= last), None) if last else None

    @property
    def fewest(self) -> int:
        """The fewest since then."""
        return min(count for at_ms, count in self.points if at_ms >= (self.first_ms or 0))


def list_seen(cluster: Cluster) -> list[SeenClaim]:
    """All that can be claimed, by workload, then of requests, then of what came before what."""
    courses = [one for one in map(_read_course, _list_workloads(cluster)) if one is not None]
    unsteady = list_unsteady_keys(cluster, read_parents(cluster), cluster.instant_ms)
    claims = [claim for one in courses for claim in _claim_of(one, cluster, unsteady)]
    return [*claims, *_claim_requests(cluster), *_claim_order(courses)]


def _list_workloads(cluster: Cluster) -> list[StoredObject]:
    kinds = of_kind(*(entry.kind.id for entry in registry.list_workloads()))
    alive = StoredObject.objects.filter(kinds, cluster=cluster, deleted_ms__isnull=True, owner__isnull=True)
    rows = list(alive.order_by("kind", "namespace", "name")[:MOST_WORKLOADS])
    for row in rows:
        row.cluster = cluster
    return rows


def _read_course(row: StoredObject) -> _Course | None:
    rows = Transition.objects.filter(cluster=row.cluster, uid=row.uid, seq__lte=row.cluster.seq).order_by(
        "seq"
    )
    told = list(rows.filter(field__in=AVAILABLE).values_list("field", "at_ms", "new"))
    field = next((name for name in AVAILABLE if any(one[0] == name for one in told)), None)
    if field is None:
        return None
    points = {at_ms: new or 0 for name, at_ms, new in told if name == field}
    kind = registry.entry_of_id(kind_of_stored(row)).kind
    return _Course(row, _name(kind.words[0], row.name, row.namespace), field, list(points.items()))


def _name(word: str, name: str, namespace: str | None) -> str:
    return f"{word}/{name}" + ("" if namespace in (None, "default") else f" -n {namespace}")


# --- one workload -----------------------------------------------------------------------------------------


def _claim_of(course: _Course, cluster: Cluster, unsteady: Collection[Key]) -> Iterator[SeenClaim]:
    key = f"{course.row.namespace}/{kind_of_stored(course.row)}/{course.row.name}"
    now = format_duration(cluster.instant_ms)
    if course.first_ms is not None and course.fewest:
        since, fewest = course.first_ms, course.fewest
        claim = f"{course.subject} .status.{course.field} >= {fewest}"
        words = f"{course.subject}: never fewer than {fewest} available since {tell_instant(since)}"
        yield SeenClaim(
            f"fewest:{key}", words, [{"always": claim, "from": format_duration(since), "to": now}]
        )
    if _is_settled(course.row) and (course.row.namespace, name_owner(course.row)) not in unsteady:
        yield from _claim_settled(course, key)
    yield from _claim_restarts(course, key, now)


def _is_settled(row: StoredObject) -> bool:
    """Whether its rollout is done, and all the pods that it wants are ready."""
    rollout = judge_rollout(kind_of_stored(row), row.data)
    # By hand nothing is ever rolled out to its end.
    is_by_hand = ((row.data.get("spec") or {}).get("updateStrategy") or {}).get("type") == ON_DELETE
    return (rollout is None or is_by_hand or rollout.is_done) and read_size(row.data).is_full


def _claim_settled(course: _Course, key: str) -> Iterator[SeenClaim]:
    """By when its numbers were those that they are now, and how long after its last change that was."""
    cluster, status = course.row.cluster, course.row.data.get("status") or {}
    rows = Transition.objects.filter(cluster=cluster, uid=course.row.uid, seq__lte=cluster.seq)
    instants = rows.order_by("-seq").values_list("at_ms", flat=True)
    last_ms = instants.filter(field__in=SETTLING).first()
    names = [name for name in SETTLING if name in status]
    if last_ms is None or not names:
        return
    began_ms = instants.filter(field__in=("revision", "exists"), at_ms__lte=last_ms).first() or 0
    took, at = tell_span(last_ms - began_ms), format_duration(last_ms)
    words = f"{course.subject}: settled {took} after its last revision, at {tell_instant(last_ms)}"
    claims = [f"{course.subject} .status.{name} == {status[name]}" for name in names]
    yield SeenClaim(f"settled:{key}", words, [{"at": at, "holds": one} for one in claims])


def _claim_restarts(course: _Course, key: str, now: str) -> Iterator[SeenClaim]:
    pods = list(find_pods(course.row.cluster, course.row).order_by("name"))
    counted = [
        (pod, number, int(status.get("restartCount", 0)))
        for pod in pods[:MOST_PODS]
        for number, status in enumerate((pod.data.get("status") or {}).get("containerStatuses") or ())
    ]
    if not counted:
        return
    total = sum(restarts for *_, restarts in counted)
    often = f"{total} restarts at most" if total else "no restart"
    words = f"{course.subject}: {often} of the pods there are"
    claims = [
        f"{_name(POD_KIND.words[0], pod.name, pod.namespace)}"
        f" .status.containerStatuses[{number}].restartCount <= {restarts}"
        for pod, number, restarts in counted
    ]
    # Other pods are called otherwise, but for those that have numbers.
    is_lasting = kind_of_stored(course.row) == STATEFUL_SET.kind.id
    yield SeenClaim(f"restarts:{key}", words, [{"at": now, "holds": one} for one in claims], is_lasting)


# --- several ----------------------------------------------------------------------------------------------


def _claim_requests(cluster: Cluster) -> Iterator[SeenClaim]:
    services = StoredObject.objects.filter(of_kind(SERVICE), cluster=cluster, deleted_ms__isnull=True)
    for one in read_served(cluster, list(services.order_by("namespace", "name")[:MOST_SERVICES])):
        lost = one.courses.sum_lost(None, cluster.instant_ms)
        subject = _name("service", one.stored.name, one.stored.namespace)
        words = (
            f"{subject}: {f'lost {tell_worth(lost)} of all requests at most' if lost else 'no request lost'}"
        )
        expect = {
            "at": format_duration(cluster.instant_ms),
            "holds": f"{subject} .requests.lostMs <= {ceil(lost)}",
        }
        yield SeenClaim(f"lost:{one.stored.namespace}/{one.stored.name}", words, [expect])


def _claim_order(courses: list[_Course]) -> Iterator[SeenClaim]:
    """Of workloads that served one after the other for the first time."""
    begun = [
        (next(at_ms for at_ms, count in one.points if count), one)
        for one in courses
        if one.first_ms is not None
    ]
    begun.sort(key=lambda pair: pair[0])
    for (early_ms, early), (late_ms, late) in pairwise(begun):
        # Of what is not there nothing can be claimed.
        if early_ms == late_ms or late.row.created_ms > early_ms:
            continue
        expect = [
            {"at": format_duration(early_ms), "holds": f"{early.subject} .status.{early.field} >= 1"},
            {"at": format_duration(early_ms), "holds": f"{late.subject} .status.{late.field} == 0"},
        ]
        words = f"{early.subject} served before {late.subject} did, from {tell_instant(early_ms)} on"
        yield SeenClaim(f"order:{early.row.uid}:{late.row.uid}", words, expect)
