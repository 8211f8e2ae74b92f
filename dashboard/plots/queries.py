"""What the filter box says: `kind:Deployment ns:shop status:crashing node:node-2 text`.

Words of one kind are alternatives, different kinds hold at once, and every plain word must be found: in a
name, or as the beginning of the state of a pod in trouble.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dashboard.plots.living import PROBLEMS, find_group
from lifecycle.simulation.reports.tones import STATES

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


SEEN_COLUMNS = ("namespace", "name", "owner", "node", "state", "status")
"""The columns of a stored pod that `make_seen` is given."""


def make_seen(told: Sequence[str | None], workloads: Mapping[str, str]) -> Seen:
    """A stored pod, as a query sees it. `workloads`: `shop/ReplicaSet/web-6d4` to `Deployment/web`."""
    namespace, name, owner, node, state, status = (value or "" for value in told)
    workload = find_group((namespace, owner or None), workloads)[1]
    return Seen(namespace, name, workload, owner, node, state or "unknown", status)


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
