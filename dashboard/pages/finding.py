"""What the filter box asks for: pods, and events."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet

from dashboard.plots.queries import (
    SEEN_COLUMNS,
    STATE_NAMES,
    Query,
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
    parents = read_parents(cluster, is_gone_too=True)
    workloads = {f"{namespace}/{name}": parent for (namespace, name), parent in parents.items() if parent}
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster)
    seen = ((uid, make_seen(told, workloads)) for uid, *told in pods.values_list("uid", *SEEN_COLUMNS))
    return [
        uid for uid, pod in seen if query.takes(pod) and workload in ("", f"{pod.namespace}/{pod.workload}")
    ]


def _either(lookup: str, values: tuple[str, ...]) -> Q:
    return reduce(or_, (Q(**{lookup: value}) for value in values))
