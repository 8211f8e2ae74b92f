"""What the filter box says: `kind:Deployment ns:shop status:crashing node:node-2 text`.

Words of one kind are alternatives, different kinds hold at once, and every plain word must be found: in a
name, or as the beginning of the state of a pod in trouble.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from dashboard.plots.living import PROBLEMS
from dashboard.plots.theme import STATES
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, StoredObject
from lifecycle.stored_kinds import of_kind

LONGEST = 200
KEYS = {"kind": "kinds", "ns": "namespaces", "status": "statuses", "node": "nodes"}
STATE_NAMES = {tone.name.casefold(): tone.name for tone in STATES}
# A pod that crashes has this STATUS only while its kubelet waits: between, Error or Running.
CRASHING, BACKING_OFF = "crashing", "crashloopbackoff"
LEAST_OF_STATE = 3
"""A plain word of fewer letters is looked for in names alone."""


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
            and all(word in name or pod.state in find_troubles(word) for word in self.words)
        )

    def narrow_events(self, cluster: Cluster, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The events about what is asked for; of nodes and states, those of the pods that are there now."""
        pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster)
        for word in self.words:
            named = Q(name__icontains=word) | Q(reason__icontains=word) | Q(message__icontains=word)
            troubled = pods.filter(state__in=find_troubles(word))
            rows = rows.filter(named | Q(uid__in=troubled.values("uid")))
        for names, column in ((self.kinds, "kind"), (self.namespaces, "namespace")):
            if names:
                rows = rows.filter(_either(f"{column}__iexact", names))
        if not (self.nodes or self.statuses):
            return rows
        if self.nodes:
            pods = pods.filter(_either("node__iexact", self.nodes))
        if self.statuses:
            words = tuple(status for status in self.statuses if status not in STATE_NAMES)
            states = Q(state__in={state for status in self.statuses for state in find_states(status)})
            pods = pods.filter(states | _either("status__icontains", words) if words else states)
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


def find_states(asked: str) -> set[str]:
    """The states that a word means: `ready` just that one, `crash` each that begins so."""
    if asked in STATE_NAMES:
        return {STATE_NAMES[asked]}
    found = {state for name, state in STATE_NAMES.items() if name.startswith(asked)}
    return found | ({CRASHING} if BACKING_OFF.startswith(asked) else set())


def _is_status(asked: str, pod: Seen) -> bool:
    """A state, or a part of the STATUS column; the whole name of a state means that alone."""
    is_part = asked not in STATE_NAMES and asked in pod.status.casefold()
    return is_part or pod.state in find_states(asked)


def find_troubles(word: str) -> set[str]:
    """The states of trouble that a plain word means."""
    return find_states(word) & set(PROBLEMS) if len(word) >= LEAST_OF_STATE else set()


def _kind(reference: str) -> str:
    """`deployment` of `Deployment/web`, without its group."""
    return reference.partition("/")[0].partition(".")[0].casefold()
