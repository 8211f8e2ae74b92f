"""The events that the filter box asks for."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet

from dashboard.plots.queries import STATE_NAMES, Query, find_states, find_troubles
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, StoredObject
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


def _either(lookup: str, values: tuple[str, ...]) -> Q:
    return reduce(or_, (Q(**{lookup: value}) for value in values))
