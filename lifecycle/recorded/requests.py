"""What became of the requests to Services, read from their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from lifecycle.engine.kinds.pod_specs import find_pod_metadata
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.lost_requests import FIELD, Courses, find_per_second, selects, tell_lost
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.recorded.objects import alive
from lifecycle.sources import TRANSITIONS
from lifecycle.stored_kinds import kind_of_stored

Json = Mapping[str, Any]
SERVICE = "Service"
MOST_SERVICES = 500
"""Of so many Services of a cluster requests are read at once, the first by namespace and name."""


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
    courses = read_courses(cluster, [one.uid for one in services])
    return [Served(one, courses[one.uid]) for one in services if one.uid in courses]


def list_services(cluster: Cluster, namespace: str | None = None) -> list[StoredObject]:
    """The Services there are, of one namespace or of all."""
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
