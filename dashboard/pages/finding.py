"""What the filter box asks for: pods, and events."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet

from dashboard.plots.queries import (
    SEEN_COLUMNS,
    STATE_NAMES,
    Query,
    Seen,
    find_states,
    find_troubles,
    make_seen,
)
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.objects import read_parents
from lifecycle.stored_kinds import of_kind


def narrow_events(query: Query, cluster: Cluster, rows: QuerySet[Any]) -> QuerySet[Any]:
    """The events about what is asked for; of nodes and states, those of the pods that are there now."""
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster)
    for word in query.words:
        named = Q(name__icontains=word) | Q(reason__icontains=word) | Q(message__icontains=word)
        troubled = pods.filter(state__in=find_troubles(word))
        rows = rows.filter(named | Q(uid__in=troubled.values("uid")))
    for names, column in ((query.kinds, "kind"), (query.namespaces, "namespace")):
        if names:
            rows = rows.filter(_either(f"{column}__iexact", names))
    if not (query.nodes or query.statuses):
        return rows
    if query.nodes:
        pods = pods.filter(_either("node__iexact", query.nodes))
    if query.statuses:
        words = tuple(status for status in query.statuses if status not in STATE_NAMES)
        states = Q(state__in={state for status in query.statuses for state in find_states(status)})
        pods = pods.filter(states | _either("status__icontains", words) if words else states)
    return rows.filter(uid__in=pods.values("uid"))


def find_pods(cluster: Cluster, query: Query, workload: str = "") -> list[str]:
    """The uids of the pods that are asked for, the gone as well; `shop/Deployment/web`: of that one alone."""
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster)
    return [
        uid for uid, pod in take_pods(cluster, pods, query, "uid") if not workload or is_of(pod, workload)
    ]


def take_pods(
    cluster: Cluster, pods: QuerySet[Any], query: Query, *columns: str
) -> Iterator[tuple[*tuple[Any, ...], Seen]]:
    """Of pods that a query takes these columns, and last what it sees of them."""
    parents = read_parents(cluster, is_gone_too=True)
    workloads = {f"{namespace}/{name}": parent for (namespace, name), parent in parents.items() if parent}
    for row in pods.values_list(*SEEN_COLUMNS, *columns):
        pod = make_seen(row[: len(SEEN_COLUMNS)], workloads)
        if query.takes(pod):
            yield *row[len(SEEN_COLUMNS) :], pod


def is_of(pod: Seen, workload: str) -> bool:
    """Whether a pod is of `shop/Deployment/web`, by itself or by a set in between."""
    return workload in (f"{pod.namespace}/{pod.workload}", f"{pod.namespace}/{pod.owner}")


def _either(lookup: str, values: tuple[str, ...]) -> Q:
    return reduce(or_, (Q(**{lookup: value}) for value in values))
