"""What the filter box says: `kind:Deployment ns:shop status:CrashLoop node:node-2 text`.

Words of one kind are alternatives, different kinds hold at once, and every plain word must be found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from dashboard.plots.theme import STATES
from lifecycle.engine.objects.pod import POD_KIND
from lifecycle.models import Cluster, StoredObject
from lifecycle.stored_kinds import of_kind

LONGEST = 200
KEYS = {"kind": "kinds", "ns": "namespaces", "status": "statuses", "node": "nodes"}
STATE_NAMES = {tone.name.casefold() for tone in STATES}


class Seen(NamedTuple):
    """A pod, as far as it can be asked for. `workload` is `Deployment/web`, or `Pod`."""

    namespace: str
    name: str
    workload: str
    owner: str
    node: str
    state: str
    status: str


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for, in small letters; empty: everything."""

    kinds: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any((self.kinds, self.namespaces, self.statuses, self.nodes, self.words))

    def takes(self, pod: Seen) -> bool:
        """Whether a pod is asked for."""
        kinds = {"pod", _kind(pod.workload), _kind(pod.owner)}
        name = f"{pod.name} {pod.workload}".casefold()
        return (
            _any(self.kinds, kinds.__contains__)
            and _any(self.namespaces, pod.namespace.casefold().__eq__)
            and _any(self.nodes, pod.node.casefold().__eq__)
            and _any(self.statuses, lambda status: _is_status(status, pod))
            and all(word in name for word in self.words)
        )

    def narrow_events(self, cluster: Cluster, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The events about what is asked for; of nodes and states, those of the pods that are there now."""
        for word in self.words:
            rows = rows.filter(
                Q(name__icontains=word) | Q(reason__icontains=word) | Q(message__icontains=word)
            )
        for names, column in ((self.kinds, "kind"), (self.namespaces, "namespace")):
            if names:
                rows = rows.filter(_either(f"{column}__iexact", names))
        if not (self.nodes or self.statuses):
            return rows
        pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster)
        if self.nodes:
            pods = pods.filter(_either("node__iexact", self.nodes))
        if self.statuses:
            words = [status for status in self.statuses if status not in STATE_NAMES]
            states = _either("state__iexact", self.statuses)
            pods = pods.filter(states | _either("status__icontains", tuple(words)) if words else states)
        return rows.filter(uid__in=pods.values("uid"))


def read_query(text: str) -> Query:
    """Whatever somebody typed; what has no known key is a plain word."""
    found: dict[str, list[str]] = {}
    for word in text[:LONGEST].casefold().split():
        key, colon, value = word.partition(":")
        if colon and key in KEYS:
            found.setdefault(KEYS[key], []).extend([value] if value else [])
        else:
            found.setdefault("words", []).append(word)
    return Query(**{name: tuple(words) for name, words in found.items()})


def _any(asked: tuple[str, ...], holds: Callable[[str], bool]) -> bool:
    return not asked or any(holds(one) for one in asked)


def _either(lookup: str, values: tuple[str, ...]) -> Q:
    return reduce(or_, (Q(**{lookup: value}) for value in values))


def _is_status(asked: str, pod: Seen) -> bool:
    """The name of a state means just that: `ready` is not `notReady`. Else a part of the STATUS column."""
    if asked in STATE_NAMES:
        return asked == pod.state.casefold()
    return asked in pod.status.casefold()


def _kind(reference: str) -> str:
    """`deployment` of `Deployment/web`, without its group."""
    return reference.partition("/")[0].partition(".")[0].casefold()
