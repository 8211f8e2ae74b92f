"""What became of the requests to Services, read from their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import F, Max, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from lifecycle.engine.kinds.pod_specs import find_pod_metadata
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.lost_requests import FIELD, LOST_SO_FAR, WHOLE, Courses, find_per_second, selects, tell_lost
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.recorded.living import is_none
from lifecycle.recorded.objects import alive
from lifecycle.recorded.once import once
from lifecycle.sources import TRANSITIONS
from lifecycle.stored_kinds import kind_of_stored, of_kind

Json = Mapping[str, Any]
SERVICE = "Service"
MOST_SERVICES = 500
"""Of so many Services of a cluster requests are read at once, the first by namespace and name."""
MOST_TOLD = 3
"""Of so many Services the head of a cluster's page says what they lost."""


class Served(NamedTuple):
    """A Service and how the requests to it fared."""

    stored: StoredObject
    courses: Courses

    def tell(self, to_ms: int, from_ms: int | None = None) -> list[str]:
        """`Service web lost …`, of each kind of senders that lost any."""
        per_second = find_per_second(self.stored.data)
        told = tell_lost(self.courses, from_ms, to_ms, per_second)
        return [f"Service {self.stored.name} {one}" for one in told]


def list_request_rows(cluster: Cluster, uids: Iterable[str]) -> QuerySet[Transition]:
    """The rows that tell it of Services with these uids, and that they were deleted."""
    told = Q(field__startswith=FIELD) | Q(field="exists")
    return Transition.objects.filter(told, cluster=cluster, uid__in=list(uids), seq__lte=cluster.seq)


def read_courses(cluster: Cluster, uids: Iterable[str]) -> dict[str, Courses]:
    """By uid; of those that nobody ever sent any, nothing."""
    found: dict[str, Courses] = {}
    for page in TRANSITIONS.walk(list_request_rows(cluster, uids)):
        for row in page:
            found.setdefault(str(row["uid"]), Courses()).feed(row)
    return {uid: courses for uid, courses in found.items() if courses.by_sender}


def read_served(cluster: Cluster, services: Sequence[StoredObject]) -> list[Served]:
    """Those of the Services that were ever sent requests, in their order."""
    if not services:
        return []
    courses = read_courses(cluster, [one.uid for one in services])
    return [Served(one, courses[one.uid]) for one in services if one.uid in courses]


class LostSum(NamedTuple):
    """What one kind of senders lost of a Service's requests: until a row, and which share since then."""

    namespace: str
    name: str
    uid: str
    sender: str
    lost_ms: int
    share: int
    since_ms: int

    def count_ms(self, now_ms: int) -> float:
        """How many ms' worth until now."""
        return self.lost_ms + self.share * max(now_ms - self.since_ms, 0) / WHOLE


def read_lost_sums(clusters: Sequence[Cluster], most_services: int) -> dict[int, list[LostSum]]:
    """By cluster the sums that stand in the last rows of so many of its Services; three questions in all."""
    place = Window(RowNumber(), partition_by="cluster_id", order_by=("namespace", "name"))
    asked = StoredObject.objects.filter(of_kind(SERVICE), cluster__in=clusters, deleted_ms=None)
    ranked = asked.annotate(place=place).filter(place__lte=most_services)
    names = {
        (pk, uid): (namespace or "", name)
        for pk, uid, namespace, name in ranked.values_list("cluster_id", "uid", "namespace", "name")
    }
    if not names:
        return {}
    rows = Transition.objects.filter(cluster__in=clusters, field__startswith=FIELD)
    known = rows.filter(uid__in={uid for _pk, uid in names}, seq__lte=F("cluster__seq"))
    last = known.values_list("cluster_id", "uid", "field").annotate(last=Max("seq")).order_by()
    wanted = {(pk, seq) for pk, uid, _field, seq in last if (pk, uid) in names}
    found: dict[int, list[LostSum]] = {}
    if not wanted:
        return found
    columns = ("cluster_id", "seq", "uid", "field", "new", "at_ms", "detail")
    listed = rows.filter(seq__in={seq for _pk, seq in wanted}).order_by("cluster_id", "seq")
    for pk, seq, uid, field, new, at_ms, detail in listed.values_list(*columns):
        if (pk, seq) in wanted:
            lost_ms, sender = (detail or {}).get(LOST_SO_FAR, 0), field.removeprefix(FIELD)
            found.setdefault(pk, []).append(LostSum(*names[pk, uid], uid, sender, lost_ms, new or 0, at_ms))
    return found


def tell_lost_requests(cluster: Cluster, now_ms: int) -> list[str]:
    """`Service web lost …`, of the Services that lost most; how many more lost any."""
    if is_none(cluster, (SERVICE,)):
        return []
    by_uid: dict[str, float] = {}
    for one in read_lost_sums([cluster], MOST_SERVICES).get(cluster.pk, ()):
        by_uid[one.uid] = by_uid.get(one.uid, 0) + one.count_ms(now_ms)
    losing = sorted((uid for uid, lost_ms in by_uid.items() if lost_ms), key=lambda uid: -by_uid[uid])
    if not losing:
        return []
    stored = {one.uid: one for one in alive(cluster, SERVICE).filter(uid__in=losing[:MOST_TOLD])}
    served = read_served(cluster, [stored[uid] for uid in losing[:MOST_TOLD] if uid in stored])
    told = [line for one in served for line in one.tell(now_ms)]
    hidden = len(losing) - MOST_TOLD
    return [*told, *([f"And {hidden} Services more lost some"] if hidden > 0 else [])]


@once
def list_services(cluster: Cluster, namespace: str | None = None) -> list[StoredObject]:
    """The Services there are, of one namespace or of all."""
    if is_none(cluster, (SERVICE,)):
        return []
    rows = alive(cluster, SERVICE)
    rows = rows if namespace is None else rows.filter(namespace=namespace)
    return list(rows.order_by("namespace", "name")[:MOST_SERVICES])


def list_services_of(cluster: Cluster, workload: StoredObject) -> list[StoredObject]:
    """The Services that select the pods of a workload."""
    labels = find_labels(kind_of_stored(workload), workload.data)
    return [one for one in list_services(cluster, workload.namespace) if selects(one.data, labels)]


def find_labels(kind: str, workload: Json) -> Json:
    """The labels that the pods of a workload get; of a pod its own."""
    found = workload.get("metadata") or {} if kind == POD_KIND.id else find_pod_metadata(workload)
    labels: Json = found.get("labels") or {}
    return labels
